"""Tables with a header: columns of judgements, the canonical matrix, and data frames; from CSV files or pandas."""

import csv
import gzip
import io
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import batched, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..values import Ints, Label, Readings, Value, is_number, map_members
from .arrays import factorize_integers, first_positions
from .cells import MISSING, Cells, Content, Partition

if TYPE_CHECKING:
    import _csv

    import pandas as pd

SEPARATORS = (",", ";", "\t")
BATCH_ROWS = 100
GUARDED = re.compile(r"'+[=+\-@\t\r]")
MEMBER = re.compile(r"(?:\\.|[^\\|])+", re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
MEMBERS = re.compile(rf"(?:(?:{MEMBER.pattern})(?:\|(?:{MEMBER.pattern}))*)?", re.DOTALL)
# Members are not empty: `||` stands between the readings of an ambiguous unit.
SET = re.compile(rf"\{{{MEMBERS.pattern}(?:\|\|{MEMBERS.pattern})*\}}", re.DOTALL)

DOCUMENT_COLUMNS = ("text", "document")
# Columns of a table with one judgement a row, which no coder is called by.
LONG_COLUMNS = ("document", "unit", "item", "coder", "annotator", "rater", "label", "chain")

# The distinct names of a column, by first appearance, and the place of each row's among them, -1 where it has none.
type Factor = tuple[Sequence[Hashable], Ints]
# units, coders, a row of values for each unit, and the document of each
type ValueTable = tuple[list[Any], Sequence[Hashable], list[list[Value | None]], list[Hashable]]
type DataFields = tuple[Sequence[Hashable], Sequence[Hashable], Sequence[Hashable], Ints, Content, Mapping[Label, str]]


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Selected columns of a table by name; `header` has the names of all columns."""

    header: Sequence[Hashable]
    factors: Mapping[str, Factor]
    row_name: Callable[[int], str]

    def factor(self, column: str) -> Factor:
        """Return a column. Raises ValueError for an unknown name."""
        if column not in self.factors:
            raise ValueError(f"there is no column {column!r} among {list(self.header)}")
        return self.factors[column]

    def find(self, column: str | None, default: str) -> Factor | None:
        """Return the column of the given name, or of the default name, or None where there is none."""
        return self.factor(column) if column is not None else self.factors.get(default)


class CsvFile:
    """A CSV file with a header, in UTF-8 or, with a byte order mark, in UTF-16; compressed if its name ends in .gz.

    Columns are parted by commas, semicolons or tabs: by what makes most `known` names of the header, or by what a first
    line such as `sep=;` says. A cell is text as it stands. Raises ValueError, naming the line, for what is no table.
    """

    def __init__(self, path: str | Path, known: Collection[str]) -> None:
        content = Path(path).read_bytes()
        try:
            self.text = _decode(gzip.decompress(content) if str(path).endswith(".gz") else content)
        except (EOFError, zlib.error) as error:
            raise ValueError(str(error)) from error
        first, end, _ = self.text.partition("\n")
        declared = re.fullmatch(r'"?sep=(.)"?\r?', first, re.IGNORECASE)
        self.begin = len(first + end) if declared else 0
        headers = {}
        for separator in declared[1] if declared else SEPARATORS:
            with suppress(csv.Error):
                headers[separator] = next(filter(any, self._reader(separator)), [])
        self.separator, self.header = max(
            headers.items(), key=lambda item: (sum(name in known for name in item[1]), len(item[1])), default=(",", [])
        )
        if not self.header:
            raise ValueError("there is no header")

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows after the header, each with its line number; empty rows are skipped."""
        reader, n_before, width = self._reader(self.separator), int(self.begin > 0), None
        line = 1 + n_before
        try:
            for cells in reader:
                if any(cells):
                    if width is not None and len(cells) != width:
                        raise ValueError(f"line {line}: {len(cells)} cells where the header has {width}")
                    if width is not None:
                        yield line, cells
                    width = len(self.header)
                line = 1 + n_before + reader.line_num
        except csv.Error as error:
            raise ValueError(f"line {line}: {error}") from error

    def columns(self, names: Collection[str]) -> ColumnTable:
        """Return the named columns that the table has. Raises ValueError for a name that two columns have."""
        places = {name: self.header.index(name) for name in names if name in self.header}
        for name in places:
            if self.header.count(name) > 1:
                raise ValueError(f"there are two columns {name!r}")
        # the number of a name is that of names before it; the empty name is missing
        numbers = {name: defaultdict(count().__next__, {"": MISSING}) for name in places}
        codes: dict[str, list[Ints]] = {name: [np.zeros(0, dtype=np.int64)] for name in places}
        rows = filter(any, self._reader(self.separator))
        try:
            next(rows)
            for batch in batched(rows, BATCH_ROWS):
                cells = list(zip(self.header, *batch, strict=True))
                for name, place in places.items():
                    found = map(numbers[name].__getitem__, cells[place][1:])
                    codes[name].append(np.fromiter(found, np.int64, len(batch)))
        except (csv.Error, ValueError):
            for _ in self.rows():  # says which line
                pass
            raise
        factors = {name: (list(numbers[name])[1:], np.concatenate(codes[name])) for name in places}
        return ColumnTable(self.header, factors, lambda row: f"line {next(islice(self.rows(), row, None))[0]}")

    def _reader(self, separator: str) -> "_csv.Reader":
        text = io.StringIO(self.text, newline="")
        text.seek(self.begin)
        return csv.reader(text, delimiter=separator, strict=True)


def _decode(content: bytes) -> str:
    """Return the text of a file. Raises ValueError, naming the line, for another encoding."""
    name, encoding = "UTF-8", "utf-8-sig"
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        name = encoding = "UTF-16"
    try:
        text = content.decode(encoding)
        nul = text.find("\0")
        if nul < 0:
            return text
        line, what = text[:nul].count("\n") + 1, "there is a NUL character"
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding)
        line, what = before.count("\n") + 1, f"byte 0x{error.object[error.start]:02X} is not {name}"
    raise ValueError(f"line {line}: {what}: save the file as UTF-8")


