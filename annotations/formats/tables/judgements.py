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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from annotations.formats import records, table
from annotations.formats.document import (
    LONGEST_INDEX,
    Answer,
    Document,
    FormatError,
    Links,
    Mark,
    Parts,
    Place,
    decode,
    in_text_order,
)
from annotations.formats.format import Bundle, File, Format
from annotations.formats.keys import KEY, key_of, parts_of, place_of, shown_parts
from annotations.formats.losses import Feature

NEEDED = ("text", "unit", "coder")
USUAL = (*NEEDED, "label", "value")
SAID = ("optional", "unsure", "note", "name", "head")
COLUMNS = (*USUAL, *SAID)
ALIASES = {"document": "text", "category": "label", "chain": "value"}
KEYS = (*NEEDED, "label", "pointers", "indices", *SAID)


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
    head: str = ""
    line: int | None = field(default=None, compare=False)

    @property
    def answer(self) -> Answer | None:
        """The answer; None where the row says nothing."""
        links = bool(self.pointers or self.indices)
        if not (self.category or links or self.optional or self.unsure or self.note or self.name):
            return None
        pointers = tuple(place for place in map(place_of, self.pointers) if place)
        return Answer(self.category, pointers, self.indices, self.optional, self.unsure, self.note, self.name)


def read_csv(bundle: Bundle, *, raw: bool = False) -> list[Judged]:
    """The judgements of a table. Raises FormatError with file, line and the column's name."""
    file = bundle.main
    read = table.Table(bundle.data, file, {*COLUMNS, *ALIASES}, raw=raw)
    places = _columns(read)
    checks = _Checks(file)
    rows = []
    for line, cells in read.rows():
        row = table.Cells(file, line, {name: cells[place] for name, place in places.items()})
        pointers, indices = _value(row)
        judged = Judged(
            row.some("text"),
            row.cell("unit"),
            row.some("coder"),
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
            "head": row.head,
        }
        for row in rows
    ]
    names = [name for name in COLUMNS if name in USUAL or any(line[name] for line in lines)]
    return table.written([names, *([line[name] for name in names] for line in lines)], raw=raw)


def read_json(bundle: Bundle) -> list[Judged]:
    """The judgements of a JSON list. Raises FormatError with file and line."""
    file = bundle.main
    checks = _Checks(file)
    rows = []
    for line, record in records.records(decode(bundle.data, file), file):
        row = records.Fields(file, line, record, KEYS)
        judged = Judged(
            row.some("text"),
            row.words("unit"),
            row.some("coder"),
            row.words("label"),
            row.strings("pointers"),
            row.strings("indices"),
            row.flag("optional"),
            row.flag("unsure"),
            row.words("note"),
            row.words("name"),
            row.words("head"),
            line,
        )
        rows.append(checks.checked(judged, row))
    return rows


def write_json(rows: Iterable[Judged]) -> bytes:
    """The judgements as a JSON list, one a line; what is empty is left out."""
    return records.written(_record(row) for row in rows)


def _record(row: Judged) -> dict[str, object]:
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


def _columns(read: table.Table) -> dict[str, int]:
    """The place of each column by its name."""
    places: dict[str, int] = {}
    for place, given in enumerate(read.header):
        name = ALIASES.get(given.strip().lower(), given.strip().lower())
        if name not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise FormatError(f"there is no use for a column {given[:50]!r}; known are {known}", read.file, read.line)
        if name in places:
            raise FormatError(f"the column {name!r} stands twice", read.file, read.line)
        places[name] = place
    missing = [name for name in NEEDED if name not in places]
    if missing or not ("label" in places or "value" in places):
        message = f"there is no column {missing[0]!r}" if missing else "there is neither a column 'label' nor 'value'"
        raise FormatError(message, read.file, read.line)
    return places


