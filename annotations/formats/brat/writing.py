"""Documents -> texts with their annotations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotations.formats.brat.names import (
    ANTECEDENT,
    CATEGORY,
    CHAIN_NAME,
    CONFIGURATION,
    COREFERENCE,
    FLAGS,
    LABEL,
    LEAST,
    LINE_END,
    MENTION,
    NOTE,
    SUFFIX,
    TEXT_SUFFIX,
)
from annotations.formats.model.document import Answer, Document, Links, Mark, Place, text_order
from annotations.formats.model.format import File

BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
SPACE = re.compile(r"\s+")


def write(documents: Sequence[Document]) -> list[File]:
    """Return a text and its annotations for each document, and the configuration with which brat shows them."""
    files = []
    for document in documents:
        files.append(File(f"{document.name}{TEXT_SUFFIX}", _format_text(document).encode()))
        files.append(
            File(f"{document.name}{SUFFIX}", "".join(f"{line}\n" for line in _annotation_lines(document)).encode())
        )
    return [*files, File(CONFIGURATION, _configuration(documents).encode())] if files else []


def _format_text(document: Document) -> str:
    """Return the text; one that begins with a byte order mark of its own gets another before it."""
    return "\ufeff" * document.content.startswith("\ufeff") + document.content


def _annotation_lines(document: Document) -> Iterator[str]:
    marks = sorted(document.marks, key=text_order)
    ids = {mark.place: f"T{number}" for number, mark in enumerate(marks, start=1)}
    before = len(_format_text(document)) - len(document.content)
    for mark in marks:
        spans = [span for part in mark.parts for span in _split_at_line_ends(part, document.content)]
        words = BREAK.sub(" ", " ".join(document.content[start:end] for start, end in spans))
        yield f"{ids[mark.place]}\t{mark.level or MENTION} {_format_offsets(spans, before)}\t{words}"
    yield from _link_lines(marks, ids)
    attributes = (line for mark in marks for line in _format_attributes(mark, ids[mark.place], document.links))
    yield from (f"A{number}\t{line}" for number, line in enumerate(attributes, start=1))
    notes = (line for mark in marks for line in _format_notes(mark, ids[mark.place], before))
    yield from (f"#{number}\t{line}" for number, line in enumerate(notes, start=1))


def _split_at_line_ends(part: tuple[int, int], content: str) -> Iterator[tuple[int, int]]:
    """Yield the part cut at line ends as brat cuts it, without the white space around them."""
    start, end = part
    for space in SPACE.finditer(content, *part):
        if part[0] < space.start() and space.end() < end and LINE_END.search(space.group()):
            yield start, space.start()
            start = space.end()
    yield start, end


def _format_offsets(spans: Iterable[tuple[int, int]], before: int) -> str:
    return ";".join(f"{start + before} {end + before}" for start, end in spans)


def _link_lines(marks: Sequence[Mark], ids: Mapping[Place, str]) -> Iterator[str]:
    entities: dict[str, list[str]] = {}
    pointers = 0
    for mark in marks:
        answer = mark.answer or Answer()
        for index in answer.indices:
            entities.setdefault(index, []).append(ids[mark.place])
        for target in answer.pointers:
            pointers += 1
            yield f"R{pointers}\t{ANTECEDENT} Arg1:{ids[mark.place]} Arg2:{ids[target]}"
    for members in entities.values():
        yield f"*\t{COREFERENCE} {' '.join(members)}"


def _format_attributes(mark: Mark, key: str, links: Links) -> Iterator[str]:
    answer = mark.answer
    if answer is None:
        yield f"Uncoded {key}"
        return
    if answer.category:
        yield f"{CATEGORY} {key} {answer.category}"
    if links == Links.INDICES and not answer.indices:
        yield f"Unlinked {key}"
    if answer.optional:
        yield f"Optional {key}"
    if answer.unsure:
        yield f"Unsure {key}"


def _format_notes(mark: Mark, key: str, before: int) -> Iterator[str]:
    answer = mark.answer or Answer()
    if answer.note:
        yield from (f"{NOTE} {key}\t{line}" for line in LINE_END.split(answer.note))
    if answer.name:
        yield f"{CHAIN_NAME} {key}\t{LINE_END.sub(' ', answer.name)}"
    if mark.label:
        yield f"{LABEL} {key}\t{LINE_END.sub(' ', mark.label)}"
    if mark.head:
        yield f"{LEAST} {key}\t{_format_offsets(mark.head, before)}"


def _configuration(documents: Sequence[Document]) -> str:
    marks = [mark for document in documents for mark in document.marks]
    types = sorted({mark.level or MENTION for mark in marks}) or [MENTION]
    categories = sorted({mark.answer.category for mark in marks if mark.answer and mark.answer.category})
    attributes = [f"{CATEGORY}\tArg:<ENTITY>, Value:{'|'.join(categories)}"] if categories else []
    attributes += [f"{flag}\tArg:<ENTITY>" for flag in FLAGS]
    relations = [
        f"{ANTECEDENT}\tArg1:<ENTITY>, Arg2:<ENTITY>",
        f"{COREFERENCE}\tArg1:<ENTITY>, Arg2:<ENTITY>, <REL-TYPE>:symmetric-transitive",
    ]
    sections = {"entities": types, "relations": relations, "events": [], "attributes": attributes}
    return "\n".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())
