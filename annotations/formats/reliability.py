"""Reliability data as tables: what each coder said of each unit, without the texts themselves.

Judgements, one a row, as CSV (`text,unit,coder,label,value`, and `optional`, `unsure`, `note`, `name` where needed):

    text,unit,coder,label,value
    walk,phrase:0-4,ann,refers,Anna
    walk,phrase:14-17,ann,refers,Anna|her family
    walk,phrase:14-17,bob,phrase,phrase:0-4

* A unit is a markable's key: its level and parts. `label` is the category. `value` is a set, joined by `|`: names of
  entities, or the keys of antecedents. A backslash takes the meaning from a `|` or a backslash, and from the `:` of a
  name that would be a key. `document`, `category` and `chain` are read as other names of `text`, `label` and `value`.
* As JSON: a list of objects, with lists `indices` and `pointers` for `value`.

The canonical matrix: a row a unit, a column a coder, and in each cell a label, a set `{a|b}`, or nothing where the
coder did not code the unit.

Columns are parted by commas, semicolons or tabs, whichever the header has. A spreadsheet would compute a cell that
begins with = + - @, a tab or a carriage return: an apostrophe is written before it, and before one that already has
such an apostrophe, and reading takes one away. With `raw` nothing is added or taken away.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from annotations.formats.document import LONGEST_INDEX, FormatError, Place, decode
from annotations.formats.format import Bundle

KEY = re.compile(r"([-\w]{1,100}):(\d{1,9}-\d{1,9}(?:,\d{1,9}-\d{1,9})*)", re.ASCII)
FORMULA = re.compile(r"'*[=+\-@\t\r]")
GUARDED = re.compile(r"'+[=+\-@\t\r]")
QUOTED = re.compile(r'[",;\t\r\n]|^\s|\s$')
SEPARATORS = (",", ";", "\t")
NEEDED = ("text", "unit", "coder")
COLUMNS = (*NEEDED, "label", "value", "optional", "unsure", "note", "name")
ALIASES = {"document": "text", "category": "label", "chain": "value"}
KEYS = (*NEEDED, "label", "pointers", "indices", "optional", "unsure", "note", "name")
YES = ("1", "true", "yes")
NO = ("", "0", "false", "no")
TOKEN = re.compile(r"\\(?P<escaped>.)|(?P<plain>[^\\|]+)|\|", re.DOTALL)
MATRIX = ("text", "unit")

type Value = str | frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Judged:
    """What a coder says of a unit of a text. pointers: the keys of its antecedents. line: where it stands, from 1."""

    text: str
    unit: str
    coder: str
    category: str = ""
    pointers: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    optional: bool = False
    unsure: bool = False
    note: str = ""
    name: str = ""
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Row:
    """A unit with its value for each coder: a label, a set, or None where the coder did not code it."""

    text: str
    unit: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    coders: tuple[str, ...]
    rows: tuple[Row, ...]


def key_of(place: Place) -> str:
    """The key of a markable: its level and parts, `phrase:12-18,20-25`."""
    return f"{place.level}:{','.join(f'{start}-{end}' for start, end in place.parts)}"


def place_of(key: str) -> Place | None:
    """Level and parts that a key names, or None where it is no key as `key_of` writes it."""
    found = KEY.fullmatch(key)
    if found is None:
        return None
    spans = [span.split("-") for span in found[2].split(",")]
    parts = tuple((int(start), int(end)) for start, end in spans)
    ordered = all(start < end for start, end in parts) and all(one[1] < other[0] for one, other in pairwise(parts))
    place = Place(found[1], parts)
    return place if ordered and key_of(place) == key else None


# Judgements, one a row.


def read_csv(bundle: Bundle, *, raw: bool = False) -> list[Judged]:
    """The judgements of a table. Raises FormatError with file, line and the column's name."""
    file = bundle.main
    table = _Table(bundle.data, file, raw)
    places = _columns(table, file)
    once = _Once(file)
    rows = []
    for line, cells in table.rows():
        row = _Cells(file, line, {name: cells[place] for name, place in places.items()})
        pointers, indices = _value(row)
        judged = Judged(
            row.some("text"),
            row.some("unit"),
            row.some("coder"),
            row.cell("label"),
            pointers,
            indices,
            row.flag("optional"),
            row.flag("unsure"),
            row.cell("note"),
            row.cell("name"),
            line,
        )
        rows.append(once.checked(judged, row))
    return rows


