"""Judgements as tables: what each coder says of each unit, one a row, without the texts themselves.

    text,unit,coder,label,value
    walk,phrase:0-4,ann,refers,Anna
    walk,phrase:14-17,ann,refers,Anna|her family
    walk,phrase:14-17,bob,phrase,phrase:0-4
    walk,turn:0-17,bob,,

* A unit is a markable's key: its level and parts. `label` is the category. `value` is a set, joined by `|`: names of
  entities, or the keys of antecedents. A backslash takes the meaning from a `|` or a backslash, and from the `:` of a
  name that would be a key. `optional`, `unsure`, `note`, `name` (of the chain) and `head` (the least words, as parts:
  `12-15`) stand only in tables that need them. `document`, `category` and `chain` are read as other names of `text`,
  `label` and `value`.
* A row that says nothing of its unit is a markable without an answer; one without a unit, a text in which the coder
  marked nothing.
* As JSON: a list of objects, with lists `indices` and `pointers` for `value`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotations.formats.model.document import (
    LONGEST_INDEX,
    Answer,
    Document,
    FormatError,
    Links,
    Mark,
    Parts,
    Place,
    decode,
)
from annotations.formats.model.format import Bundle
from annotations.formats.model.keys import KEY, format_parts, parse_key, parse_parts
from annotations.formats.syntax import records, table
from annotations.formats.tables.textless import FEATURES, key_in, merge_links, table_formats, textless_document

REQUIRED_COLUMNS = ("text", "unit", "coder")
STANDARD_COLUMNS = (*REQUIRED_COLUMNS, "label", "value")
OPTIONAL_COLUMNS = ("optional", "unsure", "note", "name", "head")
COLUMNS = (*STANDARD_COLUMNS, *OPTIONAL_COLUMNS)
ALIASES = {"document": "text", "category": "label", "chain": "value"}
KEYS = (*REQUIRED_COLUMNS, "label", "pointers", "indices", *OPTIONAL_COLUMNS)


@dataclass(frozen=True, slots=True)
class JudgementRow:
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
    head: str = ""
    line: int | None = field(default=None, compare=False)

    @property
    def answer(self) -> Answer | None:
        """The answer; None where the row says nothing."""
        links = bool(self.pointers or self.indices)
        if not (self.category or links or self.optional or self.unsure or self.note or self.name):
            return None
        pointers = tuple(place for place in map(parse_key, self.pointers) if place)
        return Answer(self.category, pointers, self.indices, self.optional, self.unsure, self.note, self.name)


def read_csv(bundle: Bundle, *, raw: bool = False) -> list[JudgementRow]:
    """Return the judgements of a table. Raises FormatError with file, line and the column's name."""
    file = bundle.main
    read = table.Table(bundle.data, file, {*COLUMNS, *ALIASES}, raw=raw)
    places = _find_columns(read)
    checks = _Checks(file)
    rows = []
    for line, cells in read.rows():
        row = table.Cells(file, line, {name: cells[place] for name, place in places.items()})
        pointers, indices = _parse_value(row)
        judged = JudgementRow(
            row.required("text"),
            row.cell("unit"),
            row.required("coder"),
            row.cell("label"),
            pointers,
            indices,
            row.flag("optional"),
            row.flag("unsure"),
            row.cell("note"),
            row.cell("name"),
            row.cell("head"),
            line,
        )
        rows.append(checks.checked(judged, row))
    return rows


def write_csv(rows: Sequence[JudgementRow], *, raw: bool = False) -> bytes:
    """Return the judgements as a table, parted by commas.

    Columns that need not be there are left out where all are empty.
    """
    lines = [
        {
            "text": row.text,
            "unit": row.unit,
            "coder": row.coder,
            "label": row.category,
            "value": "|".join([*row.pointers, *(_escape_index(index) for index in row.indices)]),
            "optional": "1" if row.optional else "",
            "unsure": "1" if row.unsure else "",
            "note": row.note,
            "name": row.name,
            "head": row.head,
        }
        for row in rows
    ]
    names = [name for name in COLUMNS if name in STANDARD_COLUMNS or any(line[name] for line in lines)]
    return table.write_table([names, *([line[name] for name in names] for line in lines)], raw=raw)


def read_json(bundle: Bundle) -> list[JudgementRow]:
    """Return the judgements of a JSON list. Raises FormatError with file and line."""
    file = bundle.main
    checks = _Checks(file)
    rows = []
    for line, record in records.read_records(decode(bundle.data, file), file):
        row = records.Fields(file, line, record, KEYS)
        judged = JudgementRow(
            row.required("text"),
            row.text("unit"),
            row.required("coder"),
            row.text("label"),
            row.strings("pointers"),
            row.strings("indices"),
            row.flag("optional"),
            row.flag("unsure"),
            row.text("note"),
            row.text("name"),
            row.text("head"),
            line,
        )
        rows.append(checks.checked(judged, row))
    return rows


def write_json(rows: Iterable[JudgementRow]) -> bytes:
    """Return the judgements as a JSON list, one a line; what is empty is left out."""
    return records.write_records(_json_record(row) for row in rows)


