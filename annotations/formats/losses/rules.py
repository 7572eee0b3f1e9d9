"""For each feature the rule that takes it out: the document without it, and where that changed something."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from annotations.formats.document import Answer, Document, Links, Mark, Parts, Place, Stretch, in_text_order
from annotations.formats.features import Feature, shown
from annotations.formats.links import by_indices, by_pointers, chains, moved, without
from annotations.formats.tokens import all_on_white_space, on_white_space, parts_of, respaced, with_sentences

# XML 1.0 has no way to write these.
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# The document without the feature, and the marks, segments or words in which that changed something.
type Reduced = tuple[Document, Sequence[str]]
type Rule = Callable[[Document], Reduced]


def _each(has: Callable[[Mark], object], change: Callable[[Mark], Mark]) -> Rule:
    """A rule that changes the marks that have something, none of them in its place."""

    def reduce(document: Document) -> Reduced:
        lost = [shown(document, mark) for mark in filter(has, document.marks)]
        if not lost:
            return document, lost
        return replace(document, marks=[change(mark) if has(mark) else mark for mark in document.marks]), lost

    return reduce


def _answers(has: Callable[[Answer], object], change: Callable[[Answer], Answer]) -> Rule:
    return _each(
        lambda mark: mark.answer is not None and has(mark.answer),
        lambda mark: mark.answered(change(mark.answer)) if mark.answer else mark,
    )


def _answered(document: Document, change: Callable[[Answer], Answer]) -> Document:
    """The document with other answers; one that is the same object for several marks is changed once."""
    changed: dict[int, Answer] = {}
    marks = []
    for mark in document.marks:
        answer = mark.answer
        if answer is not None:
            other = changed.get(id(answer))
            if other is None:
                other = changed[id(answer)] = change(answer)
            if other is not answer:
                mark = mark.answered(other)
        marks.append(mark)
    return replace(document, marks=marks)


def _leaving_out(chosen: Callable[[Document], Iterable[Mark]]) -> Rule:
    """A rule that leaves marks out."""

    def reduce(document: Document) -> Reduced:
        gone = list(chosen(document))
        return without(document, {mark.place for mark in gone}), [shown(document, mark) for mark in gone]

    return reduce


def _levels(document: Document) -> Reduced:
    main = document.scheme.main_level if document.scheme else ""
    others = {mark.place for mark in document.marks if mark.level not in ("", main)}
    lost = [shown(document, mark) for mark in document.marks if mark.place in others] if others else []
    marks = []
    for mark in without(document, others).marks:
        answer = mark.answer
        if answer and answer.pointers:
            pointers = tuple(Place("", target.parts) for target in answer.pointers)
            answer = answer.said(answer.category, pointers, answer.indices)
        marks.append(Mark(mark.parts, "", mark.label, mark.head, answer, mark.line))
    return replace(document, marks=marks), lost


def _pointers(document: Document) -> Reduced:
    """By indices; lost is each pointer that does not go to the nearest earlier mark of its chain."""
    if document.links != Links.POINTERS:
        return document, []
    before = {
        mark.place: (chain[number - 1].place,) if number else ()
        for chain in chains(document.marks)
        for number, mark in enumerate(chain)
    }
    lost = [
        shown(document, mark)
        for mark in document.marks
        if mark.answer and mark.answer.pointers and mark.answer.pointers != before.get(mark.place, ())
    ]
    return by_indices(document), lost


def _indices(document: Document) -> Reduced:
    lost = [shown(document, mark) for mark in document.marks if mark.answer and len(mark.answer.indices) > 1]
    return by_pointers(document), lost


def _ambiguity(document: Document) -> Reduced:
    if document.links != Links.POINTERS:
        return document, []
    order = {mark.place: in_text_order(mark) for mark in document.marks}

    def nearest(mark: Mark) -> Mark:
        if mark.answer is None or len(mark.answer.pointers) < 2:
            return mark
        targets = mark.answer.pointers
        earlier = [target for target in targets if order[target] < order[mark.place]]
        kept = max(earlier, key=order.__getitem__) if earlier else min(targets, key=order.__getitem__)
        return replace(mark, answer=replace(mark.answer, pointers=(kept,)))

    return _each(lambda mark: mark.answer is not None and len(mark.answer.pointers) > 1, nearest)(document)


def _later(document: Document) -> Reduced:
    if document.links != Links.POINTERS:
        return document, []
    order = {mark.place: in_text_order(mark) for mark in document.marks}

    def points_later(mark: Mark) -> bool:
        return mark.answer is not None and any(order[target] > order[mark.place] for target in mark.answer.pointers)

    def earlier(mark: Mark) -> Mark:
        assert mark.answer is not None
        kept = tuple(target for target in mark.answer.pointers if order[target] < order[mark.place])
        return replace(mark, answer=replace(mark.answer, pointers=kept))

    return _each(points_later, earlier)(document)


def _entity_names(document: Document) -> Reduced:
    if document.links != Links.INDICES:
        return document, []
    names: dict[str, str] = {}
    for mark in sorted(document.marks, key=in_text_order):
        for index in mark.answer.indices if mark.answer else ():
            if index not in names:
                names[index] = str(len(names) + 1)
    if all(index == name for index, name in names.items()):
        return document, []

    def renamed(answer: Answer) -> Answer:
        return answer.said(answer.category, answer.pointers, tuple([names[index] for index in answer.indices]))

    return _answered(document, renamed), [index for index in names if not index.isdecimal()]


def _categories(chosen: Callable[[Answer], object]) -> Rule:
    """A rule that takes the categories out of some answers; lost are those that do not follow from the links."""

    def taken(answer: Answer) -> Answer:
        return answer.said("", answer.pointers, answer.indices) if answer.category and chosen(answer) else answer

    def reduce(document: Document) -> Reduced:
        answers = [(mark, mark.answer) for mark in document.marks if mark.answer and mark.answer.category]
        if not answers:
            return document, []
        scheme = document.scheme
        lost = [
            shown(document, mark)
            for mark, answer in answers
            if chosen(answer) and (scheme is None or scheme.implied(answer) != answer.category)
        ]
        return _answered(document, taken), lost

    return reduce


def _linked(answer: Answer) -> bool:
    return bool(answer.pointers or answer.indices)


def _unlinked(document: Document) -> Iterable[Mark]:
    pointed = {target for mark in document.marks if mark.answer for target in mark.answer.pointers}
    for mark in document.marks:
        linked = mark.answer and (mark.answer.indices or mark.answer.pointers)
        if mark.answer is not None and not linked and mark.place not in pointed:
            yield mark


def _uncoded(document: Document) -> Iterable[Mark]:
    uncoded = [mark for mark in document.marks if mark.answer is None]
    if not uncoded:
        return []
    pointed = {target for mark in document.marks if mark.answer for target in mark.answer.pointers}
    return [mark for mark in uncoded if mark.place not in pointed]


def _discontinuous(document: Document) -> Reduced:
    gaps = {
        mark.place: replace(mark, parts=((mark.parts[0][0], mark.parts[-1][1]),))
        for mark in document.marks
        if len(mark.parts) > 1
    }
    lost = [shown(document, mark) for mark in document.marks if len(mark.parts) > 1]
    return moved(document, gaps), lost


def _edges(document: Document) -> Reduced:
    """Trimmed; a markable of white space alone is left out."""
    content = document.content
    if not all_on_white_space(content, parts_of(document.marks)):
        return document, []

    def trimmed(parts: Parts) -> Parts:
        found = []
        for start, end in parts:
            words = content[start:end]
            left = len(words) - len(words.lstrip())
            if left < len(words):
                found.append((start + left, start + len(words.rstrip())))
        return tuple(found)

    changed = {}
    for mark in document.marks:
        if on_white_space(content, mark.parts) or (mark.head and on_white_space(content, mark.head)):
            parts = trimmed(mark.parts)
            changed[mark.place] = Mark(parts, mark.level, mark.label, trimmed(mark.head), mark.answer, mark.line)
    lost = [shown(document, mark) for mark in document.marks if mark.place in changed]
    gone = {place for place, mark in changed.items() if not mark.parts}
    return moved(without(document, gone), {place: mark for place, mark in changed.items() if mark.parts}), lost


def _crosses(one: Mark, other: Mark) -> bool:
    """Whether the earlier mark ends inside the later one."""
    return one.parts[0][0] < other.parts[0][0] < one.parts[-1][1] < other.parts[-1][1]


def _crossing(document: Document) -> Iterable[Mark]:
    return _crossing_among(document.marks)


def _crossing_among(marks: Sequence[Mark]) -> list[Mark]:
    """The marks that cross one before them that stays."""
    gone, around = [], list[Mark]()
    for mark in sorted(marks, key=in_text_order):
        while around and around[-1].parts[-1][1] <= mark.parts[0][0]:
            around.pop()
        if around and _crosses(around[-1], mark):
            gone.append(mark)
        else:
            around.append(mark)
    return gone


def _crossing_in_chain(document: Document) -> Reduced:
    """A mark that crosses one of the same entity leaves that entity; what then has none is left out."""
    if not _crossing_among(document.marks):
        return document, []
    entities: dict[str, list[Mark]] = {}
    for mark in document.marks:
        for index in mark.answer.indices if mark.answer else ():
            entities.setdefault(index, []).append(mark)
    leaves: dict[Place, set[str]] = {}
    for index, members in entities.items():
        for mark in _crossing_among(members):
            leaves.setdefault(mark.place, set()).add(index)
    if not leaves:
        return document, []
    marks = []
    for mark in document.marks:
        if mark.answer and mark.place in leaves:
            kept = tuple(index for index in mark.answer.indices if index not in leaves[mark.place])
            if not kept:
                continue
            mark = replace(mark, answer=replace(mark.answer, indices=kept))
        marks.append(mark)
    lost = [shown(document, mark) for mark in document.marks if mark.place in leaves]
    return replace(document, marks=marks), lost


def _antecedents(document: Document) -> Reduced:
    """What points points to the nearest earlier mark of its chain that is not optional, else the nearest earlier one.

    The first of a chain, if it points, points to the one that does not, so that the chain stays. What still has no
    answer is pointed at: it goes together with something, as in `by_indices`.
    """
    if document.links != Links.POINTERS:
        return document, []
    to: dict[Place, tuple[Place, ...]] = {}
    for chain in chains(_ambiguity(document)[0].marks):
        nearest = next((mark.place for mark in chain if not (mark.answer and mark.answer.pointers)), None)
        required = None
        for mark in chain:
            target = required or nearest
            if mark.answer and mark.answer.pointers and target:
                to[mark.place] = (target,)
            nearest = mark.place
            required = required if mark.answer and mark.answer.optional else mark.place
    marks, lost = [], []
    for mark in document.marks:
        answer = mark.answer or Answer()
        pointers = to.get(mark.place, answer.pointers)
        if pointers != answer.pointers:
            lost.append(shown(document, mark))
        marks.append(mark.answered(answer.said(answer.category, pointers, ())))
    return replace(document, marks=marks), lost


def _segments(chosen: Callable[[Stretch], bool]) -> Rule:
    def reduce(document: Document) -> Reduced:
        gone = [segment for segment in document.segments if chosen(segment)]
        kept = [segment for segment in document.segments if not chosen(segment)]
        lost = [f"{segment.kind} {segment.label}".strip() for segment in gone]
        return (replace(document, segments=kept) if gone else document), lost

    return reduce


def _speakers(document: Document) -> Reduced:
    lost = [segment.speaker for segment in document.segments if segment.speaker]
    if not lost:
        return document, lost
    return replace(document, segments=[replace(segment, speaker="") for segment in document.segments]), lost


def _title(document: Document) -> Reduced:
    lost = [value for value in (document.title, document.language, document.direction) if value]
    return (replace(document, title="", language="", direction="") if lost else document), lost


def _spacing(document: Document) -> Reduced:
    spaced = respaced(document)
    if spaced.content == document.content:
        return spaced, []
    differing = (
        number
        for number, (one, other) in enumerate(zip(document.content, spaced.content, strict=False))
        if one != other
    )
    first = next(differing, min(len(document.content), len(spaced.content)))
    return spaced, [f"from character {first}: {document.content[first : first + 20]!r}"]


def _leading(document: Document) -> Reduced:
    """Blanks before the first word, where no markable begins; one that stands there alone is left out."""
    content = document.content
    first = len(content) - len(content.lstrip())
    early = {mark.place: mark for mark in document.marks if mark.parts[0][0] < first}
    if content[:first] == " " * first and not early:
        return document, []
    places = {
        place: replace(mark, parts=tuple((max(start, first), end) for start, end in mark.parts if end > first))
        for place, mark in early.items()
        if mark.parts[-1][1] > first
    }
    lost = [repr(content[:first])] + [shown(document, mark) for mark in early.values()]
    kept = moved(without(document, early.keys() - places.keys()), places)
    return replace(kept, content=" " * first + content[first:]), lost


def _control_characters(document: Document) -> Reduced:
    lost = [f"U+{ord(found.group()):04X}" for found in NOT_IN_XML.finditer(document.content)]
    return (replace(document, content=NOT_IN_XML.sub("\ufffd", document.content)) if lost else document), lost


def _no_sentences(document: Document) -> Reduced:
    """Cut into sentences; nothing is lost where the sentences that were there stay."""
    cut = with_sentences(document)
    if cut is document:
        return document, []
    kept = {(segment.start, segment.end) for segment in cut.segments if segment.kind == "sentence"}
    given = [segment for segment in document.segments if segment.kind == "sentence"]
    lost = [
        f"{segment.start}-{segment.end}"
        for segment in given
        if (segment.start, segment.end) not in kept or segment.label
    ]
    return cut, lost


RULES: dict[Feature, Rule] = {
    Feature.CONTROL_CHARACTERS: _control_characters,
    Feature.NO_SENTENCES: _no_sentences,
    Feature.LEVELS: _levels,
    Feature.POINTERS: _pointers,
    Feature.INDICES: _indices,
    Feature.AMBIGUITY: _ambiguity,
    Feature.LATER: _later,
    Feature.SEVERAL_CHAINS: _answers(
        lambda answer: len(answer.indices) > 1, lambda answer: replace(answer, indices=answer.indices[:1])
    ),
    Feature.ENTITY_NAMES: _entity_names,
    Feature.CATEGORIES: _categories(lambda _: True),
    Feature.LINKED_CATEGORIES: _categories(_linked),
    Feature.UNCODED: _leaving_out(_uncoded),
    Feature.UNLINKED: _leaving_out(_unlinked),
    Feature.DISCONTINUOUS: _discontinuous,
    Feature.EDGES: _edges,
    Feature.CROSSING: _leaving_out(_crossing),
    Feature.CROSSING_IN_CHAIN: _crossing_in_chain,
    Feature.ANTECEDENTS: _antecedents,
    Feature.HEADS: _each(attrgetter("head"), lambda mark: replace(mark, head=())),
    Feature.OPTIONAL: _answers(attrgetter("optional"), lambda answer: replace(answer, optional=False)),
    Feature.UNSURE: _answers(attrgetter("unsure"), lambda answer: replace(answer, unsure=False)),
    Feature.NOTES: _answers(attrgetter("note"), lambda answer: replace(answer, note="")),
    Feature.NAMES: _answers(attrgetter("name"), lambda answer: replace(answer, name="")),
    Feature.LABELS: _each(attrgetter("label"), lambda mark: replace(mark, label="")),
    Feature.SENTENCES: _segments(lambda segment: segment.kind == "sentence"),
    Feature.SPEAKERS: _speakers,
    Feature.SEGMENTS: _segments(lambda segment: segment.kind != "sentence"),
    Feature.TITLE: _title,
    Feature.SPACING: _spacing,
    Feature.LEADING: _leading,
}
