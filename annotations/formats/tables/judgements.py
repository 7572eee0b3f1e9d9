"""Judgements as tables without the texts: each coder's answer for each unit is a row.

    text,unit,coder,label,value
    walk,phrase:0-4,ann,refers,Anna
    walk,phrase:14-17,ann,refers,Anna|her family
    walk,phrase:14-17,bob,phrase,phrase:0-4
    walk,turn:0-17,bob,,

`value` is a set, joined by `|`: names of entities, or readings, each the keys of its antecedents joined by `+`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from annotations.formats.model.answers import format_value
from annotations.formats.model.document import Answer, Document, Mark, Readings, links_of
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Bundle
from annotations.formats.model.judgement import VALUE_FIELDS, JudgementData
from annotations.formats.model.judgement import Readings as ReadingsOf
from annotations.formats.model.keys import KEY, format_parts, parse_key, parse_parts
from annotations.formats.model.scheme import AnswerValue
from annotations.formats.model.text import MAX_INDEX_LENGTH
from annotations.formats.syntax import table
from annotations.formats.tables.textless import FEATURES, Codings, key_in, place_of, table_formats

REQUIRED_COLUMNS = ("text", "unit", "coder")
STANDARD_COLUMNS = (*REQUIRED_COLUMNS, "label", "value")
OPTIONAL_COLUMNS = ("optional", "unsure", "note", "name", "head")
COLUMNS = (*STANDARD_COLUMNS, *OPTIONAL_COLUMNS)
ALIASES = {"document": "text", "category": "label", "chain": "value"}
RELATION, ATTRIBUTE = "relation", "attribute"
KEYS = (*REQUIRED_COLUMNS, "label", "pointers", "indices", *OPTIONAL_COLUMNS, "relations", "attributes")
READING = re.compile(rf"{KEY.pattern}(?:\+{KEY.pattern})*", re.ASCII)
TOGETHER = "+"
MAX_NAMES = 20

# Fields that rows and answers share; rows name targets by key.
SAME_FIELDS = ("indices", "attributes", *VALUE_FIELDS)

type KeyReadings = ReadingsOf[str]


@dataclass(slots=True, unsafe_hash=True)
class JudgementRow(JudgementData[str]):
    """A coder's judgement of a unit of a text. pointers: the readings of its antecedents."""

    text: str
    unit: str
    coder: str
    category: str = ""
    pointers: KeyReadings = ()
    head: str = ""
    line: int | None = field(default=None, compare=False)

    def targets(self) -> Iterator[tuple[str, str]]:
        """Yield the column and key of each target."""
        for name, readings in (("value", self.pointers), *((f"{RELATION}:{key}", of) for key, of in self.relations)):
            yield from ((name, key) for reading in readings for key in reading)

    @property
    def answer(self) -> Answer | None:
        """The answer; None if it is empty."""
        answer = Answer(
            category=self.category,
            relations=tuple((key, _places(readings)) for key, readings in self.relations),
            **links_of(_places(self.pointers)),
            **{name: getattr(self, name) for name in SAME_FIELDS},
        )
        return None if answer == Answer() else answer


def _places(readings: KeyReadings) -> Readings:
    return tuple(tuple(place for place in map(parse_key, reading) if place) for reading in readings)


@dataclass(slots=True)
class _Rows:
    """The checked rows of a file. seen: their lines by text, unit and coder."""

    rows: list[JudgementRow] = field(default_factory=list)
    seen: dict[tuple[str, str, str], int | None] = field(default_factory=dict)
    keys: set[str] = field(default_factory=lambda: {""})

    def add(
        self,
        source: table.Cells | table.Fields,
        pointers: KeyReadings,
        indices: tuple[str, ...],
        relations: Iterable[tuple[str, KeyReadings]],
        attributes: Iterable[tuple[str, AnswerValue]],
    ) -> None:
        """Add a row. Raises FormatError if it is invalid or a duplicate."""
        row = JudgementRow(
            source.required("text"),
            source.text("unit"),
            source.required("coder"),
            source.text("label"),
            pointers,
            source.text("head"),
            source.line,
            indices=indices,
            note=source.text("note"),
            name=source.text("name"),
            unsure=source.flag("unsure"),
            optional=source.flag("optional"),
            relations=tuple((key, readings) for key, readings in relations if readings),
            attributes=tuple(attributes),
        )
        for name, key in [("unit", row.unit), *row.targets()]:
            if key not in self.keys:
                place_of(key, source, name)
                self.keys.add(key)
        if not row.unit and (row.answer or row.head):
            raise source.error("unit", "is empty, and the row says something of it")
        if row.head and parse_parts(row.head) is None:
            raise source.error("head", f"holds no parts, such as 12-18: {row.head[:100]!r}")
        if any(len(index) > MAX_INDEX_LENGTH for index in indices):
            raise source.error("value", f"names an entity by more than {MAX_INDEX_LENGTH} characters")
        place = (row.text, row.unit, row.coder)
        if place in self.seen:
            where = f"{row.coder[:100]!r} judged {row.unit[:100]!r} of {row.text[:100]!r}"
            raise source.error("unit", f"appears twice: {where} already in line {self.seen[place]}")
        self.seen[place] = row.line
        self.rows.append(row)


