"""Identity links, by pointers or by indices, and conversions between the two."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from annotations.formats.model import judgement
from annotations.formats.model.document import Answer, Document, Links, Mark, Place, Readings, text_order
from annotations.formats.model.findings import Finding
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.scheme import SchemeSpec

# The relation from a markable that opens a plural entity to the parts of that entity.
SPLIT = "split"
IDENTITY_WORDS = ("coref", "ident", "anaph", "anteced", "equiv")
OTHER_RELATION = re.compile("bridg|related")


def says_identity(name: str) -> bool:
    """Return whether the name of a relation suggests that it expresses identity."""
    return any(word in name.lower() for word in IDENTITY_WORDS)


def identity_names(names: Iterable[str]) -> set[str]:
    """Return the names that suggest identity; if none does, all names that do not suggest bridging."""
    others = {name for name in names if not OTHER_RELATION.search(name.lower())}
    return {name for name in others if says_identity(name)} or others


class DisjointSets[Item: Hashable]:
    """Disjoint sets of items, each item alone until its set is merged with another (union-find)."""

    def __init__(self) -> None:
        self.parents: dict[Item, Item] = {}

    def find(self, item: Item) -> Item:
        parents = self.parents
        while (parent := parents.setdefault(item, item)) != item:
            parents[item] = item = parents[parent]
        return item

    def merge(self, item: Item, other: Item) -> None:
        """Merge the sets of both items; the representative of the set of `other` represents the result."""
        self.parents[self.find(item)] = self.find(other)


def find_chains(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Return the chains in text order: two or more marks connected by antecedents that are meant alone."""
    places = {mark.place for mark in marks}
    sets = DisjointSets[Place]()
    for mark in marks:
        for target in mark.answer.alternatives if mark.answer else ():
            if target in places:
                sets.merge(mark.place, target)
    components: dict[Place, list[Mark]] = {}
    for mark in sorted(marks, key=text_order):
        components.setdefault(sets.find(mark.place), []).append(mark)
    return [chain for chain in components.values() if len(chain) > 1]


def marks_by_entity(marks: Iterable[Mark]) -> dict[str, list[Mark]]:
    """Return the marks by entity; entities and their marks are in the order of the marks."""
    entities: dict[str, list[Mark]] = {}
    for mark in marks:
        for index in mark.answer.indices if mark.answer else ():
            entities.setdefault(index, []).append(mark)
    return entities


def pointers_to_indices(document: Document) -> Document:
    """Return the document with indices in place of pointers: each chain is an entity, numbered from 1 in text order.

    A mark without links has no index. A mark whose antecedents are all meant together opens an entity of its own, with
    the relation SPLIT to these antecedents. Each antecedent is in an entity, too.
    """
    if document.links != Links.POINTERS:
        return document
    chains = find_chains(document.marks)
    # The readings of marks whose antecedents are all meant together.
    plural = {
        mark.place: answer.readings
        for mark in document.marks
        if (answer := mark.answer) and answer.readings and not answer.alternatives
    }
    if plural:
        chained = {mark.place for chain in chains for mark in chain}
        alone = {*plural, *(target for readings in plural.values() for target in targets_of(readings))} - chained
        chains += [[mark] for mark in document.marks if mark.place in alone]
        chains.sort(key=lambda chain: text_order(chain[0]))
    index = {mark.place: str(number) for number, chain in enumerate(chains, start=1) for mark in chain}
    marks = []
    for mark in document.marks:
        indices = (index[mark.place],) if mark.place in index else ()
        answer = mark.answer or (Answer() if indices else None)
        if answer:
            answer = answer.with_links(answer.category, (), indices)
            if mark.place in plural:
                answer = add_relation(answer, SPLIT, plural[mark.place])
            mark = mark.with_answer(answer)
        marks.append(mark)
    return replace(document, marks=marks, links=Links.INDICES)


def index_related(document: Document) -> Document:
    """Return the document with an entity for each mark at an end of a relation, also if the mark is in no chain."""
    if document.links != Links.INDICES:
        return document
    return index_places(document, related_places(document.marks))


def related_places(marks: Iterable[Mark]) -> set[Place]:
    """Return the places of marks with relations other than identity, and of all targets of these marks."""
    related = (mark for mark in marks if mark.answer and mark.answer.relations)
    return {place for mark in related if mark.answer for place in (mark.place, *mark.answer.targets())}


def unlinked_places(document: Document) -> set[Place]:
    """Return the places of answers without links: without entity or antecedents, and not themselves antecedents."""
    pointed = {target for mark in document.marks if mark.answer for target in mark.answer.pointers}
    return {
        mark.place
        for mark in document.marks
        if mark.answer and not mark.answer.indices and not mark.answer.pointers and mark.place not in pointed
    }


