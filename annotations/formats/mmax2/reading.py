"""Read projects into documents, one for each coder."""

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise

from annotations.formats.mmax2 import scheme
from annotations.formats.mmax2.project import LAYOUTS, LINES, Level, Project, Row, Runs, read_project, read_rows
from annotations.formats.mmax2.scheme import READINGS, UNSET, Attribute, Kind, Link, level_key
from annotations.formats.model.document import (
    Answer,
    Document,
    Links,
    Mark,
    Parts,
    Place,
    Readings,
    Stretch,
    links_of,
    text_order,
)
from annotations.formats.model.findings import Findings, FormatError
from annotations.formats.model.format import Bundle
from annotations.formats.model.links import identity_names, implied_category, index_places, merge_marks, says_identity
from annotations.formats.model.scheme import CategorySpec, LevelSpec, SchemeSpec
from annotations.formats.model.slips import LEAVE_OUT, Slips
from annotations.formats.model.spans import lie_in
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH, MAX_SPEAKER_LENGTH
from annotations.formats.syntax.tokens import join_words
from annotations.formats.syntax.xml import parse

ANTECEDENT = re.compile("ante|^ref$")
LINKS = {Kind.POINTER: Links.POINTERS, Kind.SET: Links.INDICES}
TRUE = ("true", "yes")
BRIDGING = re.compile(r"bridg\w*\Z", re.IGNORECASE)
READING_NUMBERS = re.compile(r"[0-9]{1,4}(?:\+[0-9]{1,4})*(?:;[0-9]{1,4}(?:\+[0-9]{1,4})*)*")


def read(bundle: Bundle, attribute: str = "", slips: str = "") -> list[Document]:
    """Return one document for each coder. Raises FormatError with file and line on an invalid project.

    attribute: the set, pointer or value attribute to read as links, if a scheme has several.
    """
    project = read_project(bundle)
    levels = Levels(bundle, project, attribute.strip().lower(), Slips(bundle.main, slips == LEAVE_OUT))
    files = _document_files(levels.folders, bundle.main, project.name)
    documents = [Coder(levels, folder, file).document() for folder, file in zip(levels.folders, files, strict=True)]
    if not documents:
        documents = [Document(project.name, bundle.main, levels.content, [], levels.segments)]
    spec = _build_scheme(levels, documents)
    documents[0] = replace(documents[0], findings=(*levels.findings.listed(), *documents[0].findings))
    return [replace(document, scheme=spec) for document in documents]


def _build_scheme(levels: "Levels", documents: Iterable[Document]) -> SchemeSpec | None:
    """Return the scheme of the scheme files, or None. A category allows later markables if a document has one."""
    if not any(level.scheme for level in levels.project.levels):
        return None
    categories: dict[str, CategorySpec] = {}
    for level in levels.project.levels:
        categories = {category.key: category for category in level.question.categories} | categories
    level_specs = tuple(
        LevelSpec(level.key, level.name, level.question.coded)
        for level in levels.project.levels
        if any(levels.stands_for(level, row) != "segment" for row in level.all_rows())
        or not level.layout
        or level.key in levels.marked
    )
    spec = SchemeSpec(level_specs, tuple(categories.values()))
    for document in documents:
        order = {mark.place: text_order(mark) for mark in document.marks}
        for mark in document.marks:
            if mark.answer and any(order[target] > order[mark.place] for target in mark.answer.pointers):
                key = mark.answer.category or implied_category(mark.answer, spec)
                if key in categories:
                    categories[key] = replace(categories[key], allow_later=True)
    return replace(spec, categories=tuple(categories.values()))


def _document_files(folders: list[str], main: str, name: str) -> list[str]:
    """Return the paths that name the documents: the main file for one coder, else the text in each folder."""
    if len(folders) == 1 and main.lower().endswith(".xml"):
        return [posixpath.join(posixpath.commonpath([posixpath.dirname(main), folders[0]]), name)]
    if len(folders) < 2:
        return [main] * len(folders)
    # a/Markables and b/Markables differ only in the folders above.
    while len(set(map(posixpath.basename, folders))) < len(folders) and any(map(posixpath.dirname, folders)):
        folders = [posixpath.dirname(folder) or folder for folder in folders]
    return [posixpath.join(folder, name) for folder in folders]


