"""A project as a zip: `manifest.json`, and a file of JSON lines for each table.

A line is a row: an object with exactly the fields of its table. A reference to a row is its line number, from 1, in an
earlier table or the same one. Archives of older versions lack the fields and tables that were added later.
"""

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from math import isfinite
from typing import IO, Any
from uuid import UUID

from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import FormatError
from annotations.formats.model.text import is_storable
from annotations.formats.syntax.archive import add_file, unpack
from annotations.formats.syntax.table import InvalidValue, decode_object, strict_decoder

FORMAT, VERSION = "coindex project", 15
# The archive version of release 0.2.0.
OLDEST_VERSION = 14
MANIFEST = "manifest.json"
# No clock is set to other years, and some time zones cannot express the extreme days.
FIRST_YEAR, LAST_YEAR = 2, 9998


class Kind(StrEnum):
    """The type of a field, as a phrase that follows "is not" in messages."""

    TEXT = "a text"
    WHOLE = "a whole number"
    NUMBER = "a number"
    FLAG = "true or false"
    DAY = "a day such as 2026-01-31"
    TIME = "a time in UTC such as 2026-01-31T12:00:00+00:00"
    UUID = "a UUID in small letters"
    JSON = "JSON"
    ROW = "the number of a line"
    PERSON = "the name of a person"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a table."""

    name: str
    kind: Kind
    null: bool = False  # whether the value may be null
    to: str = ""  # the table of the referenced row, possibly its own
    since: int = OLDEST_VERSION  # the first archive version that has the field


@dataclass(frozen=True, slots=True)
class Shape:
    """The name and fields of a table. since: the first archive version that has the table."""

    name: str
    fields: tuple[Field, ...]
    since: int = OLDEST_VERSION

    @property
    def file(self) -> str:
        return f"{self.name}.jsonl"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, stored as one column of values per field."""

    shape: Shape
    columns: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, field: str) -> Sequence[Any]:
        return self.columns[field]

    def rows(self, *fields: str) -> Iterator[tuple[Any, ...]]:
        """Yield the number of each row, from 0, followed by its values of the fields."""
        yield from zip(range(len(self)), *(self.columns[field] for field in fields), strict=True)

    def error(self, row: int, message: str) -> FormatError:
        """Return a FormatError with the message for a row, numbered from 0."""
        return FormatError(message, self.shape.file, row + 1)


def write(tables: Iterable[Table], out: IO[bytes]) -> dict[str, int]:
    """Write the zip and return the number of rows by table. Equal tables give equal bytes."""
    encode = json.JSONEncoder(
        ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"), default=encode_value
    ).encode
    rows = {}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for table in tables:
            names = list(table.columns)
            lines = [encode(dict(zip(names, row, strict=True))) for row in zip(*table.columns.values(), strict=True)]
            add_file(archive, table.shape.file, "".join(f"{line}\n" for line in lines).encode())
            rows[table.shape.name] = len(table)
        add_file(archive, MANIFEST, f"{encode({'format': FORMAT, 'version': VERSION, 'rows': rows})}\n".encode())
    return rows


def encode_value(value: object) -> str:
    """Return the JSON string of a time, day or UUID. (Other encoders cut off the microseconds.)"""
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat()
        case date() | UUID():
            return str(value)
    raise TypeError(f"{value!r} cannot be archived")


def read(data: bytes, shapes: Sequence[Shape], file: str, *, most_files: int, most_bytes: int) -> dict[str, Table]:
    """Return the tables of a zip by name, one per shape. Raises FormatError and nothing else on bad input.

    Tables have only the fields of the archive's version; tables added after that version are empty.
    An error in a file of the zip names that file; an error in the zip itself names `file`.
    """
    files: dict[str, bytes] = {}
    for name, content in unpack(data, file, most_files=most_files, most_bytes=most_bytes):
        if name in files:
            raise FormatError(f"{name} appears twice in the zip", file)
        files[name] = content
    version, rows = _read_manifest(files, file)
    known = {shape.name: shape.file for shape in shapes if shape.since <= version}
    unknown = sorted(files.keys() - {*known.values(), MANIFEST}) or sorted(rows.keys() - known.keys())
    if unknown:
        raise FormatError(f"no table of a project is called {unknown[0][:50]!r}", file)
    tables: dict[str, Table] = {}
    for shape in shapes:
        if shape.since > version:
            tables[shape.name] = Table(shape, {field.name: [] for field in shape.fields})
            continue
        if shape.file not in files:
            raise FormatError(f"{shape.file} is missing in the zip", file)
        fields = tuple(field for field in shape.fields if field.since <= version)
        table = _read_table(replace(shape, fields=fields), decode(files.pop(shape.file), shape.file), tables)
        if len(table) != rows.get(shape.name):
            message = f"{len(table)} rows stand here; {MANIFEST} says {rows.get(shape.name)}"
            raise FormatError(message, shape.file, len(table) + 1)
        tables[shape.name] = table
    return tables


