"""MMAX2 projects: words in one file, markables of each level in others, tied to the words by their ids.

Read are the `.mmax` file, `common_paths.xml` (without it the levels are told by the names of the files), the words,
the schemes, and every folder that holds markables of a coded level: each folder is a coder. DTDs, style sheets and
customizations are not looked at.

* The text is the words joined by a blank. A line ends before and after each markable of the level `sentence` (or
  `utterance`), where the project has none, of `turn`, else of `line`. These levels and `paragraph` and `header` give
  segments with label and speaker, for all coders those of the first folder. They are markables too where pointers go
  to them; an attribute `stands_for` (markable, segment or both) says otherwise.
* A level is coded if its scheme has pointers, or sets where no level has pointers, or, where no level has either, a
  nominal attribute. What leads to these by `next` says the category. Without a scheme file the attributes are told
  by their values.
* `phrase_antecedent_2` adds the antecedents of a second reading to those of `phrase_antecedent`, and `coref_class_2`
  a second entity to that of `coref_class`.
* A markable is uncoded if it has none of the attributes of its scheme.
"""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from annotations.formats.document import (
    LONGEST_INDEX,
    LONGEST_LABEL,
    LONGEST_SPEAKER,
    Answer,
    Document,
    Finding,
    FormatError,
    Links,
    Mark,
    Parts,
    Place,
    Stretch,
    in_text_order,
)
from annotations.formats.format import Bundle, Format, Option, stem
from annotations.formats.losses import Feature
from annotations.formats.mmax2_project import (
    LAYOUTS,
    Level,
    Project,
    Row,
    Runs,
    Words,
    bundles,
    read_project,
    read_rows,
    read_words,
)
from annotations.formats.mmax2_scheme import (
    UNSET,
    Attribute,
    Kind,
    Question,
    guessed,
    kind_asked,
    question,
    read_scheme,
)
from annotations.formats.mmax2_writing import write
from annotations.formats.scheme import CategorySpec, LevelSpec, SchemeSpec

MOST_FINDINGS = 500
# What of a layout shows where lines end: the first that a project has.
LINES = ("sentence", "turn", "line")
LINKS = {Kind.POINTER: Links.POINTERS, Kind.SET: Links.INDICES}


def read(bundle: Bundle, attribute: str = "") -> list[Document]:
    """One document for each coder. Raises FormatError with file and line on anything that is not such a project.

    attribute: the one that says what goes together, where a scheme has several.
    """
    project = read_project(bundle)
    words = read_words(bundle.files[project.words], project.words)
    reader = _Reader(bundle, project, words, attribute.strip().lower())
    return reader.documents()


@dataclass(slots=True)
class _Findings:
    """What is odd, within bounds."""

    found: list[Finding] = field(default_factory=list)
    more: int = 0

    def add(self, code: str, message: str, file: str, line: int | None = None, fix: str = "") -> None:
        if len(self.found) < MOST_FINDINGS:
            self.found.append(Finding(code, message, file, line, fix))
        else:
            self.more += 1

    def all(self, file: str) -> tuple[Finding, ...]:
        if not self.more:
            return tuple(self.found)
        return (*self.found, Finding("more-findings", f"{self.more} more findings are not listed", file))


@dataclass(frozen=True, slots=True)
class _Text:
    """The text with the place of each word."""

    content: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def parts(self, runs: Runs) -> Parts:
        return tuple((self.starts[first], self.ends[last]) for first, last in runs)


