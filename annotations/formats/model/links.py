"""What goes together, said by pointers or by indices, and the way from one to the other."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace

from annotations.formats.model.document import Answer, Document, Finding, Links, Mark, Place, text_order


class DisjointSets[Item: Hashable]:
    """Sets of items, each of them alone until its set is merged with another (union-find)."""

    def __init__(self) -> None:
        self.parents: dict[Item, Item] = {}

    def find(self, item: Item) -> Item:
        """Return the item that stands for the set of this one."""
        parents = self.parents
        while (parent := parents.setdefault(item, item)) != item:
            parents[item] = item = parents[parent]
        return item

    def merge(self, item: Item, other: Item) -> None:
        """Make one set of the sets of both, for which stands what stood for that of the other."""
        self.parents[self.find(item)] = self.find(other)


def find_chains(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Return the connected components of the pointers among the marks, of two or more marks each.

    Marks and chains are in text order. Several antecedents of one mark fall into one chain.
    """
    places = {mark.place for mark in marks}
    sets = DisjointSets[Place]()
    for mark in marks:
        for target in mark.answer.pointers if mark.answer else ():
            if target in places:
                sets.merge(mark.place, target)
    components: dict[Place, list[Mark]] = {}
    for mark in sorted(marks, key=text_order):
        components.setdefault(sets.find(mark.place), []).append(mark)
    return [chain for chain in components.values() if len(chain) > 1]


def pointers_to_indices(document: Document) -> Document:
    """Return the document with indices for pointers: each chain is an entity, numbered from 1 in text order.

    What points to nothing and is pointed at by nothing has no index.
    """
    if document.links != Links.POINTERS:
        return document
    index = {
        mark.place: str(number) for number, chain in enumerate(find_chains(document.marks), start=1) for mark in chain
    }
    marks = []
    for mark in document.marks:
        indices = (index[mark.place],) if mark.place in index else ()
        answer = mark.answer or (Answer() if indices else None)
        marks.append(mark.with_answer(answer.with_links(answer.category, (), indices)) if answer else mark)
    return replace(document, marks=marks, links=Links.INDICES)


def indices_to_pointers(document: Document) -> Document:
    """Return the document with pointers for indices: each mark points to the one before it in each of its chains."""
    if document.links != Links.INDICES:
        return document
    last: dict[str, Place] = {}
    marks = []
    for mark in sorted(document.marks, key=text_order):
        if mark.answer is None:
            marks.append(mark)
            continue
        before = dict.fromkeys(last[index] for index in mark.answer.indices if index in last)
        marks.append(mark.with_answer(mark.answer.with_links(mark.answer.category, tuple(before), ())))
        last |= dict.fromkeys(mark.answer.indices, mark.place)
    return replace(document, marks=marks, links=Links.POINTERS)


def remove_marks(document: Document, places: Collection[Place]) -> Document:
    """Return the document without those marks; what pointed to one points to what that one pointed to."""
    if not places:
        return document
    pointers = {mark.place: mark.answer.pointers if mark.answer else () for mark in document.marks}
    marks = [
        replace(mark, answer=replace(mark.answer, pointers=_skip_removed(mark, places, pointers)))
        if mark.answer
        else mark
        for mark in document.marks
        if mark.place not in places
    ]
    return replace(document, marks=marks)


def _skip_removed(
    mark: Mark, removed: Collection[Place], pointers: Mapping[Place, Sequence[Place]]
) -> tuple[Place, ...]:
    """Return the antecedents of the mark, removed ones replaced by theirs."""
    assert mark.answer is not None
    antecedents: dict[Place, None] = {}
    seen = {mark.place}
    left = list(reversed(mark.answer.pointers))
    while left:
        target = left.pop()
        if target in seen:
            continue
        seen.add(target)
        if target in removed:
            left += reversed(pointers.get(target, ()))
        else:
            antecedents[target] = None
    return tuple(antecedents)


def move_marks(document: Document, places: Mapping[Place, Mark]) -> Document:
    """Return the document with other marks in those places, and the pointers to them following.

    Marks that come to stand on the same words are one, as `merged` has it.
    """
    if not places:
        return document
    to = {old: mark.place for old, mark in places.items()}
    marks: dict[Place, Mark] = {}
    for old in document.marks:
        mark = places.get(old.place, old)
        if mark.answer:
            pointers = dict.fromkeys(to.get(target, target) for target in mark.answer.pointers)
            pointers.pop(mark.place, None)
            mark = replace(mark, answer=replace(mark.answer, pointers=tuple(pointers)))
        marks[mark.place] = merge_marks(marks[mark.place], mark) if mark.place in marks else mark
    return replace(document, marks=sorted(marks.values(), key=text_order))


def find_contradictions(document: Document, places: Mapping[Place, Mark]) -> list[Finding]:
    """Return a finding if marks that `move_marks` makes one have answers that say something else besides links."""
    kept: dict[Place, Answer] = {}
    count = 0
    for mark in document.marks:
        if mark.answer:
            first = kept.setdefault(places.get(mark.place, mark).place, mark.answer)
            count += first.with_links(first.category, (), ()) != mark.answer.with_links(mark.answer.category, (), ())
    if not count:
        return []
    say = "answer of markables that are one now says" if count == 1 else "answers of markables that are one now say"
    message = f"{count} {say} something else than the first (category, note, name, unsure or optional)"
    return [Finding("contradiction", message, document.file, fix="the first stays")]


def merge_marks(mark: Mark, other: Mark) -> Mark:
    """Return one mark of two in one place: what the first does not say, the second does; the links of both stay."""
    answer = mark.answer or other.answer
    if mark.answer and other.answer:
        pointers = dict.fromkeys((*mark.answer.pointers, *other.answer.pointers))
        indices = dict.fromkeys((*mark.answer.indices, *other.answer.indices))
        answer = replace(mark.answer, pointers=tuple(pointers), indices=tuple(indices))
    return replace(mark, label=mark.label or other.label, head=mark.head or other.head, answer=answer)
