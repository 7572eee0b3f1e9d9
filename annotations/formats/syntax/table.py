"""CSV tables and JSON lists of objects; each row has the number of its first line."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Option
from annotations.formats.model.text import is_storable

# Cells that a spreadsheet would compute: writing adds an apostrophe before them, also if they have one already, and
# reading removes one. A raw table is left as it is.
FORMULA = re.compile(r"'*[=+\-@\t\r]")
GUARDED = re.compile(r"'+[=+\-@\t\r]")
QUOTED = re.compile(r'[",;\t\r\n]|^\s|\s$')
SEPARATORS = (",", ";", "\t")
SEPARATOR_LINE = re.compile(r'\A"?sep=[,;\t]"?[^\S\r\n]*(?=[\r\n])', re.IGNORECASE)
WORKBOOK = b"PK\x03\x04"
YES = ("1", "true", "yes")
NO = ("", "0", "false", "no")
MEMBER = re.compile(r"\\(?P<escaped>.)|(?P<plain>[^\\|]+)|\|", re.DOTALL)
MEANING = re.compile(r"[\\|]")
CELLS = Option(
    "cells",
    "Cells that a spreadsheet would compute",
    (("guarded", "have an apostrophe before them"), ("raw", "stand as they are")),
)


class Table:
    """The rows of a CSV file with a header. known: names of columns, which decide the separator."""

    def __init__(self, data: bytes, file: str, known: Collection[str], *, raw: bool) -> None:
        if data.startswith(WORKBOOK):
            raise FormatError("this is a workbook or a zip, not a table: save the sheet as CSV", file)
        decode(data, file)  # only for its errors; line ends within quotes must stay as they are
        self.file = file
        self.raw = raw
        self.text = SEPARATOR_LINE.sub("", data.decode("utf-8-sig"))
        self.separator, self.line, self.header = self._header(known)
        # Columns after the last name must be empty.
        self.width = len(self.header)
        while self.header and not self.header[-1]:
            self.header.pop()
        if not self.header:
            raise FormatError("this table has no header", self.file, 1)

    def _header(self, known: Collection[str]) -> tuple[str, int, list[str]]:
        """Return the separator that gives most known names in the first row, and that row with its line."""
        best, header_row, failed = -1, ("", 1, list[str]()), None
        for separator in SEPARATORS:
            try:
                line, header = next(self._records(separator), (1, []))
            except FormatError as error:
                failed = failed or error
                continue
            sense = sum(name.strip().lower() in known for name in header)
            if sense > best:
                best, header_row = sense, (separator, line, header)
        if best < 1 and failed:
            raise failed
        return header_row

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows after the header with their lines, as wide as the header; empty rows are skipped."""
        named = len(self.header)
        records = self._records(self.separator)
        next(records)
        for line, cells in records:
            if not any(cells):
                continue
            if len(cells) != self.width:
                raise FormatError(f"this row has {len(cells)} cells, the header has {self.width}", self.file, line)
            if any(cells[named:]):
                raise FormatError("a cell stands in a column without a name", self.file, line)
            yield line, cells[:named]

    def _records(self, separator: str) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=separator, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise FormatError(f"this is not a row of a table: {error}", self.file, line) from None
            if cells is None:
                return
            if cells:
                yield line, cells if self.raw else [cell[1:] if GUARDED.match(cell) else cell for cell in cells]


def write_table(rows: Iterable[Sequence[str]], *, raw: bool) -> bytes:
    written = io.BytesIO()  # a list of all lines would be several times as large
    for row in rows:
        cells = row if raw else [f"'{cell}" if FORMULA.match(cell) else cell for cell in row]
        quoted = ('"' + cell.replace('"', '""') + '"' if QUOTED.search(cell) else cell for cell in cells)
        written.write(f"{','.join(quoted)}\n".encode())
    return written.getvalue()


@dataclass(slots=True)
class Source:
    """The file and line of a row, for its errors."""

    file: str
    line: int | None

    def error(self, name: str, message: str) -> FormatError:
        return FormatError(f"column {name!r} {message}", self.file, self.line)