def read_frame(frame: "pd.DataFrame", documents: "pd.Series | None", members: str) -> ValueTable:
    """Return the values of a DataFrame; the arguments and errors are those of `ReliabilityData.from_frame`."""
    for column in frame.columns:
        if str(column).lower() in LONG_COLUMNS:
            raise ValueError(
                f"a column is called {column!r}, and each column is a coder here: make the data of a table with one"
                " judgement a row by ReliabilityData.from_records, and give documents as `documents` or in the index"
            )
    units = frame.index.tolist()
    rows = frame.astype(object).where(frame.notna(), None).to_numpy(dtype=object).tolist()
    of_unit: list[Hashable] = [None] * len(units)
    if documents is None and frame.index.nlevels == 2:
        level = 1 if frame.index.names[1] == "document" else 0
        of_unit = [unit[level] for unit in units]
        if members == "units":
            named = zip(of_unit, rows, strict=True)
            rows = [[_name_members(value, document, level) for value in row] for document, row in named]
    elif documents is not None:
        document_of = map_documents(documents.index.tolist(), documents.tolist())
        for row, unit in enumerate(units):
            if unit not in document_of:
                raise ValueError(f"unit {unit!r} is in no document")
            of_unit[row] = document_of[unit]
    return units, frame.columns.tolist(), rows, of_unit


def map_documents(units: Sequence[Hashable], documents: Sequence[Hashable]) -> dict[Hashable, Hashable]:
    document_of: dict[Hashable, Hashable] = {}
    for unit, document in zip(units, documents, strict=True):
        if document_of.setdefault(unit, document) != document:
            raise ValueError(f"unit {unit!r} is in two documents: {document_of[unit]!r} and {document!r}")
    return document_of


def _name_members(value: Any, document: Hashable, level: int) -> Value:
    """Return a value whose members are named like units: document, at this index of the name, and unit."""

    def name(member: Hashable) -> Hashable:
        if isinstance(member, tuple) and len(member) == 2 and member[level] == document:
            return member
        return (document, member) if level == 0 else (member, document)

    return map_members(frozenset(value) if isinstance(value, set | list) else value, name)


def read_matrix(
    path: str | Path, document: str | None, unit: str | None, *, raw: bool = False, members: str = "units"
) -> tuple[ValueTable, Mapping[Label, str]]:
    """Return the values, and the line in which each text label appears first."""
    names = (document,) if document else DOCUMENT_COLUMNS
    file = CsvFile(path, (*names, unit or "unit"))
    header = file.header if raw else list(map(_remove_guard, file.header))
    of_document, of_unit = _find_columns(header, document, unit)
    n_names = 1 if of_document is None else 2
    coders = header[n_names:]
    units: list[Hashable] = []
    values: list[list[Value | None]] = []
    documents: list[Hashable] = []
    known: dict[tuple[Hashable, str], Value | None] = {}
    places: dict[Label, str] = {}
    for line, row in file.rows():
        cells = row if raw else list(map(_remove_guard, row))
        text = None if of_document is None else cells[of_document]
        if text and not cells[of_unit] and set(cells[n_names:]) <= {"", "{}"}:
            continue  # it names the coders who marked nothing in the text
        if text == "" or not cells[of_unit]:
            raise ValueError(f"line {line}: there is no {'document' if text == '' else 'unit'}")
        for coder, cell in zip(coders, cells[n_names:], strict=True):
            if (text, cell) not in known:
                where = f"line {line}, coder {coder!r}"
                value = _parse_cell(cell, where)
                if isinstance(value, str):
                    places.setdefault(value, where)
                is_named = members == "units" and text is not None
                known[text, cell] = _name_members(value, text, 0) if is_named else value
        units.append(cells[of_unit] if text is None else (text, cells[of_unit]))
        documents.append(text)
        values.append([known[text, cell] for cell in cells[n_names:]])
    return (units, coders, values, documents), places


