"""Rows -> layers: what stands in the columns of annotations."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from annotations.formats.document import FormatError
from annotations.formats.layers import BUILT_IN, NAMED_ENTITY, Layers, Link, Relation, Span
from annotations.formats.webanno.signs import NO_VALUE, NONE, unescaped_value
from annotations.formats.webanno.text import UNIT, Row

CHAIN_LINK = re.compile(r"->([0-9]{1,9})-([0-9]{1,9})$")
SOURCE = re.compile(rf"{UNIT}(?:\[(?P<source>[0-9]{{1,9}})_(?P<target>[0-9]{{1,9}})\])?$")
TARGET = re.compile(rf"{UNIT}(?:\[(?P<target>[0-9]{{1,9}})\])?$")
NUMBER = re.compile(r"\[([0-9]{1,9})\]$")
SEPARATORS = {separator: re.compile(rf"\\.|[{separator}]") for separator in "|;"}
SLOT = "ROLE_"
# An annotation counts once for each of its columns on each of its tokens.
MOST_ANNOTATIONS = 1_000_000
ANY = "uima.tcas.Annotation"


@dataclass(frozen=True, slots=True)
class Layer:
    """kind: SP, CH or RL. features: one a column, of which `first` is the first, counted after the words."""

    kind: str
    name: str
    first: int
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a relation: the span of that number, else the one that stands on that token."""

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


