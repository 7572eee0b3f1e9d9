"""The canonical matrix of reliability data without the texts: a row for each unit, a column for each coder.

    text,unit,ann,bob
    walk,phrase:0-4,{Anna},{1}
    walk,phrase:14-17,{Anna|her family},none
    walk,phrase:22-24,,{1}

A cell is a set `{a|b}`, a label, or empty if the coder did not code the unit. `{a|b||c}` is a value of two readings:
a and b together, or c; a document cannot hold several readings. Escapes and JSON are described in docs/formats.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import attrgetter
from typing import cast

from annotations.formats.model.document import Answer, Document, Mark, text_order
from annotations.formats.model.encodings import decode
from annotations.formats.model.features import ANSWER_DETAILS, Feature
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Bundle
from annotations.formats.model.keys import KEY
from annotations.formats.model.text import MAX_INDEX_LENGTH
from annotations.formats.syntax import table
from annotations.formats.tables.textless import FEATURES, Codings, key_in, place_of, table_formats

COLUMNS = ("text", "unit")
# One of these columns and a column of coders mark a table of judgements.
JUDGED = {"label", "value", "category", "chain"}
MAX_CODERS = 1000
MAX_SHOWN_LENGTH = 100
LIKE_A_KEY = re.compile(rf"\\*{KEY.pattern}", re.ASCII)

# Pieces of a set: members and separators. As members are not empty, `||` separates readings.
PIECE = re.compile(r"(?:\\.|[^\\|])+|\|\|?|\\", re.DOTALL)

# A set of sets holds the readings.
type Value = str | frozenset[str] | frozenset[frozenset[str]] | None


@dataclass(frozen=True, slots=True)
class Row:
    """A unit with its value for each coder: a label, a set, readings, or None where the coder did not code it."""

    text: str
    unit: str
    values: tuple[Value, ...]
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The coders, and the rows by text: a tuple if read from a file, else possibly a generator."""

    coders: tuple[str, ...]
    rows: Iterable[Row]


def read_csv(bundle: Bundle, *, raw: bool = False) -> Matrix:
    """Return the matrix of a table whose first columns are text and unit. Raises FormatError."""
    file = bundle.main
    read = table.Table(bundle.data, file, COLUMNS, raw=raw)
    coders = read.header[2:]
    names = [name.strip().lower() for name in read.header]
    if names[:1] not in (["text"], ["document"]) or names[1:2] != ["unit"]:
        begins = f"this one begins with {', '.join(read.header[:2])[:MAX_SHOWN_LENGTH]!r}"
        raise FormatError(f"the columns of a matrix are text, unit, and one for each coder; {begins}", file, read.line)
    if "coder" in names and JUDGED.intersection(names):
        raise FormatError("this looks like a table of judgements: choose it (judgements-csv)", file, read.line)
    if len(coders) > MAX_CODERS:
        raise FormatError(f"a matrix has at most {MAX_CODERS} coders, this one {len(coders)}", file, read.line)
    for number, coder in enumerate(coders):
        if not coder:
            raise FormatError("a coder has no name", file, read.line)
        if coder in coders[:number]:
            raise FormatError(f"the coder {coder[:MAX_SHOWN_LENGTH]!r} appears twice", file, read.line)
    seen = set[tuple[str, str]]()
    rows = []
    for line, cells in read.rows():
        row = table.Cells(file, line, dict(zip(COLUMNS, cells, strict=False)))
        values = tuple(_parse_value(row, coder, cell) for coder, cell in zip(coders, cells[2:], strict=True))
        rows.append(_check_row(Row(row.required("text"), row.text("unit"), values, line), values, seen, row))
    return Matrix(tuple(coders), tuple(rows))


def write_csv(matrix: Matrix, *, raw: bool = False) -> bytes:
    """Return the matrix as a table with commas."""
    return table.write_table(chain([[*COLUMNS, *matrix.coders]], _lines(matrix.rows)), raw=raw)