class _Reader:
    """A project while its documents are made."""

    def __init__(self, bundle: Bundle, project: Project, words: Words, chosen: str) -> None:
        self.bundle, self.project, self.words = bundle, project, words
        self.name = stem(bundle.main)
        self.odd = _Findings()
        self.rows = {
            path: read_rows(bundle.files[path], path, words)
            for level in project.levels
            for path in level.files.values()
        }
        self.keys = {level.name.lower(): level.key for level in project.levels}
        self.keys |= {level.name: level.key for level in project.levels}
        schemes = self._schemes()
        kind = kind_asked(schemes.values(), chosen)
        if kind == Kind.FREETEXT:
            raise FormatError(f"no level has sets, pointers or values called {chosen[:100]!r}", bundle.main)
        self.links = LINKS.get(kind, Links.NONE)
        self.questions = {}
        for level in project.levels:
            scheme = schemes[level.key]
            laid_out = kind == Kind.NOMINAL and level.layout and not any(each.name == "category" for each in scheme)
            asked = Question() if laid_out and not chosen else question(scheme, level.key, self.keys, kind, chosen)
            self.questions[level.key] = asked
            if not chosen:
                self._report_unread(level, scheme, asked)
        self.marked = {level.key for level in project.levels if self._asks(level).coded} | self._targets()
        self.folders = self._folders()
        self.text, self.segments = self._lay_out()

    def _asks(self, level: Level) -> Question:
        return self.questions[level.key]

    def _schemes(self) -> dict[str, tuple[Attribute, ...]]:
        """The attributes of each level, told by the markables where there is no scheme file."""
        schemes, known = {}, dict[str, tuple[Attribute, ...]]()
        for level in self.project.levels:
            if level.scheme is None:
                schemes[level.key] = guessed(row.attributes for row in self._rows_of(level))
                continue
            if level.scheme not in known:
                known[level.scheme] = read_scheme(self.bundle.files[level.scheme], level.scheme)
            schemes[level.key] = known[level.scheme]
        return schemes

    def _rows_of(self, level: Level) -> Iterable[Row]:
        return (row for path in level.files.values() for row in self.rows[path])

    def _report_unread(self, level: Level, scheme: Iterable[Attribute], asked: Question) -> None:
        """Say which sets and pointers are not read although markables have them, and that a scheme is missing."""
        file = level.scheme or self.bundle.main
        if level.scheme is None and asked.coded:
            message = f"the scheme of the level {level.name} is not here"
            self.odd.add("no-scheme", message, file, fix="sets and pointers are told by their values")
        read = {link.name for link in asked.links}
        unread = {each.name for each in scheme if each.kind in (Kind.SET, Kind.POINTER) and each.name not in read}
        used = {
            name
            for row in self._rows_of(level)
            for name in unread.intersection(row.attributes)
            if row.attributes[name].strip().lower() not in UNSET
        }
        for name in sorted(used):
            message = f"what {name} says of the level {level.name} is not read"
            self.odd.add("not-read", message, file, fix=f"choose the attribute {name} to read it")

    def _targets(self) -> set[str]:
        """The keys of the levels that pointers may go to, and of those that they go to."""
        found = {link.domain for asked in self.questions.values() for link in asked.links}
        for level in self.project.levels:
            for link in self._asks(level).links:
                for value in (row.attributes.get(link.name, "") for row in self._rows_of(level)):
                    names = {piece.strip().rpartition(":")[0] for piece in value.split(";")} if ":" in value else ()
                    found |= {self.keys.get(name) or self.keys.get(name.lower(), "") for name in names}
        return found

    def _folders(self) -> list[str]:
        """The folders of the coders: those that hold markables of a coded level. The one the project names is first."""
        coded = {folder for level in self.project.levels if self._asks(level).coded for folder in level.files}
        every = coded or {folder for level in self.project.levels for folder in level.files}
        return sorted(every, key=lambda folder: (folder != self.project.markables, folder))

    def _file(self, level: Level, folder: str) -> str | None:
        """The file of a level in a folder; what is not coded need stand in one folder only."""
        if folder in level.files or self._asks(level).coded:
            return level.files.get(folder)
        first = next((other for other in self.folders if other in level.files), min(level.files, default=None))
        return level.files[first] if first is not None else None

    def _stands_for(self, level: Level, row: Row) -> str:
        if not level.layout:
            return "markable"
        said = row.attributes.get("stands_for", "")
        if said in ("markable", "segment", "both"):
            return said
        return "both" if level.key in self.marked else "segment"

    def _lay_out(self) -> tuple[_Text, tuple[Stretch, ...]]:
        """The text in its lines, and its segments."""
        shown: dict[str, list[tuple[Row, str]]] = {}
        for layout in LAYOUTS:
            level = next((level for level in self.project.levels if level.layout == layout), None)
            file = self._file(level, self.folders[0]) if level and self.folders else None
            if level and file:
                shown[layout] = [(row, file) for row in self.rows[file] if self._stands_for(level, row) != "markable"]
        lines = next((shown[layout] for layout in LINES if shown.get(layout)), [])
        breaks = {edge for row, _ in lines for first, last in row.runs for edge in (first, last + 1)}
        starts, pieces, position = [], list[str](), 0
        for number, word in enumerate(self.words.texts):
            if number:
                pieces.append("\n" if number in breaks else " ")
                position += 1
            starts.append(position)
            pieces.append(word)
            position += len(word)
        ends = tuple(start + len(word) for start, word in zip(starts, self.words.texts, strict=True))
        text = _Text("".join(pieces), tuple(starts), ends)
        segments: dict[tuple[str, int, int], Stretch] = {}
        for layout, rows in shown.items():
            for row, file in rows if layout != "line" else ():
                label = _bounded(_label(row, "number"), LONGEST_LABEL, "label", file, row)
                speaker = _bounded(row.attributes.get("speaker", "").strip(), LONGEST_SPEAKER, "speaker", file, row)
                for start, end in text.parts(row.runs):
                    segments.setdefault((layout, start, end), Stretch(layout, start, end, label, speaker))
        return text, tuple(sorted(segments.values(), key=lambda each: (each.start, -each.end, each.kind)))

    def documents(self) -> list[Document]:
        names = _coders(self.folders, self.bundle.main, self.name)
        documents = [_Coder(self, folder, file).document() for folder, file in zip(self.folders, names, strict=True)]
        if not documents:
            documents = [Document(self.name, self.bundle.main, self.text.content, [], self.segments)]
        scheme = self._scheme(documents)
        findings = (*self.odd.all(self.bundle.main), *documents[0].findings)
        documents[0] = replace(documents[0], findings=findings)
        return [replace(document, scheme=scheme) for document in documents]

    def _scheme(self, documents: Iterable[Document]) -> SchemeSpec | None:
        """What the scheme files say. A category may point to later markables if it does so somewhere."""
        if not any(level.scheme for level in self.project.levels):
            return None
        categories: dict[str, CategorySpec] = {}
        for asked in self.questions.values():
            categories = {category.key: category for category in asked.categories} | categories
        levels = tuple(
            LevelSpec(level.key, level.name, self._asks(level).coded)
            for level in self.project.levels
            if any(self._stands_for(level, row) != "segment" for row in self._rows_of(level))
            or not level.layout
            or level.key in self.marked
        )
        spec = SchemeSpec(levels, tuple(categories.values()))
        for answer in _pointing_later(documents):
            key = answer.category or spec.implied(answer)
            if key in categories:
                categories[key] = replace(categories[key], allow_later=True)
        return replace(spec, categories=tuple(categories.values()))