class Levels:
    """The levels of a project with their markables and questions, and the text with its layout."""

    def __init__(self, bundle: Bundle, project: Project, chosen: str, slips: Slips) -> None:
        self.bundle, self.project, self.words, self.chosen = bundle, project, project.words, chosen
        self.findings = Findings(bundle.main)
        for level in project.levels:
            files = level.files.values()
            level.rows = {path: list(read_rows(bundle.files[path], path, self.words, slips)) for path in files}
        self.findings.findings += slips.finish(1)
        for path, number in project.unnamed.items():
            message = f"{number} markables in {path} are of a level that common_paths.xml does not name"
            self.findings.add(message, code="unnamed-level", fix="they are left out", left_out=True)
        self.keys = {level.name.lower(): level.key for level in project.levels}
        self.keys |= {level.name: level.key for level in project.levels}
        schemes = self._schemes()
        kind = scheme.choose_kind(schemes.values(), chosen)
        if kind == Kind.FREETEXT:
            raise FormatError(f"no level has sets, pointers or values called {chosen[:100]!r}", bundle.main)
        self.links = LINKS.get(kind, Links.NONE)
        for level in project.levels:
            attributes = schemes[level.key]
            question = scheme.Question()
            shows = kind == Kind.NOMINAL and level.layout and not any(row.name == "category" for row in attributes)
            if chosen or not shows:
                question = scheme.QuestionBuilder(attributes, level.key, self.keys, kind, chosen).question()
            level.question = scheme.add_further(question, attributes, level.key, self.keys)
            self._report_unread(level, attributes)
        coded = [level for level in project.levels if level.question.coded]
        if not coded:
            fix = "choose the attribute that says what goes together"
            self._report_attributes(project.levels, "is no set and no pointer", fix)
        self.marked = {level.key for level in coded} | self._targets()
        # The coders' folders hold markables of a coded level; the folder that the project names comes first.
        folders = {folder for level in coded for folder in level.files}
        folders = folders or {folder for level in project.levels for folder in level.files}
        self.folders = sorted(folders, key=lambda folder: (folder != project.markables, folder))
        self.segments = self._lay_out()

    def _schemes(self) -> dict[str, tuple[Attribute, ...]]:
        """Return the attributes of each level, guessed from the markables if there is no scheme file."""
        files = dict.fromkeys(level.scheme for level in self.project.levels if level.scheme is not None)
        known = {file: scheme.read_scheme(parse(self.bundle.files[file], file), file) for file in files}
        schemes = {
            level.key: scheme.guess_attributes(row.attributes for row in level.all_rows())
            if level.scheme is None
            else known[level.scheme]
            for level in self.project.levels
        }
        attributes = [attribute for attributes in schemes.values() for attribute in attributes]
        pointers = {each.name for each in attributes if each.kind == Kind.POINTER and each.identity is None}
        identity = identity_names(pointers)
        others = pointers - identity if not self.chosen and any(map(says_identity, identity)) else ()

        def understand(attribute: Attribute) -> Attribute:
            if attribute.name == self.chosen and attribute.kind == Kind.FREETEXT:
                return replace(attribute, kind=Kind.SET)
            return replace(attribute, identity=False) if attribute.name in others else attribute

        return {key: tuple(map(understand, attributes)) for key, attributes in schemes.items()}

    def _report_unread(self, level: Level, attributes: Iterable[Attribute]) -> None:
        """Report unread attributes, pointers read as antecedents, and a missing scheme."""
        question, file = level.question, level.scheme or self.bundle.main
        if level.scheme is None and question.coded:
            message = f"the scheme of the level {level.name} is not here"
            self.findings.add(message, code="no-scheme", file=file, fix="sets and pointers are told by their values")
        read = {link.name for link in level.links()}
        unread = {each.name for each in attributes if each.kind in (Kind.SET, Kind.POINTER) and each.name not in read}
        stated = {attribute.name for attribute in attributes if attribute.identity is not None}
        used = Counter(name for row in level.all_rows() for name in row.attributes if row.has(name))
        for name in [link.name for link in question.links] if question.kind == Kind.POINTER else ():
            if not (name in stated or says_identity(name) or ANTECEDENT.search(name)):
                message = f"{used[name]} pointers {name} of the level {level.name} are read as antecedents"
                fix = 'identity="false" in the scheme makes them a relation'
                self.findings.add(message, fix=fix, code="identity", file=file)
        for name in sorted(unread & used.keys()):
            message = f"{used[name]} values of {name} of the level {level.name} are not read"
            fix = f"choose the attribute {name} to read it"
            self.findings.add(message, fix=fix, code="not-read", file=file, left_out=True)
        if question.coded:
            known = {attribute.name for attribute in attributes}
            self._report_attributes([level], "is not in the scheme of the level", "left out", known)

    def _report_attributes(self, levels: Iterable[Level], what: str, fix: str, known: Collection[str] = ()) -> None:
        counts = Counter(
            name
            for level in levels
            for row in level.all_rows()
            for name in row.attributes
            if name not in known and not scheme.is_own_name(name) and row.has(name)
        )
        for name, number in counts.most_common():
            message = f"{number} values of the attribute {name}, which {what}"
            self.findings.add(message, code="attribute", fix=fix, left_out=True)

    def _targets(self) -> set[str]:
        """Return the keys of the levels that pointers may lead to or do lead to."""
        keys = {link.domain for level in self.project.levels for link in level.question.links}
        for level in self.project.levels:
            for link in level.links():
                values = [row.attributes[link.name] for row in level.all_rows() if row.has(link.name)]
                keys |= {link.domain} if values else set()
                names = (piece.strip().rpartition(":") for value in values for piece in value.split(";"))
                keys |= {level_key(self.keys, name) for name, colon, _ in names if colon or name}
        return keys

    def file(self, level: Level, folder: str) -> str:
        """Return the file of a level in a folder, or empty; an uncoded level may be in another folder."""
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

    def parts(self, runs: Runs) -> Parts:
        return tuple((self.spans[first][0], self.spans[last][1]) for first, last in runs)

    def _lay_out(self) -> tuple[Stretch, ...]:
        """Join the words into the lines of the text, and return its segments."""
        rows_by_layout: dict[str, list[Row]] = {}
        for layout in LAYOUTS:
            level = next((level for level in self.project.levels if level.layout == layout), None)
            file = self.file(level, self.folders[0]) if level and self.folders else ""
            if level and file:
                rows_by_layout[layout] = [row for row in level.rows[file] if self.stands_for(level, row) != "markable"]
        lines = next((rows_by_layout[layout] for layout in LINES if rows_by_layout.get(layout)), [])
        breaks = {0, len(self.words.texts)}
        breaks |= {edge for row in lines for first, last in row.runs for edge in (first, last + 1)}
        self.content, self.spans = join_words(self.words.texts[first:end] for first, end in pairwise(sorted(breaks)))
        segments: dict[tuple[str, int, int], Stretch] = {}
        for layout, rows in rows_by_layout.items():
            for row in rows if layout != "line" else ():
                label = row.check_length(row.label("number"), MAX_LABEL_LENGTH, "label")
                speaker = row.check_length(row.attributes.get("speaker", "").strip(), MAX_SPEAKER_LENGTH, "speaker")
                for start, end in self.parts(row.runs):
                    segments.setdefault((layout, start, end), Stretch(layout, start, end, label, speaker))
        return tuple(sorted(segments.values(), key=lambda segment: (segment.start, -segment.end, segment.kind)))