def _lines(rows: Iterable[Row]) -> Iterator[list[str]]:
    """Yield the cells of each row. Members of a chain share values, which may be long, so each is formatted once."""
    for text, of_text in groupby(rows, key=attrgetter("text")):
        cells: dict[Value, str] = {}
        for row in of_text:
            for value in row.values:
                if value not in cells:
                    cells[value] = _format_value(value)
            yield [text, row.unit, *map(cells.__getitem__, row.values)]


def read_json(bundle: Bundle) -> Matrix:
    """Return the matrix of a JSON list. Raises FormatError with file and line."""
    file = bundle.main
    seen = set[tuple[str, str]]()
    rows_and_values: list[tuple[Row, dict[str, Value]]] = []
    coders: dict[str, None] = {}
    for line, record in table.read_records(decode(bundle.data, file), file):
        row = table.Fields(file, line, record, (*COLUMNS, "values"))
        by_coder = row.fields.get("values")
        if not isinstance(by_coder, dict):
            raise row.error("values", "is an object with a value for each coder")
        values = {row.string("values", coder): _parse_json_value(row, coder, raw) for coder, raw in by_coder.items()}
        if "" in values:
            raise row.error("values", "has a coder without a name")
        coders |= dict.fromkeys(values)
        if len(coders) > MAX_CODERS:
            raise FormatError(f"a matrix has at most {MAX_CODERS} coders", file, line)
        checked = _check_row(Row(row.required("text"), row.text("unit"), (), line), values.values(), seen, row)
        rows_and_values.append((checked, values))
    rows = (Row(row.text, row.unit, tuple(map(values.get, coders)), row.line) for row, values in rows_and_values)
    return Matrix(tuple(coders), tuple(rows))


def write_json(matrix: Matrix) -> bytes:
    """Return the matrix as a JSON list, a row a line: a value is a string, a list, a list of lists, or null."""
    coders = matrix.coders
    return table.write_records(
        {"text": row.text, "unit": row.unit, "values": dict(zip(coders, map(_json_value, row.values), strict=True))}
        for row in matrix.rows
    )


def _check_row(row: Row, values: Iterable[Value], seen: set[tuple[str, str]], source: table.Source) -> Row:
    if not row.unit and any(values):
        raise source.error("unit", "is empty, and the row says something of it")
    if (row.text, row.unit) in seen:
        raise source.error("unit", f"appears twice: {row.unit[:100]!r} of {row.text[:100]!r}")
    seen.add((row.text, row.unit))
    return row


def _parse_value(row: table.Cells, coder: str, cell: str) -> Value:
    if not cell.startswith("{"):
        return cell.removeprefix("\\") or None
    if not cell.endswith("}"):
        raise row.error(coder, f"begins a set that is not closed: {cell[:50]!r}")
    parts = [""]
    for piece in PIECE.findall(cell[1:-1]):
        if piece == "||":
            parts.append("")
        else:
            parts[-1] += piece
    readings = [frozenset(member for member, _ in row.members(coder, part)) for part in parts]
    return readings[0] if len(readings) == 1 else _distinct_readings(readings, row, coder)


def _distinct_readings(readings: Sequence[frozenset[str]], row: table.Source, coder: str) -> Value:
    """Return the readings of a cell. Raises FormatError if two are equal or there is only one."""
    if len(set(readings)) < max(len(readings), 2):
        raise row.error(coder, "has a reading twice, or only one")
    return frozenset(readings)


def _parse_json_value(row: table.Fields, coder: str, value: object) -> Value:
    if value is None:
        return None
    if isinstance(value, str):
        return row.string(coder, value) or None
    if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        return _distinct_readings([frozenset(row.strings(coder, item)) for item in value], row, coder)
    return frozenset(row.strings(coder, value))


def _json_value(value: Value) -> object:
    if isinstance(value, frozenset):
        readings = _as_readings(value)
        return sorted(map(sorted, readings)) if readings else sorted(cast(frozenset[str], value))
    return value