def read_csv(bundle: Bundle, *, raw: bool = False) -> list[JudgementRow]:
    """Return the judgements of a table. Raises FormatError with file, line and the column's name."""
    file = bundle.main
    read = table.Table(bundle.data, file, {*COLUMNS, *ALIASES}, raw=raw)
    places = _find_columns(read)
    # The key and column of each question with a column, sorted by key.
    relations, attributes = (
        sorted((name.removeprefix(f"{kind}:"), name) for name in places if name.startswith(f"{kind}:"))
        for kind in (RELATION, ATTRIBUTE)
    )
    rows = _Rows()
    for line, cells in read.rows():
        row = table.Cells(file, line, {name: cells[place] for name, place in places.items()})
        readings_by_relation = ((key, _parse_readings(row, column)) for key, column in relations)
        answers = ((key, answer) for key, column in attributes if (answer := row.text(column)))
        rows.add(row, *_parse_value(row), readings_by_relation, answers)
    return rows.rows


def write_csv(rows: Iterable[JudgementRow], *, raw: bool = False) -> bytes:
    """Return the judgements as a table, without empty optional columns."""
    used = dict.fromkeys(name for row in rows for name, cell in _cells(row).items() if cell or ":" in name)
    questions = (sorted(name for name in used if name.startswith(f"{kind}:")) for kind in (RELATION, ATTRIBUTE))
    names = [*(name for name in COLUMNS if name in STANDARD_COLUMNS or name in used), *chain.from_iterable(questions)]
    lines = ([cells.get(name, "") for name in names] for cells in map(_cells, rows))
    return table.write_table(chain([names], lines), raw=raw)


def _cells(row: JudgementRow) -> dict[str, str]:
    return {
        "text": row.text,
        "unit": row.unit,
        "coder": row.coder,
        "label": row.category,
        "value": "|".join([_format_readings(row.pointers), *map(_escape_index, row.indices)][not row.pointers :]),
        "optional": "1" if row.optional else "",
        "unsure": "1" if row.unsure else "",
        "note": row.note,
        "name": row.name,
        "head": row.head,
        **{f"{RELATION}:{key}": _format_readings(readings) for key, readings in row.relations},
        **{f"{ATTRIBUTE}:{key}": format_value(answer) for key, answer in row.attributes},
    }


def _format_readings(readings: KeyReadings) -> str:
    return "|".join(map(TOGETHER.join, readings))


def read_json(bundle: Bundle) -> list[JudgementRow]:
    """Return the judgements of a JSON list. Raises FormatError with file and line."""
    file = bundle.main
    rows = _Rows()
    for line, record in table.read_records(decode(bundle.data, file), file):
        row = table.Fields(file, line, record, KEYS)
        rows.add(
            row,
            _json_readings(row, "pointers", row.fields.get("pointers", [])),
            row.strings("indices"),
            ((key, _json_readings(row, "relations", value)) for key, value in _json_object(row, "relations")),
            ((key, _json_answer(row, key, value)) for key, value in _json_object(row, "attributes")),
        )
    return rows.rows


def write_json(rows: Iterable[JudgementRow]) -> bytes:
    """Return the judgements as a JSON list, one a line, without empty optional fields."""
    return table.write_records(_json_record(row) for row in rows)


def _json_record(row: JudgementRow) -> dict[str, object]:
    record: dict[str, object] = {
        "text": row.text,
        "unit": row.unit,
        "coder": row.coder,
        "label": row.category,
        "pointers": _readings_json(row.pointers),
        "indices": list(row.indices),
        "optional": row.optional,
        "unsure": row.unsure,
        "note": row.note,
        "name": row.name,
        "head": row.head,
        "relations": {key: _readings_json(readings) for key, readings in row.relations},
        "attributes": {key: list(answer) if isinstance(answer, tuple) else answer for key, answer in row.attributes},
    }
    return {name: value for name, value in record.items() if value or name in STANDARD_COLUMNS}


def _readings_json(readings: KeyReadings) -> list[str] | list[list[str]]:
    """Return readings as a list of keys if each has one target, else as a list of lists."""
    if all(len(reading) == 1 for reading in readings):
        return [key for reading in readings for key in reading]
    return [list(reading) for reading in readings]


def _json_readings(row: table.Fields, name: str, value: object) -> KeyReadings:
    """Return the readings from a JSON list of keys, or of lists of keys."""
    if not isinstance(value, list) or not all(isinstance(item, list) for item in value):
        return tuple((key,) for key in row.strings(name, value))
    return tuple(dict.fromkeys(reading for item in value if (reading := row.strings(name, item))))


def _json_object(row: table.Fields, name: str) -> list[tuple[str, object]]:
    """Return the items of a JSON object, sorted by key."""
    value = row.fields.get(name, {})
    if not isinstance(value, dict) or not all(row.string(name, key) for key in value):
        raise row.error(name, "is an object with something by the keys of questions")
    return sorted(value.items())


