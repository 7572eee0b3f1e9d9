"""The rules that remove a feature from a document and return the changes, one rule for each feature."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from annotations.formats.model import links
from annotations.formats.model.alignment import count_common
from annotations.formats.model.document import Answer, Document, Links, Mark, Parts, Place, Stretch, text_order
from annotations.formats.model.features import Feature
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.syntax.tokens import add_sentences, all_parts, has_white_space_edge, normalize_spacing

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class LostAnswer(NamedTuple):
    """A removed answer to a relation or attribute: the key of the question, and the markable."""

    question: str
    mark: Mark


# The document without the feature, and the marks, answers or words that changed.
type Reduced = tuple[Document, Iterable[Mark | LostAnswer | str]]
type Rule = Callable[[Document], Reduced]
type ChangeAnswer = Callable[[Answer], Answer]


def _mark_rule(has: Callable[[Mark], object], change: Callable[[Mark], Mark]) -> Rule:
    """Return a rule that changes the marks with the feature (`has`) but not their places."""

    def reduce(document: Document) -> Reduced:
        lost = list(filter(has, document.marks))
        if not lost:
            return document, []
        return replace(document, marks=[change(mark) if has(mark) else mark for mark in document.marks]), lost

    return reduce


def _answer_rule(has: Callable[[Answer], object], change: ChangeAnswer) -> Rule:
    return _mark_rule(
        lambda mark: mark.answer is not None and has(mark.answer),
        lambda mark: mark.with_answer(change(mark.answer)) if mark.answer else mark,
    )


def _question_rule(answered: Callable[[Answer], Iterable[tuple[str, object]]], without: ChangeAnswer) -> Rule:
    """Return a rule that removes the answers to relations or to attributes."""

    def reduce(document: Document) -> Reduced:
        lost = [
            LostAnswer(question, mark)
            for mark in document.marks
            if mark.answer
            for question, _ in answered(mark.answer)
        ]
        return (_change_answers(document, without) if lost else document), lost

    return reduce


def _change_answers(document: Document, change: ChangeAnswer) -> Document:
    """Return the document with changed answers; an answer object that several marks share is changed once."""
    changed: dict[int, Answer | None] = {id(None): None}
    marks = []
    for mark in document.marks:
        answer = mark.answer
        if answer is not None and id(answer) not in changed:
            changed[id(answer)] = change(answer)
        marks.append(Mark(mark.parts, mark.level, mark.label, mark.head, changed[id(answer)], mark.line))
    return replace(document, marks=marks)


def _removal_rule(choose: Callable[[Document], Iterable[Mark]]) -> Rule:
    def reduce(document: Document) -> Reduced:
        marks = list(choose(document))
        return links.remove_marks(document, {mark.place for mark in marks}), marks

    return reduce


def _remove_levels(document: Document) -> Reduced:
    def on_main_level(target: Place) -> tuple[Place]:
        return (Place("", target.parts),)

    main = document.scheme.main_level if document.scheme else ""
    others = {mark.place for mark in document.marks if mark.level not in ("", main)}
    lost = [mark for mark in document.marks if mark.place in others] if others else []
    marks = []
    for mark in links.remove_marks(document, others).marks:
        answer = mark.answer
        if answer and (answer.pointers or answer.relations):
            answer = links.map_targets(answer, on_main_level, on_main_level)
        marks.append(Mark(mark.parts, "", mark.label, mark.head, answer, mark.line))
    return replace(document, marks=marks), lost


def _split_by_chains(document: Document) -> Reduced:
    """Replace SPLIT by the entities of its targets, the form in which files of chains write SplitAnte."""
    if document.links != Links.INDICES:
        return document, []
    return links.split_to_indices(document), [
        mark for mark in document.marks if mark.answer and len(dict(mark.answer.relations).get(links.SPLIT, ())) > 1
    ]


def _name_nearest_targets(document: Document) -> Reduced:
    """Point relations to the nearest earlier mark of an entity, else to its first mark; targets are not grouped."""
    if not any(mark.answer and mark.answer.relations for mark in document.marks):
        return document, []
    in_order = sorted(document.marks, key=text_order)
    first: dict[str, Place] = {}
    last: dict[str, Place] = {}
    entities: dict[Place, Sequence[str]] = {}
    beginnings: dict[tuple[str, int], Place] = {}
    for mark in in_order:
        indices = mark.answer.indices if mark.answer else ()
        new = [index for index in indices if index not in first]
        # A mark with split antecedents counts as a mention of its own entity only.
        entities[mark.place] = new if len(new) == 1 and len(indices) > 2 else indices
        for index in entities[mark.place]:
            first.setdefault(index, mark.place)
            beginnings.setdefault((index, mark.parts[0][0]), mark.place)
    changed: dict[Place, Mark] = {}
    lost = []
    for mark in in_order:
        answer = mark.answer
        if answer and answer.relations:
            own = mark.place
            # Of the marks of an entity that start together, only the first keeps its relations.
            is_told = all(beginnings[index, mark.parts[0][0]] == own for index in entities[own][:1])

            def nearest(target: Place, own: Place = own, last: Mapping[str, Place] = last) -> tuple[Place, ...]:
                for index in entities[target][:1]:
                    place = last.get(index) or first[index]
                    return (place,) if place != own else ()
                return ()

            named = links.map_targets(answer, lambda target: (target,), nearest if is_told else lambda _: ())
            # Pairs cannot group targets: each target becomes a reading of its own.
            pairs = ((name, dict.fromkeys(targets_of(readings))) for name, readings in named.relations)
            named = replace(
                named, relations=tuple((name, tuple((target,) for target in targets)) for name, targets in pairs)
            )
            if named.relations != answer.relations:
                lost.append(mark)
                changed[own] = mark.with_answer(named)
        last |= dict.fromkeys(entities[mark.place], mark.place)
    return replace(document, marks=[changed.get(mark.place, mark) for mark in document.marks]), lost


def _replace_pointers(document: Document) -> Reduced:
    """Replace pointers by indices; pointers to marks other than the previous one in the chain are lost."""
    if document.links != Links.POINTERS:
        return links.index_related(document), []
    before = {
        mark.place: (chain[number - 1].place,) if number else ()
        for chain in links.find_chains(document.marks)
        for number, mark in enumerate(chain)
    }
    lost = (
        mark
        for mark in document.marks
        if mark.answer
        and mark.answer.pointers
        and mark.answer.pointers != before.get(mark.place, ())
        # Antecedents that are all meant together are left to the rules of SPLIT.
        and (mark.answer.alternatives or not mark.answer.readings)
    )
    return links.index_related(links.pointers_to_indices(document)), lost


def _remove_split(document: Document) -> Reduced:
    if document.links != Links.INDICES:
        return document, []
    return _answer_rule(
        lambda answer: links.SPLIT in dict(answer.relations), lambda answer: links.without_relation(answer, links.SPLIT)
    )(document)


def _replace_indices(document: Document) -> Reduced:
    several = [mark for mark in document.marks if mark.answer and len(mark.answer.indices) > 1]
    return links.indices_to_pointers(document), several


def _resolve_ambiguity(document: Document) -> Reduced:
    if document.links != Links.POINTERS:
        return document, []
    order = {mark.place: text_order(mark) for mark in document.marks}

    def nearest(mark: Mark) -> Mark:
        assert mark.answer is not None
        targets = mark.answer.pointers
        earlier = [target for target in targets if order[target] < order[mark.place]]
        antecedent = max(earlier, key=order.__getitem__) if earlier else min(targets, key=order.__getitem__)
        return mark.with_answer(mark.answer.with_links(mark.answer.category, (antecedent,), ()))

    return _mark_rule(lambda mark: mark.answer is not None and len(mark.answer.pointers) > 1, nearest)(document)


def _remove_later_antecedents(document: Document) -> Reduced:
    if document.links != Links.POINTERS:
        return document, []
    order = {mark.place: text_order(mark) for mark in document.marks}

    def points_later(mark: Mark) -> bool:
        return mark.answer is not None and any(order[target] > order[mark.place] for target in mark.answer.pointers)

    def earlier(mark: Mark) -> Mark:
        assert mark.answer is not None

        def kept(target: Place) -> tuple[Place, ...]:
            return (target,) if order[target] < order[mark.place] else ()

        return mark.with_answer(links.map_targets(mark.answer, kept, lambda target: (target,)))

    return _mark_rule(points_later, earlier)(document)


def _number_entities(document: Document) -> Reduced:
    if document.links != Links.INDICES:
        return document, []
    answers = (mark.answer for mark in sorted(document.marks, key=text_order) if mark.answer)
    indices = dict.fromkeys(index for answer in answers for index in answer.indices)
    names = {index: str(number) for number, index in enumerate(indices, start=1)}
    if all(index == name for index, name in names.items()):
        return document, []

    def renamed(answer: Answer) -> Answer:
        return answer.with_links(answer.category, answer.pointers, tuple([names[index] for index in answer.indices]))

    return _change_answers(document, renamed), [index for index in names if not index.isdecimal()]


def _category_rule(chosen: Callable[[Answer], object]) -> Rule:
    """Return a rule that removes the categories of chosen answers; categories that the links imply are not lost."""

    def without_category(answer: Answer) -> Answer:
        return answer.with_links("", answer.pointers, answer.indices) if answer.category and chosen(answer) else answer

    def reduce(document: Document) -> Reduced:
        answers = [(mark, mark.answer) for mark in document.marks if mark.answer and mark.answer.category]
        if not answers:
            return document, []
        read = _read_categories(document, document.scheme) if document.scheme else lambda _: ""
        lost = (mark for mark, answer in answers if chosen(answer) and read(mark) != answer.category)
        return _change_answers(document, without_category), lost

    return reduce


def _read_categories(document: Document, scheme: SchemeSpec) -> Callable[[Mark], str]:
    """Return a function from a mark to the category that readers infer from its links under the scheme."""
    takes_index = next((category.key for category in scheme.categories if category.takes_index), "")
    if takes_index and document.links == Links.POINTERS:
        return lambda _: takes_index
    if takes_index or document.links != Links.INDICES:

        def category(mark: Mark) -> str:
            answer = mark.answer or Answer()
            return takes_index if takes_index and answer.indices else links.implied_category(answer, scheme)

        return category
    read = {mark.place: mark.answer or Answer() for mark in links.indices_to_pointers(document).marks}
    return lambda mark: links.implied_category(read[mark.place], scheme)


def _unlinked_marks(document: Document) -> Iterable[Mark]:
    """Return the marks with answers in no chain, and uncoded marks that are only targets of their relations."""
    pointed = {target for mark in document.marks if mark.answer for target in mark.answer.pointers}
    unlinked, targets, others = [], set[Place](), set[Place]()
    for mark in document.marks:
        if mark.answer and (mark.answer.indices or mark.answer.pointers or mark.place in pointed):
            if mark.answer.pointers or mark.answer.relations:
                others.update(mark.answer.targets())
        elif mark.answer:
            unlinked.append(mark)
            targets.update(mark.answer.targets())
    targets -= others
    return [*unlinked, *(mark for mark in document.marks if mark.answer is None and mark.place in targets)]


def _uncoded_marks(document: Document) -> Iterable[Mark]:
    uncoded = [mark for mark in document.marks if mark.answer is None]
    if not uncoded:
        return []
    pointed = {target for mark in document.marks if mark.answer for target in mark.answer.targets()}
    return [mark for mark in uncoded if mark.place not in pointed]


def _fill_gaps(document: Document) -> Reduced:
    parted = [mark for mark in document.marks if len(mark.parts) > 1]
    filled = {mark.place: replace(mark, parts=((mark.parts[0][0], mark.parts[-1][1]),)) for mark in parted}
    return links.move_marks(document, filled), parted


def _trim_edges(document: Document) -> Reduced:
    """Trim white space at the edges of markables; a markable of white space alone is removed."""
    content = document.content
    if not has_white_space_edge(content, all_parts(document.marks)):
        return document, []

    def trimmed(parts: Parts) -> Parts:
        spans = []
        for start, end in parts:
            words = content[start:end]
            left = len(words) - len(words.lstrip())
            if left < len(words):
                spans.append((start + left, start + len(words.rstrip())))
        return tuple(spans)

    changed = {}
    for mark in document.marks:
        if has_white_space_edge(content, mark.parts) or (mark.head and has_white_space_edge(content, mark.head)):
            parts = trimmed(mark.parts)
            changed[mark.place] = Mark(parts, mark.level, mark.label, trimmed(mark.head), mark.answer, mark.line)
    lost = [mark for mark in document.marks if mark.place in changed]
    trimmed_marks = {place: mark for place, mark in changed.items() if mark.parts}
    return links.move_marks(links.remove_marks(document, changed.keys() - trimmed_marks.keys()), trimmed_marks), lost


def _find_crossing(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks that cross an earlier mark that is not returned itself."""
    crossing, around = list[Mark](), list[Mark]()
    for mark in sorted(marks, key=text_order):
        while around and around[-1].parts[-1][1] <= mark.parts[0][0]:
            around.pop()
        crosses = around and around[-1].parts[0][0] < mark.parts[0][0] and around[-1].parts[-1][1] < mark.parts[-1][1]
        (crossing if crosses else around).append(mark)
    return crossing


