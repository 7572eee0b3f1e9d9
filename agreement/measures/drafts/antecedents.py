"""From the entities of a draft to pointers that make them, taken from the coders where they can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Set

from ..values import Readings
from .consensus import Consensus
from .votes import Entity

type Reading = frozenset[Hashable]
type CoderPointers = Mapping[Hashable, Collection[Hashable | Set[Hashable]]]


def antecedents(draft: Consensus, pointers: Iterable[CoderPointers]) -> dict[Hashable, list[Reading]]:
    """Return pointers that make the entities of a draft: the readings of each unit that points, as `chain_labels` has.

    `pointers` has those of each coder, as `chain_labels` takes them. Of an entity each unit but one points to one
    other, along pointers of coders: those of more coders first, then in text order, then the nearest target, if it
    precedes before others. What they leave apart is joined by pointers that no coder made, to the nearest unit of the
    entity that precedes. A unit in several entities points into each of them, as alternatives, and nothing points to
    it. A unit that more than half of the coders who let it point give a plural reading keeps the most frequent one, and
    the entity begins with it. Of several members that are no units, and so do not point, only the first can be reached.

    With top="chain", readings="matched" and plural="entity" `chain_labels` makes of these pointers the values of the
    draft, but for a unit alone, which has its category.

    >>> data = ReliabilityData.from_chain_ids([[1, 1, 1], [1, 1, 1], [1, 2, 1]], ["text"] * 3)
    >>> antecedents(consensus(data), [{1: {0}, 2: {0}}, {1: {0}}, {1: {0}, 2: {1}}])
    {1: [frozenset({0})], 2: [frozenset({1})]}
    """
    votes = _Votes(pointers, draft)
    firm = {unit for unit, value in draft.values.items() if isinstance(value, frozenset)}
    several = {unit: value for unit, value in draft.values.items() if isinstance(value, Readings)}
    entities = dict.fromkeys(
        entity
        for value in draft.values.values()
        for entity in (votes.order_entities(value) if isinstance(value, Readings) else (value,))
        if isinstance(entity, frozenset)
    )
    found: dict[Hashable, list[Reading]] = {}
    for entity in entities:
        found |= _Tree(entity - several.keys(), firm, votes).point()
    for unit, value in several.items():
        targets = [votes.choose(unit, one - several.keys()) for one in votes.order_entities(value)]
        found[unit] = [frozenset((target,)) for target in targets if target is not None]
    return {unit: found[unit] for unit in draft.values if found.get(unit)}


class _Votes:
    """How many coders point from where to what, and the order of units in the text."""

    def __init__(self, pointers: Iterable[CoderPointers], draft: Consensus) -> None:
        self.place = {unit: number for number, unit in enumerate(draft.values)}
        self.targets: dict[Hashable, Counter[Hashable]] = {}
        plural: dict[Hashable, Counter[Reading]] = {}
        pointing: Counter[Hashable] = Counter()
        for of_coder in pointers:
            for unit, readings in of_coder.items():
                sets = {frozenset(one) if isinstance(one, Set) else frozenset((one,)) for one in readings}
                pointing[unit] += bool(sets)
                for one in sets:
                    if len(one) == 1:
                        self.targets.setdefault(unit, Counter()).update(one)
                    else:
                        plural.setdefault(unit, Counter())[one] += 1
        # of each unit that most of those who let it point give a plural reading, the one that most give
        self.plural = {
            unit: min(counts, key=lambda one: (-counts[one], self._places(one)))
            for unit, counts in plural.items()
            if 2 * counts.total() > pointing[unit]
        }

    def order_entities(self, value: Readings) -> list[Entity]:
        """Return the entities of an ambiguous unit in text order."""
        return sorted(value.sets, key=self._places)

    def rank(self, unit: Hashable, target: Hashable) -> tuple[bool, int]:
        """Return a key by which targets that precede come before others, and near ones before far ones."""
        distance = self.place[unit] - self.place.get(target, -1)
        return distance < 0, abs(distance)

    def choose(self, unit: Hashable, targets: Collection[Hashable]) -> Hashable | None:
        """Return the target to which most coders point from a unit, the nearest among equals; None without any."""
        votes = self.targets.get(unit, Counter())
        return min(targets, key=lambda target: (-votes[target], *self.rank(unit, target)), default=None)

    def _places(self, nodes: Iterable[Hashable]) -> list[int]:
        return sorted(self.place.get(node, -1) for node in nodes)


class _Tree:
    """The pointers of an entity: each unit points to one other at most, and all lead to one member."""

    def __init__(self, members: Set[Hashable], firm: Set[Hashable], votes: _Votes) -> None:
        self.votes = votes
        self.units = sorted(members & firm, key=votes.place.__getitem__)
        # what is no unit, such as a turn, does not point
        self.others = sorted(members - firm, key=repr)
        self.plural = None if self.others else next((unit for unit in self.units if unit in votes.plural), None)
        self.target: dict[Hashable, Hashable] = {}
        # a way from each member to the end of its pointers, cut short as it is used
        self.way = {member: member for member in (*self.units, *self.others)}

    def point(self) -> dict[Hashable, list[Reading]]:
        """Return the readings of the units that point."""
        wanted = [
            (-n, self.votes.place[unit], self.votes.rank(unit, target), unit, target)
            for unit in self.units
            for target, n in self.votes.targets.get(unit, Counter()).items()
            if target in self.way
        ]
        for *_, unit, target in sorted(wanted, key=lambda one: one[:3]):
            if unit not in self.target and unit != self.plural:
                self._join(unit, target)
        last = self._find_last()
        for number, unit in enumerate(self.units):
            if unit not in self.target and unit != last:
                preceding = reversed(self.units[:number])
                self._join(unit, next((one for one in preceding if self._may_join(unit, one, last)), last))
        found = {unit: [frozenset((target,))] for unit, target in self.target.items()}
        if self.plural is not None:
            found[self.plural] = [self.votes.plural[self.plural]]
        return found

    def _find_last(self) -> Hashable:
        """Return the member to which all others are to lead."""
        if self.others:
            # of equally frequent ones the one that the first unit leads to, whatever its name
            leading = Counter(end for unit in self.units if (end := self._end(unit)) in self.others)
            return max((*leading, *self.others), key=lambda other: leading[other])
        return self.plural if self.plural is not None else next(one for one in self.units if one not in self.target)

    def _may_join(self, unit: Hashable, target: Hashable, last: Hashable) -> bool:
        """Say whether a target leads to the last member, or can be made to, and not back to the unit."""
        end = self._end(target)
        return end == last or (end != unit and end not in self.others)

    def _join(self, unit: Hashable, target: Hashable) -> None:
        end = self._end(target)
        if end != unit:
            self.target[unit], self.way[unit] = target, end

    def _end(self, member: Hashable) -> Hashable:
        while self.way[member] != member:
            self.way[member] = self.way[self.way[member]]
            member = self.way[member]
        return member
