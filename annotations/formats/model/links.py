"""What goes together, said by pointers or by indices, and the way from one to the other."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from annotations.formats.model import judgement
from annotations.formats.model.document import Answer, Document, Links, Mark, Place, Readings, text_order
from annotations.formats.model.findings import Finding
from annotations.formats.model.judgement import targets_of
from annotations.formats.model.scheme import SchemeSpec

# The relation by which a markable that opens an entity of its own names what that is made of.
SPLIT = "split"
IDENTITY_WORDS = ("coref", "ident", "anaph", "anteced", "equiv")
OTHER_RELATION = re.compile("bridg|related")


def says_identity(name: str) -> bool:
    """Return whether a relation of that name says, to judge by the name, that two markables refer to the same."""
    return any(word in name.lower() for word in IDENTITY_WORDS)


def identity_names(names: Iterable[str]) -> set[str]:
    """Return those of the relations that say identity: by their names, else all that are not called bridging."""
    others = {name for name in names if not OTHER_RELATION.search(name.lower())}
    return {name for name in others if says_identity(name)} or others


class DisjointSets[Item: Hashable]:
    """Sets of items, each of them alone until its set is merged with another (union-find)."""

    def __init__(self) -> None:
        self.parents: dict[Item, Item] = {}

    def find(self, item: Item) -> Item:
        parents = self.parents
        while (parent := parents.setdefault(item, item)) != item:
            parents[item] = item = parents[parent]
        return item

    def merge(self, item: Item, other: Item) -> None:
        """Make one set of the sets of both, for which stands what stood for that of the other."""
        self.parents[self.find(item)] = self.find(other)


def find_chains(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Return the connected components, of two marks or more, of the pointers that are meant alone, in text order."""
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
    """Return the marks of each entity, both in the order of the marks."""
    entities: dict[str, list[Mark]] = {}
    for mark in marks:
        for index in mark.answer.indices if mark.answer else ():
            entities.setdefault(index, []).append(mark)
    return entities


def pointers_to_indices(document: Document) -> Document:
    """Return the document with indices for pointers: each chain is an entity, numbered from 1 in text order.

    What points to nothing and is pointed at by nothing has no index. A mark whose antecedents are all meant together
    opens an entity of its own, and names them by the relation SPLIT; each of them is an entity, too.
    """
    if document.links != Links.POINTERS:
        return document
    chains = find_chains(document.marks)
    # Marks without an antecedent that is meant alone open an entity, and name its parts by SPLIT, entities as well.
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
    """Return the document with an entity for whatever relations lead from or to, also where it is in no chain."""
    if document.links != Links.INDICES:
        return document
    return index_places(document, related_places(document.marks))


def related_places(marks: Iterable[Mark]) -> set[Place]:
    """Return the places of marks with relations besides identity, and what these marks point at."""
    related = (mark for mark in marks if mark.answer and mark.answer.relations)
    return {place for mark in related if mark.answer for place in (mark.place, *mark.answer.targets())}


def unlinked_places(document: Document) -> set[Place]:
    """Return where answers are linked with nothing: in no entity, without antecedents, and nobody's antecedent."""
    pointed = {target for mark in document.marks if mark.answer for target in mark.answer.pointers}
    return {
        mark.place
        for mark in document.marks
        if mark.answer and not mark.answer.indices and not mark.answer.pointers and mark.place not in pointed
    }


def index_places(document: Document, places: Collection[Place]) -> Document:
    """Return the document with an entity of its own for each of the places that is in none."""
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
    return replace(answer, relations=tuple(each for each in answer.relations if each[0] != name))


def indices_to_pointers(document: Document) -> Document:
    """Return the document with pointers to the mark before in each chain; SPLIT becomes a reading of the first mark."""
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
    """Return the document with all entities of the targets of SPLIT in place of that relation."""
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
    """Return the document with SPLIT for a mark that begins a chain and is in two earlier ones or more."""
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
    """Return the readings with other targets, none twice; those without a target are left out, and so are doubles."""
    mapped = (tuple(dict.fromkeys(place for target in reading for place in new(target))) for reading in readings)
    return tuple({frozenset(reading): reading for reading in mapped if reading}.values())


type Mapped = Callable[[Place], Iterable[Place]]


def map_targets(answer: Answer, new: Mapped, further: Mapped) -> Answer:
    """Return the answer with other antecedents, and by `further` with other targets of other relations."""
    relations = ((name, map_readings(readings, further)) for name, readings in answer.relations)
    mapped = replace(answer, relations=tuple(each for each in relations if each[1]))
    if answer.readings:
        return mapped.with_readings(map_readings(answer.readings, new))
    mapped.pointers = tuple(dict.fromkeys(place for target in answer.pointers for place in new(target)))
    return mapped


def remove_marks(document: Document, places: Collection[Place]) -> Document:
    """Return the document without those marks; what pointed to one points to what that one pointed to."""
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

            # Alternatives share what they have seen, so that each mark is passed once for all of them.
            seen = None if answer.readings else {mark.place}

            def past(target: Place, here: Place = mark.place, seen: set[Place] | None = seen) -> Iterator[Place]:
                return _skip_removed(target, places, pointers, {here} if seen is None else seen)

            mark = mark.with_answer(map_targets(answer, past, kept))
        marks.append(mark)
    return replace(document, marks=marks)


def _skip_removed(
    target: Place, removed: Collection[Place], pointers: Mapping[Place, Sequence[Place]], seen: set[Place]
) -> Iterator[Place]:
    """Yield the antecedent of a mark, or in its place, where it is removed, its antecedents; none that was seen."""
    left = [target]
    while left:
        target = left.pop()
        if target in removed and target not in seen:
            left += reversed(pointers.get(target, ()))
        elif target not in seen:
            yield target
        seen.add(target)


def move_marks(document: Document, places: Mapping[Place, Mark]) -> Document:
    """Return the document with other marks in those places and pointers following; those on the same words are one."""
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
    """Return a finding if marks that `move_marks` makes one have answers that say something else besides links."""
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
    """Return one mark of two in one place: what the first does not say, the second does; the links of both stay."""
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


def join_readings(one: Readings, other: Readings) -> Readings:
    return map_readings((*one, *other), lambda target: (target,))


def group_readings[Target](rows: Iterable[tuple[Hashable, Target]]) -> judgement.Readings[Target]:
    """Return the readings of targets, each with what its reading has in common; equal ones are one."""
    readings: dict[Hashable, list[Target]] = {}
    for key, target in rows:
        readings.setdefault(key, []).append(target)
    return tuple({frozenset(reading): tuple(reading) for reading in readings.values()}.values())


def number_targets(readings: Readings) -> Iterator[tuple[int, Place]]:
    """Yield targets, each with the number of its reading, from 1; all with 0 where each target is a reading."""
    plural = any(len(reading) > 1 for reading in readings)
    for number, reading in enumerate(readings, start=1):
        for target in reading:
            yield number if plural else 0, target


def implied_category(answer: Answer, scheme: SchemeSpec) -> str:
    """Return the category that follows from what the answer links; empty where none does."""
    if answer.indices:
        return next((category.key for category in scheme.categories if category.takes_index), "")
    if answer.pointers:
        level = answer.pointers[0].level or scheme.main_level
        return next((category.key for category in scheme.categories if category.points_to == level), "")
    plain = [category.key for category in scheme.categories if not category.takes_index and not category.points_to]
    # What points to nothing may be new; what is in no entity is not.
    names = ("none",) if any(category.takes_index for category in scheme.categories) else ("new", "none")
    return next((key for key in names if key in plain), plain[0] if len(plain) == 1 else "")