def _remove_crossing_in_chain(document: Document) -> Reduced:
    """Remove each mark that crosses another mark of its entity from that entity, and marks without an entity left."""
    leaves: dict[Place, set[str]] = {}
    for index, members in links.marks_by_entity(document.marks).items():
        for mark in _find_crossing(members) if len(members) > 1 else ():
            leaves.setdefault(mark.place, set()).add(index)
    if not leaves:
        return document, []
    marks, lost, gone = [], [], set[Place]()
    for mark in document.marks:
        if mark.answer and mark.place in leaves:
            lost.append(mark)
            indices = tuple(index for index in mark.answer.indices if index not in leaves[mark.place])
            if not indices:
                gone.add(mark.place)
            mark = mark.with_answer(replace(mark.answer, indices=indices))
        marks.append(mark)
    return links.remove_marks(replace(document, marks=marks), gone), lost


def _replace_antecedents(document: Document) -> Reduced:
    """Point marks to the nearest earlier mark of their chain that is not optional, so that each chain stays."""
    if document.links != Links.POINTERS:
        return document, []
    to: dict[Place, tuple[Place, ...]] = {}
    for chain in links.find_chains(_resolve_ambiguity(document)[0].marks):
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
            lost.append(mark)
        marks.append(mark.with_answer(answer.with_links(answer.category, pointers, ())))
    return replace(document, marks=marks), lost


