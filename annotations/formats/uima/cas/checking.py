"""What is looked at before the library sees a file: it trusts its input, and makes names of features into code."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.cas.names import INITIAL
from annotations.formats.document import FormatError
from annotations.formats.units import Units

NUMBER = re.compile(r"[0-9]{1,9}")
TYPE_NAME = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z_]\w*)*")
MOST_TYPES = 2000
# The library's time for a type grows with the square of its features.
MOST_FEATURES_SQUARED = 100_000
MOST_TEXTS = 100


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a feature structure stands, in code points of the text of its view."""

    sofa: int
    begin: int
    end: int
    line: int | None


@dataclass(slots=True)
class Checked:
    """What was learned of a file before the library sees it. sofas: name, text and its units; standing: by number."""

    file: str
    sofas: dict[int, tuple[str, str, Units]] = field(default_factory=dict)
    standing: dict[int, Standing] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def number(self, value: object, line: int | None) -> int:
        """The number of a feature structure, which no other may have."""
        number = whole(value)
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
        words = clean(text, self.file, line)
        self.sofas[number] = (name, words, Units(words))

    def place(self, number: int, sofa: object, begin: object, end: object, line: int | None) -> None:
        """Where the annotation of that number stands."""
        text, first, last = whole(sofa), whole(begin), whole(end)
        if text not in self.sofas:
            raise FormatError(f"the annotation {number} stands in a text that is not in this file", self.file, line)
        units = self.sofas[text][2]
        start, stop = (None if unit is None else units.point(unit) for unit in (first, last))
        if start is None or stop is None or start > stop:
            message = f"the annotation {number} does not stand between 0 and {units.length} of the text"
            raise FormatError(f"{message}, or cuts a character (offsets count UTF-16 units)", self.file, line)
        self.standing[number] = Standing(text, start, stop, line)

    def members(self, sofa: int | None, members: Sequence[int | None], line: int | None) -> None:
        if len(set(members)) < len(members):
            raise FormatError("a view names a member twice", self.file, line)
        for member in members:
            if member in self.standing and self.standing[member].sofa != sofa:
                raise FormatError(f"{member} is in the view of another text than its own", self.file, line)

    def text(self) -> int:
        """The number of the text that is read."""
        found = [number for number, (name, text, _) in self.sofas.items() if text and name == INITIAL]
        found = found or [number for number, (_, text, _) in self.sofas.items() if text]
        if len(found) != 1:
            wrong = "there is no text" if not found else f"there are {len(found)} texts, none of them initial,"
            raise FormatError(f"{wrong} in this file", self.file)
        return found[0]


def whole(value: object) -> int | None:
    """The whole number that it says; None for none, and for one of more than nine digits."""
    if isinstance(value, str):
        return int(value) if NUMBER.fullmatch(value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def clean(value: object, file: str, line: int | None = None) -> str:
    """A string; empty for what is none. Raises FormatError on what no text holds."""
    if not isinstance(value, str):
        return ""
    if "\0" in value:
        raise FormatError("a NUL character cannot stand in a text", file, line)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise FormatError("half a character (a lone surrogate) cannot stand in a text", file, line) from None
    return value


def check_types(types: Mapping[str, tuple[str, Sequence[str]]], file: str) -> None:
    """types: for each its supertype and the names of its own features."""
    if len(types) > MOST_TYPES:
        raise FormatError(f"there are more than {MOST_TYPES} types", file)
    below: dict[str, list[str]] = {}
    for name, (above, features) in types.items():
        below.setdefault(above, []).append(name)
        for called in (name, above):
            if not TYPE_NAME.fullmatch(called):
                raise FormatError(f"{called[:50]!r} cannot be the name of a type", file)
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