def _value(row: table.Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
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
    return table.escaped(index).replace(":", "\\:", 1) if KEY.fullmatch(index) else table.escaped(index)


@dataclass(slots=True)
class _Checks:
    """Checks what stands in the rows of judgements, and that none comes twice."""

    file: str
    seen: dict[tuple[str, str, str], int | None] = field(default_factory=dict)
    keys: set[str] = field(default_factory=lambda: {""})

    def checked(self, judged: Judged, source: table.Source) -> Judged:
        for name, key in [("unit", judged.unit), *(("value", pointer) for pointer in judged.pointers)]:
            if key not in self.keys and place_of(key) is None:
                raise source.error(name, f"holds no key of a markable, such as phrase:12-18: {key[:100]!r}")
            self.keys.add(key)
        if not judged.unit and (judged.answer or judged.head):
            raise source.error("unit", "is empty, and the row says something of it")
        if judged.head and parts_of(judged.head) is None:
            raise source.error("head", f"holds no parts, such as 12-18: {judged.head[:100]!r}")
        if any(len(index) > LONGEST_INDEX for index in judged.indices):
            raise source.error("value", f"names an entity by more than {LONGEST_INDEX} characters")
        place = (judged.text, judged.unit, judged.coder)
        if place in self.seen:
            where = f"{judged.coder[:100]!r} judged {judged.unit[:100]!r} of {judged.text[:100]!r}"
            raise source.error("unit", f"stands twice: {where} already in line {self.seen[place]}")
        self.seen[place] = judged.line
        return judged


# Between judgements and documents.


def documents_of(rows: Iterable[Judged], file: str) -> list[Document]:
    """What each coder says of each text. Raises FormatError where one points here and names entities there."""
    said: dict[tuple[str, str], list[Judged]] = {}
    for row in rows:
        said.setdefault((row.text, row.coder), []).append(row)
    return [_document(text, coder, of, file) for (text, coder), of in said.items()]


def _document(text: str, coder: str, rows: Sequence[Judged], file: str) -> Document:
    marks: dict[Place, Mark] = {}
    links = Links.NONE
    for row in rows:
        place = place_of(row.unit)
        if place is None:
            continue
        answer = row.answer
        links = linked(links, answer, table.Source(file, row.line), "value")
        marks[place] = Mark(place.parts, place.level, head=_head(row), answer=answer, line=row.line)
    return bare(text, coder, file, marks, links)


def linked(links: Links, answer: Answer | None, source: table.Source, column: str) -> Links:
    """How the answers say what goes together, with one more. Raises FormatError where they say it in two ways."""
    if answer is None:
        return links
    for kind, names in ((Links.POINTERS, answer.pointers), (Links.INDICES, answer.indices)):
        if names and links not in (Links.NONE, kind):
            raise source.error(column, "names antecedents and entities; a coder names either in a text")
        links = kind if names else links
    return links


def bare(text: str, coder: str, file: str, marks: dict[Place, Mark], links: Links) -> Document:
    """The document of these marks, and of those that they point to."""
    for mark in list(marks.values()):
        for target in mark.answer.pointers if mark.answer else ():
            if target not in marks:
                marks[target] = Mark(target.parts, target.level, line=mark.line)
    found = sorted(marks.values(), key=in_text_order)
    return Document(text, file, "", found, links=links, bare=True, coder=coder)


def _head(row: Judged) -> Parts:
    return (parts_of(row.head) if row.head else None) or ()


def judged_of(documents: Iterable[Document]) -> Iterator[Judged]:
    """What the coders of the documents say, a row for each of their markables."""
    for document in documents:
        if not document.marks:
            yield Judged(document.name, "", document.coder)
        for mark in document.marks:
            answer = mark.answer or Answer()
            yield Judged(
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
                shown_parts(mark.head),
            )


def key_in(document: Document, place: Place) -> str:
    """The key of a markable of the document; its level is named also where the document leaves it open."""
    if place.level or document.scheme is None:
        return key_of(place)
    return key_of(Place(document.scheme.main_level, place.parts))


def _read_csv(bundle: Bundle, *, cells: str = "guarded") -> list[Document]:
    return documents_of(read_csv(bundle, raw=cells == "raw"), bundle.main)


def _read_json(bundle: Bundle) -> list[Document]:
    return documents_of(read_json(bundle), bundle.main)


def _written_csv(documents: Sequence[Document], *, cells: str = "guarded") -> list[File]:
    return [File("judgements.csv", write_csv(list(judged_of(documents)), raw=cells == "raw"))]


def _written_json(documents: Sequence[Document]) -> list[File]:
    return [File("judgements.json", write_json(judged_of(documents)))]


# What is of the text alone is not there and needs no change.
CARRIES = frozenset(Feature) - {
    Feature.LABELS,
    Feature.SENTENCES,
    Feature.SPEAKERS,
    Feature.SEGMENTS,
    Feature.TITLE,
}
CSV_FORMAT = Format(
    "judgements-csv",
    "Judgements without the texts, CSV",
    (".csv", ".tsv"),
    _read_csv,
    write=_written_csv,
    carries=CARRIES,
    options=(table.CELLS,),
    options_written=(table.CELLS,),
    names_coders=True,
)
JSON_FORMAT = Format(
    "judgements-json",
    "Judgements without the texts, JSON",
    (".json",),
    _read_json,
    write=_written_json,
    carries=CARRIES,
    names_coders=True,
)
