"""JSON lists of objects, with the line in which each begins."""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotations.formats.model.document import FormatError
from annotations.formats.model.text import is_storable
from annotations.formats.syntax.table import Source


@dataclass(slots=True)
class Fields(Source):
    """An object of a JSON file. Raises FormatError where it is none, or has other keys than these."""

    value: object
    known: tuple[str, ...]
    fields: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.value, dict):
            raise FormatError("an object is expected here", self.file, self.line)
        self.fields = self.value
        for name in self.fields:
            if name not in self.known:
                raise self.error(name[:50], f"is not known; known are {', '.join(self.known)}")

    def error(self, name: str, message: str) -> FormatError:
        return FormatError(f"{name!r} {message}", self.file, self.line)

    def text(self, name: str) -> str:
        return self.string(name, self.fields.get(name, ""))

    def required(self, name: str) -> str:
        if not self.text(name):
            raise self.error(name, "is missing or empty")
        return self.text(name)

    def flag(self, name: str) -> bool:
        value = self.fields.get(name, False)
        if not isinstance(value, bool):
            raise self.error(name, "is true or false")
        return value

    def strings(self, name: str, value: object = None) -> tuple[str, ...]:
        """Return a list of distinct strings that are not empty: what was found, or else the list of that name."""
        value = self.fields.get(name, []) if value is None else value
        if not isinstance(value, list):
            raise self.error(name, "is a list of strings")
        members = tuple(self.string(name, member) for member in value)
        if not all(members):
            raise self.error(name, "has an empty member")
        return tuple(dict.fromkeys(members))

    def string(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.error(name, "is a string")
        if not is_storable(value):
            raise self.error(name, "holds a NUL or half a character")
        return value


def read_records(text: str, file: str) -> Iterator[tuple[int, object]]:
    """Yield the members of the one list of a file, by the line in which each begins."""
    position = _skip_space(text, 0)
    if text[position : position + 1] != "[":
        raise FormatError("a list of objects is expected: [{...}, ...]", file, text.count("\n", 0, position) + 1)
    position = _skip_space(text, position + 1)
    line, counted = 1, 0
    following = "]" if text[position : position + 1] == "]" else ","
    while following == ",":
        line, counted = line + text.count("\n", counted, position), position
        value, position = _decode_value(text, position, file, line)
        yield line, value
        position = _skip_space(text, position)
        following = text[position : position + 1]
        if following == ",":
            position = _skip_space(text, position + 1)
    if following != "]":
        line += text.count("\n", counted, position)
        raise FormatError("a comma or the end of the list is expected here", file, line)
    position = _skip_space(text, position + 1)
    if position < len(text):
        line += text.count("\n", counted, position)
        raise FormatError("the list ends here, the file does not", file, line)


def write_records(records: Iterable[Mapping[str, object]]) -> bytes:
    """Return a list with one object a line."""
    written = io.BytesIO()  # a list of all lines would be several times as large
    for number, record in enumerate(records):
        written.write(f"{',' if number else '['}\n{json.dumps(record, ensure_ascii=False)}".encode())
    written.write(b"\n]\n" if written.tell() else b"[\n]\n")
    return written.getvalue()


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key appears twice in one object")
    return fields


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)


def _decode_value(text: str, position: int, file: str, line: int) -> tuple[object, int]:
    """Return the value that begins there, and where it ends."""
    try:
        value_and_end: tuple[object, int] = DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", file, error.lineno, error.colno) from None
    except RecursionError:
        raise FormatError("lists or objects nest too deep", file, line) from None
    except ValueError as error:  # a key twice, or a number of thousands of digits
        raise FormatError(f"this is not JSON as it is read here: {error}", file, line) from None
    return value_and_end


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position
