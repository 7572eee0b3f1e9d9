"""Write documents as texts with their annotations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotations.formats.brat import names
from annotations.formats.model.answers import format_value, name_attributes
from annotations.formats.model.document import Answer, Document, Links, Mark, Place, Readings, text_order
from annotations.formats.model.format import File, write_each
from annotations.formats.model.links import marks_by_entity, number_targets
from annotations.formats.model.scheme import AnswerKind

BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
SPACE = re.compile(r"\s+")


def write(documents: Sequence[Document]) -> list[File]:
    """Return a text and an annotation file for each document, and one configuration file for brat."""
    attribute_names = name_attributes(documents, names.RESERVED)

    def format_annotations(document: Document) -> bytes:
        return "".join(f"{line}\n" for line in _annotation_lines(document, attribute_names)).encode()

    texts = write_each(documents, names.TEXT_SUFFIX, lambda document: _format_text(document).encode())
    annotations = write_each(documents, names.SUFFIX, format_annotations)
    files = [file for pair in zip(texts, annotations, strict=True) for file in pair]
    return [*files, File(names.CONFIGURATION, _configuration(documents, attribute_names).encode())] if files else []


def _format_text(document: Document) -> str:
    """Return the text; a text that begins with a byte order mark gets a second one, as readers drop the first."""
    return "\ufeff" * document.content.startswith("\ufeff") + document.content


def _annotation_lines(document: Document, attribute_names: Mapping[str, str]) -> Iterator[str]:
    marks = sorted(document.marks, key=text_order)
    ids = {mark.place: f"T{number}" for number, mark in enumerate(marks, start=1)}
    before = len(_format_text(document)) - len(document.content)
    for mark in marks:
        spans = [span for part in mark.parts for span in _split_at_line_ends(part, document.content)]
        words = BREAK.sub(" ", " ".join(document.content[start:end] for start, end in spans))
        yield f"{ids[mark.place]}\t{mark.level or names.MENTION} {_format_offsets(spans, before)}\t{words}"
    relations = [line for mark in marks for line in _format_relations(mark, ids)]
    yield from (f"R{number}\t{line}" for number, (line, _) in enumerate(relations, start=1))
    for members in marks_by_entity(marks).values():
        yield f"*\t{names.COREFERENCE} {' '.join(ids[mark.place] for mark in members)}"
    answers = [
        (f"{attribute_names[key]} {ids[place]}", word, note) for place, key, word, note in _words(document, marks)
    ]
    attributes = [
        *(line for mark in marks for line in _format_attributes(mark, ids[mark.place], document.links)),
        *(f"{about} {word}" for about, word, is_note in answers if not is_note),
        *(f"{names.READING} R{number} {reading}" for number, (_, reading) in enumerate(relations, start=1) if reading),
    ]
    yield from (f"A{number}\t{line}" for number, line in enumerate(attributes, start=1))
    notes = [
        *(line for mark in marks for line in _format_notes(mark, ids[mark.place], before)),
        *(f"{about}\t{line}" for about, line, is_note in answers if is_note),
    ]
    yield from (f"#{number}\t{line}" for number, line in enumerate(notes, start=1))


def _split_at_line_ends(part: tuple[int, int], content: str) -> Iterator[tuple[int, int]]:
    """Yield the fragments of a part, which brat splits at line ends, without the white space around these."""
    start, end = part
    for space in SPACE.finditer(content, *part):
        if part[0] < space.start() and space.end() < end and names.LINE_END.search(space.group()):
            yield start, space.start()
            start = space.end()
    yield start, end


def _format_offsets(spans: Iterable[tuple[int, int]], before: int) -> str:
    return ";".join(f"{start + before} {end + before}" for start, end in spans)


def _format_relations(mark: Mark, ids: Mapping[Place, str]) -> Iterator[tuple[str, int]]:
    """Yield each R line of a mark with its reading number from 1, or 0 if each target is a reading."""
    answer = mark.answer or Answer()
    relations: list[tuple[str, Readings]] = [(names.ANTECEDENT, answer.all_readings)]
    relations += [(f"{names.RELATION}{key}", readings) for key, readings in answer.relations]
    for name, readings in relations:
        for number, target in number_targets(readings):
            yield f"{name} Arg1:{ids[mark.place]} Arg2:{ids[target]}", number


def _words(document: Document, marks: Iterable[Mark]) -> Iterator[tuple[Place, str, str, bool]]:
    """Yield each value with its markable, its attribute, and whether it is a line of a note, as texts are."""
    attributes = document.scheme.attributes if document.scheme else ()
    texts = {attribute.key for attribute in attributes if attribute.kind == AnswerKind.TEXT}
    for mark in marks:
        for key, value in mark.answer.attributes if mark.answer else ():
            is_text = isinstance(value, str) and (key in texts or SPACE.search(value) is not None)
            words = names.LINE_END.split(format_value(value)) if is_text else value
            for word in words if isinstance(words, (tuple, list)) else (format_value(words),):
                yield mark.place, key, word, is_text


def _format_attributes(mark: Mark, key: str, links: Links) -> Iterator[str]:
    answer = mark.answer
    if answer is None:
        yield f"Uncoded {key}"
        return
    if answer.category:
        yield f"{names.CATEGORY} {key} {answer.category}"
    is_unlinked = links == Links.INDICES and not answer.indices
    flags = {"Unlinked": is_unlinked, "Optional": answer.optional, "Unsure": answer.unsure}
    yield from (f"{flag} {key}" for flag, is_set in flags.items() if is_set)


def _format_notes(mark: Mark, key: str, before: int) -> Iterator[str]:
    answer = mark.answer or Answer()
    if answer.note:
        yield from (f"{names.NOTE} {key}\t{line}" for line in names.LINE_END.split(answer.note))
    if answer.name:
        yield f"{names.CHAIN_NAME} {key}\t{names.LINE_END.sub(' ', answer.name)}"
    if mark.label:
        yield f"{names.LABEL} {key}\t{names.LINE_END.sub(' ', mark.label)}"
    if mark.head:
        yield f"{names.LEAST} {key}\t{_format_offsets(mark.head, before)}"


def _configuration(documents: Sequence[Document], attribute_names: Mapping[str, str]) -> str:
    levels, categories, keys, most = set[str](), set[str](), set[str](), 0
    for document in documents:
        for mark in document.marks:
            levels.add(mark.level or names.MENTION)
            if mark.answer:
                categories.add(mark.answer.category)
                keys.update(key for key, _ in mark.answer.relations)
                for readings in (mark.answer.readings, *(readings for _, readings in mark.answer.relations)):
                    most = max(most, *(number for number, _ in number_targets(readings)), 0)
    types, named = sorted(levels) or [names.MENTION], sorted(categories - {""})
    attributes = [f"{names.CATEGORY}\tArg:<ENTITY>, Value:{'|'.join(named)}"] if named else []
    attributes += [f"{flag}\tArg:<ENTITY>" for flag in names.FLAGS]
    attributes += _value_configuration(documents, attribute_names)
    relations = [
        f"{names.ANTECEDENT}\tArg1:<ENTITY>, Arg2:<ENTITY>",
        f"{names.COREFERENCE}\tArg1:<ENTITY>, Arg2:<ENTITY>, <REL-TYPE>:symmetric-transitive",
    ]
    relations += [f"{names.RELATION}{key}\tArg1:<ENTITY>, Arg2:<ENTITY>" for key in sorted(keys)]
    attributes += [f"{names.READING}\tArg:<RELATION>, Value:{'|'.join(map(str, range(1, most + 1)))}"] if most else []
    sections = {"entities": types, "relations": relations, "events": [], "attributes": attributes}
    return "\n".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())


def _value_configuration(documents: Sequence[Document], attribute_names: Mapping[str, str]) -> list[str]:
    """Return the configuration lines of attributes with their used values; texts are notes and need no line."""
    values: dict[str, set[str]] = {}
    for document in documents:
        for _, key, word, is_note in _words(document, document.marks):
            if not is_note:
                values.setdefault(key, set()).add(word)
    return [f"{attribute_names[key]}\tArg:<ENTITY>, Value:{'|'.join(sorted(values[key]))}" for key in sorted(values)]
