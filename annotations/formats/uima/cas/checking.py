"""Check a file before the library loads it, since the library trusts its input and makes feature names into code."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotations.formats.model.findings import FormatError
from annotations.formats.model.text import is_storable
from annotations.formats.syntax.units import Units

SOFA = "uima.cas.Sofa"
INITIAL = "_InitialView"
NUMBER = re.compile(r"[0-9]{1,9}")
TYPE_NAME = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z_]\w*)*")
MAX_TYPES = 2000
# The library's time for a type grows with the square of its features.
MAX_FEATURES_SQUARED = 100_000
MAX_TEXTS = 100


@dataclass(frozen=True, slots=True)
class Position:
    """The position and type of a feature structure, in code points of the text of its view."""

    sofa: int
    begin: int
    end: int
    line: int | None
    type_name: str


class Structure(NamedTuple):
    """A feature structure as it is in a file. stands: its text, begin and end; None if it is no annotation."""

    number: object
    type_name: str
    stands: tuple[object, object, object] | None
    features: Mapping[str, object]
    line: int | None = None


# A view: the number of its text, the numbers of its members, and its line.
type View = tuple[object, Sequence[object], int | None]


class CasIndex:
    """An index of a checked file by number: its texts with names and units, and the positions of annotations."""

    def __init__(self, file: str, structures: Iterable[Structure], views: Iterable[View]) -> None:
        self.file = file
        self.sofas: dict[int, tuple[str, str, Units]] = {}
        self.positions: dict[int, Position] = {}
        numbers = set[int]()
        for structure in sorted(structures, key=lambda structure: structure.type_name != SOFA):
            number = _parse_whole(structure.number)
            if number is None:
                raise FormatError("something has no number, or a number of more than nine digits", file, structure.line)
            if number in numbers:
                raise FormatError(f"the number {number} is given twice", file, structure.line)
            numbers.add(number)
            if structure.type_name == SOFA:
                self._add_sofa(number, structure)
            elif structure.stands is not None:
                self._place(number, structure, *map(_parse_whole, structure.stands))
        for text, members, line in views:
            sofa, numbered = _parse_whole(text), [_parse_whole(member) for member in members]
            if len(set(numbered)) < len(numbered):
                raise FormatError("a view names a member twice", file, line)
            for member in numbered:
                if member in self.positions and self.positions[member].sofa != sofa:
                    raise FormatError(f"{member} is in the view of another text than its own", file, line)

        self.text = self._choose_text()  # the number of the text that is read

    def _add_sofa(self, number: int, structure: Structure) -> None:
        name, text = structure.features.get("sofaID"), structure.features.get("sofaString")
        if not isinstance(name, str) or any(name == other for other, _, _ in self.sofas.values()):
            raise FormatError("a text has no name, or that of another", self.file, structure.line)
        if len(self.sofas) == MAX_TEXTS:
            raise FormatError(f"there are more than {MAX_TEXTS} texts in this file", self.file, structure.line)
        words = check_text(text, self.file, structure.line)
        self.sofas[number] = (name, words, Units(words))

    def _place(self, number: int, structure: Structure, text: int | None, first: int | None, last: int | None) -> None:
        if text not in self.sofas:
            message = f"the annotation {number} stands in a text that is not in this file"
            raise FormatError(message, self.file, structure.line)
        _, content, units = self.sofas[text]
        if not content:
            message = f"the text in which the annotation {number} stands is not in this file: export it with its text"
            raise FormatError(message, self.file, structure.line)
        start, stop = (None if unit is None else units.point(unit) for unit in (first, last))
        if start is None or stop is None or start > stop:
            message = f"the annotation {number} does not stand between 0 and {units.length} of the text"
            message = f"{message}, or cuts a character (offsets count UTF-16 units)"
            raise FormatError(message, self.file, structure.line)
        self.positions[number] = Position(text, start, stop, structure.line, structure.type_name)

    def _choose_text(self) -> int:
        numbers = [number for number, (name, text, _) in self.sofas.items() if text and name == INITIAL]
        numbers = numbers or [number for number, (_, text, _) in self.sofas.items() if text]
        if len(numbers) != 1:
            wrong = "there is no text" if not numbers else f"there are {len(numbers)} texts, none of them initial,"
            raise FormatError(f"{wrong} in this file", self.file)
        return numbers[0]


def _parse_whole(value: object) -> int | None:
    """Return the value as a whole number; None if it is none, or has more than nine digits."""
    if isinstance(value, str):
        return int(value) if NUMBER.fullmatch(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def check_text(value: object, file: str, line: int | None = None) -> str:
    """Return the value if it is a string, else an empty string. Raises FormatError on a NUL or half a character."""
    if not isinstance(value, str):
        return ""
    if "\0" in value:
        raise FormatError("a NUL character is not allowed in a text", file, line)
    if not is_storable(value):
        raise FormatError("half a character (a lone surrogate) is not allowed in a text", file, line)
    return value


def check_types(types: Mapping[str, tuple[str, Sequence[str]]], file: str) -> None:
    """Raise FormatError on invalid types. types: by name, the supertype and the names of the type's own features."""
    if len(types) > MAX_TYPES:
        raise FormatError(f"there are more than {MAX_TYPES} types", file)
    below: dict[str, list[str]] = {}
    for name, (above, features) in types.items():
        below.setdefault(above, []).append(name)
        for type_name in (name, above):
            if not TYPE_NAME.fullmatch(type_name):
                raise FormatError(f"{type_name[:50]!r} cannot be the name of a type", file)
        for feature in features:
            if not feature.isidentifier() or feature.startswith("__"):
                raise FormatError(f"{feature[:50]!r} cannot be the name of a feature", file)
    inherited = [(name, 0) for above, names in below.items() if above not in types for name in names]
    reached = cost = 0
    while inherited:
        name, number = inherited.pop()
        number += len(types[name][1])
        reached, cost = reached + 1, cost + number * number
        if cost > MAX_FEATURES_SQUARED:
            raise FormatError("the types have too many features", file)
        inherited += [(child, number) for child in below.get(name, ())]
    if reached < len(types):
        raise FormatError("a type inherits from itself", file)