def _json_answer(row: table.Fields, key: str, value: object) -> AnswerValue:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return row.strings(key, value) if isinstance(value, list) else row.string(key, value)


def _find_columns(read: table.Table) -> dict[str, int]:
    places: dict[str, int] = {}
    unknown: list[int] = []
    for place, heading in enumerate(read.header):
        name = _column_name(heading.strip())
        if name not in COLUMNS and not name.startswith((f"{RELATION}:", f"{ATTRIBUTE}:")):
            unknown.append(place)
            continue
        if name in places:
            raise FormatError(f"the column {name!r} appears twice", read.file, read.line)
        places[name] = place
    if unknown:
        raise FormatError(_describe_unknown(read, unknown), read.file, read.line)
    missing = [name for name in REQUIRED_COLUMNS if name not in places]
    if missing or not ("label" in places or "value" in places):
        message = f"there is no column {missing[0]!r}" if missing else "there is neither a column 'label' nor 'value'"
        raise FormatError(message, read.file, read.line)
    return places


def _describe_unknown(read: table.Table, places: Sequence[int]) -> str:
    """Return a message about the columns with unknown names, most values first."""
    known = ", ".join((*COLUMNS, f"{RELATION}:KEY", f"{ATTRIBUTE}:KEY"))
    way = "delete or rename the others"
    if "coder" not in map(_column_name, map(str.strip, read.header)) and read.header[1:2] == ["unit"]:
        way = "a table with a column a coder is a matrix (matrix-csv)"
    names = f"a column {read.header[places[0]][:50]!r}"
    if len(places) > 1:
        values: Counter[int] = Counter(dict.fromkeys(places, 0))
        for _, cells in read.rows():
            values.update(place for place in places if cells[place])
        counted = [f"{read.header[place][:50]!r} ({number} values)" for place, number in values.most_common(MAX_NAMES)]
        counted += [f"{len(places) - MAX_NAMES} more"] * (len(places) > MAX_NAMES)
        names = f"the columns {', '.join(counted)}"
    return f"there is no use for {names}; known are {known}; {way}"


def _column_name(heading: str) -> str:
    """Return the standard name of a column. Keys of questions are case-sensitive."""
    kind, colon, key = heading.partition(":")
    if colon and key.strip() and kind.strip().lower() in (RELATION, ATTRIBUTE):
        return f"{kind.strip().lower()}:{key.strip()}"
    return ALIASES.get(heading.lower(), heading.lower())


def _parse_value(row: table.Cells) -> tuple[KeyReadings, tuple[str, ...]]:
    pointers: dict[tuple[str, ...], None] = {}
    indices: dict[str, None] = {}
    for member, plain in row.members("value", row.text("value")):
        if plain and READING.fullmatch(member):
            pointers[_parse_reading(member)] = None
        else:
            indices[member] = None
    return tuple(pointers), tuple(indices)


def _parse_readings(row: table.Cells, column: str) -> KeyReadings:
    return tuple(dict.fromkeys(_parse_reading(member) for member, _ in row.members(column, row.text(column))))


def _parse_reading(member: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(member.split(TOGETHER))) if TOGETHER in member else (member,)


def _escape_index(index: str) -> str:
    escaped = table.escape_member(index)
    return escaped.replace(":", "\\:", 1) if READING.fullmatch(index) else escaped


def to_documents(rows: Iterable[JudgementRow], file: str) -> list[Document]:
    """Return a document for each text and coder. Raises FormatError if one has both antecedents and entities."""
    codings = Codings(file)
    for row in rows:
        place, head = parse_key(row.unit), parse_parts(row.head) or ()
        mark = Mark(place.parts, place.level, head=head, answer=row.answer, line=row.line) if place else None
        codings.add(row.text, row.coder, mark, table.Source(file, row.line), "value")
    return codings.documents()


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """The judgements of documents, made one by one to save memory."""

    documents: Iterable[Document]

    def __iter__(self) -> Iterator[JudgementRow]:
        for document in self.documents:
            if not document.marks:
                yield JudgementRow(document.name, "", document.coder)
            for mark in document.marks:
                yield _row_of(document, mark)


def _row_of(document: Document, mark: Mark) -> JudgementRow:
    answer = mark.answer or Answer()
    text, coder, head = document.name, document.coder, format_parts(mark.head)
    unit, pointers = key_in(document, mark.place), _key_readings(document, answer.all_readings)
    relations = tuple((name, _key_readings(document, readings)) for name, readings in answer.relations)
    same = {name: getattr(answer, name) for name in SAME_FIELDS}
    return JudgementRow(text, unit, coder, answer.category, pointers, head, relations=relations, **same)


def _key_readings(document: Document, readings: Readings) -> KeyReadings:
    return tuple(tuple(key_in(document, target) for target in reading) for reading in readings)


CSV_FORMAT, JSON_FORMAT = table_formats(
    "judgements",
    "Judgements without the texts",
    FEATURES,
    read_csv=read_csv,
    read_json=read_json,
    write_csv=write_csv,
    write_json=write_json,
    to_documents=to_documents,
    from_documents=DocumentRows,
)
