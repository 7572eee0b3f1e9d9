"""The levels of a project, understood: what its schemes ask, and how its text is laid out."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from annotations.formats.mmax2.project import LAYOUTS, LINES, Level, Project, Row, Runs, Words, name_text, read_rows
from annotations.formats.mmax2.scheme import (
    Attribute,
    Kind,
    Question,
    add_further,
    build_question,
    choose_kind,
    guess_attributes,
    is_own_name,
    level_key,
    read_scheme,
)
from annotations.formats.model.document import (
    LONGEST_LABEL,
    LONGEST_SPEAKER,
    FormatError,
    Links,
    Parts,
    Stretch,
)
from annotations.formats.model.findings import Findings
from annotations.formats.model.format import Bundle
from annotations.formats.model.links import identity_names, says_identity
from annotations.formats.model.slips import Slips
from annotations.formats.syntax.xml import parse

MOST_FINDINGS = 500
# Pointers of other names that say identity.
ANTECEDENT = re.compile("ante|^ref$")
LINKS = {Kind.POINTER: Links.POINTERS, Kind.SET: Links.INDICES}


def findings_of(file: str) -> Findings:
    """Return what is odd in a file: nothing yet."""
    return Findings(file, MOST_FINDINGS, "more-findings")


@dataclass(frozen=True, slots=True)
class Text:
    """The text with the place of each word."""

    content: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def parts(self, runs: Runs) -> Parts:
        return tuple((self.starts[first], self.ends[last]) for first, last in runs)


class Levels:
    """The levels of a project: their markables and what is asked of them, the text and how it is laid out."""

    def __init__(self, bundle: Bundle, project: Project, words: Words, chosen: str, slips: Slips) -> None:
        self.bundle, self.project, self.words, self.chosen = bundle, project, words, chosen
        self.name = name_text(bundle.main)
        self.findings = findings_of(bundle.main)
        for level in project.levels:
            level.rows = {
                path: list(read_rows(bundle.files[path], path, words, slips)) for path in level.files.values()
            }
        self.findings.findings += slips.finish(1)
        for path, number in project.unnamed.items():
            message = f"{number} markables in {path} are of a level that common_paths.xml does not name"
            self.findings.add(message, code="unnamed-level", fix="they are left out", left_out=True)
        self.keys = {level.name.lower(): level.key for level in project.levels}
        self.keys |= {level.name: level.key for level in project.levels}
        schemes = self._schemes()
        kind = choose_kind(schemes.values(), chosen)
        if kind == Kind.FREETEXT:
            raise FormatError(f"no level has sets, pointers or values called {chosen[:100]!r}", bundle.main)
        self.links = LINKS.get(kind, Links.NONE)
        for level in project.levels:
            scheme = schemes[level.key]
            question = Question()
            shows = kind == Kind.NOMINAL and level.layout and not any(each.name == "category" for each in scheme)
            if chosen or not shows:
                question = build_question(scheme, level.key, self.keys, kind, chosen)
            level.question = add_further(question, scheme, level.key, self.keys)
            self._report_unread(level, scheme)
        coded = [level for level in project.levels if level.question.coded]
        if not coded:
            fix = "choose the attribute that says what goes together"
            self._report_attributes(project.levels, "is no set and no pointer", fix)
        self.marked = {level.key for level in coded} | self._targets()
        # The folders of the coders: those that hold markables of a coded level, first the one that the project names.
        folders = {folder for level in coded for folder in level.files}
        folders = folders or {folder for level in project.levels for folder in level.files}
        self.folders = sorted(folders, key=lambda folder: (folder != project.markables, folder))
        self.text, self.segments = self._lay_out()

    def _schemes(self) -> dict[str, tuple[Attribute, ...]]:
        """Return the attributes of each level, told by the markables where there is no scheme file."""
        files = dict.fromkeys(level.scheme for level in self.project.levels if level.scheme is not None)
        known = {file: read_scheme(parse(self.bundle.files[file], file), file) for file in files}
        schemes = {
            level.key: guess_attributes(row.attributes for row in level.all_rows())
            if level.scheme is None
            else known[level.scheme]
            for level in self.project.levels
        }
        attributes = [each for scheme in schemes.values() for each in scheme]
        pointers = {each.name for each in attributes if each.kind == Kind.POINTER and each.identity is None}
        identity = identity_names(pointers)
        others = pointers - identity if not self.chosen and any(map(says_identity, identity)) else ()

        def understand(each: Attribute) -> Attribute:
            if each.name == self.chosen and each.kind == Kind.FREETEXT:
                return replace(each, kind=Kind.SET)
            return replace(each, identity=False) if each.name in others else each

        return {key: tuple(map(understand, scheme)) for key, scheme in schemes.items()}

    def _report_unread(self, level: Level, scheme: Iterable[Attribute]) -> None:
        """Say what of the markables is not read, what is guessed, and that a scheme is missing."""
        question, file = level.question, level.scheme or self.bundle.main
        if level.scheme is None and question.coded:
            message = f"the scheme of the level {level.name} is not here"
            self.findings.add(message, code="no-scheme", file=file, fix="sets and pointers are told by their values")
        read = {link.name for link in level.links()}
        unread = {each.name for each in scheme if each.kind in (Kind.SET, Kind.POINTER) and each.name not in read}
        guessed = {
            each.name
            for each in scheme
            if each.identity is None and not says_identity(each.name) and not ANTECEDENT.search(each.name)
        }
        used = Counter(name for row in level.all_rows() for name in row.attributes if row.has(name))
        for name in (link.name for link in question.links if question.kind == Kind.POINTER and link.name in guessed):
            message = f"{used[name]} pointers {name} of the level {level.name} are read as antecedents"
            self.findings.add(
                message, code="identity", file=file, fix='identity="false" in the scheme makes them a relation'
            )
        for name in sorted(unread & used.keys()):
            message = f"{used[name]} values of {name} of the level {level.name} are not read"
            self.findings.add(
                message, code="not-read", file=file, fix=f"choose the attribute {name} to read it", left_out=True
            )
        if question.coded:
            known = {each.name for each in scheme}
            self._report_attributes([level], "is not in the scheme of the level", "left out", known)

    def _report_attributes(self, levels: Iterable[Level], what: str, fix: str, known: Collection[str] = ()) -> None:
        """Report attributes of markables that are not read, with their numbers."""
        counts = Counter(
            name
            for level in levels
            for row in level.all_rows()
            for name in row.attributes
            if name not in known and not is_own_name(name) and row.has(name)
        )
        for name, number in counts.most_common():
            message = f"{number} values of the attribute {name}, which {what}"
            self.findings.add(message, code="attribute", fix=fix, left_out=True)

    def _targets(self) -> set[str]:
        """Return the keys of the levels that pointers may go to, and of those that they go to."""
        keys = {link.domain for level in self.project.levels for link in level.question.links}
        for level in self.project.levels:
            for link in level.links():
                values = [row.attributes[link.name] for row in level.all_rows() if row.has(link.name)]
                keys |= {link.domain} if values else set()
                names = (piece.strip().rpartition(":") for value in values for piece in value.split(";"))
                keys |= {level_key(self.keys, name) for name, colon, _ in names if colon or name}
        return keys

    def file(self, level: Level, folder: str) -> str:
        """Return the file of a level in a folder; what is not coded need stand in one folder only."""
        if folder in level.files or level.question.coded:
            return level.files.get(folder, "")
        first = next((other for other in self.folders if other in level.files), min(level.files, default=""))
        return level.files.get(first, "")

    def stands_for(self, level: Level, row: Row) -> str:
        if not level.layout:
            return "markable"
        value = row.attributes.get("stands_for", "")
        if value in ("markable", "segment", "both"):
            return value
        return "both" if level.key in self.marked else "segment"

    def _lay_out(self) -> tuple[Text, tuple[Stretch, ...]]:
        """Return the text in its lines, and its segments."""
        rows_by_layout: dict[str, list[Row]] = {}
        for layout in LAYOUTS:
            level = next((level for level in self.project.levels if level.layout == layout), None)
            file = self.file(level, self.folders[0]) if level and self.folders else ""
            if level and file:
                rows_by_layout[layout] = [row for row in level.rows[file] if self.stands_for(level, row) != "markable"]
        lines = next((rows_by_layout[layout] for layout in LINES if rows_by_layout.get(layout)), [])
        breaks = {edge for row in lines for first, last in row.runs for edge in (first, last + 1)}
        starts, pieces, position = [], list[str](), 0
        for number, word in enumerate(self.words.texts):
            if number:
                pieces.append("\n" if number in breaks else " ")
                position += 1
            starts.append(position)
            pieces.append(word)
            position += len(word)
        ends = tuple(start + len(word) for start, word in zip(starts, self.words.texts, strict=True))
        text = Text("".join(pieces), tuple(starts), ends)
        segments: dict[tuple[str, int, int], Stretch] = {}
        for layout, rows in rows_by_layout.items():
            for row in rows if layout != "line" else ():
                label = row.check_length(row.label("number"), LONGEST_LABEL, "label")
                speaker = row.check_length(row.attributes.get("speaker", "").strip(), LONGEST_SPEAKER, "speaker")
                for start, end in text.parts(row.runs):
                    segments.setdefault((layout, start, end), Stretch(layout, start, end, label, speaker))
        return text, tuple(sorted(segments.values(), key=lambda each: (each.start, -each.end, each.kind)))
