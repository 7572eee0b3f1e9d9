"""Read WebAnno TSV files: the header declares layers, whose annotations are in the columns of the rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.model.document import Document
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Bundle, stem
from annotations.formats.uima.layers import IDENTIFIER, READING, Layers, Link, Relation, Span, build_marks
from annotations.formats.uima.names import ANNOTATION, is_linguistic
from annotations.formats.uima.webanno.text import NO_VALUE, NONE, UNIT, Row, Text, unescape_value

VERSION = re.compile(r"#FORMAT=WebAnno TSV 3\.(?P<minor>[0-3])\s*$")
LAYER = re.compile(r"#T_(?P<kind>SP|CH|RL)=(?P<rest>.*)$")
CHAIN_LINK = re.compile(r"->([0-9]{1,9})-([0-9]{1,9})$")
SOURCE = re.compile(rf"{UNIT}(?:\[(?P<source>[0-9]{{1,9}})_(?P<target>[0-9]{{1,9}})\])?$")
TARGET = re.compile(rf"{UNIT}(?:\[(?P<target>[0-9]{{1,9}})\])?$")
NUMBER = re.compile(r"\[([0-9]{1,9})\]$")
SEPARATORS = {separator: re.compile(rf"\\.|[{separator}]") for separator in "|;"}
SLOT = "ROLE_"
# An annotation counts once for each of its columns on each of its tokens.
MAX_ANNOTATIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Layer:
    """A declared layer of a kind SP, CH or RL. features: one per column. first: its first column after the words."""

    kind: str
    name: str
    first: int
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a relation: the span with the number, or without a number the span on the token `unit`."""

    layer: str
    unit: str
    number: str


@dataclass(frozen=True, slots=True)
class _Arc:
    """A relation whose ends are not looked up yet."""

    line: int
    layer: str
    kind: str
    source: "Span | _End"
    target: _End
    reading: str = ""


def read(bundle: Bundle, **options: str) -> list[Document]:
    """Return the document of a file. Raises FormatError with file and line on anything that is not WebAnno TSV 3."""
    file = bundle.main
    lines = decode(bundle.data, file).split("\n")
    declared, java = _read_header(lines, file)
    n_columns = sum(len(layer.features) for layer in declared)
    annotations = Annotations(file, declared=declared)
    try:
        content, rows, sentences = Text(file, n_columns, java).read(lines)
    except FormatError as error:
        if not any(max(line, default="") > "\uffff" for line in lines):
            raise
        try:
            content, rows, sentences = Text(file, n_columns, java, in_points=True).read(lines)
        except FormatError:
            raise error from None
        annotations.add("the offsets count code points", fix="read so, though UTF-16 units are usual", code="offsets")
    annotations.collect(rows)
    marks, links = build_marks(annotations, **options)
    return [Document(stem(file), file, content, marks, sentences, links, findings=list(annotations.listed()))]


def _read_header(lines: Sequence[str], file: str) -> tuple[list[Layer], bool]:
    """Return the layers, and whether escapes in the text are Java's."""
    version = VERSION.match(lines[0])
    if version is None:
        message = "the first line is not '#FORMAT=WebAnno TSV 3.0', 3.1, 3.2 or 3.3: export the text as WebAnno TSV 3"
        raise FormatError(message, file, 1)
    layers: list[Layer] = []
    names: set[str] = set()
    first = 0
    for number, line in enumerate(lines, start=1):
        if line.startswith("#Text="):
            break
        declared = LAYER.match(line)
        if declared is None:
            continue
        name, *features = declared["rest"].split("|")
        if not name or name in names:
            raise FormatError("this layer has no name, or that of an earlier one", file, number)
        layer = Layer(declared["kind"], name, first, tuple(features) or ("",))
        _check_layer(layer, file, number)
        names.add(name)
        layers.append(layer)
        first += len(layer.features)
    return layers, version["minor"] in "01"


def _check_layer(layer: Layer, file: str, number: int) -> None:
    if layer.kind == "CH" and sorted(layer.features) != ["referenceRelation", "referenceType"]:
        raise FormatError("a chain layer has the columns referenceType and referenceRelation", file, number)
    if layer.kind == "RL" and not layer.features[-1].startswith("BT_"):
        raise FormatError("the last column of a relation layer is its base layer, BT_…", file, number)
    if layer.kind == "SP" and layer.features[-1].startswith(SLOT):
        raise FormatError("a slot, ROLE_…, is followed by the layer that it leads to", file, number)