def _json_record(row: JudgementRow) -> dict[str, object]:
    needed: dict[str, object] = {"text": row.text, "unit": row.unit, "coder": row.coder, "label": row.category}
    more: dict[str, object] = {
        "pointers": list(row.pointers),
        "indices": list(row.indices),
        "optional": row.optional,
        "unsure": row.unsure,
        "note": row.note,
        "name": row.name,
        "head": row.head,
    }
    return needed | {name: value for name, value in more.items() if value}


def _find_columns(read: table.Table) -> dict[str, int]:
    """Return the place of each column by its name."""
    places: dict[str, int] = {}
    for place, heading in enumerate(read.header):
        name = ALIASES.get(heading.strip().lower(), heading.strip().lower())
        if name not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise FormatError(f"there is no use for a column {heading[:50]!r}; known are {known}", read.file, read.line)
        if name in places:
            raise FormatError(f"the column {name!r} appears twice", read.file, read.line)
        places[name] = place
    missing = [name for name in REQUIRED_COLUMNS if name not in places]
    if missing or not ("label" in places or "value" in places):
        message = f"there is no column {missing[0]!r}" if missing else "there is neither a column 'label' nor 'value'"
        raise FormatError(message, read.file, read.line)
    return places


def _parse_value(row: table.Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the antecedents and the entities that a cell names."""
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


def _escape_index(index: str) -> str:
    """Return an index within a cell of values."""
    return table.escape_member(index).replace(":", "\\:", 1) if KEY.fullmatch(index) else table.escape_member(index)


@dataclass(slots=True)
class _Checks:
    """Checks what stands in the rows of judgements, and that none comes twice."""

    file: str
    seen: dict[tuple[str, str, str], int | None] = field(default_factory=dict)
    keys: set[str] = field(default_factory=lambda: {""})

    def checked(self, judged: JudgementRow, source: table.Source) -> JudgementRow:
        for name, key in [("unit", judged.unit), *(("value", pointer) for pointer in judged.pointers)]:
            if key not in self.keys and parse_key(key) is None:
                raise source.error(name, f"holds no key of a markable, such as phrase:12-18: {key[:100]!r}")
            self.keys.add(key)
        if not judged.unit and (judged.answer or judged.head):
            raise source.error("unit", "is empty, and the row says something of it")
        if judged.head and parse_parts(judged.head) is None:
            raise source.error("head", f"holds no parts, such as 12-18: {judged.head[:100]!r}")
        if any(len(index) > LONGEST_INDEX for index in judged.indices):
            raise source.error("value", f"names an entity by more than {LONGEST_INDEX} characters")
        place = (judged.text, judged.unit, judged.coder)
        if place in self.seen:
            where = f"{judged.coder[:100]!r} judged {judged.unit[:100]!r} of {judged.text[:100]!r}"
            raise source.error("unit", f"appears twice: {where} already in line {self.seen[place]}")
        self.seen[place] = judged.line
        return judged


# Between judgements and documents.


def to_documents(rows: Iterable[JudgementRow], file: str) -> list[Document]:
    """Return what each coder says of each text. Raises FormatError where one points here and names entities there."""
    groups: dict[tuple[str, str], list[JudgementRow]] = {}
    for row in rows:
        groups.setdefault((row.text, row.coder), []).append(row)
    return [_build_document(text, coder, group, file) for (text, coder), group in groups.items()]


def _build_document(text: str, coder: str, rows: Sequence[JudgementRow], file: str) -> Document:
    marks: dict[Place, Mark] = {}
    links = Links.NONE
    for row in rows:
        place = parse_key(row.unit)
        if place is None:
            continue
        answer = row.answer
        links = merge_links(links, answer, table.Source(file, row.line), "value")
        marks[place] = Mark(place.parts, place.level, head=_parse_head(row), answer=answer, line=row.line)
    return textless_document(text, coder, file, marks, links)


def _parse_head(row: JudgementRow) -> Parts:
    return (parse_parts(row.head) if row.head else None) or ()


def from_documents(documents: Iterable[Document]) -> list[JudgementRow]:
    """Return what the coders of the documents say, a row for each of their markables."""
    rows = []
    for document in documents:
        if not document.marks:
            rows.append(JudgementRow(document.name, "", document.coder))
        for mark in document.marks:
            answer = mark.answer or Answer()
            row = JudgementRow(
                document.name,
                key_in(document, mark.place),
                document.coder,
                answer.category,
                tuple(key_in(document, target) for target in answer.pointers),
                answer.indices,
                answer.optional,
                answer.unsure,
                answer.note,
                answer.name,
                format_parts(mark.head),
            )
            rows.append(row)
    return rows


CSV_FORMAT, JSON_FORMAT = table_formats(
    "judgements",
    "Judgements without the texts",
    FEATURES,
    read_csv=read_csv,
    read_json=read_json,
    write_csv=write_csv,
    write_json=write_json,
    to_documents=to_documents,
    from_documents=from_documents,
)
