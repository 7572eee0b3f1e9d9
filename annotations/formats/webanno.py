"""WebAnno TSV 3, as WebAnno and INCEpTION write it and the GUM corpus has it.

    #FORMAT=WebAnno TSV 3.3
    #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation

    #Text=Anna lost her dog .
    1-1	0-4	Anna	refers[1]	*->1-1
    1-2	5-9	lost	_	_
    1-3	10-13	her	refers[1]|refers[2]	*->1-2|*->2-1
    1-4	14-17	dog	refers[2]	*->2-1

Layers are spans (T_SP), links of chains (T_CH) or relations (T_RL); the columns follow the header. `_` is no
annotation, `*` one without a value; several on a token are parted by `|`, and `[2]` names one that stands on several
rows. The number of a link is that of its chain, and `->2-1` is link 1 of chain 2. A relation stands on the row of its
target and names the row of its source, `3-4[11_1]` from span 11 to span 1: in GUM, and here, the source is the
anaphor. What is made of layers is said in `layers`.

Offsets count UTF-16 units. Between sentences the file holds no text: the gap is filled with a line end and blanks,
before the first sentence with blanks. Written are a chain layer for indices, and the span and relation layers
MARKABLE and RELATION where there is more to say. White space after a sentence is written as part of it where the
filling would be another, and is no part of it when read.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.document import Document, FormatError, Mark, Place, Stretch, decode, in_text_order
from annotations.formats.format import Bundle, File, Format, one_each, stem
from annotations.formats.layers import (
    BUILT_IN,
    FEATURES,
    LINK,
    MARKABLE,
    NAMED_ENTITY,
    OPTIONS,
    RELATION,
    RELATION_TYPE,
    Layers,
    Link,
    Relation,
    Span,
    Units,
    chains_of,
    features_of,
    marks_of,
    needs_span,
)
from annotations.formats.losses import Feature
from annotations.formats.tokens import Tokens, tokens_of

VERSION = re.compile(r"#FORMAT=WebAnno TSV 3\.(?P<minor>[0-3])\s*$")
LAYER = re.compile(r"#T_(?P<kind>SP|CH|RL)=(?P<rest>.*)$")
# Numbers of bounded length: what is longer does not match.
UNIT = r"(?P<unit>(?P<token>[0-9]{1,9}-[0-9]{1,9})(?:\.[0-9]{1,9})?)"
ROW = re.compile(rf"{UNIT}$")
OFFSETS = re.compile(r"([0-9]{1,9})-([0-9]{1,9})$")
CHAIN_LINK = re.compile(r"->([0-9]{1,9})-([0-9]{1,9})$")
SOURCE = re.compile(rf"{UNIT}(?:\[(?P<source>[0-9]{{1,9}})_(?P<target>[0-9]{{1,9}})\])?$")
TARGET = re.compile(rf"{UNIT}(?:\[(?P<target>[0-9]{{1,9}})\])?$")
NUMBER = re.compile(r"\[([0-9]{1,9})\]$")
SEPARATORS = {separator: re.compile(rf"\\.|[{separator}]") for separator in "|;"}
JAVA_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
TEXT_ESCAPE = re.compile(r"\\([\\tnfrb\x01-\x07\x0e-\x1f])")
TEXT_SPECIAL = re.compile(r"[\\\t\n\f\r\x08\x01-\x07\x0e-\x1f]")
VALUE_ESCAPE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
VALUE_SPECIAL = re.compile(r"->|[\\\[\]|_;\t\n*]")
LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
ESCAPES = {character: letter for letter, character in LETTERS.items()}
NONE, NO_VALUE = "_", "*"
SLOT = "ROLE_"
ANY = "uima.tcas.Annotation"


def read(
    bundle: Bundle, layers: str = "auto", relations: str = "identity", categories: str = "types"
) -> list[Document]:
    """The document of a file. Raises FormatError with file and line on anything that is not WebAnno TSV 3."""
    file = bundle.main
    lines = decode(bundle.data, file).split("\n")
    declared, java = _header(lines, file)
    draft = _Text(file, sum(len(layer.features) for layer in declared), java)
    for number, line in enumerate(lines, start=1):
        draft.add(number, line)
    content, rows, sentences = draft.build()
    found = Layers(file)
    _Annotations(found, declared).collect(rows)
    marks, links = marks_of(found, layers, relations, categories)
    return [Document(stem(file), file, content, marks, sentences, links, findings=found.findings)]


@dataclass(frozen=True, slots=True)
class _Layer:
    """kind: SP, CH or RL. features: one a column, of which `first` is the first, counted after the words."""

    kind: str
    name: str
    first: int
    features: tuple[str, ...]


def _header(lines: Sequence[str], file: str) -> tuple[list[_Layer], bool]:
    """The layers, and whether escapes in the text are Java's."""
    version = VERSION.match(lines[0])
    if version is None:
        raise FormatError("the first line is not '#FORMAT=WebAnno TSV 3.0', 3.1, 3.2 or 3.3", file, 1)
    layers: list[_Layer] = []
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
        layer = _Layer(declared["kind"], name, first, tuple(features) or ("",))
        _check(layer, file, number)
        names.add(name)
        layers.append(layer)
        first += len(layer.features)
    return layers, version["minor"] in "01"