@dataclass(slots=True)
class Cells(Source):
    """A row of a table, with cells by the names of columns."""

    cells: Mapping[str, str]

    def text(self, name: str) -> str:
        return self.cells.get(name, "")

    def required(self, name: str) -> str:
        if not self.text(name):
            raise self.error(name, "is empty")
        return self.text(name)

    def flag(self, name: str) -> bool:
        value = self.text(name).strip().lower()
        if value not in YES + NO:
            raise self.error(name, f"says 1 or nothing, not {value[:50]!r}")
        return value in YES

    def members(self, name: str, cell: str) -> list[tuple[str, bool]]:
        """Return the members of a set in a cell, each with whether it is written without a backslash."""
        if "\\" not in cell and "|" not in cell:
            return [(cell, True)] if cell else []
        members: list[tuple[str, bool]] = []
        words, plain = "", True
        for token in MEMBER.finditer(f"{cell}|"):
            if token["escaped"] is None and token["plain"] is None:
                if not words:
                    raise self.error(name, "has an empty member")
                members.append((words, plain))
                words, plain = "", True
            else:
                words += token["escaped"] or token["plain"]
                plain = plain and token["escaped"] is None
        if words:
            raise self.error(name, "ends in a backslash")
        return members


def escape_member(member: str) -> str:
    return MEANING.sub(r"\\\g<0>", member)


@dataclass(slots=True)
class Fields(Source):
    """An object of a JSON file. Raises FormatError if the value is not an object or has unknown keys."""

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
        """Return the distinct strings of the list `value`, or else of the field `name`. Raises FormatError."""
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
    """Yield (first line, member) for the members of a file that is one JSON list."""
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
    written = io.BytesIO()  # a list of all lines would be several times as large
    for number, record in enumerate(records):
        written.write(f"{',' if number else '['}\n{json.dumps(record, ensure_ascii=False)}".encode())
    written.write(b"\n]\n" if written.tell() else b"[\n]\n")
    return written.getvalue()


class InvalidValue(ValueError):
    """JSON that is not read here; the message says why."""


def strict_decoder(most_digits: int, parse_float: Callable[[str], object]) -> json.JSONDecoder:
    """Return a decoder that refuses constants such as NaN, whole numbers of more digits, and repeated keys."""

    def parse_int(digits: str) -> int:
        if len(digits.lstrip("-")) > most_digits:
            raise InvalidValue(f"a number of {len(digits)} digits is too long")
        return int(digits)

    def unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
            raise InvalidValue(f"the key {key[:50]!r} appears twice in one object")
        return fields

    return json.JSONDecoder(
        object_pairs_hook=unique_keys, parse_int=parse_int, parse_float=parse_float, parse_constant=_refuse_constant
    )


def decode_json(decoder: json.JSONDecoder, text: str, file: str, line: int) -> Any:
    """Return the value of a JSON text that begins in the given line of a file. Raises FormatError."""
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", file, line + error.lineno - 1, error.colno) from None
    except RecursionError:
        raise FormatError("lists or objects are nested too deeply", file, line) from None
    except InvalidValue as error:
        raise FormatError(str(error), file, line) from None


def decode_object(decoder: json.JSONDecoder, text: str, file: str, line: int) -> dict[str, Any]:
    value = decode_json(decoder, text, file, line)
    if not isinstance(value, dict):
        raise FormatError("a line is one JSON object, this one is something else", file, line)
    return value


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise InvalidValue("a key appears twice in one object")
    return fields


def _refuse_constant(name: str) -> object:
    raise InvalidValue(f"{name} is not JSON")


DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)


def _decode_value(text: str, position: int, file: str, line: int) -> tuple[object, int]:
    try:
        return DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", file, error.lineno, error.colno) from None
    except RecursionError:
        raise FormatError("lists or objects nest too deep", file, line) from None
    except ValueError as error:  # a repeated key, or a number of thousands of digits
        raise FormatError(f"this is not JSON as it is read here: {error}", file, line) from None


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position