@dataclass(slots=True)
class Annotations(Layers):
    """Annotations that are collected row by row."""

    declared: Sequence[Layer] = ()
    numbered: dict[tuple[str, str], Span] = field(default_factory=dict)
    spans_by_unit: dict[tuple[str, str], list[Span]] = field(default_factory=dict)
    numbered_links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    arcs: list[_Arc] = field(default_factory=list)
    # The last row of each annotation, and the annotations that leave out a token, by id.
    last: dict[int, Row] = field(default_factory=dict)
    discontinuous: set[int] = field(default_factory=set)
    # Whether relations lead to spans of any layer, and the number of annotations on all rows so far.
    anywhere: bool = False
    n_annotations: int = 0
    rows: Mapping[str, Row] = field(default_factory=dict)

    def collect(self, rows: Sequence[Row]) -> None:
        take = {"CH": self._chain, "SP": self._spans, "RL": self._relations}
        layers = [
            (layer, layer.first, layer.first + len(layer.features), take[layer.kind])
            for layer in self.declared
            if layer.kind == "CH" or not is_linguistic(layer.name)
        ]
        self.anywhere = any(
            feature.removeprefix("BT_") == ANNOTATION for layer in self.declared for feature in layer.features
        )
        for row in rows:
            for layer, first, end, read_cells in layers:
                cells = row.cells[first:end]
                if cells.count(NONE) < len(cells):
                    read_cells(row, layer, cells)
        self.links += self.numbered_links.values()
        self.rows = {row.unit: row for row in rows} if self.arcs else {}
        for arc in self.arcs:
            source = arc.source if isinstance(arc.source, Span) else self._end(arc, arc.source)
            target = self._end(arc, arc.target)
            if source is not None and target is not None:
                self.relations.append(Relation(arc.layer, arc.kind, source, target, arc.line, arc.reading))

    def _chain(self, row: Row, layer: Layer, cells: Sequence[str]) -> None:
        columns = dict(zip(layer.features, cells, strict=True))
        kinds, numbers = self._split(row, columns["referenceType"]), self._split(row, columns["referenceRelation"])
        for kind, number in self._pairs(row, kinds, numbers):
            value, chain = _split_number(kind)
            match = CHAIN_LINK.search(number)
            if match is None or chain != str(int(match[1])):
                message = f"this is no link of a chain, as in pr[1] and coref->1-2: {kind[:50]!r}, {number[:50]!r}"
                raise FormatError(message, self.file, row.line)
            key = (layer.name, chain, match[2])
            if key not in self.numbered_links:
                self.numbered_links[key] = Link(layer.name, chain, row.begin, row.end, row.line, unescape_value(value))
            self._extend(self.numbered_links[key], row)

    def _spans(self, row: Row, layer: Layer, cells: Sequence[str]) -> None:
        spans_of_row: list[Span] = []
        first = next((feature for feature in layer.features if feature != IDENTIFIER), IDENTIFIER)
        for column, (feature, cell) in enumerate(zip(layer.features, cells, strict=True)):
            if column and layer.features[column - 1].startswith(SLOT):
                self._slots(row, layer, spans_of_row, feature, (cells[column - 1], cell))
            elif cell == NONE or feature.startswith(SLOT):
                continue
            else:
                for place, piece in enumerate(self._split(row, cell)):
                    value, number = _split_number(piece)
                    span = self._span(row, layer.name, spans_of_row, place, number)
                    if value == NO_VALUE:
                        continue
                    words = unescape_value(value)
                    span.features.setdefault(feature, words)
                    if feature == first:
                        span.kind, span.first = span.kind or words, feature

    def _slots(self, row: Row, layer: Layer, spans_of_row: list[Span], leads_to: str, cells: tuple[str, str]) -> None:
        """Read roles and, in the next column, the spans that fill them; `*` there means that no role is filled."""
        if cells[1] == NONE:
            return
        for place, (host, ends) in enumerate(self._pairs(row, self._split(row, cells[0]), self._split(row, cells[1]))):
            roles, number = _split_number(host)
            span = self._span(row, layer.name, spans_of_row, place, number)
            if ends == NO_VALUE:
                continue
            for role, end in self._pairs(row, self._split(row, roles, ";"), self._split(row, ends, ";")):
                match = self._matching(TARGET, end, row)
                target = _End(leads_to, match["unit"], _normalize_number(match["target"]))
                self.arcs.append(_Arc(row.line, layer.name, unescape_value(role), span, target))

    def _relations(self, row: Row, layer: Layer, cells: Sequence[str]) -> None:
        sources = self._split(row, cells[-1])
        nothing = [NO_VALUE] * len(sources)
        reading = layer.features.index(READING) if READING in layer.features[:-1] else None
        kinds = nothing if len(cells) == 1 or reading == 0 else self._split(row, cells[0])
        readings = nothing if reading is None else self._split(row, cells[reading])
        base = layer.features[-1].removeprefix("BT_")
        numbers = [number for number, _ in self._pairs(row, readings, sources)]
        for (kind, cell), number in zip(self._pairs(row, kinds, sources), numbers, strict=True):
            match = self._matching(SOURCE, cell, row)
            source = _End(base, match["unit"], _normalize_number(match["source"]))
            target = _End(base, row.unit, _normalize_number(match["target"]))
            kind, group = (unescape_value(_split_number(value)[0]) for value in (kind, number))
            self.arcs.append(_Arc(row.line, layer.name, kind, source, target, group))

    def _split(self, row: Row, cell: str, separator: str = "|") -> list[str]:
        """Return the pieces of a cell between separators; a separator after a backslash does not split."""
        if "\\" not in cell:
            pieces = cell.split(separator)
        else:
            parting = [match for match in SEPARATORS[separator].finditer(cell) if match.group() == separator]
            starts = [0, *(match.end() for match in parting)]
            ends = [*(match.start() for match in parting), len(cell)]
            pieces = [cell[start:end] for start, end in zip(starts, ends, strict=True)]
        self.n_annotations += len(pieces)
        if self.n_annotations > MAX_ANNOTATIONS:
            message = f"more than {MAX_ANNOTATIONS:,} annotations stand on the tokens up to here"
            raise FormatError(message, self.file, row.line)
        return pieces

    def _pairs(self, row: Row, ones: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
        if len(ones) != len(others):
            message = f"two columns of a layer hold {len(ones)} and {len(others)} annotations"
            raise FormatError(message, self.file, row.line)
        return zip(ones, others, strict=True)

    def _matching(self, pattern: re.Pattern[str], end: str, row: Row) -> re.Match[str]:
        match = pattern.match(end)
        if match is None:
            message = f"this is not a token to which a relation leads, as in 3-4 or 3-4[11_1]: {end[:50]!r}"
            raise FormatError(message, self.file, row.line)
        return match

    def _span(self, row: Row, layer: str, spans_of_row: list[Span], place: int, number: str) -> Span:
        """Return the span with the number, or without a number the span of an earlier column; else add a span."""
        earlier = spans_of_row[place] if place < len(spans_of_row) else None
        span = self.numbered.get((layer, number)) if number else earlier
        if span is None:
            span = Span(layer, row.begin, row.end, row.line)
            self.spans.append(span)
            if number:
                self.numbered[layer, number] = span
                self.numbered.setdefault((ANNOTATION, number), span)
        if self._extend(span, row):
            spans_of_row.append(span)
            for name in (layer, ANNOTATION) if self.anywhere else (layer,):
                self.spans_by_unit.setdefault((name, row.unit), []).append(span)
        return span

    def _extend(self, what: Span | Link, row: Row) -> bool:
        """Extend the annotation to the end of the row. Return whether the row is new to the annotation."""
        before = self.last.get(id(what))
        if before is row:
            return False
        if before is not None and row.token > before.token + 1 and id(what) not in self.discontinuous:
            self.discontinuous.add(id(what))
            message = f"an annotation of the layer {what.layer} leaves out tokens before {row.unit}"
            self.add(message, row.line, "they were taken in, as by WebAnno", code="gap")
        self.last[id(what)] = row
        what.start, what.end = min(what.start, row.begin), max(what.end, row.end)
        return True

    def _end(self, arc: _Arc, end: _End) -> Span | None:
        if end.number:
            span = self.numbered.get((end.layer, end.number))
        else:
            spans = self.spans_by_unit.get((end.layer, end.unit), [])
            span = spans[0] if spans else None
            if span is None and is_linguistic(end.layer) and end.unit in self.rows:
                span = self._span(self.rows[end.unit], end.layer, [], 0, "")  # a token, or its part of speech
            if len(spans) > 1:
                message = f"a relation leads to {end.unit}, on which {len(spans)} spans stand"
                self.add(message, arc.line, "the first was taken", code="ambiguous-reference")
        if span is None:
            where = f"{end.unit}[{end.number}]" if end.number else end.unit
            message = f"a relation leads to {where}, where no span of the layer {end.layer} stands"
            self.add(message, arc.line, "the relation was left out", code="unknown-reference", left_out=True)
        return span


def _split_number(piece: str) -> tuple[str, str]:
    """Return the value, still escaped, and the number in brackets after it; the number is empty if there is none."""
    match = NUMBER.search(piece, max(0, len(piece) - 11)) if piece.endswith("]") else None
    if match is None:
        return piece, ""
    value = piece[: match.start()]
    escaped = (len(value) - len(value.rstrip("\\"))) % 2
    return (piece, "") if escaped else (value, str(int(match[1])))


def _normalize_number(number: str | None) -> str:
    """Return the number of an end of a relation, normalised; empty for 0, which means that the end needs none."""
    return str(int(number)) if number and int(number) else ""