def _find_columns(header: list[str], document: str | None, unit: str | None) -> tuple[int | None, int]:
    """Return the indices of the document column, or None, and of the unit columns: the first columns."""
    first = [name.strip().lower() for name in header[:2]]
    if not all(header):
        raise ValueError("a column has no name")
    places = {}
    for noun, name, defaults in (("document", document, DOCUMENT_COLUMNS), ("unit", unit, ("unit",))):
        if name is not None and name in header[:2]:
            places[noun] = header.index(name)
        elif name is None:
            places.update((noun, place) for place, column in enumerate(first) if column in defaults)
        if noun not in places and (name is not None or noun == "unit"):
            raise ValueError(
                f"the first columns of a matrix are document and unit, or the unit alone, and none of {header[:2]} is"
                f" called {name or noun!r}: name it by {noun}=... (--{noun})"
            )
    if "document" not in places and places["unit"] > 0:
        raise ValueError(f"the column {header[0]!r} stands before the unit: name it by document=... (--document)")
    for name in header[1:] if len(places) == 1 else ():
        if name.strip().lower() in ("text", *LONG_COLUMNS):
            raise ValueError(f"the column {name!r} is behind the first two, where each column is a coder")
    return places.get("document"), places["unit"]


def _parse_cell(cell: str, where: str) -> Value | None:
    """Return the value of a cell: a label, a set of members, or None."""
    if not cell.startswith("{"):
        return cell.removeprefix("\\") or None
    if SET.fullmatch(cell) is None:
        raise ValueError(f"{where}: this is not a set: {cell[:50]!r}")
    readings: list[frozenset[str]] = []
    end = 0
    while end < len(cell) - 1:
        found = MEMBERS.match(cell, end + 1 if not readings else end + 2, len(cell) - 1)
        assert found is not None  # it matches nothing, too
        readings.append(frozenset(ESCAPED.sub(r"\1", member) for member in MEMBER.findall(found[0])))
        end = found.end()
    if len(set(readings)) < len(readings):
        raise ValueError(f"{where}: a reading comes twice: {cell[:50]!r}")
    return Readings(readings) if len(readings) > 1 else readings[0]


