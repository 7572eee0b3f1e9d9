"""Write documents as files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from annotations.formats.model.document import Answer, Document, Mark, Place, Stretch, text_order
from annotations.formats.model.format import File, write_each
from annotations.formats.model.spans import lie_in
from annotations.formats.muc.reading import HEADERS, SEGMENT_TAGS, coded_spans, find_spans, least_words
from annotations.formats.syntax.sgml import opening_tag

REST_OF_LINE = re.compile(r"[^\S\r\n]*+(?:\r\n?|\n)")


def write(documents: Sequence[Document]) -> list[File]:
    """Return a file for each document, with header zones, and with TXT if all markables are in coded zones."""
    return write_each(documents, ".sgm", lambda document: _format_document(document).encode())


@dataclass(frozen=True, slots=True)
class _Element:
    """An element around a stretch of the text. rank: the lower of two around the same words is outside."""

    start: int
    end: int
    rank: int
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)


def _format_document(document: Document) -> str:
    zones = _zone_elements(document)
    elements = [*zones, *_segment_elements(document, zones), *_coref_elements(document)]
    elements.sort(key=lambda element: (element.start, -element.end, element.rank))
    tags: list[tuple[int, int, int, str]] = []
    for number, element in enumerate(elements):
        # At one position tags close before others open, innermost first.
        tags.append((element.end, 0, -number, f"</{element.name}>"))
        tags.append((element.start, 1, number, opening_tag(element.name, element.attributes)))
    pieces, position = ["<DOC>"], 0
    for at, _, _, tag in sorted(tags):
        pieces += [escape(document.content[position:at], quote=False), tag]
        position = at
    return "".join((*pieces, escape(document.content[position:], quote=False), "</DOC>\n"))


def _zone_elements(document: Document) -> list[_Element]:
    """Return the zones that can be written as tags, because no markable or segment crosses their edges."""
    headers = [segment for segment in document.segments if segment.kind == "header"]
    marks = [(mark.parts[0][0], mark.parts[-1][1]) for mark in document.marks]
    others = [*marks, *((segment.start, segment.end) for segment in document.segments)]

    def crossed(zone: _Element) -> bool:
        return any(
            start < zone.end and zone.start < end and not (zone.start <= start and end <= zone.end)
            for start, end in others
        )

    zones = (_Element(header.start, header.end, 1, header.label) for header in headers if header.label in HEADERS)
    header_zones = [zone for zone in zones if not crossed(zone)]
    body = _body_element(headers, document.content)
    with_body = sorted([*header_zones, body], key=lambda zone: zone.start)
    coded = coded_spans([(zone.name, zone.start, zone.end) for zone in with_body], document.content)
    if document.content[body.start : body.end].strip() and not crossed(body) and lie_in(marks, coded):
        return with_body
    return header_zones


def _body_element(headers: Sequence[Stretch], content: str) -> _Element:
    """Return TXT around the longest stretch before, between or after headers."""
    spans = sorted((header.start, header.end) for header in headers)
    edges = [0, *(edge for span in spans for edge in span), len(content)]
    start, end = max(zip(edges[::2], edges[1::2], strict=True), key=lambda gap: gap[1] - gap[0])
    rest = REST_OF_LINE.match(content, start, end) if start else None
    return _Element(rest.end() if rest else start, end, 0, "TXT")


def _segment_elements(document: Document, zones: Sequence[_Element]) -> Iterator[_Element]:
    written = {(zone.name, zone.start, zone.end) for zone in zones}
    ranks = list(SEGMENT_TAGS)
    for segment in document.segments:
        if (segment.label, segment.start, segment.end) in written and segment.kind == "header":
            continue
        rank, tag = 2 + ranks.index(segment.kind), SEGMENT_TAGS[segment.kind]
        yield _Element(segment.start, segment.end, rank, tag, {"LABEL": segment.label} if segment.label else {})


def _coref_elements(document: Document) -> Iterator[_Element]:
    ids = _assign_ids(document.marks)
    for mark in document.marks:
        answer = mark.answer or Answer()
        [(start, end)] = mark.parts
        attributes = {"ID": ids[mark.place]}
        for target in answer.pointers:
            attributes |= {"TYPE": "IDENT", "REF": ids[target]}
        if mark.head and start <= mark.head[0][0] and mark.head[-1][1] <= end:
            spans, words = [(first - start, last - start) for first, last in mark.head], document.content[start:end]
            attributes["MIN"] = least_words(spans, words)
            if find_spans(attributes["MIN"], words)[0] != spans:
                attributes["MINSPAN"] = ",".join(f"{first}-{last}" for first, last in spans)
        if answer.optional:
            attributes["STATUS"] = "OPT"
        yield _Element(start, end, 9, "COREF", attributes)


def _assign_ids(marks: Sequence[Mark]) -> dict[Place, str]:
    """Return an id for each mark: its label, or a number if the label is empty or taken."""
    labels = {mark.label for mark in marks}
    spare = iter(range(len(marks) + 1, 3 * len(marks) + 1))
    ids: dict[Place, str] = {}
    used: set[str] = set()
    for number, mark in enumerate(sorted(marks, key=text_order), start=1):
        name = mark.label if mark.label and mark.label not in used else str(number)
        while name != mark.label and name in labels:
            name = str(next(spare))
        used.add(name)
        ids[mark.place] = name
    return ids