def _coders(folders: list[str], main: str, name: str) -> list[str]:
    """The files after which documents are named: the .mmax file of a single coder, else the text in their folders."""
    if len(folders) < 2:
        return [main] * len(folders)
    told = folders
    # a/Markables and b/Markables differ further up.
    while len({posixpath.basename(folder) for folder in told}) < len(told) and any(map(posixpath.dirname, told)):
        told = [posixpath.dirname(folder) or folder for folder in told]
    return [posixpath.join(folder, name) for folder in told]


def _pointing_later(documents: Iterable[Document]) -> Iterable[Answer]:
    for document in documents:
        order = {mark.place: in_text_order(mark) for mark in document.marks}
        for mark in document.marks:
            if mark.answer and any(order[target] > order[mark.place] for target in mark.answer.pointers):
                yield mark.answer


def _bounded(text: str, most: int, what: str, file: str, row: Row) -> str:
    if len(text) > most:
        raise FormatError(f"a {what} has more than {most} characters", file, row.line)
    return text


def _label(row: Row, other: str) -> str:
    return (row.attributes.get("label") or row.attributes.get(other) or "").strip()


class _Coder:
    """One coder's markables while they become a document."""

    def __init__(self, reader: _Reader, folder: str, file: str) -> None:
        self.reader, self.file, self.odd = reader, file, _Findings()
        self.rows: list[tuple[Level, Row, str]] = []
        self.places: dict[str, dict[str, Place]] = {}
        for level in reader.project.levels:
            path = reader._file(level, folder)
            for row in reader.rows[path] if path else ():
                if reader._stands_for(level, row) == "segment":
                    continue
                if not row.runs:
                    message = f"{row.id[:100]} stands on no word that has a text"
                    self.odd.add("no-words", message, path or file, row.line, "it is left out")
                    continue
                self.rows.append((level, row, path or file))
                self.places.setdefault(level.key, {})[row.id] = Place(level.key, reader.text.parts(row.runs))
        self.entities = self._entities()

    def document(self) -> Document:
        reader = self.reader
        marks: dict[Place, Mark] = {}
        for level, row, path in self.rows:
            place = self.places[level.key][row.id]
            label = _bounded(_label(row, "number" if level.layout else "label"), LONGEST_LABEL, "label", path, row)
            head, answer = self._head(row, place, path), self._answer(level, row, place, path)
            mark = Mark(place.parts, level.key, label, head, answer, row.line)
            if place in marks:
                message = f"{row.id[:100]} stands on the same words as the markable of line {marks[place].line}"
                self.odd.add("duplicate-markable", message, path, row.line, "they are read as one")
                mark = _merged(marks[place], mark)
            marks[place] = mark
        return Document(
            reader.name,
            self.file,
            reader.text.content,
            sorted(marks.values(), key=in_text_order),
            reader.segments,
            reader.links,
            findings=self.odd.all(self.file),
        )

    def _head(self, row: Row, place: Place, path: str) -> Parts:
        ids = row.attributes.get("min_ids", "").strip()
        if ids.lower() in UNSET:
            return ()
        try:
            head = self.reader.text.parts(self.reader.words.runs(ids))
        except ValueError as error:
            self.odd.add("min-outside", f"min_ids of {row.id[:100]}: {error}", path, row.line, "it is left out")
            return ()
        if not all(any(start <= a and b <= end for start, end in place.parts) for a, b in head):
            message = f"min_ids of {row.id[:100]} are not inside the markable"
            self.odd.add("min-outside", message, path, row.line, "they are left out")
            return ()
        return head

    def _answer(self, level: Level, row: Row, place: Place, path: str) -> Answer | None:
        asked = self.reader._asks(level)
        said = row.attributes
        if not asked.coded or asked.declared.isdisjoint(said):
            return None
        category = asked.category(said)
        if category is None:
            message = f"the category of {row.id[:100]} is not in the scheme"
            self.odd.add("unknown-category", message, path, row.line, "it is left out")
        pointers = self._pointers(level, row, place, path) if asked.kind == Kind.POINTER else ()
        if pointers and any(each.key == category and not each.points_to for each in asked.categories):
            message = f"{row.id[:100]} has antecedents, but its category {category} takes none"
            self.odd.add("category-and-pointers", message, path, row.line)
        return Answer(
            category or "",
            pointers,
            self._indices(level, row, path) if asked.kind == Kind.SET else (),
            _is_true(said, "optional"),
            _is_true(said, "unsure"),
            said.get("note") or said.get("comment", ""),
            said.get("chain_name", ""),
        )

    def _pointers(self, level: Level, row: Row, place: Place, path: str) -> tuple[Place, ...]:
        found: dict[Place, None] = {}
        for link in self.reader._asks(level).links:
            for piece in row.attributes.get(link.name, "").split(";"):
                if piece.strip().lower() in UNSET:
                    continue
                target = self._target(piece.strip(), level.key, link.domain)
                if target is None:
                    message = f"{link.name} of {row.id[:100]} names {piece.strip()[:100]!r}, which is not here"
                    self.odd.add("unknown-reference", message, path, row.line, "the pointer is left out")
                elif target == place:
                    message = f"{row.id[:100]} points to itself"
                    self.odd.add("pointer-to-itself", message, path, row.line, "the pointer is left out")
                else:
                    found[target] = None
        return tuple(found)

    def _target(self, piece: str, level: str, domain: str) -> Place | None:
        """The markable that a pointer names: without a level one of its own, else of the level it is meant for."""
        name, colon, target = piece.rpartition(":")
        keys = self.reader.keys
        levels = (keys.get(name) or keys.get(name.lower(), ""),) if colon else (level, domain)
        return next((self.places[key][target] for key in levels if target in self.places.get(key, {})), None)

    def _sets(self, level: Level, row: Row) -> Iterable[tuple[str, str]]:
        """The sets that a markable is in, each with the name of its entity if it has one."""
        links = self.reader._asks(level).links
        for link in links:
            value = row.attributes.get(link.name, "").strip()
            if value.lower() not in UNSET:
                reading = link.name.removeprefix(links[0].name)
                yield value, row.attributes.get(f"entity_name{reading}", "")

    def _entities(self) -> Mapping[tuple[str, str], str]:
        """The entity of each set. Sets of equal name in two levels are two, unless their entities are called alike."""
        coded = [level for level in self.reader.project.levels if self.reader._asks(level).kind == Kind.SET]
        names: dict[tuple[str, str], dict[str, None]] = {}
        for level, row, _ in self.rows if coded else ():
            for value, name in self._sets(level, row):
                names.setdefault((level.key, value), {}).update({name: None} if name else {})
        entities = {}
        for (key, value), called in names.items():
            plain = value if key == coded[0].key else f"{key}:{value}"
            entities[key, value] = next(iter(called)) if len(called) == 1 else plain
        for level in coded:
            of_level = {value: entity for (key, value), entity in entities.items() if key == level.key}
            if len(set(of_level.values())) < len(of_level):
                message = f"entity names of the level {level.name} stand for several sets"
                self.odd.add("entity-names", message, self.file, fix="the names of the sets are taken instead")
                entities |= {(level.key, value): f"{level.key}:{value}" for value in of_level}
        return entities

    def _indices(self, level: Level, row: Row, path: str) -> tuple[str, ...]:
        found = dict.fromkeys(self.entities[level.key, value] for value, _ in self._sets(level, row))
        for index in found:
            _bounded(index, LONGEST_INDEX, "set's name", path, row)
        return tuple(found)