def write_csv(rows: Sequence[Judged], *, raw: bool = False) -> bytes:
    """The judgements as a table, parted by commas. Columns that need not be there are left out where all are empty."""
    lines = [
        {
            "text": row.text,
            "unit": row.unit,
            "coder": row.coder,
            "label": row.category,
            "value": "|".join([*row.pointers, *(_escaped(index) for index in row.indices)]),
            "optional": "1" if row.optional else "",
            "unsure": "1" if row.unsure else "",
            "note": row.note,
            "name": row.name,
        }
        for row in rows
    ]
    names = [name for name in COLUMNS if name in COLUMNS[:5] or any(line[name] for line in lines)]
    return _csv([names, *([line[name] for name in names] for line in lines)], raw)


def read_json(bundle: Bundle) -> list[Judged]:
    """The judgements of a JSON list. Raises FormatError with file and line."""
    file = bundle.main
    once = _Once(file)
    rows = []
    for line, record in _records(decode(bundle.data, file), file):
        row = _Fields(file, line, record, KEYS)
        judged = Judged(
            row.some("text"),
            row.some("unit"),
            row.some("coder"),
            row.words("label"),
            row.strings("pointers"),
            row.strings("indices"),
            row.flag("optional"),
            row.flag("unsure"),
            row.words("note"),
            row.words("name"),
            line,
        )
        rows.append(once.checked(judged, row))
    return rows


def write_json(rows: Iterable[Judged]) -> bytes:
    """The judgements as a JSON list, one a line; what is empty is left out."""
    return _json_lines("[", [_record(row) for row in rows], "]")


def _record(row: Judged) -> dict[str, object]:
    needed: dict[str, object] = {"text": row.text, "unit": row.unit, "coder": row.coder, "label": row.category}
    more: dict[str, object] = {
        "pointers": list(row.pointers),
        "indices": list(row.indices),
        "optional": row.optional,
        "unsure": row.unsure,
        "note": row.note,
        "name": row.name,
    }
    return needed | {name: value for name, value in more.items() if value}


# The canonical matrix.


def read_matrix(bundle: Bundle, *, raw: bool = False) -> Matrix:
    """The matrix of a table whose first columns are text and unit. Raises FormatError with file, line and column."""
    file = bundle.main
    table = _Table(bundle.data, file, raw)
    coders = table.header[2:]
    if tuple(name.strip().lower() for name in table.header[:2]) != MATRIX or not coders:
        raise FormatError("the columns of a matrix are text, unit, and one for each coder", file, table.line)
    _check_coders(coders, file, table.line)
    seen = set[tuple[str, str]]()
    rows = []
    for line, cells in table.rows():
        row = _Cells(file, line, dict(zip(MATRIX, cells, strict=False)))
        values = tuple(
            _Cells(file, line, {coder: cell}).value(coder) for coder, cell in zip(coders, cells[2:], strict=True)
        )
        rows.append(_once(Row(row.some("text"), row.some("unit"), values), seen, row))
    return Matrix(tuple(coders), tuple(rows))


def write_matrix(matrix: Matrix, *, raw: bool = False) -> bytes:
    """The matrix as a table, parted by commas."""
    rows = ([row.text, row.unit, *(_shown(value) for value in row.values)] for row in matrix.rows)
    return _csv([[*MATRIX, *matrix.coders], *rows], raw)


def read_matrix_json(bundle: Bundle) -> Matrix:
    """The matrix of a JSON object with `coders` and `rows`. Raises FormatError with file."""
    file = bundle.main
    whole = _Fields(file, None, _loaded(decode(bundle.data, file), file), ("coders", "rows"))
    coders = whole.strings("coders", unique=False)
    if not coders:
        raise FormatError("'coders' is missing or empty", file)
    _check_coders(coders, file, None)
    given = whole.fields.get("rows", [])
    if not isinstance(given, list):
        raise whole.error("rows", "is a list")
    seen = set[tuple[str, str]]()
    rows = []
    for number, record in enumerate(given, start=1):
        row = _Fields(file, None, record, (*MATRIX, "values"), f"row {number}: ")
        values = row.fields.get("values")
        if not isinstance(values, list) or len(values) != len(coders):
            raise row.error("values", f"is a list of {len(coders)}, one value for each coder")
        found = tuple(row.value("values", value) for value in values)
        rows.append(_once(Row(row.some("text"), row.some("unit"), found), seen, row))
    return Matrix(coders, tuple(rows))


def write_matrix_json(matrix: Matrix) -> bytes:
    """The matrix as a JSON object: a value is a string, a list of strings, or null."""
    rows: list[dict[str, object]] = [
        {
            "text": row.text,
            "unit": row.unit,
            "values": [sorted(value) if isinstance(value, frozenset) else value for value in row.values],
        }
        for row in matrix.rows
    ]
    return _json_lines(f'{{"coders": {_dumped(list(matrix.coders))}, "rows": [', rows, "]}")


