"""The canonical matrix of reliability data: a row a unit, a column a coder, without the texts themselves.

    text,unit,ann,bob
    walk,phrase:0-4,{Anna},{1}
    walk,phrase:14-17,{Anna|her family},none
    walk,phrase:22-24,,{1}

* A cell is a set `{a|b}`, a label, or nothing where the coder did not code the unit. Within a set a backslash takes the
  meaning from `|` and from itself; a label that could be taken for a set begins with one.
* As a document the set holds the names of entities or the keys of antecedents; a name that would be a key begins with
  a backslash. The label is the category of what is in no set.
* As JSON: a list of objects with `text`, `unit` and `values`, by coder a string, a list, or null.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotations.formats import records, table
from annotations.formats.document import (
    LONGEST_INDEX,
    Answer,
    Document,
    FormatError,
    Links,
    Mark,
    Place,
    decode,
    in_text_order,
)
from annotations.formats.format import Bundle, File, Format
from annotations.formats.judgements import CARRIES, bare, key_in, linked
from annotations.formats.keys import KEY, place_of
from annotations.formats.losses import Feature

COLUMNS = ("text", "unit")
LIKE_A_KEY = re.compile(rf"\\*{KEY.pattern}", re.ASCII)

type Value = str | frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Row:
    """A unit with its value for each coder: a label, a set, or None where the coder did not code it."""

    text: str
    unit: str
    values: tuple[Value, ...]
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Matrix:
    coders: tuple[str, ...]
    rows: tuple[Row, ...]


def read_csv(bundle: Bundle, *, raw: bool = False) -> Matrix:
    """The matrix of a table whose first columns are text and unit. Raises FormatError with file, line and column."""
    file = bundle.main
    read = table.Table(bundle.data, file, COLUMNS, raw=raw)
    coders = read.header[2:]
    if tuple(name.strip().lower() for name in read.header[:2]) != COLUMNS:
        raise FormatError("the columns of a matrix are text, unit, and one for each coder", file, read.line)
    for place, coder in enumerate(coders):
        if not coder:
            raise FormatError("a coder has no name", file, read.line)
        if coder in coders[:place]:
            raise FormatError(f"the coder {coder!r} stands twice", file, read.line)
    seen = set[tuple[str, str]]()
    rows = []
    for line, cells in read.rows():
        row = table.Cells(file, line, dict(zip(COLUMNS, cells, strict=False)))
        values = tuple(_value(row, coder, cell) for coder, cell in zip(coders, cells[2:], strict=True))
        rows.append(_once(Row(row.some("text"), row.some("unit"), values, line), seen, row))
    return Matrix(tuple(coders), tuple(rows))


def write_csv(matrix: Matrix, *, raw: bool = False) -> bytes:
    """The matrix as a table, parted by commas."""
    # the members of a chain have equal values, which may be long
    shown = {value: _shown(value) for value in {value for row in matrix.rows for value in row.values}}
    rows = ([row.text, row.unit, *map(shown.__getitem__, row.values)] for row in matrix.rows)
    return table.written([[*COLUMNS, *matrix.coders], *rows], raw=raw)


def read_json(bundle: Bundle) -> Matrix:
    """The matrix of a JSON list. Raises FormatError with file and line."""
    file = bundle.main
    seen = set[tuple[str, str]]()
    found: list[tuple[Row, dict[str, Value]]] = []
    coders: dict[str, None] = {}
    for line, record in records.records(decode(bundle.data, file), file):
        row = records.Fields(file, line, record, (*COLUMNS, "values"))
        given = row.fields.get("values")
        if not isinstance(given, dict):
            raise row.error("values", "is an object with a value for each coder")
        values = {row.string("values", coder): _json_value(row, coder, value) for coder, value in given.items()}
        if "" in values:
            raise row.error("values", "has a coder without a name")
        coders |= dict.fromkeys(values)
        found.append((_once(Row(row.some("text"), row.some("unit"), (), line), seen, row), values))
    rows = (Row(row.text, row.unit, tuple(map(values.get, coders)), row.line) for row, values in found)
    return Matrix(tuple(coders), tuple(rows))


def write_json(matrix: Matrix) -> bytes:
    """The matrix as a JSON list, a row a line: a value is a string, a list of strings, or null."""
    return records.written(
        {
            "text": row.text,
            "unit": row.unit,
            "values": {
                coder: sorted(value) if isinstance(value, frozenset) else value
                for coder, value in zip(matrix.coders, row.values, strict=True)
            },
        }
        for row in matrix.rows
    )


def _once(row: Row, seen: set[tuple[str, str]], source: table.Source) -> Row:
    if (row.text, row.unit) in seen:
        raise source.error("unit", f"stands twice: {row.unit[:100]!r} of {row.text[:100]!r}")
    seen.add((row.text, row.unit))
    return row


def _value(row: table.Cells, coder: str, cell: str) -> Value:
    """What a cell says."""
    if not cell.startswith("{"):
        return cell.removeprefix("\\") or None
    if not cell.endswith("}"):
        raise row.error(coder, f"begins a set that is not closed: {cell[:50]!r}")
    return frozenset(member for member, _ in row.members(coder, cell[1:-1]))


def _json_value(row: records.Fields, coder: str, value: object) -> Value:
    if value is None:
        return None
    return row.string(coder, value) or None if isinstance(value, str) else frozenset(row.strings(coder, value))


def _shown(value: Value) -> str:
    """A value in a cell. A label that could be taken for a set begins with a backslash."""
    if value is None:
        return ""
    if isinstance(value, frozenset):
        return "{" + "|".join(table.escaped(member) for member in sorted(value)) + "}"
    return f"\\{value}" if value.startswith(("{", "\\")) else value


# Between a matrix and documents.


def documents_of(matrix: Matrix, file: str) -> list[Document]:
    """What each coder says of each text. Raises FormatError where a unit or value is none of a document."""
    places = [_place(row, file) for row in matrix.rows]
    found = []
    for column, coder in enumerate(matrix.coders):
        marks: dict[str, dict[Place, Mark]] = {}
        links: dict[str, Links] = {}
        for row, place in zip(matrix.rows, places, strict=True):
            value = row.values[column]
            if value is None:
                continue
            source = table.Source(file, row.line)
            answer = _answer(value, source, coder)
            links[row.text] = linked(links.get(row.text, Links.NONE), answer, source, coder)
            of_text = marks.setdefault(row.text, {})
            of_text[place] = Mark(place.parts, place.level, answer=answer, line=row.line)
        found += [bare(text, coder, file, of_text, links[text]) for text, of_text in marks.items()]
    return found


def _place(row: Row, file: str) -> Place:
    place = place_of(row.unit)
    if place is None:
        message = f"holds no key of a markable, such as phrase:12-18: {row.unit[:100]!r}"
        raise table.Source(file, row.line).error("unit", message)
    return place


def _answer(value: str | frozenset[str], source: table.Source, coder: str) -> Answer:
    if isinstance(value, str):
        return Answer(value)
    pointers, indices = [], []
    for member in sorted(value):
        if not KEY.fullmatch(member):
            indices.append(member[1:] if LIKE_A_KEY.fullmatch(member) else member)
        elif place := place_of(member):
            pointers.append(place)
        else:
            raise source.error(coder, f"holds no key of a markable, such as phrase:12-18: {member[:100]!r}")
    if any(len(index) > LONGEST_INDEX for index in indices):
        raise source.error(coder, f"names an entity by more than {LONGEST_INDEX} characters")
    return Answer(pointers=tuple(pointers), indices=tuple(indices))


def matrix_of(documents: Sequence[Document]) -> Matrix:
    """What the coders of the documents say: units by text and place, coders as they come, without those of no unit."""
    values: dict[tuple[str, tuple[object, ...], str], dict[str, Value]] = {}
    coders: dict[str, None] = {}
    for document in documents:
        for mark in document.marks:
            if mark.answer is None:
                continue
            coders[document.coder] = None
            unit = document.name, in_text_order(mark), key_in(document, mark.place)
            values.setdefault(unit, {})[document.coder] = _value_of(document, mark.answer)
    rows = (Row(text, key, tuple(map(values[text, order, key].get, coders))) for text, order, key in sorted(values))
    return Matrix(tuple(coders), tuple(rows))


def _value_of(document: Document, answer: Answer) -> Value:
    if answer.pointers:
        return frozenset(key_in(document, target) for target in answer.pointers)
    if answer.indices or not answer.category:
        return frozenset(f"\\{index}" if LIKE_A_KEY.fullmatch(index) else index for index in answer.indices)
    return answer.category


def _read_csv(bundle: Bundle, *, cells: str = "guarded") -> list[Document]:
    return documents_of(read_csv(bundle, raw=cells == "raw"), bundle.main)


def _read_json(bundle: Bundle) -> list[Document]:
    return documents_of(read_json(bundle), bundle.main)


def _written_csv(documents: Sequence[Document], *, cells: str = "guarded") -> list[File]:
    return [File("matrix.csv", write_csv(matrix_of(documents), raw=cells == "raw"))]


def _written_json(documents: Sequence[Document]) -> list[File]:
    return [File("matrix.json", write_json(matrix_of(documents)))]


CARRIED = CARRIES - {
    Feature.LINKED_CATEGORIES,
    Feature.UNCODED,
    Feature.HEADS,
    Feature.OPTIONAL,
    Feature.UNSURE,
    Feature.NOTES,
    Feature.NAMES,
}
CSV_FORMAT = Format(
    "matrix-csv",
    "Matrix of units by coders without the texts, CSV",
    (".csv", ".tsv"),
    _read_csv,
    write=_written_csv,
    carries=CARRIED,
    options=(table.CELLS,),
    options_written=(table.CELLS,),
    names_coders=True,
)
JSON_FORMAT = Format(
    "matrix-json",
    "Matrix of units by coders without the texts, JSON",
    (".json",),
    _read_json,
    write=_written_json,
    carries=CARRIED,
    names_coders=True,
)
