"""CSV tables: rows under a header, with the line in which each begins.

Columns are parted by commas, semicolons or tabs, whichever the header has. A spreadsheet would compute a cell that
begins with = + - @, a tab or a carriage return: an apostrophe is written before it, and before one that already has
such an apostrophe, and reading takes one away. In a raw table nothing is added or taken away.

A first line `sep=;`, as Excel has it, and columns without a name and values are passed over.
"""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.formats.model.document import FormatError, decode
from annotations.formats.model.format import Option

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
    """The rows of a CSV file with a header. known: names of columns, by which the separator is told."""

    def __init__(self, data: bytes, file: str, known: Collection[str], *, raw: bool) -> None:
        if data.startswith(WORKBOOK):
            raise FormatError("this is a workbook or a zip, not a table: save the sheet as CSV", file)
        decode(data, file)  # for its errors; a line end within quotes stays as it is
        self.file = file
        self.raw = raw
        self.text = SEPARATOR_LINE.sub("", data.decode("utf-8-sig"))
        self.separator, self.line, self.header = self._header(known)
        # Columns behind the last name have to be empty.
        self.width = len(self.header)
        while self.header and not self.header[-1]:
            self.header.pop()
        if not self.header:
            raise FormatError("this table has no header", self.file, 1)

    def _header(self, known: Collection[str]) -> tuple[str, int, list[str]]:
        """Return the separator that makes most sense of the first row, and that row."""
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
        """Yield the rows after the header, each as wide as it is; rows without a word are passed over."""
        named = len(self.header)
        records = self._records(self.separator)
        next(records)
        for line, cells in records:
            if not any(cells):
                continue
            if len(cells) != self.width:
                message = f"this row has {len(cells)} cells, the header has {self.width}"
                raise FormatError(message, self.file, line)
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
    """Return the rows as a table, parted by commas."""
    written = io.BytesIO()  # a list of all lines would be several times as large
    for row in rows:
        cells = row if raw else [f"'{cell}" if FORMULA.match(cell) else cell for cell in row]
        quoted = ('"' + cell.replace('"', '""') + '"' if QUOTED.search(cell) else cell for cell in cells)
        written.write(f"{','.join(quoted)}\n".encode())
    return written.getvalue()


@dataclass(slots=True)
class Source:
    """Where something stands, for its errors."""

    file: str
    line: int | None

    def error(self, name: str, message: str) -> FormatError:
        return FormatError(f"column {name!r} {message}", self.file, self.line)


@dataclass(slots=True)
class Cells(Source):
    """A row of a table by the names of its columns."""

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
        """Return the members of a set, and whether each is written without a backslash."""
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
    """Return a member of a set as a cell has it."""
    return MEANING.sub(r"\\\g<0>", member)