def _check_coders(coders: Iterable[str], file: str, line: int | None) -> None:
    seen = set[str]()
    for coder in coders:
        if not coder:
            raise FormatError("a coder has no name", file, line)
        if coder in seen:
            raise FormatError(f"the coder {coder!r} stands twice", file, line)
        seen.add(coder)


def _once(row: Row, seen: set[tuple[str, str]], source: "_Source") -> Row:
    if (row.text, row.unit) in seen:
        raise source.error("unit", f"stands twice: {row.unit[:100]!r} of {row.text[:100]!r}")
    seen.add((row.text, row.unit))
    return row


def _shown(value: Value) -> str:
    """A value in a cell. A label that could be taken for a set begins with a backslash."""
    if value is None:
        return ""
    if isinstance(value, frozenset):
        return "{" + "|".join(re.sub(r"[\\|]", r"\\\g<0>", member) for member in sorted(value)) + "}"
    return f"\\{value}" if value.startswith(("{", "\\")) else value


# Tables.


class _Table:
    """The rows of a CSV file with a header, by the line in which each begins."""

    def __init__(self, data: bytes, file: str, raw: bool) -> None:
        decode(data, file)  # for its errors; a line end within quotes stays as it is
        self.file = file
        self.raw = raw
        self.text = data.decode("utf-8-sig")
        self.separator, self.line, self.header = self._header()

    def _header(self) -> tuple[str, int, list[str]]:
        """The separator that makes most sense of the first row, and that row."""
        wanted = {*COLUMNS, *ALIASES}
        best, found, failed = -1, ("", 1, list[str]()), None
        for separator in SEPARATORS:
            try:
                line, header = next(self._records(separator), (1, []))
            except FormatError as error:
                failed = failed or error
                continue
            known = sum(name.strip().lower() in wanted for name in header)
            if known > best:
                best, found = known, (separator, line, header)
        if best < 1 and failed:
            raise failed
        if not found[2]:
            raise FormatError("this table has no header", self.file, 1)
        return found

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows after the header, each as wide as it is; rows without a word are passed over."""
        records = self._records(self.separator)
        next(records)
        for line, cells in records:
            if not any(cells):
                continue
            if len(cells) != len(self.header):
                message = f"this row has {len(cells)} cells, the header has {len(self.header)}"
                raise FormatError(message, self.file, line)
            yield line, cells

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
                yield line, cells if self.raw else [_bare(cell) for cell in cells]


def _bare(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and GUARDED.match(cell) else cell


def _columns(table: _Table, file: str) -> dict[str, int]:
    """The place of each column by its name."""
    places: dict[str, int] = {}
    for place, given in enumerate(table.header):
        name = ALIASES.get(given.strip().lower(), given.strip().lower())
        if name not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise FormatError(f"there is no use for a column {given[:50]!r}; known are {known}", file, table.line)
        if name in places:
            raise FormatError(f"the column {name!r} stands twice", file, table.line)
        places[name] = place
    missing = [name for name in NEEDED if name not in places]
    if missing or not ("label" in places or "value" in places):
        message = f"there is no column {missing[0]!r}" if missing else "there is neither a column 'label' nor 'value'"
        raise FormatError(message, file, table.line)
    return places


def _csv(rows: Iterable[Sequence[str]], raw: bool) -> bytes:
    lines = (",".join(_cell(cell if raw else _guarded(cell)) for cell in row) for row in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _guarded(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) else cell


def _cell(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if QUOTED.search(cell) else cell


# Values.


@dataclass(slots=True)
class _Source:
    """Where something stands, for its errors."""

    file: str
    line: int | None

    def error(self, name: str, message: str) -> FormatError:
        return FormatError(f"column {name!r} {message}", self.file, self.line)


@dataclass(slots=True)
class _Cells(_Source):
    """A row of a table by the names of its columns."""

    cells: Mapping[str, str]

    def cell(self, name: str) -> str:
        return self.cells.get(name, "")

    def some(self, name: str) -> str:
        if not self.cell(name):
            raise self.error(name, "is empty")
        return self.cell(name)

    def flag(self, name: str) -> bool:
        given = self.cell(name)
        if not given:
            return False
        given = given.strip().lower()
        if given not in YES + NO:
            raise self.error(name, f"says 1 or nothing, not {given[:50]!r}")
        return given in YES

    def value(self, name: str) -> Value:
        """What a cell of the matrix says."""
        given = self.cell(name)
        if not given.startswith("{"):
            return given.removeprefix("\\") or None
        if not given.endswith("}"):
            raise self.error(name, f"begins a set that is not closed: {given[:50]!r}")
        return frozenset(member for member, _ in self.members(name, given[1:-1]))

    def members(self, name: str, cell: str) -> list[tuple[str, bool]]:
        """The members of a set, and whether each is written without a backslash."""
        if "\\" not in cell and "|" not in cell:
            return [(cell, True)] if cell else []
        found: list[tuple[str, bool]] = []
        words, plain = "", True
        for token in TOKEN.finditer(f"{cell}|"):
            if token["escaped"] is None and token["plain"] is None:
                if not words:
                    raise self.error(name, "has an empty member")
                found.append((words, plain))
                words, plain = "", True
            else:
                words += token["escaped"] or token["plain"]
                plain = plain and token["escaped"] is None
        if words:
            raise self.error(name, "ends in a backslash")
        return found


def _value(row: _Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The antecedents and the entities that a cell names."""
    cell = row.cell("value")
    if not cell:
        return (), ()
    pointers: dict[str, None] = {}
    indices: dict[str, None] = {}
    for member, plain in row.members("value", cell):
        if plain and KEY.fullmatch(member):
            pointers[member] = None
        else:
            indices[member] = None
    return tuple(pointers), tuple(indices)