def index_places(document: Document, places: Collection[Place]) -> Document:
    """Return the document with a new entity for each of the places that has none."""
    if not places:
        return document
    used = {index for mark in document.marks if mark.answer for index in mark.answer.indices}
    free = (str(number) for number in count(1) if str(number) not in used)
    marks = []
    for mark in document.marks:
        if mark.place in places and not (mark.answer and mark.answer.indices):
            mark = mark.with_answer(replace(mark.answer or Answer(), indices=(next(free),)))
        marks.append(mark)
    return replace(document, marks=marks)


def add_relation(answer: Answer, name: str, readings: Readings) -> Answer:
    relations = dict(answer.relations)
    relations[name] = tuple(dict.fromkeys((*relations.get(name, ()), *readings)))
    return replace(answer, relations=tuple(sorted(relations.items())))


def without_relation(answer: Answer, name: str) -> Answer:
    return replace(answer, relations=tuple(relation for relation in answer.relations if relation[0] != name))


def indices_to_pointers(document: Document) -> Document:
    """Return the document with pointers to the previous mark of each chain; SPLIT becomes readings of its mark."""
    if document.links != Links.INDICES:
        return document
    last: dict[str, Place] = {}
    marks = []
    for mark in sorted(document.marks, key=text_order):
        answer = mark.answer
        if answer is None:
            marks.append(mark)
            continue
        before = dict.fromkeys(last[index] for index in answer.indices if index in last)
        linked = answer.with_links(answer.category, tuple(before), ())
        split = dict(answer.relations).get(SPLIT, ()) if answer.relations else ()
        if split:
            linked = without_relation(linked, SPLIT).with_readings((*((place,) for place in before), *split))
        marks.append(mark.with_answer(linked))
        last |= dict.fromkeys(answer.indices, mark.place)
    return replace(document, marks=marks, links=Links.POINTERS)


def split_to_indices(document: Document) -> Document:
    """Return the document with SPLIT replaced by the entities of its targets."""
    if not any(mark.answer and mark.answer.relations for mark in document.marks):
        return document
    indices = {mark.place: mark.answer.indices for mark in document.marks if mark.answer}
    marks = []
    for mark in document.marks:
        answer = mark.answer
        split = dict(answer.relations).get(SPLIT) if answer and answer.relations else None
        if answer and split:
            parts = (index for reading in split for target in reading for index in indices.get(target, ()))
            answer = without_relation(answer, SPLIT)
            all_indices = tuple(dict.fromkeys((*answer.indices, *parts)))
            mark = mark.with_answer(answer.with_links(answer.category, (), all_indices))
        marks.append(mark)
    return replace(document, marks=marks)


def indices_to_split(document: Document) -> Document:
    """Return the document with SPLIT for each mark that begins one chain and is in two or more earlier chains."""
    last: dict[str, Place] = {}
    marks: dict[Place, Mark] = {}
    for mark in sorted(document.marks, key=text_order):
        answer = mark.answer
        if answer and len(answer.indices) > 2:
            own = [index for index in answer.indices if index not in last]
            if len(own) == 1:
                parts = tuple(dict.fromkeys(last[index] for index in answer.indices if index in last))
                answer = add_relation(answer.with_links(answer.category, (), tuple(own)), SPLIT, (parts,))
                marks[mark.place] = mark.with_answer(answer)
        for index in mark.answer.indices if mark.answer else ():
            last[index] = mark.place
    return replace(document, marks=[marks.get(mark.place, mark) for mark in document.marks]) if marks else document


def map_readings(readings: Readings, new: Callable[[Place], Iterable[Place]]) -> Readings:
    """Return the readings with mapped targets, without repeated targets, empty readings and repeated readings."""
    mapped = (tuple(dict.fromkeys(place for target in reading for place in new(target))) for reading in readings)
    return tuple({frozenset(reading): reading for reading in mapped if reading}.values())


type Mapped = Callable[[Place], Iterable[Place]]


def map_targets(answer: Answer, new: Mapped, further: Mapped) -> Answer:
    """Return the answer with antecedents mapped by `new` and targets of other relations mapped by `further`."""
    relations = ((name, map_readings(readings, further)) for name, readings in answer.relations)
    mapped = replace(answer, relations=tuple(relation for relation in relations if relation[1]))
    if answer.readings:
        return mapped.with_readings(map_readings(answer.readings, new))
    mapped.pointers = tuple(dict.fromkeys(place for target in answer.pointers for place in new(target)))
    return mapped


def remove_marks(document: Document, places: Collection[Place]) -> Document:
    """Return the document without the marks at the places; pointers to them lead to their antecedents instead."""
    if not places:
        return document
    pointers = {mark.place: mark.answer.pointers if mark.answer else () for mark in document.marks}
    marks = []
    for mark in document.marks:
        if mark.place in places:
            continue
        answer = mark.answer
        if answer and (answer.pointers or answer.relations):

            def kept(target: Place) -> tuple[Place, ...]:
                return () if target in places else (target,)

            # Alternatives share the set of visited marks, so that each mark is visited once.
            seen = None if answer.readings else {mark.place}

            def past(target: Place, here: Place = mark.place, seen: set[Place] | None = seen) -> Iterator[Place]:
                return _skip_removed(target, places, pointers, {here} if seen is None else seen)

            mark = mark.with_answer(map_targets(answer, past, kept))
        marks.append(mark)
    return replace(document, marks=marks)