def _remove_guard(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and GUARDED.match(cell) else cell


def parse_records(
    read: Callable[[list[str]], ColumnTable],
    document: str | None,
    unit: str | Sequence[str],
    coder: str,
    label: str | None,
    chain: str | None,
) -> DataFields:
    """Return the fields of `ReliabilityData`: units, coders, documents, document of each unit, content, label places.

    `read` returns the columns of these names, as many as there are. The label that has a place is the first that is no
    number.
    """
    unit_columns = [unit] if isinstance(unit, str) else list(unit)
    named = (document, "document"), (label, "label"), (chain, "chain")
    table = read([*unit_columns, coder, *(column or default for column, default in named)])
    documents, labels, chains = (table.find(column, default) for column, default in named)
    if labels is None and chains is None:
        raise ValueError(f"there is neither a column 'chain' nor a column 'label' among {list(table.header)}")
    units, unit_of_row = _factorize_units(table, unit_columns)
    coders, coder_of_row = _find_names(table, coder)
    document_of_unit = np.zeros(len(units), dtype=np.int64)
    names: Sequence[Hashable] = [None]
    if documents is not None:
        column = document or "document"
        names, document_of_row = _find_names(table, column)
        document_of_unit[unit_of_row] = document_of_row
        elsewhere = np.flatnonzero(document_of_unit[unit_of_row] != document_of_row)
        if len(elsewhere):
            row = elsewhere[0]
            where = names[document_of_row[row]], names[document_of_unit[unit_of_row[row]]]
            raise ValueError(
                f"{table.row_name(row)}: unit {units[unit_of_row[row]]!r} is in two documents: {where[0]!r} and"
                f" {where[1]!r}; if documents use the same names, name units by both: unit={[column, *unit_columns]}"
                f" (--unit {','.join([column, *unit_columns])})"
            )
    place = unit_of_row * len(coders) + coder_of_row
    counts = np.bincount(place, minlength=1)
    if counts.max() > 1:
        twice = int(counts.argmax())
        of_unit, of_coder = divmod(twice, len(coders))
        first, second = np.flatnonzero(place == twice)[:2].tolist()
        what = f"unit {units[of_unit]!r}, coder {coders[of_coder]!r}: the judgement comes twice"
        raise ValueError(f"{table.row_name(second)}: {what}, first in {table.row_name(first)}")
    shape = (len(units), len(coders))
    ids = np.full(shape, MISSING, dtype=np.int64) if chains is None else pivot(place, chains[1], shape)
    content: Content = Partition.from_ids(ids, document_of_unit, len(names))
    places: dict[Label, str] = {}
    if labels is not None:
        content = overlay_sets(content.to_cells(), pivot(place, labels[1], shape), tuple(labels[0]))
        text = next((number for number, name in enumerate(labels[0]) if not is_number(name)), None)
        if text is not None:
            places[labels[0][text]] = table.row_name(int((labels[1] == text).argmax()))
    return tuple(units), tuple(coders), tuple(names) if units else (), document_of_unit, content, places


def frame_table(records: "pd.DataFrame", label: str, columns: Sequence[str]) -> ColumnTable:
    """Return columns of a DataFrame. Raises ValueError for fractions in columns that are no labels."""

    def row_name(row: int) -> str:
        return f"{records.index.name or 'row'} {records.index[row]}"

    factors = {name: _factorize(records[name], name == label) for name in columns if name in records.columns}
    return ColumnTable(list(records.columns), factors, row_name)


def _factorize(column: "pd.Series", is_label: bool) -> Factor:
    """Return the distinct entries of a column by first appearance, and the index of the entry of each row."""
    import pandas as pd

    if column.dtype == np.int64:
        return factorize_integers(column.to_numpy())
    numbers, distinct = pd.factorize(column)
    names = distinct.tolist()
    if not is_label and pd.api.types.is_float_dtype(column.dtype):
        fraction = next((name for name in names if not float(name).is_integer()), None)
        if fraction is not None:
            raise ValueError(f"column {column.name!r} has {fraction}: take text (dtype=str) or whole numbers")
    return names, numbers.astype(np.int64, copy=False)


def _find_names(table: ColumnTable, column: str) -> Factor:
    """Return a column. Raises ValueError for a row without an entry."""
    names, numbers = table.factor(column)
    if len(numbers) and numbers.min() < 0:
        raise ValueError(f"{table.row_name(int(numbers.argmin()))}: there is no {column}")
    return names, numbers


def _factorize_units(table: ColumnTable, columns: list[str]) -> Factor:
    """Return the column as `_find_names`; the names of several columns are tuples."""
    factors = [_find_names(table, column) for column in columns]
    if len(factors) == 1:
        return factors[0]
    key = np.zeros(len(factors[0][1]), dtype=np.int64)
    for names, numbers in factors:
        key = key * len(names) + numbers
    keys, of_row = factorize_integers(key)
    first = first_positions(of_row, len(keys))
    parts = [[names[n] for n in numbers[first].tolist()] for names, numbers in factors]
    return list(zip(*parts, strict=True)), of_row


def pivot(place: Ints, numbers: NDArray[np.integer[Any]], shape: tuple[int, int]) -> Ints:
    """Return a table of units and coders with row numbers, -1 where there is no row."""
    table = np.full(shape[0] * shape[1], MISSING, dtype=np.int64)
    table[place] = numbers
    return table.reshape(shape)


def overlay_sets(sets: Cells, codes: Ints, labels: tuple[Hashable, ...]) -> Cells:
    """Return cells with sets in place of labels where there are sets, without unused labels."""
    codes = np.where(sets.codes == MISSING, codes, MISSING)
    used = np.zeros(len(labels), dtype=np.bool_)
    used[codes[codes != MISSING]] = True
    number = np.append(np.cumsum(used) - 1, MISSING)
    return Cells(
        codes=np.where(sets.codes == MISSING, number[codes], sets.codes + int(used.sum())),
        labels=tuple(label for label, is_used in zip(labels, used.tolist(), strict=True) if is_used),
        starts=sets.starts,
        members=sets.members,
        others=(),
    )