def _escaped(index: str) -> str:
    """An index within a cell of values."""
    escaped = re.sub(r"[\\|]", r"\\\g<0>", index)
    return escaped.replace(":", "\\:", 1) if KEY.fullmatch(index) else escaped


@dataclass(slots=True)
class _Once:
    """Checks what stands in the rows of judgements, and that none comes twice."""

    file: str
    seen: dict[tuple[str, str, str], int | None] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def checked(self, judged: Judged, source: _Source) -> Judged:
        for name, key in [("unit", judged.unit), *(("value", pointer) for pointer in judged.pointers)]:
            if key not in self.keys and place_of(key) is None:
                raise source.error(name, f"holds no key of a markable, such as phrase:12-18: {key[:100]!r}")
            self.keys.add(key)
        if any(len(index) > LONGEST_INDEX for index in judged.indices):
            raise source.error("value", f"names an entity by more than {LONGEST_INDEX} characters")
        place = (judged.text, judged.unit, judged.coder)
        if place in self.seen:
            where = f"{judged.coder[:100]!r} judged {judged.unit[:100]!r} of {judged.text[:100]!r}"
            raise source.error("unit", f"stands twice: {where} already in line {self.seen[place]}")
        self.seen[place] = judged.line
        return judged


# JSON.


@dataclass(slots=True)
class _Fields(_Source):
    """An object of a JSON file. Raises FormatError where it is none, or has other keys than these."""

    given: object
    known: tuple[str, ...]
    where: str = ""
    fields: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.given, dict):
            raise FormatError(f"{self.where}an object is expected here", self.file, self.line)
        self.fields = self.given
        for name in self.fields:
            if name not in self.known:
                known = ", ".join(self.known)
                raise self.error(name[:50], f"is not known; known are {known}")

    def error(self, name: str, message: str) -> FormatError:
        return FormatError(f"{self.where}{name!r} {message}", self.file, self.line)

    def words(self, name: str) -> str:
        return self._words(name, self.fields.get(name, ""))

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

    def strings(self, name: str, *, unique: bool = True) -> tuple[str, ...]:
        return self._strings(name, self.fields.get(name, []), unique)

    def _strings(self, name: str, found: object, unique: bool) -> tuple[str, ...]:
        if not isinstance(found, list):
            raise self.error(name, "is a list of strings")
        members = tuple(self._words(name, member) for member in found)
        if unique and not all(members):
            raise self.error(name, "has an empty member")
        return tuple(dict.fromkeys(members)) if unique else members

    def value(self, name: str, found: object) -> Value:
        """What one of the values of a row says."""
        if found is None:
            return None
        if isinstance(found, str):
            return self._words(name, found) or None
        return frozenset(self._strings(name, found, unique=True))

    def _words(self, name: str, found: object) -> str:
        if not isinstance(found, str):
            raise self.error(name, "is a string")
        if "\0" in found or any("\ud800" <= character <= "\udfff" for character in found):
            raise self.error(name, "holds a NUL or half a character")
        return found


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


def _loaded(text: str, file: str) -> object:
    """The one value of a file."""
    start = _after_space(text, 0)
    found, position = _decoded(text, start, file, 1)
    position = _after_space(text, position)
    if position < len(text):
        raise FormatError("the JSON ends here, the file does not", file, text.count("\n", 0, position) + 1)
    return found


def _records(text: str, file: str) -> Iterator[tuple[int, object]]:
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


def _after_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_lines(head: str, records: Sequence[Mapping[str, object]], tail: str) -> bytes:
    """A list with one record a line."""
    lines = ",\n".join(_dumped(record) for record in records)
    return f"{head}\n{lines}{chr(10) if lines else ''}{tail}\n".encode()