def _is_true(attributes: Mapping[str, str], name: str) -> bool:
    return attributes.get(name, "").strip().lower() in ("true", "yes")


def _merged(mark: Mark, other: Mark) -> Mark:
    """One markable of two on the same words: what the first does not say, the second does; all links stay."""
    answer = mark.answer or other.answer
    if mark.answer and other.answer:
        pointers = dict.fromkeys((*mark.answer.pointers, *other.answer.pointers))
        indices = dict.fromkeys((*mark.answer.indices, *other.answer.indices))
        answer = replace(mark.answer, pointers=tuple(pointers), indices=tuple(indices))
    return replace(mark, label=mark.label or other.label, head=mark.head or other.head, answer=answer)


ATTRIBUTE = Option(
    "attribute",
    "The attribute that says what goes together",
    (
        ("", "pointers to antecedents; where the schemes have none, sets"),
        ("coref_class", "coref_class"),
        ("coref_set", "coref_set"),
        ("coref", "coref"),
    ),
)

FORMAT = Format(
    "mmax2",
    "MMAX2 project",
    (".mmax",),
    read,
    bundles,
    write,
    frozenset(Feature) - {Feature.TITLE, Feature.EDGES, Feature.SPACING, Feature.CONTROL_CHARACTERS},
    options=(ATTRIBUTE,),
    options_written=(ATTRIBUTE,),
)
