"""What is looked at before the library sees a file: it trusts its input, and makes names of features into code."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.model.document import FormatError
from annotations.formats.model.text import is_storable
from annotations.formats.syntax.units import Units
from annotations.formats.uima.cas.names import INITIAL

NUMBER = re.compile(r"[0-9]{1,9}")
TYPE_NAME = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z_]\w*)*")
MOST_TYPES = 2000
# The library's time for a type grows with the square of its features.
MOST_FEATURES_SQUARED = 100_000
MOST_TEXTS = 100


@dataclass(frozen=True, slots=True)
class Position:
    """Where a feature structure of a type stands, in code points of the text of its view."""

    sofa: int
    begin: int
    end: int
    line: int | None
    type_name: str


@dataclass(slots=True)
class CasIndex:
    """What was learned of a file before the library sees it. sofas: name, text and its units; positions: by number."""

    file: str
    sofas: dict[int, tuple[str, str, Units]] = field(default_factory=dict)
    positions: dict[int, Position] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def number(self, value: object, line: int | None) -> int:
        """Return the number of a feature structure, which no other may have."""
        number = parse_whole(value)
        if number is None:
            raise FormatError("something has no number, or a number of more than nine digits", self.file, line)
        if number in self.numbers:
            raise FormatError(f"the number {number} is given twice", self.file, line)
        self.numbers.add(number)
        return number

    def sofa(self, number: int, name: object, text: object, line: int | None) -> None:
        if not isinstance(name, str) or any(name == other for other, _, _ in self.sofas.values()):
            raise FormatError("a text has no name, or that of another", self.file, line)
        if len(self.sofas) == MOST_TEXTS:
            raise FormatError(f"there are more than {MOST_TEXTS} texts in this file", self.file, line)
        words = check_text(text, self.file, line)
        self.sofas[number] = (name, words, Units(words))

    def place(self, number: int, name: str, sofa: object, begin: object, end: object, line: int | None) -> None:
        """Set where the annotation of that number stands."""
        text, first, last = parse_whole(sofa), parse_whole(begin), parse_whole(end)
        if text not in self.sofas:
            raise FormatError(f"the annotation {number} stands in a text that is not in this file", self.file, line)
        _, content, units = self.sofas[text]
        if not content:
            message = f"the text in which the annotation {number} stands is not in this file: export it with its text"
            raise FormatError(message, self.file, line)
        start, stop = (None if unit is None else units.point(unit) for unit in (first, last))
        if start is None or stop is None or start > stop:
            message = f"the annotation {number} does not stand between 0 and {units.length} of the text"
            raise FormatError(f"{message}, or cuts a character (offsets count UTF-16 units)", self.file, line)
        self.positions[number] = Position(text, start, stop, line, name)

    def members(self, sofa: int | None, members: Sequence[int | None], line: int | None) -> None:
        if len(set(members)) < len(members):
            raise FormatError("a view names a member twice", self.file, line)
        for member in members:
            if member in self.positions and self.positions[member].sofa != sofa:
                raise FormatError(f"{member} is in the view of another text than its own", self.file, line)

    def text(self) -> int:
        """Return the number of the text that is read."""
        numbers = [number for number, (name, text, _) in self.sofas.items() if text and name == INITIAL]
        numbers = numbers or [number for number, (_, text, _) in self.sofas.items() if text]
        if len(numbers) != 1:
            wrong = "there is no text" if not numbers else f"there are {len(numbers)} texts, none of them initial,"
            raise FormatError(f"{wrong} in this file", self.file)
        return numbers[0]


def parse_whole(value: object) -> int | None:
    """Return the whole number that it says; None for none, and for one of more than nine digits."""
    if isinstance(value, str):
        return int(value) if NUMBER.fullmatch(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def check_text(value: object, file: str, line: int | None = None) -> str:
    """Return a string; empty for what is none. Raises FormatError on what no text holds."""
    if not isinstance(value, str):
        return ""
    if "\0" in value:
        raise FormatError("a NUL character is not allowed in a text", file, line)
    if not is_storable(value):
        raise FormatError("half a character (a lone surrogate) is not allowed in a text", file, line)
    return value


def check_types(types: Mapping[str, tuple[str, Sequence[str]]], file: str) -> None:
    """Raise FormatError on types that cannot be. types: for each its supertype and the names of its own features."""
    if len(types) > MOST_TYPES:
        raise FormatError(f"there are more than {MOST_TYPES} types", file)
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
        if cost > MOST_FEATURES_SQUARED:
            raise FormatError("the types have too many features", file)
        inherited += [(each, number) for each in below.get(name, ())]
    if reached < len(types):
        raise FormatError("a type inherits from itself", file)
