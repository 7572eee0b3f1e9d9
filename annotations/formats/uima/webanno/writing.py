"""Write WebAnno TSV files."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from annotations.formats.model.answers import format_value, name_attributes
from annotations.formats.model.document import Document, Links, Mark, Place, text_order
from annotations.formats.model.format import File, write_each
from annotations.formats.model.links import marks_by_entity
from annotations.formats.syntax.tokens import Tokens, tokenize
from annotations.formats.syntax.units import Units
from annotations.formats.uima import layers
from annotations.formats.uima.names import LINK, MARKABLE, OTHER_RELATION, RELATION
from annotations.formats.uima.webanno.text import NO_VALUE, NONE, escape_text, escape_value, fill_gap


def write(documents: Sequence[Document]) -> list[File]:
    """Return a file for each document: chains if it has indices, and spans and relations for all other answers."""
    names = name_attributes(documents, layers.RESERVED, hyphen="_")
    return write_each(documents, ".tsv", lambda document: _format_document(document, names))


type _Column = dict[int, list[str]]


class _Columns:
    """The columns of annotations; a column has a list of annotations for each row.

    A row is a token, or white space after it on which a markable begins or ends, numbered as a part of it: 1-2.1.
    sentences: the rows of each, and the end of its last token. reach: the rows that each mark covers.
    """

    def __init__(self, document: Document, tokens: Tokens) -> None:
        self.names: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.sentences: list[tuple[range, int]] = []  # the rows of each, and the end of its last token
        self.reach: dict[Place, list[int]] = {}  # the rows that each mark covers
        self.header: list[str] = []
        self.columns: list[_Column] = []
        placed = [(mark.place, *_cover(mark, tokens)) for mark in document.marks]
        parts = defaultdict[int, set[tuple[int, int]]](set)
        for _, blanks, _ in placed:
            for token, blank in blanks:
                parts[token].add(blank)
        rows: dict[tuple[int, int, int], int] = {}
        spans = list(zip(tokens.starts, tokens.ends, strict=True))
        for number, sentence in enumerate(tokens.by_sentence(), start=1):
            begin = len(self.names)
            for place, token in enumerate(sentence, start=1):
                for part, span in enumerate([spans[token], *sorted(parts[token])]):
                    rows[token, *span] = len(self.names)
                    self.names.append(f"{number}-{place}.{part}" if part else f"{number}-{place}")
                    self.spans.append(span)
            self.sentences.append((range(begin, len(self.names)), tokens.ends[sentence[-1]]))
        for mark, blanks, run in placed:
            reach = [rows[token, *span] for token, span in [*blanks, *((token, spans[token]) for token in run)]]
            if reach:
                self.reach[mark] = sorted(reach)

    def layer(self, header: str, number: int) -> list[_Column]:
        self.header.append(header)
        columns: list[_Column] = [{} for _ in range(number)]
        self.columns += columns
        return columns


def _cover(mark: Mark, tokens: Tokens) -> tuple[list[tuple[int, tuple[int, int]]], range]:
    """Return the white space at the edges of a mark, each with the token before it, and the tokens of the mark."""
    start, end = mark.parts[0][0], mark.parts[-1][1]
    first, after = (bisect_left(tokens.starts, edge) for edge in (start, end))
    blanks = [(first - 1, (start, end))]
    if first < after:
        blanks = [(first - 1, (start, tokens.starts[first])), (after - 1, (tokens.ends[after - 1], end))]
    # White space before the first token has no row: a mark there begins with the token.
    return [(token, span) for token, span in blanks if token >= 0 and span[0] < span[1]], range(first, after)


def _format_document(document: Document, names: Mapping[str, str]) -> bytes:
    written = _Columns(document, tokenize(document))
    marks = [mark for mark in sorted(document.marks, key=text_order) if mark.place in written.reach]
    chains = marks_by_entity(marks) if document.links == Links.INDICES else {}
    spans = layers.choose_spans(marks, chains=bool(chains))
    if spans:
        _add_spans(written, spans, names)
    if chains:
        _add_chains(written, chains.values())
    for layer in (RELATION, OTHER_RELATION):
        _add_relations(written, spans, layer)
    lines = ["#FORMAT=WebAnno TSV 3.3", *written.header, ""]
    units = Units(document.content)
    following = [written.spans[rows[0]][0] for rows, _ in written.sentences[1:]]
    for (rows, last), after in zip_longest(written.sentences, following):
        lines += ["", *_text_lines(document.content, written.spans[rows[0]][0], last, after)]
        for row in rows:
            start, end = written.spans[row]
            form = document.content[start:end]
            # White space is escaped; words are not.
            cells = [written.names[row], f"{units.unit(start)}-{units.unit(end)}"]
            cells.append(escape_text(form) if form.isspace() else form)
            cells += ["|".join(column.get(row, [NONE])) for column in written.columns]
            lines.append("\t".join(cells) + "\t")
    return ("\n".join(lines) + "\n").encode()


def _text_lines(content: str, start: int, end: int, after: int | None) -> list[str]:
    """Return the text lines of a sentence, with the white space after it if readers would fill the gap differently."""
    gap = content[end:after]
    if after is None or gap != fill_gap(len(gap), inner=True):
        end = len(content) if after is None else after
    return [f"#Text={escape_text(line)}" for line in content[start:end].split("\n")]


def _add_spans(written: _Columns, marks: Sequence[Mark], names: Mapping[str, str]) -> None:
    values = [
        layers.markable_features(mark)
        | {names[key]: format_value(value) for key, value in (mark.answer.attributes if mark.answer else ())}
        for mark in marks
    ]
    features = {feature for row in values for feature in row}
    used = [feature for feature in (*layers.FEATURES, *names.values()) if feature in features] or [""]
    columns = written.layer(f"#T_SP={MARKABLE}|{'|'.join(used)}", len(used))
    for number, (mark, value) in enumerate(zip(marks, values, strict=True), start=1):
        for feature, column in zip(used, columns, strict=True):
            cell = f"{escape_value(value[feature]) if feature in value else NO_VALUE}[{number}]"
            for row in written.reach[mark.place]:
                column.setdefault(row, []).append(cell)


def _add_chains(written: _Columns, chains: Iterable[Sequence[Mark]]) -> None:
    kinds, links = written.layer(f"#T_CH={LINK}|referenceType|referenceRelation", 2)
    for chain, marks in enumerate(chains, start=1):
        for number, mark in enumerate(marks, start=1):
            category = mark.answer.category if mark.answer else ""
            for row in written.reach[mark.place]:
                kinds.setdefault(row, []).append(f"{escape_value(category) if category else NO_VALUE}[{chain}]")
                links.setdefault(row, []).append(f"{NO_VALUE}->{chain}-{number}")


def _add_relations(written: _Columns, marks: Sequence[Mark], layer: str) -> None:
    numbers = {mark.place: number for number, mark in enumerate(marks, start=1)}
    arcs = [
        (mark, arc) for mark in marks for arc in layers.find_arcs(mark) if arc.layer == layer and arc.target in numbers
    ]
    if not arcs:
        return
    features = ["type", *([layers.READING] if any(arc.reading for _, arc in arcs) else [])]
    *columns, sources = written.layer(f"#T_RL={layer}|{'|'.join(features)}|BT_{MARKABLE}", len(features) + 1)
    for mark, arc in arcs:
        row = written.reach[arc.target][0]
        for value, column in zip((arc.kind, arc.reading), columns, strict=False):
            column.setdefault(row, []).append(escape_value(value) if value else NO_VALUE)
        source = written.names[written.reach[mark.place][0]]
        sources.setdefault(row, []).append(f"{source}[{numbers[mark.place]}_{numbers[arc.target]}]")