def _check(layer: _Layer, file: str, number: int) -> None:
    if layer.kind == "CH" and sorted(layer.features) != ["referenceRelation", "referenceType"]:
        raise FormatError("a chain layer has the columns referenceType and referenceRelation", file, number)
    if layer.kind == "RL" and not layer.features[-1].startswith("BT_"):
        raise FormatError("the last column of a relation layer is its base layer, BT_…", file, number)
    if layer.kind == "SP" and layer.features[-1].startswith(SLOT):
        raise FormatError("a slot, ROLE_…, is followed by the layer that it leads to", file, number)


@dataclass(frozen=True, slots=True)
class _Row:
    """A token or a part of one. token: its number in the file, from 1; begin, end: UTF-16 units, then code points."""

    line: int
    unit: str
    token: int
    begin: int
    end: int
    form: str
    cells: tuple[str, ...]


@dataclass(slots=True)
class _Text:
    """A text while its lines come in."""

    file: str
    columns: int
    java: bool
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    size: int = 0
    gaps: int = 0
    text: list[str] = field(default_factory=list)
    text_line: int = 0
    open: bool = False
    rows: list[_Row] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    units: set[str] = field(default_factory=set)
    tokens: int = 0
    token: tuple[str, int, int] = ("", 0, 0)

    def add(self, number: int, line: str) -> None:
        self.size += len(line)
        if line.startswith("#"):
            self._comment(number, line)
        elif not line.strip():
            self._end_sentence()
        elif self.text:
            self._begin_sentence(number, line)
        elif self.open:
            self._row(number, line)
        else:
            raise FormatError("a token stands outside a sentence ('#Text=' comes first)", self.file, number)

    def _comment(self, number: int, line: str) -> None:
        if not line.startswith("#Text="):
            return  # the header, the name of a sentence, what is said of the document
        if self.open:
            raise FormatError("a sentence begins before a blank line has ended the last", self.file, number)
        if not self.text:
            self.text_line = number
        self.text.append(self._unescaped(number, line.removeprefix("#Text=")))

    def _unescaped(self, number: int, text: str) -> str:
        if "\\" not in text:
            return text
        if not self.java:
            return TEXT_ESCAPE.sub(lambda found: LETTERS.get(found[1], found[1]), text)
        units = JAVA_ESCAPE.sub(
            lambda found: chr(int(found[1], 16)) if found[1] else LETTERS.get(found[2], found[2]), text
        )
        try:
            text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            raise FormatError("an escape \\u… is half a character", self.file, number) from None
        if "\0" in text:
            raise FormatError("a NUL character cannot stand in a text", self.file, number)
        return text

    def _end_sentence(self) -> None:
        if self.text:
            raise FormatError("no token follows this text of a sentence", self.file, self.text_line)
        self.open = False

    def _begin_sentence(self, number: int, line: str) -> None:
        """The text of the sentence is put where its first token begins."""
        begin, _ = self._offsets(number, line.split("\t"))
        gap = begin - self.length
        if gap < 0:
            message = f"the sentence begins at {begin}, but the one before it ends at {self.length}"
            raise FormatError(message, self.file, number)
        self.gaps += gap
        # No file makes more text out of nothing than it is long.
        if self.gaps > self.size:
            raise FormatError(f"the sentence begins {gap} characters after the one before it", self.file, number)
        text = "\n".join(self.text)
        self.pieces += (_filling(gap, inner=bool(self.pieces)), text)
        self.length = begin + len(text.encode("utf-16-le")) // 2
        self.text, self.open = [], True
        self.firsts.append(len(self.rows))
        self._row(number, line)

    def _offsets(self, number: int, cells: Sequence[str]) -> tuple[int, int]:
        offsets = OFFSETS.match(cells[1]) if len(cells) > 1 else None
        if offsets is None:
            raise FormatError("the second column is not where a token begins and ends, as in 0-4", self.file, number)
        return int(offsets[1]), int(offsets[2])

    def _row(self, number: int, line: str) -> None:
        cells = line.split("\t")
        begin, end = self._offsets(number, cells)
        row = ROW.match(cells[0])
        if row is None:
            raise FormatError("the first column is not the number of a token, as in 1-2 or 1-2.1", self.file, number)
        self._order(number, row["unit"], row["token"], begin, end)
        if len(cells) == self.columns + 4 and not cells[-1]:
            cells.pop()  # a line may end with a tab
        if len(cells) != self.columns + 3:
            message = f"the header declares {self.columns} columns of annotations, this line has {len(cells) - 3}"
            raise FormatError(message, self.file, number)
        if "" in cells[3:]:
            raise FormatError("a column is empty ('_' says that nothing stands there)", self.file, number)
        self.rows.append(_Row(number, row["unit"], self.tokens, begin, end, cells[2], tuple(cells[3:])))

    def _order(self, number: int, unit: str, token: str, begin: int, end: int) -> None:
        if unit in self.units:
            raise FormatError(f"the token {unit} stands twice", self.file, number)
        self.units.add(unit)
        name, first, last = self.token  # white space after a token may be a part of it
        if unit != token:
            if token != name or not first <= begin <= end:
                raise FormatError(f"{unit} is no part of the token before it", self.file, number)
        elif not last <= begin < end:
            raise FormatError(f"the token {unit} is empty or begins before the last has ended", self.file, number)
        else:
            self.token = (unit, begin, end)
            self.tokens += 1

    def build(self) -> tuple[str, list[_Row], list[Stretch]]:
        """The content, the rows with their offsets in code points, and the sentences."""
        self._end_sentence()
        if not self.rows:
            raise FormatError("there is no sentence in this file", self.file, 1)
        content = "".join(self.pieces)
        units = Units(content)
        rows = [self._placed(row, content, units) for row in self.rows]
        sentences = [
            Stretch("sentence", rows[first].begin, max(row.end for row in rows[first:end] if "." not in row.unit))
            for first, end in zip(self.firsts, [*self.firsts[1:], len(rows)], strict=True)
        ]
        return content, rows, sentences

    def _placed(self, row: _Row, content: str, units: Units) -> _Row:
        begin, end = units.point(row.begin), units.point(row.end)
        words = None if begin is None or end is None else content[begin:end]
        if begin is None or end is None or words not in (row.form, self._unescaped(row.line, row.form)):
            message = f"the words of the token {row.unit} do not stand at {row.begin}-{row.end} of the text"
            raise FormatError(f"{message} (offsets count UTF-16 units)", self.file, row.line)
        return replace(row, begin=begin, end=end)