def _read_manifest(files: Mapping[str, bytes], file: str) -> tuple[int, dict[str, int]]:
    """Return the archive version and the number of rows by table. Raises FormatError on a wrong manifest or version."""
    if MANIFEST not in files:
        raise FormatError(f"this is no archive of a project: it has no {MANIFEST}", file)
    manifest = _parse_line(decode(files[MANIFEST], MANIFEST), MANIFEST, 1)
    if manifest.get("format") != FORMAT:
        raise FormatError(f"this is no archive of a project: its format is not {FORMAT!r}", MANIFEST)
    version = manifest.get("version")
    if type(version) is not int or not OLDEST_VERSION <= version <= VERSION:
        message = f"this archive has version {str(version)[:20]}; versions {OLDEST_VERSION} to {VERSION} are read"
        raise FormatError(message, MANIFEST)
    _refuse_other_fields(manifest, ("format", "version", "rows"), MANIFEST, 1)
    rows = manifest["rows"]
    if not isinstance(rows, dict) or not all(type(count) is int for count in rows.values()):
        raise FormatError("'rows' is not a number for each table", MANIFEST)
    return version, rows


def _read_table(shape: Shape, text: str, earlier: Mapping[str, Table]) -> Table:
    columns: dict[str, list[Any]] = {field.name: [] for field in shape.fields}
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        row = _parse_line(line, shape.file, number)
        if row.keys() != columns.keys():
            _refuse_other_fields(row, list(columns), shape.file, number)
        for name, column in columns.items():
            column.append(row[name])
    table = Table(shape, columns)
    for field in shape.fields:
        _refuse_other_types(table, field)
        if field.kind in CONVERSIONS:
            columns[field.name][:] = _convert_column(table, field)
        elif field.kind is Kind.ROW:
            most = len(table if field.to == shape.name else earlier[field.to])
            for row_number, line_number in enumerate(table[field.name]):
                if line_number is not None and not 1 <= line_number <= most:
                    raise table.error(row_number, f"{field.name} is line {line_number} of {field.to}, which has {most}")
    return table


def _refuse_other_fields(row: Mapping[str, object], names: Sequence[str], file: str, line: int) -> None:
    for name in names:
        if name not in row:
            raise FormatError(f"the field {name!r} is missing", file, line)
    for name in row:
        if name not in names:
            raise FormatError(f"there is no field {name[:50]!r} here", file, line)


# The Python types of values that are not strings, by kind; JSON may be of any type.
TYPES: Mapping[Kind, set[type]] = {Kind.WHOLE: {int}, Kind.NUMBER: {int, float}, Kind.FLAG: {bool}, Kind.ROW: {int}}


def _refuse_other_types(table: Table, field: Field) -> None:
    """Raise FormatError at the first row with a value of a wrong type. (True is not a number here.)"""
    column, types = table[field.name], set(map(type, table[field.name]))
    expected = types - {type(None)} if field.kind is Kind.JSON else TYPES.get(field.kind, {str})
    wrong = types - expected - ({type(None)} if field.null else set())
    if wrong:
        row = next(row for row, value in enumerate(column) if type(value) in wrong)
        raise table.error(row, f"{field.name} is not {field.kind}")


def _convert_column(table: Table, field: Field) -> list[Any]:
    """Return the parsed values of a column. Raises FormatError unless each is written as this program writes it."""
    parse, write_value, is_valid = CONVERSIONS[field.kind]
    values = []
    for row, text in enumerate(table[field.name]):
        try:
            value = None if text is None else parse(text)
            if value is not None and (write_value(value) != text or not is_valid(value)):
                raise ValueError(text)
        except ValueError:
            raise table.error(row, f"{field.name} is not {field.kind}") from None
        values.append(value)
    return values


def _is_likely(day: date) -> bool:
    return FIRST_YEAR <= day.year <= LAST_YEAR


# The parser, writer and validity test of the kinds that JSON stores as strings.
CONVERSIONS: Mapping[Kind, tuple[Callable[[str], Any], Callable[[Any], str], Callable[[Any], bool]]] = {
    Kind.DAY: (date.fromisoformat, date.isoformat, _is_likely),
    Kind.TIME: (
        datetime.fromisoformat,
        datetime.isoformat,
        lambda time: time.utcoffset() == timedelta(0) and _is_likely(time),
    ),
    Kind.UUID: (UUID, str, bool),
}


def _parse_fraction(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise InvalidValue("a number is too large")
    return value


# Databases hold numbers of 64 bits.
DECODER = strict_decoder(most_digits=18, parse_float=_parse_fraction)


def _parse_line(line: str, file: str, number: int) -> dict[str, Any]:
    value = decode_object(DECODER, line, file, number)
    # A NUL or half a surrogate pair can only come this far as an escape.
    if "\\u" in line:
        _refuse_unstorable(value, file, number)
    return value


def _refuse_unstorable(value: object, file: str, line: int) -> None:
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            left += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            left += part
        elif isinstance(part, str) and not is_storable(part):
            raise FormatError("a text has a NUL or half a surrogate pair in it", file, line)