def _skip_removed(
    target: Place, removed: Collection[Place], pointers: Mapping[Place, Sequence[Place]], seen: set[Place]
) -> Iterator[Place]:
    """Yield the target or, if it is removed, the nearest kept antecedents behind it; no place that was seen."""
    left = [target]
    while left:
        target = left.pop()
        if target in removed and target not in seen:
            left += reversed(pointers.get(target, ()))
        elif target not in seen:
            yield target
        seen.add(target)


def move_marks(document: Document, places: Mapping[Place, Mark]) -> Document:
    """Return the document with marks replaced by place and pointers updated; marks in one new place are merged."""
    if not places:
        return document
    to = {old: mark.place for old, mark in places.items()}
    marks: dict[Place, Mark] = {}
    for old in document.marks:
        mark = places.get(old.place, old)
        answer = mark.answer
        if answer and (answer.pointers or answer.relations):
            here = mark.place

            def moved(target: Place, here: Place = here) -> tuple[Place, ...]:
                place = to.get(target, target)
                return () if place == here else (place,)

            mark = mark.with_answer(map_targets(answer, moved, moved))
        marks[mark.place] = merge_marks(marks[mark.place], mark) if mark.place in marks else mark
    return replace(document, marks=sorted(marks.values(), key=text_order))


def find_contradictions(document: Document, places: Mapping[Place, Mark]) -> list[Finding]:
    """Return a finding if `move_marks` merges marks whose answers differ in anything but their links."""
    if not places:
        return []

    def without_links(answer: Answer) -> Answer:
        return replace(answer.with_links(answer.category, (), ()), relations=())

    kept: dict[Place, Answer] = {}
    different = 0
    for mark in document.marks:
        if mark.answer:
            first = kept.setdefault(places.get(mark.place, mark).place, mark.answer)
            if first is not mark.answer:
                different += without_links(first) != without_links(mark.answer)
    if not different:
        return []
    say = "answer of markables that are one now says" if different == 1 else "answers of markables that are one now say"
    message = f"{different} {say} something else than the first (category, attributes, note, name, unsure or optional)"
    return [Finding("contradiction", message, document.file, fix="the first stays")]


def merge_marks(mark: Mark, other: Mark) -> Mark:
    """Return two marks in one place as one: the first takes precedence; links and attributes of both are kept."""
    answer = mark.answer or other.answer
    if mark.answer and other.answer:
        answer = replace(mark.answer, indices=tuple(dict.fromkeys((*mark.answer.indices, *other.answer.indices))))
        if mark.answer.readings or other.answer.readings:
            answer = answer.with_readings(join_readings(mark.answer.all_readings, other.answer.all_readings))
        else:
            answer.pointers = tuple(dict.fromkeys((*mark.answer.pointers, *other.answer.pointers)))
        for name, readings in other.answer.relations:
            answer = add_relation(answer, name, readings)
        if other.answer.attributes:
            answer.attributes = tuple(sorted({**dict(other.answer.attributes), **dict(answer.attributes)}.items()))
    return replace(mark, label=mark.label or other.label, head=mark.head or other.head, answer=answer)


def join_readings(first: Readings, second: Readings) -> Readings:
    return map_readings((*first, *second), lambda target: (target,))


def group_readings[Target](rows: Iterable[tuple[Hashable, Target]]) -> judgement.Readings[Target]:
    """Return the readings of (key, target) rows, one reading per key; equal readings are merged."""
    readings: dict[Hashable, list[Target]] = {}
    for key, target in rows:
        readings.setdefault(key, []).append(target)
    return tuple({frozenset(reading): tuple(reading) for reading in readings.values()}.values())


def number_targets(readings: Readings) -> Iterator[tuple[int, Place]]:
    """Yield (number of the reading, target), numbered from 1; all 0 if each target is a reading of its own."""
    plural = any(len(reading) > 1 for reading in readings)
    for number, reading in enumerate(readings, start=1):
        for target in reading:
            yield number if plural else 0, target


def implied_category(answer: Answer, scheme: SchemeSpec) -> str:
    """Return the category that the links of an answer imply; empty if they imply none."""
    if answer.indices:
        return next((category.key for category in scheme.categories if category.takes_index), "")
    if answer.pointers:
        level = answer.pointers[0].level or scheme.main_level
        return next((category.key for category in scheme.categories if category.points_to == level), "")
    plain = [category.key for category in scheme.categories if not category.takes_index and not category.points_to]
    # A markable without a pointer may be new; a markable without an entity is not.
    names = ("none",) if any(category.takes_index for category in scheme.categories) else ("new", "none")
    return next((key for key in names if key in plain), plain[0] if len(plain) == 1 else "")