def _filling(gap: int, inner: bool) -> str:
    """What is put where a file holds no text: between sentences a line end first."""
    return "\n" + " " * (gap - 1) if inner and gap else " " * gap


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
class _Annotations:
    """Annotations while the rows come in that they stand on."""

    found: Layers
    layers: Sequence[_Layer]
    numbered: dict[tuple[str, str], Span] = field(default_factory=dict)
    standing: dict[tuple[str, str], list[Span]] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    arcs: list[_Arc] = field(default_factory=list)
    # The row on which each annotation was last met, and those that leave a token out.
    last: dict[int, _Row] = field(default_factory=dict)
    torn: set[int] = field(default_factory=set)

    def collect(self, rows: Iterable[_Row]) -> None:
        for row in rows:
            for layer in self.layers:
                cells = row.cells[layer.first : layer.first + len(layer.features)]
                linguistic = layer.name.startswith(BUILT_IN) and layer.name != NAMED_ENTITY
                if all(cell == NONE for cell in cells):
                    continue
                if layer.kind == "CH":
                    self._chain(row, layer, cells)
                elif layer.kind == "SP" and not linguistic:
                    self._spans(row, layer, cells)
                elif layer.kind == "RL" and not linguistic:
                    self._relations(row, layer, cells)
        self.found.links += self.links.values()
        for arc in self.arcs:
            self._connect(arc)

    def _chain(self, row: _Row, layer: _Layer, cells: Sequence[str]) -> None:
        columns = dict(zip(layer.features, cells, strict=True))
        kinds, numbers = _split(columns["referenceType"], "|"), _split(columns["referenceRelation"], "|")
        for kind, number in self._pairs(row, kinds, numbers):
            value, chain = _numbered(kind)
            found = CHAIN_LINK.search(number)
            if found is None or chain != str(int(found[1])):
                message = f"this is no link of a chain, as in pr[1] and coref->1-2: {kind[:50]!r}, {number[:50]!r}"
                raise FormatError(message, self.found.file, row.line)
            key = (layer.name, chain, found[2])
            if key not in self.links:
                called = "" if value == NO_VALUE else _plain(value)
                self.links[key] = Link(layer.name, chain, row.begin, row.end, row.line, called)
            self._stand(self.links[key], row)

    def _spans(self, row: _Row, layer: _Layer, cells: Sequence[str]) -> None:
        here: list[Span] = []
        for column, (feature, cell) in enumerate(zip(layer.features, cells, strict=True)):
            if column and layer.features[column - 1].startswith(SLOT):
                self._slots(row, layer, here, feature, (cells[column - 1], cell))
            elif cell == NONE or feature.startswith(SLOT):
                continue
            else:
                for place, piece in enumerate(_split(cell, "|")):
                    value, number = _numbered(piece)
                    span = self._span(row, layer.name, here, place, number)
                    if value == NO_VALUE:
                        continue
                    span.features.setdefault(feature, _plain(value))
                    if column == 0:
                        span.kind = span.features[feature]

    def _slots(self, row: _Row, layer: _Layer, here: list[Span], leads_to: str, cells: tuple[str, str]) -> None:
        """Roles and, in the next column, the spans that play them; `*` there is a span without any."""
        if cells[1] == NONE:
            return
        for place, (host, ends) in enumerate(self._pairs(row, _split(cells[0], "|"), _split(cells[1], "|"))):
            roles, number = _numbered(host)
            span = self._span(row, layer.name, here, place, number)
            if ends == NO_VALUE:
                continue
            for role, end in self._pairs(row, _split(roles, ";"), _split(ends, ";")):
                kind = "" if role == NO_VALUE else _plain(role)
                found = self._matching(TARGET, end, row)
                target = _End(leads_to, found["unit"], _known(found["target"]))
                self.arcs.append(_Arc(row.line, layer.name, kind, span, target))

    def _relations(self, row: _Row, layer: _Layer, cells: Sequence[str]) -> None:
        sources = _split(cells[-1], "|")
        kinds = _split(cells[0], "|") if len(cells) > 1 else [NO_VALUE] * len(sources)
        base = layer.features[-1].removeprefix("BT_")
        for kind, source in self._pairs(row, kinds, sources):
            found = self._matching(SOURCE, source, row)
            value, _ = _numbered(kind)
            self.arcs.append(
                _Arc(
                    row.line,
                    layer.name,
                    "" if value == NO_VALUE else _plain(value),
                    _End(base, found["unit"], _known(found["source"])),
                    _End(base, row.unit, _known(found["target"])),
                )
            )

    def _pairs(self, row: _Row, ones: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
        if len(ones) != len(others):
            message = f"two columns of a layer hold {len(ones)} and {len(others)} annotations"
            raise FormatError(message, self.found.file, row.line)
        return zip(ones, others, strict=True)

    def _matching(self, pattern: re.Pattern[str], end: str, row: _Row) -> re.Match[str]:
        found = pattern.match(end)
        if found is None:
            message = f"this is not a token to which a relation leads, as in 3-4 or 3-4[11_1]: {end[:50]!r}"
            raise FormatError(message, self.found.file, row.line)
        return found

    def _span(self, row: _Row, layer: str, here: list[Span], place: int, number: str) -> Span:
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
            for name in (layer, ANY):
                self.standing.setdefault((name, row.unit), []).append(span)
        return span

    def _stand(self, what: Span | Link, row: _Row) -> bool:
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


def _split(cell: str, separator: str) -> list[str]:
    """What is parted by the separator; with a backslash before it, it parts nothing."""
    if "\\" not in cell:
        return cell.split(separator)
    pieces, start = [], 0
    for found in SEPARATORS[separator].finditer(cell):
        if found.group() == separator:
            pieces.append(cell[start : found.start()])
            start = found.end()
    return [*pieces, cell[start:]]


def _numbered(piece: str) -> tuple[str, str]:
    """The value, still escaped, and the number in brackets after it; empty for none."""
    found = NUMBER.search(piece, max(0, len(piece) - 11))
    if found is None:
        return piece, ""
    value = piece[: found.start()]
    escaped = (len(value) - len(value.rstrip("\\"))) % 2
    return (piece, "") if escaped else (value, str(int(found[1])))


def _known(number: str | None) -> str:
    """The number of an end of a relation; 0 says that the end needs none."""
    return str(int(number)) if number and int(number) else ""


def _plain(value: str) -> str:
    return VALUE_ESCAPE.sub(lambda found: {"t": "\t", "n": "\n"}.get(found[1], found[1]), value)


def write(documents: Sequence[Document]) -> list[File]:
    """A file for each document: chains where it has indices, spans and relations where these do not say all."""
    return one_each(documents, ".tsv", _written)


type _Column = dict[int, list[str]]


@dataclass(slots=True)
class _Written:
    """Annotations as cells of rows: a column holds for each row what stands there.

    A row is a token, or white space after it on which a markable begins or ends: that is a part of it, 1-2.1.
    """

    names: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    reach: dict[Place, list[int]] = field(default_factory=dict)
    header: list[str] = field(default_factory=list)
    columns: list[_Column] = field(default_factory=list)

    def layer(self, header: str, number: int) -> list[_Column]:
        """The columns of a new layer."""
        self.header.append(header)
        columns: list[_Column] = [{} for _ in range(number)]
        self.columns += columns
        return columns


def _rows(document: Document, tokens: Tokens) -> tuple[_Written, list[tuple[range, int]]]:
    """The rows with what each mark reaches over, and for each sentence its rows and where its last token ends."""
    placed = [(mark.place, *_reach(mark, tokens)) for mark in document.marks]
    parts: dict[int, set[tuple[int, int]]] = {}
    for _, blanks, _ in placed:
        for token, blank in blanks:
            parts.setdefault(token, set()).add(blank)
    written = _Written()
    rows: dict[tuple[int, int, int], int] = {}
    sentences: list[tuple[range, int]] = []
    for number, sentence in enumerate(tokens.by_sentence(), start=1):
        begin = len(written.names)
        for place, token in enumerate(sentence, start=1):
            for part, span in enumerate([tokens.spans[token], *sorted(parts.get(token, ()))]):
                rows[token, *span] = len(written.names)
                written.names.append(f"{number}-{place}.{part}" if part else f"{number}-{place}")
                written.spans.append(span)
        sentences.append((range(begin, len(written.names)), tokens.spans[sentence[-1]][1]))
    for mark, blanks, run in placed:
        reach = [rows[token, *blank] for token, blank in blanks] + [rows[token, *tokens.spans[token]] for token in run]
        if reach:
            written.reach[mark] = sorted(reach)
    return written, sentences


def _reach(mark: Mark, tokens: Tokens) -> tuple[list[tuple[int, tuple[int, int]]], range]:
    """White space at the edges of a mark, each with the token before it, and its tokens."""
    start, end = mark.parts[0][0], mark.parts[-1][1]
    first = bisect_left(tokens.spans, (start, start))
    after = bisect_left(tokens.spans, (end, end))
    if first == after:
        blanks = [(first - 1, (start, end))]
    else:
        blanks = [(first - 1, (start, tokens.spans[first][0])), (after - 1, (tokens.spans[after - 1][1], end))]
    # Nothing stands before the first token: there a mark begins with the token.
    return [(token, span) for token, span in blanks if token >= 0 and span[0] < span[1]], range(first, after)


def _written(document: Document) -> bytes:
    tokens = tokens_of(document)
    written, sentences = _rows(document, tokens)
    marks = [mark for mark in sorted(document.marks, key=in_text_order) if mark.place in written.reach]
    chains = chains_of(document, marks)
    spans = [mark for mark in marks if not chains or needs_span(mark)]
    if spans:
        _write_spans(written, spans)
    if chains:
        _write_chains(written, chains.values())
    if any(mark.answer and mark.answer.pointers for mark in marks):
        _write_relations(written, spans)
    lines = ["#FORMAT=WebAnno TSV 3.3", *written.header, ""]
    units = Units(document.content)
    for number, (rows, last) in enumerate(sentences):
        after = written.spans[sentences[number + 1][0][0]][0] if number + 1 < len(sentences) else None
        lines += ["", *_text(document.content, written.spans[rows[0]][0], last, after)]
        for row in rows:
            start, end = written.spans[row]
            form = document.content[start:end]
            # White space is written with escapes; words are not.
            cells = [written.names[row], f"{units.unit(start)}-{units.unit(end)}"]
            cells.append(_escaped_text(form) if form.isspace() else form)
            cells += ["|".join(column.get(row, [NONE])) for column in written.columns]
            lines.append("\t".join(cells) + "\t")
    return ("\n".join(lines) + "\n").encode()


def _text(content: str, start: int, end: int, after: int | None) -> list[str]:
    """The lines of a sentence's text. White space after it belongs to it where readers would fill in another."""
    gap = content[end:after]
    if after is None or gap != _filling(len(gap), inner=True):
        end = len(content) if after is None else after
    return [f"#Text={_escaped_text(line)}" for line in content[start:end].split("\n")]


def _write_spans(written: _Written, marks: Sequence[Mark]) -> None:
    values = [features_of(mark) for mark in marks]
    used = [feature for feature in FEATURES if any(feature in each for each in values)] or [""]
    columns = written.layer(f"#T_SP={MARKABLE}|{'|'.join(used)}", len(used))
    for number, (mark, value) in enumerate(zip(marks, values, strict=True), start=1):
        for feature, column in zip(used, columns, strict=True):
            cell = f"{_escaped(value[feature]) if feature in value else NO_VALUE}[{number}]"
            for row in written.reach[mark.place]:
                column.setdefault(row, []).append(cell)


def _write_chains(written: _Written, chains: Iterable[Sequence[Mark]]) -> None:
    kinds, links = written.layer(f"#T_CH={LINK}|referenceType|referenceRelation", 2)
    for chain, marks in enumerate(chains, start=1):
        for number, mark in enumerate(marks, start=1):
            category = mark.answer.category if mark.answer else ""
            for row in written.reach[mark.place]:
                kinds.setdefault(row, []).append(f"{_escaped(category) if category else NO_VALUE}[{chain}]")
                links.setdefault(row, []).append(f"{NO_VALUE}->{chain}-{number}")


def _write_relations(written: _Written, marks: Sequence[Mark]) -> None:
    kinds, sources = written.layer(f"#T_RL={RELATION}|type|BT_{MARKABLE}", 2)
    numbers = {mark.place: number for number, mark in enumerate(marks, start=1)}
    for mark in marks:
        source = written.names[written.reach[mark.place][0]]
        for target in mark.answer.pointers if mark.answer else ():
            if target in numbers:
                row = written.reach[target][0]
                kinds.setdefault(row, []).append(RELATION_TYPE)
                sources.setdefault(row, []).append(f"{source}[{numbers[mark.place]}_{numbers[target]}]")


def _escaped_text(text: str) -> str:
    return TEXT_SPECIAL.sub(lambda found: "\\" + ESCAPES.get(found.group(), found.group()), text)


def _escaped(value: str) -> str:
    """A value, its line ends made one: no reader takes a carriage return."""
    value = value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return VALUE_SPECIAL.sub(lambda found: "\\" + {"\t": "t", "\n": "n"}.get(found.group(), found.group()), value)


FORMAT = Format(
    "webanno",
    "WebAnno TSV 3",
    (".tsv",),
    read,
    write=write,
    carries=frozenset(
        {
            Feature.POINTERS,
            Feature.INDICES,
            Feature.AMBIGUITY,
            Feature.LATER,
            Feature.SEVERAL_CHAINS,
            Feature.CATEGORIES,
            Feature.UNCODED,
            Feature.UNLINKED,
            Feature.EDGES,
            Feature.CROSSING,
            Feature.CROSSING_IN_CHAIN,
            Feature.OPTIONAL,
            Feature.UNSURE,
            Feature.NOTES,
            Feature.NAMES,
            Feature.LABELS,
            Feature.SENTENCES,
            Feature.SPACING,
        }
    ),
    options=OPTIONS,
)