def _as_readings(value: frozenset[str] | frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
    """Return the readings of a value; empty for a set without readings."""
    return frozenset(reading for reading in value if isinstance(reading, frozenset))


def _format_value(value: Value) -> str:
    """Return the cell of a value. A label that could be taken for a set gets a backslash before it."""
    if value is None:
        return ""
    if isinstance(value, frozenset):
        readings = sorted(map(sorted, _as_readings(value))) or [sorted(cast(frozenset[str], value))]
        return "{" + "||".join("|".join(map(table.escape_member, reading)) for reading in readings) + "}"
    return f"\\{value}" if value.startswith(("{", "\\")) else value


def to_documents(matrix: Matrix, file: str) -> list[Document]:
    """Return a document for each text and coder. Raises FormatError if a document cannot hold a unit or value."""
    places = [place_of(row.unit, table.Source(file, row.line), "unit") if row.unit else None for row in matrix.rows]
    codings = Codings(file)
    for column, coder in enumerate(matrix.coders):
        for row, place in zip(matrix.rows, places, strict=True):
            value = row.values[column]
            if value is not None:
                source = table.Source(file, row.line)
                answer = _build_answer(value, source, coder)
                mark = Mark(place.parts, place.level, answer=answer, line=row.line) if place else None
                codings.add(row.text, coder, mark, source, coder)
    return codings.documents()


def _build_answer(value: str | frozenset[str] | frozenset[frozenset[str]], source: table.Source, coder: str) -> Answer:
    if isinstance(value, str):
        return Answer(category=value)
    if _as_readings(value):
        raise source.error(coder, "has several readings of a chain, which are no answer of a coder")
    pointers, indices = [], []
    for member in sorted(cast(frozenset[str], value)):
        if KEY.fullmatch(member):
            pointers.append(place_of(member, source, coder))
        else:
            indices.append(member[1:] if LIKE_A_KEY.fullmatch(member) else member)
    if any(len(index) > MAX_INDEX_LENGTH for index in indices):
        raise source.error(coder, f"names an entity by more than {MAX_INDEX_LENGTH} characters")
    return Answer(pointers=tuple(pointers), indices=tuple(indices))


def from_documents(documents: Sequence[Document]) -> Matrix:
    """Return the matrix of documents: units by text and position, coders in document order."""
    numbers: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        numbers.setdefault(document.name, []).append(number)
    coders = tuple(dict.fromkeys(document.coder for document in documents))
    return Matrix(coders, _document_rows(documents, coders, numbers))


def _document_rows(
    documents: Sequence[Document], coders: Sequence[str], numbers: Mapping[str, Sequence[int]]
) -> Iterator[Row]:
    """Yield the rows by text. numbers: the document numbers of each text."""
    for text, of_text in sorted(numbers.items()):
        values: dict[tuple[tuple[object, ...], str], dict[str, Value]] = {}
        for document in map(documents.__getitem__, of_text):
            answered = [(mark, mark.answer) for mark in document.marks if mark.answer is not None]
            for mark, answer in answered:
                unit = text_order(mark), key_in(document, mark.place)
                values.setdefault(unit, {})[document.coder] = _answer_value(document, answer)
            if not answered:
                values.setdefault(((), ""), {})[document.coder] = frozenset()
        for order, key in sorted(values):
            yield Row(text, key, tuple(map(values[order, key].get, coders)))


def _answer_value(document: Document, answer: Answer) -> Value:
    if answer.pointers:
        return frozenset(key_in(document, target) for target in answer.pointers)
    if answer.indices or not answer.category:
        return frozenset(f"\\{index}" if LIKE_A_KEY.fullmatch(index) else index for index in answer.indices)
    return answer.category


CSV_FORMAT, JSON_FORMAT = table_formats(
    "matrix",
    "Matrix of units by coders without the texts",
    FEATURES
    - ANSWER_DETAILS
    - {
        Feature.RELATIONS,
        Feature.ATTRIBUTES,
        Feature.PLURAL,
        Feature.LINKED_CATEGORIES,
        Feature.UNCODED,
        Feature.HEADS,
    },
    read_csv=read_csv,
    read_json=read_json,
    write_csv=write_csv,
    write_json=write_json,
    to_documents=to_documents,
    from_documents=from_documents,
)
