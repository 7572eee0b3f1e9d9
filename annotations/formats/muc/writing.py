"""Documents -> files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.document import Answer, Document, Mark, Place, Stretch, in_text_order
from annotations.formats.format import File, one_each
from annotations.formats.muc.least import found_spans, least_words
from annotations.formats.muc.zones import HEADERS, WRITTEN_AS, Span, coded_in, inside
from annotations.formats.sgml import escaped, opening

REST_OF_LINE = re.compile(r"[^\S\r\n]*+(?:\r\n?|\n)")


def write(documents: Sequence[Document]) -> list[File]:
    """A file for each document; it has a TXT, and the zones of a MUC header, where all markables are within these."""
    return one_each(documents, ".sgm", lambda document: _written(document).encode())


@dataclass(frozen=True, slots=True)
class _Element:
    """What is written around a stretch of the text. rank: of two around the same words the lower is outside."""

    start: int
    end: int
    rank: int
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)


def _written(document: Document) -> str:
    zones = _zones(document)
    elements = [*zones, *_segments(document, zones), *_corefs(document)]
    elements.sort(key=lambda element: (element.start, -element.end, element.rank))
    tags: list[tuple[int, int, int, str]] = []
    for number, element in enumerate(elements):
        # In one place tags are closed before others open, the last that was opened first.
        tags.append((element.end, 0, -number, f"</{element.name}>"))
        tags.append((element.start, 1, number, opening(element.name, element.attributes)))
    pieces, position = ["<DOC>"], 0
    for at, _, _, tag in sorted(tags):
        pieces += [escaped(document.content[position:at]), tag]
        position = at
    return "".join((*pieces, escaped(document.content[position:]), "</DOC>\n"))


def _zones(document: Document) -> list[_Element]:
    """The zones that can be written as such: all else stands wholly inside each or wholly outside."""
    headers = [segment for segment in document.segments if segment.kind == "header"]
    marks = [(mark.parts[0][0], mark.parts[-1][1]) for mark in document.marks]
    others = [*marks, *((segment.start, segment.end) for segment in document.segments)]

    def crossed(zone: _Element) -> bool:
        return any(
            start < zone.end and zone.start < end and not (zone.start <= start and end <= zone.end)
            for start, end in others
        )

    named = [_Element(header.start, header.end, 1, header.label) for header in headers if header.label in HEADERS]
    named = [zone for zone in named if not crossed(zone)]
    body = _body(headers, document.content)
    with_body = sorted([*named, body], key=lambda zone: zone.start)
    coded = coded_in([(zone.name, zone.start, zone.end) for zone in with_body], document.content)
    has_words = bool(document.content[body.start : body.end].strip())
    if has_words and not crossed(body) and all(inside(start, end, coded) for start, end in marks):
        return with_body
    return named


def _body(headers: Sequence[Stretch], content: str) -> _Element:
    """TXT around the most that stands before, between or after headers."""
    spans = sorted((header.start, header.end) for header in headers)
    edges = [0, *(edge for span in spans for edge in span), len(content)]
    start, end = max(zip(edges[::2], edges[1::2], strict=True), key=lambda gap: gap[1] - gap[0])
    rest = REST_OF_LINE.match(content, start, end) if start else None
    return _Element(rest.end() if rest else start, end, 0, "TXT")


def _segments(document: Document, zones: Sequence[_Element]) -> Iterator[_Element]:
    """The segments that are no zones."""
    written = {(zone.name, zone.start, zone.end) for zone in zones}
    ranks = list(WRITTEN_AS)
    for segment in document.segments:
        if (segment.label, segment.start, segment.end) in written and segment.kind == "header":
            continue
        attributes = {"LABEL": segment.label} if segment.label else {}
        yield _Element(segment.start, segment.end, 2 + ranks.index(segment.kind), WRITTEN_AS[segment.kind], attributes)


def _corefs(document: Document) -> Iterator[_Element]:
    ids = _ids(document.marks)
    for mark in document.marks:
        answer = mark.answer or Answer()
        [(start, end)] = mark.parts
        attributes = {"ID": ids[mark.place]}
        for target in answer.pointers:
            attributes |= {"TYPE": "IDENT", "REF": ids[target]}
        if mark.head and start <= mark.head[0][0] and mark.head[-1][1] <= end:
            attributes |= _min([(one - start, other - start) for one, other in mark.head], document.content[start:end])
        if answer.optional:
            attributes["STATUS"] = "OPT"
        yield _Element(start, end, 9, "COREF", attributes)


def _min(spans: Sequence[Span], words: str) -> dict[str, str]:
    least = least_words(spans, words)
    if found_spans(least, words)[0] == list(spans):
        return {"MIN": least}
    return {"MIN": least, "MINSPAN": ",".join(f"{start}-{end}" for start, end in spans)}


def _ids(marks: Sequence[Mark]) -> dict[Place, str]:
    """The labels, each once; the others are counted."""
    labels = {mark.label for mark in marks}
    spare = iter(range(len(marks) + 1, 3 * len(marks) + 1))
    ids: dict[Place, str] = {}
    used: set[str] = set()
    for number, mark in enumerate(sorted(marks, key=in_text_order), start=1):
        name = mark.label if mark.label and mark.label not in used else str(number)
        while name != mark.label and name in labels:
            name = str(next(spare))
        used.add(name)
        ids[mark.place] = name
    return ids
