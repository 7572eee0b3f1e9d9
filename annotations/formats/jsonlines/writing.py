"""Writing JSON lines."""

import io
import json
from collections.abc import Iterator, Mapping, Sequence

from annotations.formats.jsonlines.dialects import CHARACTERS, EXCLUSIVE, INCLUSIVE
from annotations.formats.model.document import Answer, Document, Mark, Place, text_order
from annotations.formats.model.format import File
from annotations.formats.model.links import SPLIT, number_targets
from annotations.formats.syntax.tokens import tokenize

PATH = "documents.jsonlines"
# Some programs split lines at these characters, which JSON need not escape.
LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})


def write(documents: Sequence[Document], offsets: str = INCLUSIVE) -> list[File]:
    """Return one file with a line for each document."""
    lines = io.BytesIO()
    lines.writelines(_format_document(document, offsets).encode() for document in documents)
    return [File(PATH, lines.getvalue())]


def _format_document(document: Document, offsets: str) -> str:
    tokens = tokenize(document)
    marks = sorted(document.marks, key=text_order)
    mentions: list[list[int]] = []
    clusters: dict[str, list[list[int]]] = {}
    for mark in marks:
        [(first, last)], [part] = tokens.find_runs(mark.parts), mark.parts
        mentions.append(list(part) if offsets == CHARACTERS else [first, last + (offsets == EXCLUSIVE)])
        for index in mark.answer.indices if mark.answer else ():
            clusters.setdefault(index, []).append(mentions[-1])
    speakers = {segment.start: segment.speaker for segment in document.segments if segment.kind == "sentence"}
    sentences = tokens.by_sentence()
    record = {
        "doc_key": document.name,
        "sentences": [tokens.words[words.start : words.stop] for words in sentences],
        "speakers": [[speakers.get(tokens.starts[words[0]]) or "-"] * len(words) for words in sentences],
        "clusters": list(clusters.values()),
        "text": document.content,
        **_further_fields(marks, mentions),
    }
    # A mention of one word already shows that the last word is included.
    if mentions and not (offsets == INCLUSIVE and any(first == last for first, last in mentions)):
        record["offsets"] = offsets
    return json.dumps(record, ensure_ascii=False).translate(LINE_ENDS) + "\n"


def _further_fields(marks: Sequence[Mark], mentions: Sequence[list[int]]) -> dict[str, object]:
    """Return the fields for what clusters cannot express; empty if clusters express everything."""
    answers = [mark.answer for mark in marks]
    if all(answer and answer.indices and not answer.attributes and not answer.relations for answer in answers):
        return {}
    numbers = {mark.place: number for number, mark in enumerate(marks)}
    fields: dict[str, object] = {
        "mentions": mentions,
        "attributes": [None if answer is None else dict(answer.attributes) for answer in answers],
        "relations": [list(row) for mark in marks for row in _relation_rows(mark, numbers)],
    }
    plurals = [
        [numbers[mark.place], numbers[target]]
        for mark in marks
        if mark.answer
        for name, readings in mark.answer.relations
        if _is_plural(mark.answer, name)
        for target in readings[0]
    ]
    return {**fields, "plurals": plurals} if plurals else fields


def _is_plural(answer: Answer, name: str) -> bool:
    """Return whether `plurals` can hold a relation: the split relation of a linked mark, with one reading."""
    return name == SPLIT and bool(answer.indices) and len(dict(answer.relations)[SPLIT]) == 1


def _relation_rows(mark: Mark, numbers: Mapping[Place, int]) -> Iterator[tuple[int | str, ...]]:
    """Yield the relations from a mark that `plurals` cannot hold."""
    answer = mark.answer or Answer()
    for name, readings in answer.relations:
        if not _is_plural(answer, name):
            for reading, target in number_targets(readings):
                yield numbers[mark.place], numbers[target], name, *((reading,) if reading else ())