class Coder:
    """A builder of one coder's document. alone: the markables in no set and without a category."""

    def __init__(self, levels: Levels, folder: str, file: str) -> None:
        self.levels, self.file, self.findings = levels, file, Findings(file)
        self.rows: list[tuple[Level, Row]] = []
        self.places: dict[str, dict[str, Place]] = {}
        for level in levels.project.levels:
            for row in level.rows.get(levels.file(level, folder), ()):
                if levels.stands_for(level, row) == "segment":
                    continue
                if not row.runs:
                    self._lose(row, "no-words", f"{row.id[:100]} covers no word that has a text", "it is left out")
                    continue
                self.rows.append((level, row))
                self.places.setdefault(level.key, {})[row.id] = Place(level.key, levels.parts(row.runs))
        self.entities = self._entities()
        self.alone = set[Place]()

    def _report(self, row: Row, code: str, message: str, fix: str = "") -> None:
        self.findings.add(message, row.line, fix, code=code, file=row.file)

    def _lose(self, row: Row, code: str, message: str, fix: str) -> None:
        self.findings.add(message, row.line, fix, code=code, file=row.file, left_out=True)

    def document(self) -> Document:
        levels, name = self.levels, self.levels.project.name
        marks: dict[Place, Mark] = {}
        for level, row in self.rows:
            place = self.places[level.key][row.id]
            label = row.check_length(row.label("number" if level.layout else "label"), MAX_LABEL_LENGTH, "label")
            head, answer = self._head(row, place), self._answer(level, row, place)
            mark = Mark(place.parts, level.key, label, head, answer, row.line)
            if place in marks:
                message = f"{row.id[:100]} has the same words as the markable of line {marks[place].line}"
                self._report(row, "duplicate-markable", message, "they are read as one")
                mark = merge_marks(marks[place], mark)
            marks[place] = mark
        self._report_unasked()
        in_order, findings = sorted(marks.values(), key=text_order), self.findings.listed()
        document = Document(name, self.file, levels.content, in_order, levels.segments, levels.links, findings=findings)
        # A merged markable may have its category from another row.
        named = {place for place, mark in marks.items() if mark.answer and mark.answer.category}
        return index_places(document, self.alone - named)

    def _report_unasked(self) -> None:
        """Report the answers to attributes on levels that are only targets of pointers."""
        counts = Counter(
            (level.key, name)
            for level, row in self.rows
            if level.key in self.levels.marked and not level.layout and not level.question.coded
            for name, values in level.question.further.items()
            if name in row.attributes and _value(row.attributes[name], values)
        )
        for (key, name), number in counts.items():
            message = f"{number} answer{'s' * (number > 1)} to {name!r} on the level {key!r}, which is not coded"
            self.findings.add(message, code="not-asked", fix="left out", left_out=True)

    def _head(self, row: Row, place: Place) -> Parts:
        ids = row.attributes.get("min_ids", "").strip()
        if ids.lower() in UNSET:
            return ()
        try:
            head = self.levels.parts(self.levels.words.runs(ids))
        except ValueError as error:
            self._lose(row, "min-outside", f"min_ids of {row.id[:100]}: {error}", "it is left out")
            return ()
        words = "".join(self.levels.content[start:end] for start, end in head)
        said = row.attributes.get("min_words", "")
        if said and "".join(said.lower().split()) != "".join(words.lower().split()):
            message = f"min_words of {row.id[:100]} are {said[:100]!r}, but min_ids {words[:100]!r}"
            self._report(row, "min-words", message, "min_ids are read")
        if not lie_in(head, place.parts):
            message = f"min_ids of {row.id[:100]} are not inside the markable"
            self._lose(row, "min-outside", message, "they are left out")
            return ()
        return head

    def _answer(self, level: Level, row: Row, place: Place) -> Answer | None:
        question = level.question
        attributes = row.attributes
        if not question.coded or question.declared.isdisjoint(attributes):
            return None
        category = question.category(attributes)
        if category is None:
            value = "/".join(attributes[name] for name in question.branches if name in attributes)
            message = f"1 markable of the category {value[:100]}, which is not in the scheme"
            self._lose(row, "unknown-category", message, "it is left out")
        readings = self._readings(level, row, place, question.links) if question.kind == Kind.POINTER else ()
        if readings and any(own.key == category and not own.points_to for own in question.categories):
            message = f"{row.id[:100]} has antecedents, but its category {category} takes none"
            self._report(row, "category-and-pointers", message)
        sets = self._sets(level, row) if question.kind == Kind.SET else ()
        entities = dict.fromkeys(self.entities[level.key, value] for value, _ in sets)
        indices = tuple(row.check_length(index, MAX_INDEX_LENGTH, "set's name") for index in entities)
        if question.kind == Kind.SET and not indices and category == "":
            self.alone.add(place)
        relations = {
            link.name: self._readings(level, row, place, [link])
            for link in question.relations
            if link.name in attributes
        }
        # In COREA another attribute says that a pointer is bridging and leads to no antecedent.
        bridging = next((attributes[name] for name in question.further if BRIDGING.match(attributes.get(name, ""))), "")
        if readings and bridging:
            relations[bridging] = (*relations.get(bridging, ()), *readings)
            readings = ()
        return Answer(
            category=category or "",
            indices=indices,
            optional=attributes.get("optional", "").strip().lower() in TRUE,
            unsure=attributes.get("unsure", "").strip().lower() in TRUE,
            note=attributes.get("note") or attributes.get("comment", ""),
            name=attributes.get("chain_name", ""),
            relations=tuple((name, targets) for name, targets in relations.items() if targets),
            attributes=tuple(
                (name, value)
                for name, values in question.further.items()
                if name in attributes and (value := _value(attributes[name], values))
            ),
            **links_of(readings),
        )

    def _readings(self, level: Level, row: Row, place: Place, links: Iterable[Link]) -> Readings:
        """Return the readings of the targets of pointers; by default each target is a reading."""
        readings: dict[tuple[Place, ...], None] = {}
        for link in links:
            if link.name not in row.attributes:
                continue
            targets = self._targets(level, row, place, link)
            groups = row.attributes.get(f"{link.name}{READINGS}", "")
            numbers = _numbers(groups, len(targets))
            if groups and not numbers:
                message = f"{link.name}{READINGS} of {row.id[:100]} does not say which targets are meant together"
                self._report(row, "readings", message, "each is an alternative")
            for group in numbers or [[number] for number in range(len(targets))]:
                if reading := tuple(dict.fromkeys(target for number in group if (target := targets[number]))):
                    readings[reading] = None
        return tuple(readings)

    def _targets(self, level: Level, row: Row, place: Place, link: Link) -> list[Place | None]:
        """Return the markables that a pointer names, None for an unknown one or the markable itself."""
        targets: list[Place | None] = []
        # Invalid targets keep their positions, which reading numbers count.
        for piece in map(str.strip, row.attributes.get(link.name, "").split(";")):
            if piece.lower() not in UNSET:
                target = self._target(piece, level.key, link.domain)
                targets.append(None if target == place else target)
                if target is None:
                    message = f"{link.name} of {row.id[:100]} names {piece[:100]!r}, which is not here"
                    self._lose(row, "unknown-reference", message, "the pointer is left out")
                elif target == place:
                    self._lose(row, "pointer-to-itself", f"{row.id[:100]} points to itself", "the pointer is left out")
        return targets

    def _target(self, piece: str, level: str, domain: str) -> Place | None:
        """Return the markable that a pointer names: on the level in the name, else on its own level or domain."""
        name, colon, target = piece.rpartition(":")
        meant = (level_key(self.levels.keys, name),) if colon else (level, domain)
        return next((self.places[key][target] for key in meant if target in self.places.get(key, {})), None)

    def _sets(self, level: Level, row: Row) -> Iterable[tuple[str, str]]:
        """Yield each set of a markable with its entity name, empty if it has none."""
        links = level.question.links
        for link in links:
            reading = link.name.removeprefix(links[0].name)
            for value in map(str.strip, row.attributes.get(link.name, "").split(";")):
                if value.lower() not in UNSET:
                    yield value, row.attributes.get(f"entity_name{reading}", "")

    def _entities(self) -> Mapping[tuple[str, str], str]:
        """Return the entity of each level and set. Equal sets of two levels are one only if their entity names are."""
        coded = [level for level in self.levels.project.levels if level.question.kind == Kind.SET]
        names: dict[tuple[str, str], dict[str, None]] = {}
        for level, row in self.rows if coded else ():
            for value, name in self._sets(level, row):
                names.setdefault((level.key, value), {}).update({name: None} if name else {})
        entities = {}
        for (key, value), entity_names in names.items():
            plain = value if key == coded[0].key else f"{key}:{value}"
            entities[key, value] = next(iter(entity_names)) if len(entity_names) == 1 else plain
        for level in coded:
            of_level = {value: entity for (key, value), entity in entities.items() if key == level.key}
            if len(set(of_level.values())) < len(of_level):
                message = f"entity names of the level {level.name} stand for several sets"
                self.findings.add(message, code="entity-names", fix="the names of the sets are taken instead")
                entities |= {(level.key, value): f"{level.key}:{value}" for value in of_level}
        return entities


def _value(value: str, values: Mapping[str, str]) -> str:
    """Return the answer to a further question: a value as the scheme spells it, or a free text; empty for none."""
    return values.get(value.lower()) or ("" if value.lower() in (UNSET if values else ("", "empty")) else value)


def _numbers(groups: str, most: int) -> list[list[int]]:
    """Return the target positions, from 0, of groups such as `1+2;3`; empty if they are invalid."""
    if not READING_NUMBERS.fullmatch(groups):
        return []
    numbers = [[int(number) - 1 for number in group.split("+")] for group in groups.split(";")]
    return numbers if all(0 <= number < most for group in numbers for number in group) else []