@dataclass(slots=True)
class Annotations:
    """Annotations while the rows come in that they stand on."""

    found: Layers
    layers: Sequence[Layer]
    numbered: dict[tuple[str, str], Span] = field(default_factory=dict)
    standing: dict[tuple[str, str], list[Span]] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    arcs: list[_Arc] = field(default_factory=list)
    # The row on which each annotation was last met, and those that leave a token out.
    last: dict[int, Row] = field(default_factory=dict)
    torn: set[int] = field(default_factory=set)
    # Whether relations lead to spans of any layer, and how many annotations were met on all rows.
    anywhere: bool = False
    met: int = 0

    def collect(self, rows: Iterable[Row]) -> None:
        take = {"CH": self._chain, "SP": self._spans, "RL": self._relations}
        layers = [
            (layer, layer.first, layer.first + len(layer.features), take[layer.kind])
            for layer in self.layers
            if layer.kind == "CH" or layer.name == NAMED_ENTITY or not layer.name.startswith(BUILT_IN)
        ]
        self.anywhere = any(feature.removeprefix("BT_") == ANY for layer in self.layers for feature in layer.features)
        for row in rows:
            for layer, first, end, taken in layers:
                cells = row.cells[first:end]
                if cells.count(NONE) < len(cells):
                    taken(row, layer, cells)
        self.found.links += self.links.values()
        for arc in self.arcs:
            self._connect(arc)

    def _chain(self, row: Row, layer: Layer, cells: Sequence[str]) -> None:
        columns = dict(zip(layer.features, cells, strict=True))
        kinds, numbers = self._split(row, columns["referenceType"]), self._split(row, columns["referenceRelation"])
        for kind, number in self._pairs(row, kinds, numbers):
            value, chain = _numbered(kind)
            found = CHAIN_LINK.search(number)
            if found is None or chain != str(int(found[1])):
                message = f"this is no link of a chain, as in pr[1] and coref->1-2: {kind[:50]!r}, {number[:50]!r}"
                raise FormatError(message, self.found.file, row.line)
            key = (layer.name, chain, found[2])
            if key not in self.links:
                called = "" if value == NO_VALUE else unescaped_value(value)
                self.links[key] = Link(layer.name, chain, row.begin, row.end, row.line, called)
            self._stand(self.links[key], row)

    def _spans(self, row: Row, layer: Layer, cells: Sequence[str]) -> None:
        here: list[Span] = []
        for column, (feature, cell) in enumerate(zip(layer.features, cells, strict=True)):
            if column and layer.features[column - 1].startswith(SLOT):
                self._slots(row, layer, here, feature, (cells[column - 1], cell))
            elif cell == NONE or feature.startswith(SLOT):
                continue
            else:
                for place, piece in enumerate(self._split(row, cell)):
                    value, number = _numbered(piece)
                    span = self._span(row, layer.name, here, place, number)
                    if value == NO_VALUE:
                        continue
                    span.features.setdefault(feature, unescaped_value(value))
                    if column == 0:
                        span.kind = span.features[feature]

    def _slots(self, row: Row, layer: Layer, here: list[Span], leads_to: str, cells: tuple[str, str]) -> None:
        """Roles and, in the next column, the spans that play them; `*` there is a span without any."""
        if cells[1] == NONE:
            return
        for place, (host, ends) in enumerate(self._pairs(row, self._split(row, cells[0]), self._split(row, cells[1]))):
            roles, number = _numbered(host)
            span = self._span(row, layer.name, here, place, number)
            if ends == NO_VALUE:
                continue
            for role, end in self._pairs(row, self._split(row, roles, ";"), self._split(row, ends, ";")):
                kind = "" if role == NO_VALUE else unescaped_value(role)
                found = self._matching(TARGET, end, row)
                target = _End(leads_to, found["unit"], _known(found["target"]))
                self.arcs.append(_Arc(row.line, layer.name, kind, span, target))

    def _relations(self, row: Row, layer: Layer, cells: Sequence[str]) -> None:
        sources = self._split(row, cells[-1])
        kinds = self._split(row, cells[0]) if len(cells) > 1 else [NO_VALUE] * len(sources)
        base = layer.features[-1].removeprefix("BT_")
        for kind, source in self._pairs(row, kinds, sources):
            found = self._matching(SOURCE, source, row)
            value, _ = _numbered(kind)
            self.arcs.append(
                _Arc(
                    row.line,
                    layer.name,
                    "" if value == NO_VALUE else unescaped_value(value),
                    _End(base, found["unit"], _known(found["source"])),
                    _End(base, row.unit, _known(found["target"])),
                )
            )

    def _split(self, row: Row, cell: str, separator: str = "|") -> list[str]:
        """What is parted by the separator; with a backslash before it, it parts nothing."""
        if "\\" not in cell:
            pieces = cell.split(separator)
        else:
            parting = [found for found in SEPARATORS[separator].finditer(cell) if found.group() == separator]
            starts = [0, *(found.end() for found in parting)]
            ends = [*(found.start() for found in parting), len(cell)]
            pieces = [cell[start:end] for start, end in zip(starts, ends, strict=True)]
        self.met += len(pieces)
        if self.met > MOST_ANNOTATIONS:
            message = f"more than {MOST_ANNOTATIONS:,} annotations stand on the tokens up to here"
            raise FormatError(message, self.found.file, row.line)
        return pieces

    def _pairs(self, row: Row, ones: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
        if len(ones) != len(others):
            message = f"two columns of a layer hold {len(ones)} and {len(others)} annotations"
            raise FormatError(message, self.found.file, row.line)
        return zip(ones, others, strict=True)

    def _matching(self, pattern: re.Pattern[str], end: str, row: Row) -> re.Match[str]:
        found = pattern.match(end)
        if found is None:
            message = f"this is not a token to which a relation leads, as in 3-4 or 3-4[11_1]: {end[:50]!r}"
            raise FormatError(message, self.found.file, row.line)
        return found

    def _span(self, row: Row, layer: str, here: list[Span], place: int, number: str) -> Span:
        """The span of that number; without one the span that an earlier column has in that place."""
        earlier = here[place] if place < len(here) else None
        span = self.numbered.get((layer, number)) if number else earlier
        if span is None:
            span = Span(layer, row.begin, row.end, row.line)
            self.found.spans.append(span)
            if number:
                self.numbered[layer, number] = span
                self.numbered.setdefault((ANY, number), span)
        if self._stand(span, row):
            here.append(span)
            for name in (layer, ANY) if self.anywhere else (layer,):
                self.standing.setdefault((name, row.unit), []).append(span)
        return span

    def _stand(self, what: Span | Link, row: Row) -> bool:
        """Whether the annotation was not yet met on this row. It then reaches to the row's end."""
        before = self.last.get(id(what))
        if before is row:
            return False
        if before is not None and row.token > before.token + 1 and id(what) not in self.torn:
            self.torn.add(id(what))
            self.found.find(
                "gap",
                f"an annotation of the layer {what.layer} leaves out tokens before {row.unit}",
                row.line,
                "they were taken in, as by WebAnno",
            )
        self.last[id(what)] = row
        what.start, what.end = min(what.start, row.begin), max(what.end, row.end)
        return True

    def _connect(self, arc: _Arc) -> None:
        source = arc.source if isinstance(arc.source, Span) else self._end(arc, arc.source)
        target = self._end(arc, arc.target)
        if source is not None and target is not None:
            self.found.relations.append(Relation(arc.layer, arc.kind, source, target, arc.line))

    def _end(self, arc: _Arc, end: _End) -> Span | None:
        if end.number:
            span = self.numbered.get((end.layer, end.number))
        else:
            spans = self.standing.get((end.layer, end.unit), [])
            span = spans[0] if spans else None
            if len(spans) > 1:
                message = f"a relation leads to {end.unit}, on which {len(spans)} spans stand"
                self.found.find("ambiguous-reference", message, arc.line, "the first was taken")
        if span is None:
            where = f"{end.unit}[{end.number}]" if end.number else end.unit
            message = f"a relation leads to {where}, where no span of the layer {end.layer} stands"
            self.found.find("unknown-reference", message, arc.line, "the relation was left out")
        return span


def _numbered(piece: str) -> tuple[str, str]:
    """The value, still escaped, and the number in brackets after it; empty for none."""
    found = NUMBER.search(piece, max(0, len(piece) - 11)) if piece.endswith("]") else None
    if found is None:
        return piece, ""
    value = piece[: found.start()]
    escaped = (len(value) - len(value.rstrip("\\"))) % 2
    return (piece, "") if escaped else (value, str(int(found[1])))


def _known(number: str | None) -> str:
    """The number of an end of a relation; 0 says that the end needs none."""
    return str(int(number)) if number and int(number) else ""
