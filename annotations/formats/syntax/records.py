"""JSON lists of objects, with the line in which each begins."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotations.formats.document import FormatError
from annotations.formats.table import Source


@dataclass(slots=True)
class Fields(Source):
    """An object of a JSON file. Raises FormatError where it is none, or has other keys than these."""

    given: object
    known: tuple[str, ...]
    fields: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.given, dict):
            raise FormatError("an object is expected here", self.file, self.line)
        self.fields = self.given
        for name in self.fields:
            if name not in self.known:
                known = ", ".join(self.known)
                raise self.error(name[:50], f"is not known; known are {known}")

    def error(self, name: str, message: str) -> FormatError:
        return FormatError(f"{name!r} {message}", self.file, self.line)

    def words(self, name: str) -> str:
        return self.string(name, self.fields.get(name, ""))

    def some(self, name: str) -> str:
        found = self.words(name)
        if not found:
            raise self.error(name, "is missing or empty")
        return found

    def flag(self, name: str) -> bool:
        found = self.fields.get(name, False)
        if not isinstance(found, bool):
            raise self.error(name, "is true or false")
        return found

    def strings(self, name: str, found: object = None) -> tuple[str, ...]:
        """A list of distinct strings that are not empty: what was found, or else the list of that name."""
        found = self.fields.get(name, []) if found is None else found
        if not isinstance(found, list):
            raise self.error(name, "is a list of strings")
        members = tuple(self.string(name, member) for member in found)
        if not all(members):
            raise self.error(name, "has an empty member")
        return tuple(dict.fromkeys(members))

    def string(self, name: str, found: object) -> str:
        if not isinstance(found, str):
            raise self.error(name, "is a string")
        if "\0" in found or any("\ud800" <= character <= "\udfff" for character in found):
            raise self.error(name, "holds a NUL or half a character")
        return found


def records(text: str, file: str) -> Iterator[tuple[int, object]]:
    """The members of the one list of a file, by the line in which each begins."""
    position = _after_space(text, 0)
    if text[position : position + 1] != "[":
        raise FormatError("a list of objects is expected: [{...}, ...]", file, text.count("\n", 0, position) + 1)
    position = _after_space(text, position + 1)
    line, counted = 1, 0
    following = "]" if text[position : position + 1] == "]" else ","
    while following == ",":
        line, counted = line + text.count("\n", counted, position), position
        found, position = _decoded(text, position, file, line)
        yield line, found
        position = _after_space(text, position)
        following = text[position : position + 1]
        if following == ",":
            position = _after_space(text, position + 1)
    if following != "]":
        line += text.count("\n", counted, position)
        raise FormatError("a comma or the end of the list is expected here", file, line)
    position = _after_space(text, position + 1)
    if position < len(text):
        line += text.count("\n", counted, position)
        raise FormatError("the list ends here, the file does not", file, line)


def written(found: Iterable[Mapping[str, object]]) -> bytes:
    """A list with one object a line."""
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in found)
    return f"[\n{lines}{chr(10) if lines else ''}]\n".encode()


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def _decoded(text: str, position: int, file: str, line: int) -> tuple[object, int]:
    """The value that begins there, and where it ends."""
    try:
        found: tuple[object, int] = DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", file, error.lineno, error.colno) from None
    except RecursionError:
        raise FormatError("lists or objects nest too deep", file, line) from None
    except ValueError as error:  # a key twice, or a number of thousands of digits
        raise FormatError(f"this is not JSON as it is read here: {error}", file, line) from None
    return found


def _after_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position
