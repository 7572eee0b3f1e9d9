"""What goes together, said by pointers or by indices, and the way from one to the other."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from annotations.formats.document import Answer, Document, Links, Mark, Place, in_text_order


def chains(marks: Sequence[Mark]) -> list[list[Mark]]:
    """The connected components of the pointers among the marks, of two or more marks each.

    Marks and chains are in text order. Several antecedents of one mark fall into one chain.
    """
    root: dict[Place, Place] = {mark.place: mark.place for mark in marks}

    def find(place: Place) -> Place:
        while root[place] != place:
            root[place] = root[root[place]]
            place = root[place]
        return place

    for mark in marks:
        for target in mark.answer.pointers if mark.answer else ():
            if target in root:
                root[find(mark.place)] = find(target)
    together: dict[Place, list[Mark]] = {}
    for mark in sorted(marks, key=in_text_order):
        together.setdefault(find(mark.place), []).append(mark)
    return [chain for chain in together.values() if len(chain) > 1]


def by_indices(document: Document) -> Document:
    """The document with indices for pointers: each chain is an entity, numbered from 1 in text order.

    What points to nothing and is pointed at by nothing has no index.
    """
    if document.links != Links.POINTERS:
        return document
    index = {mark.place: str(number) for number, chain in enumerate(chains(document.marks), start=1) for mark in chain}
    marks = []
    for mark in document.marks:
        indices = (index[mark.place],) if mark.place in index else ()
        answer = mark.answer or (Answer() if indices else None)
        marks.append(mark.answered(answer.said(answer.category, (), indices)) if answer else mark)
    return replace(document, marks=marks, links=Links.INDICES)


def by_pointers(document: Document) -> Document:
    """The document with pointers for indices: each mark points to the one before it in each of its chains."""
    if document.links != Links.INDICES:
        return document
    last: dict[str, Place] = {}
    marks = []
    for mark in sorted(document.marks, key=in_text_order):
        if mark.answer is None:
            marks.append(mark)
            continue
        before = dict.fromkeys(last[index] for index in mark.answer.indices if index in last)
        marks.append(mark.answered(mark.answer.said(mark.answer.category, tuple(before), ())))
        last |= dict.fromkeys(mark.answer.indices, mark.place)
    return replace(document, marks=marks, links=Links.POINTERS)


def without(document: Document, gone: Collection[Place]) -> Document:
    """The document without those marks; what pointed to one points to what that one pointed to."""
    if not gone:
        return document
    said = {mark.place: mark.answer.pointers if mark.answer else () for mark in document.marks}
    marks = [
        replace(mark, answer=replace(mark.answer, pointers=_past(mark, gone, said))) if mark.answer else mark
        for mark in document.marks
        if mark.place not in gone
    ]
    return replace(document, marks=marks)


def _past(mark: Mark, gone: Collection[Place], said: Mapping[Place, Sequence[Place]]) -> tuple[Place, ...]:
    """The antecedents of the mark, those that are gone replaced by theirs."""
    assert mark.answer is not None
    found: dict[Place, None] = {}
    seen = {mark.place}
    left = list(reversed(mark.answer.pointers))
    while left:
        target = left.pop()
        if target in seen:
            continue
        seen.add(target)
        if target in gone:
            left += reversed(said.get(target, ()))
        else:
            found[target] = None
    return tuple(found)


def moved(document: Document, places: Mapping[Place, Mark]) -> Document:
    """The document with other marks in those places, and the pointers to them following.

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
        marks[mark.place] = merged(marks[mark.place], mark) if mark.place in marks else mark
    return replace(document, marks=sorted(marks.values(), key=in_text_order))


def merged(mark: Mark, other: Mark) -> Mark:
    """One mark of two in one place: what the first does not say, the second does; the links of both stay."""
    answer = mark.answer or other.answer
    if mark.answer and other.answer:
        pointers = dict.fromkeys((*mark.answer.pointers, *other.answer.pointers))
        indices = dict.fromkeys((*mark.answer.indices, *other.answer.indices))
        answer = replace(mark.answer, pointers=tuple(pointers), indices=tuple(indices))
    return replace(mark, label=mark.label or other.label, head=mark.head or other.head, answer=answer)