def _segment_rule(chosen: Callable[[Stretch], bool]) -> Rule:
    def reduce(document: Document) -> Reduced:
        others = [segment for segment in document.segments if not chosen(segment)]
        lost = [f"{segment.kind} {segment.label}".strip() for segment in document.segments if chosen(segment)]
        return replace(document, segments=others), lost

    return reduce


def _remove_speakers(document: Document) -> Reduced:
    lost = [segment.speaker for segment in document.segments if segment.speaker]
    return replace(document, segments=[replace(segment, speaker="") for segment in document.segments]), lost


def _remove_title(document: Document) -> Reduced:
    lost = filter(None, (document.title, document.language, document.direction))
    return replace(document, title="", language="", direction=""), lost


def _normalize_spacing(document: Document) -> Reduced:
    spaced = normalize_spacing(document)
    if spaced.content == document.content:
        return spaced, []
    first = count_common(document.content, 0, spaced.content, 0)
    return spaced, [f"from character {first}: {document.content[first : first + 20]!r}"]


def _blank_leading_space(document: Document) -> Reduced:
    """Replace leading white space by blanks; trim markables to the first word, or remove them if they end before it."""
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
    lost: list[Mark | str] = [repr(content[:first]), *early.values()]
    reduced = links.move_marks(links.remove_marks(document, early.keys() - places.keys()), places)
    return replace(reduced, content=" " * first + content[first:]), lost


