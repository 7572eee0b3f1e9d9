"""One coder's markables -> document."""

from collections.abc import Iterable, Mapping

from annotations.formats.mmax2.levels import Findings, Levels, check_length, label_of
from annotations.formats.mmax2.project import Level, Row
from annotations.formats.mmax2.scheme import UNSET, Kind
from annotations.formats.model.document import (
    LONGEST_INDEX,
    LONGEST_LABEL,
    Answer,
    Document,
    Mark,
    Parts,
    Place,
    text_order,
)
from annotations.formats.model.links import merge_marks
from annotations.formats.model.spans import lie_in


class Coder:
    """One coder's markables while they become a document."""

    def __init__(self, levels: Levels, folder: str, file: str) -> None:
        self.levels, self.file, self.findings = levels, file, Findings()
        self.rows: list[tuple[Level, Row, str]] = []
        self.places: dict[str, dict[str, Place]] = {}
        for level in levels.project.levels:
            path = levels.file(level, folder)
            for row in levels.rows[path] if path else ():
                if levels.stands_for(level, row) == "segment":
                    continue
                if not row.runs:
                    message = f"{row.id[:100]} covers no word that has a text"
                    self.findings.add("no-words", message, path or file, row.line, "it is left out")
                    continue
                self.rows.append((level, row, path or file))
                self.places.setdefault(level.key, {})[row.id] = Place(level.key, levels.text.parts(row.runs))
        self.entities = self._entities()

    def document(self) -> Document:
        levels = self.levels
        marks: dict[Place, Mark] = {}
        for level, row, path in self.rows:
            place = self.places[level.key][row.id]
            label = label_of(row, "number" if level.layout else "label")
            check_length(label, LONGEST_LABEL, "label", path, row)
            head, answer = self._head(row, place, path), self._answer(level, row, place, path)
            mark = Mark(place.parts, level.key, label, head, answer, row.line)
            if place in marks:
                message = f"{row.id[:100]} has the same words as the markable of line {marks[place].line}"
                self.findings.add("duplicate-markable", message, path, row.line, "they are read as one")
                mark = merge_marks(marks[place], mark)
            marks[place] = mark
        return Document(
            levels.name,
            self.file,
            levels.text.content,
            sorted(marks.values(), key=text_order),
            levels.segments,
            levels.links,
            findings=self.findings.listed(self.file),
        )

    def _head(self, row: Row, place: Place, path: str) -> Parts:
        ids = row.attributes.get("min_ids", "").strip()
        if ids.lower() in UNSET:
            return ()
        try:
            head = self.levels.text.parts(self.levels.words.runs(ids))
        except ValueError as error:
            self.findings.add("min-outside", f"min_ids of {row.id[:100]}: {error}", path, row.line, "it is left out")
            return ()
        if not lie_in(head, place.parts):
            message = f"min_ids of {row.id[:100]} are not inside the markable"
            self.findings.add("min-outside", message, path, row.line, "they are left out")
            return ()
        return head

    def _answer(self, level: Level, row: Row, place: Place, path: str) -> Answer | None:
        question = self.levels.question(level)
        attributes = row.attributes
        if not question.coded or question.declared.isdisjoint(attributes):
            return None
        category = question.category(attributes)
        if category is None:
            message = f"the category of {row.id[:100]} is not in the scheme"
            self.findings.add("unknown-category", message, path, row.line, "it is left out")
        pointers = self._pointers(level, row, place, path) if question.kind == Kind.POINTER else ()
        if pointers and any(each.key == category and not each.points_to for each in question.categories):
            message = f"{row.id[:100]} has antecedents, but its category {category} takes none"
            self.findings.add("category-and-pointers", message, path, row.line)
        return Answer(
            category or "",
            pointers,
            self._indices(level, row, path) if question.kind == Kind.SET else (),
            _is_true(attributes, "optional"),
            _is_true(attributes, "unsure"),
            attributes.get("note") or attributes.get("comment", ""),
            attributes.get("chain_name", ""),
        )

    def _pointers(self, level: Level, row: Row, place: Place, path: str) -> tuple[Place, ...]:
        pointers: dict[Place, None] = {}
        for link in self.levels.question(level).links:
            for piece in row.attributes.get(link.name, "").split(";"):
                if piece.strip().lower() in UNSET:
                    continue
                target = self._target(piece.strip(), level.key, link.domain)
                if target is None:
                    message = f"{link.name} of {row.id[:100]} names {piece.strip()[:100]!r}, which is not here"
                    self.findings.add("unknown-reference", message, path, row.line, "the pointer is left out")
                elif target == place:
                    message = f"{row.id[:100]} points to itself"
                    self.findings.add("pointer-to-itself", message, path, row.line, "the pointer is left out")
                else:
                    pointers[target] = None
        return tuple(pointers)

    def _target(self, piece: str, level: str, domain: str) -> Place | None:
        """Return the markable that a pointer names.

        Without a level one of its own, else of the level it is meant for.
        """
        name, colon, target = piece.rpartition(":")
        keys = self.levels.keys
        meant = (keys.get(name) or keys.get(name.lower(), ""),) if colon else (level, domain)
        return next((self.places[key][target] for key in meant if target in self.places.get(key, {})), None)

    def _sets(self, level: Level, row: Row) -> Iterable[tuple[str, str]]:
        """Yield the sets that a markable is in, each with the name of its entity if it has one."""
        links = self.levels.question(level).links
        for link in links:
            value = row.attributes.get(link.name, "").strip()
            if value.lower() not in UNSET:
                reading = link.name.removeprefix(links[0].name)
                yield value, row.attributes.get(f"entity_name{reading}", "")

    def _entities(self) -> Mapping[tuple[str, str], str]:
        """Return the entity of each set.

        Sets of equal name in two levels are two, unless their entities are called alike.
        """
        coded = [level for level in self.levels.project.levels if self.levels.question(level).kind == Kind.SET]
        names: dict[tuple[str, str], dict[str, None]] = {}
        for level, row, _ in self.rows if coded else ():
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
                self.findings.add("entity-names", message, self.file, fix="the names of the sets are taken instead")
                entities |= {(level.key, value): f"{level.key}:{value}" for value in of_level}
        return entities

    def _indices(self, level: Level, row: Row, path: str) -> tuple[str, ...]:
        indices = dict.fromkeys(self.entities[level.key, value] for value, _ in self._sets(level, row))
        for index in indices:
            check_length(index, LONGEST_INDEX, "set's name", path, row)
        return tuple(indices)


def _is_true(attributes: Mapping[str, str], name: str) -> bool:
    return attributes.get(name, "").strip().lower() in ("true", "yes")