def _replace_control_characters(document: Document) -> Reduced:
    lost = [f"U+{ord(match.group()):04X}" for match in NOT_IN_XML.finditer(document.content)]
    return (replace(document, content=NOT_IN_XML.sub("\ufffd", document.content)) if lost else document), lost


def _add_sentences(document: Document) -> Reduced:
    """Cut the text into sentences; earlier sentences count as lost if they change or have a label."""
    cut = add_sentences(document)
    if cut is document:
        return document, []
    spans = {(segment.start, segment.end) for segment in cut.segments if segment.kind == "sentence"}
    sentences = [segment for segment in document.segments if segment.kind == "sentence"]
    lost = [
        f"{segment.start}-{segment.end}"
        for segment in sentences
        if (segment.start, segment.end) not in spans or segment.label
    ]
    return cut, lost


RULES: dict[Feature, Rule] = {
    Feature.CONTROL_CHARACTERS: _replace_control_characters,
    Feature.NO_SENTENCES: _add_sentences,
    Feature.LEVELS: _remove_levels,
    Feature.RELATIONS: _question_rule(attrgetter("relations"), lambda answer: replace(answer, relations=())),
    Feature.ATTRIBUTES: _question_rule(attrgetter("attributes"), lambda answer: replace(answer, attributes=())),
    Feature.PLURAL: _answer_rule(
        attrgetter("readings"), lambda answer: answer.with_links(answer.category, answer.pointers, answer.indices)
    ),
    Feature.POINTERS: _replace_pointers,
    Feature.SPLIT_RELATION: _split_by_chains,
    Feature.SPLIT: _remove_split,
    Feature.TARGETS: _name_nearest_targets,
    Feature.INDICES: _replace_indices,
    Feature.AMBIGUITY: _resolve_ambiguity,
    Feature.LATER: _remove_later_antecedents,
    Feature.SEVERAL_CHAINS: _answer_rule(
        lambda answer: len(answer.indices) > 1, lambda answer: replace(answer, indices=answer.indices[:1])
    ),
    Feature.ENTITY_NAMES: _number_entities,
    Feature.CATEGORIES: _category_rule(lambda _: True),
    Feature.LINKED_CATEGORIES: _category_rule(lambda answer: answer.pointers or answer.indices),
    Feature.UNCODED: _removal_rule(_uncoded_marks),
    Feature.UNLINKED: _removal_rule(_unlinked_marks),
    Feature.DISCONTINUOUS: _fill_gaps,
    Feature.EDGES: _trim_edges,
    Feature.CROSSING: _removal_rule(lambda document: _find_crossing(document.marks)),
    Feature.CROSSING_IN_CHAIN: _remove_crossing_in_chain,
    Feature.ANTECEDENTS: _replace_antecedents,
    Feature.HEADS: _mark_rule(attrgetter("head"), lambda mark: replace(mark, head=())),
    Feature.OPTIONAL: _answer_rule(attrgetter("optional"), lambda answer: replace(answer, optional=False)),
    Feature.UNSURE: _answer_rule(attrgetter("unsure"), lambda answer: replace(answer, unsure=False)),
    Feature.NOTES: _answer_rule(attrgetter("note"), lambda answer: replace(answer, note="")),
    Feature.NAMES: _answer_rule(attrgetter("name"), lambda answer: replace(answer, name="")),
    Feature.LABELS: _mark_rule(attrgetter("label"), lambda mark: replace(mark, label="")),
    Feature.SENTENCES: _segment_rule(lambda segment: segment.kind == "sentence"),
    Feature.SPEAKERS: _remove_speakers,
    Feature.SEGMENTS: _segment_rule(lambda segment: segment.kind != "sentence"),
    Feature.TITLE: _remove_title,
    Feature.SPACING: _normalize_spacing,
    Feature.LEADING: _blank_leading_space,
}
