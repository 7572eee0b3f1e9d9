"""Assign items to coders: greedily, then improved by random moves and exchanges with a seed."""

import random
from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

# All costs are integers, work and items in thousandths, as sums of floats differ between machines.
UNIT = 1000
# The cost of an excess item for a pair, to the fourth power, and for a coder in a stratum, squared. The cost of excess
# work of the largest item for a coder, squared, is LOAD, or the number of a coder's items if larger.
LOAD, PAIR, STRATUM = 16, 4, 1
# The number of trials for each place, its bounds, and the maximum of trials times coders of all items.
TRIALS, MIN_TRIALS, MAX_TRIALS, MAX_COMPARED = 100, 10_000, 50_000, 1_000_000


class Shortage(ValueError):
    """Coders take fewer items than there are places; `missing` places have nobody."""

    def __init__(self, missing: int) -> None:
        super().__init__(missing)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Item:
    """A text or block that goes to the same coders; `places` are needed in addition to the `fixed` coders."""

    texts: tuple[str, ...]
    work: int
    stratum: str
    fixed: frozenset[int]
    places: int


type Change = tuple[int, int, int]  # an item, its giver and its receiver


def assign(items: Sequence[Item], weights: Sequence[int], limits: Sequence[int], seed: int) -> list[list[int]]:
    """Return the coders of each item, by number. Raise Shortage if the limits on items of coders are too small.

    Work is proportional to weights within one item, if nothing is fixed and no limit applies. Pairs of coders share
    numbers of items that are as equal as possible. Coders with items are connected by shared ones where exchanges
    allow. Items of a stratum are spread evenly.
    """
    plan = _Plan(items, weights, limits)
    plan.fill()
    while plan.join_parts():
        pass
    plan.improve(random.Random(seed))  # noqa: S311 (a plan is no secret)
    return [sorted(coders) for coders in plan.coded]


class _Plan:
    """The current assignment. `loads`, `pairs` and `strata` are the excess over their targets."""

    def __init__(self, items: Sequence[Item], weights: Sequence[int], limits: Sequence[int]) -> None:
        self.items, self.limits, self.n = items, limits, len(limits)
        self.coded = [set[int]() for _ in items]
        self.counts = [0] * self.n
        self.work = [UNIT * max(1, item.work) for item in items]
        self.largest = max(self.work)
        sizes = [len(item.fixed) + item.places for item in items]
        total = sum(work * size for work, size in zip(self.work, sizes, strict=True))
        mean = total / max(1, sum(sizes))
        self.of_load = max(LOAD, sum(sizes) // self.n)
        # the minimum and maximum of each coder's work
        minimums, maximums = [0] * self.n, [0] * self.n
        for item, work in zip(items, self.work, strict=True):
            for coder in range(self.n) if item.places else item.fixed:
                maximums[coder] += work
                minimums[coder] += work if coder in item.fixed or self._is_of_all(item) else 0
        maximums = [min(work, round(limit * mean)) for work, limit in zip(maximums, limits, strict=True)]
        goals = share_out(total, weights, minimums, maximums)
        self.loads = [-goal for goal in goals]
        n_pairs = UNIT * sum(size * (size - 1) // 2 for size in sizes)
        products = max(1, (sum(goals) ** 2 - sum(goal**2 for goal in goals)) // 2)
        # a pair's excess item costs slightly more than a missing one, as equal sums are not equally even
        self.pairs = [
            [0 if a == b else UNIT // 100 - n_pairs * goals[a] * goals[b] // products for b in range(self.n)]
            for a in range(self.n)
        ]
        self.shared = [[0] * self.n for _ in range(self.n)]
        placed = dict.fromkeys((item.stratum for item in items), 0)
        for item, size in zip(items, sizes, strict=True):
            placed[item.stratum] += size * UNIT
        self.of_stratum = STRATUM if len(placed) > 1 else 0
        self.strata = {name: [-size * goal // max(1, sum(goals)) for goal in goals] for name, size in placed.items()}
        for number, item in enumerate(items):
            for coder in item.fixed:
                self.add(number, coder)

    def _is_of_all(self, item: Item) -> bool:
        return len(item.fixed) + item.places >= self.n

    def add(self, number: int, coder: int, sign: int = 1) -> int:
        """Give an item to a coder, or take it away with the sign -1; return the increase of the cost."""
        coded, stratum, step = self.coded[number], self.strata[self.items[number].stratum], sign * UNIT
        coded.discard(coder)
        work, load, stratum_excess = sign * self.work[number], self.loads[coder], stratum[coder]
        self.counts[coder] += sign
        self.loads[coder] += work
        stratum[coder] += step
        pairs, shared, pairs_cost = self.pairs[coder], self.shared[coder], 0
        for partner in coded:
            excess = pairs[partner]
            pairs_cost += (excess + step) ** 4 - excess**4
            pairs[partner] = self.pairs[partner][coder] = excess + step
            shared[partner] = self.shared[partner][coder] = shared[partner] + sign
        if sign > 0:
            coded.add(coder)
        load_cost = self.of_load * work * (2 * load + work) * UNIT**2 // self.largest**2
        return load_cost + PAIR * pairs_cost // UNIT**2 + self.of_stratum * step * (2 * stratum_excess + step)

    def fill(self) -> None:
        """Fill each place, large items first, with the coder who lacks most work, then shares least. Raise Shortage."""
        order = sorted(range(len(self.items)), key=lambda i: (not self._is_of_all(self.items[i]), -self.work[i]))
        for number in order:
            item, chosen = self.items[number], self.coded[number]
            free = {i for i in range(self.n) if i not in chosen and self.counts[i] < self.limits[i]}
            if len(free) < item.places:
                self._fill_by_flow()
                return
            stratum = self.strata[item.stratum]
            costs = {
                i: self.of_stratum * stratum[i] + PAIR * sum(self.pairs[i][partner] for partner in chosen) for i in free
            }
            for _ in range(item.places):
                _, _, _, coder = min((self.loads[i], costs[i], (i + number) % self.n, i) for i in free)
                free.remove(coder)
                self.add(number, coder)
                costs = {i: costs[i] + PAIR * self.pairs[i][coder] for i in free}

    def _fill_by_flow(self) -> None:
        """Refill all places by a maximum flow from items to coders with limits. Raise Shortage if it is too small."""
        n_items, source, sink = len(self.items), len(self.items) + self.n, len(self.items) + self.n + 1
        may_have = np.ones((n_items, self.n), dtype=np.bool_)
        for number, item in enumerate(self.items):
            may_have[number, list(item.fixed)] = False
            for coder in self.coded[number] - item.fixed:
                self.add(number, coder, -1)
        rows, columns = np.nonzero(may_have)
        rows = np.concatenate([np.full(n_items, source), rows, np.arange(n_items, source)])
        columns = np.concatenate([np.arange(n_items), columns + n_items, np.full(self.n, sink)])
        places = [item.places for item in self.items]
        room = [min(limit, n_items) - count for limit, count in zip(self.limits, self.counts, strict=True)]
        capacities = np.concatenate([places, np.ones(may_have.sum(), dtype=int), room]).astype(np.int32)
        flow = maximum_flow(csr_array((capacities, (rows, columns)), shape=(sink + 1, sink + 1)), source, sink)
        if missing := sum(places) - int(flow.flow_value):
            raise Shortage(missing)
        for number, coder in np.argwhere(flow.flow[:n_items, n_items:source].toarray() > 0).tolist():
            self.add(number, coder)

    def join_parts(self) -> bool:
        """Exchange a place that one component of coders can spare for one of another; return whether that was done."""
        _, part_of = connected_components(csr_array(np.array(self.shared)), directed=False)
        places = self._movable()
        if len({part_of[coder] for coder in range(self.n) if self.counts[coder]}) < 2:
            return False
        for number, coder in places:
            if len(self.coded[number]) < 2:
                continue
            self.add(number, coder, -1)
            is_spared = self._reaches(coder, self.coded[number])
            self.add(number, coder)
            theirs = [row for row in places if part_of[row[1]] != part_of[coder]] if is_spared else []
            if theirs:
                back, other = min(theirs, key=lambda place: abs(self.work[place[0]] - self.work[number]))
                self._carry_out((number, coder, other), (back, other, coder))
                return True
        return False

    def _movable(self) -> list[tuple[int, int]]:
        """Return the places of items that can be moved: not fixed, and not of an item that all coders have."""
        return [
            (number, coder)
            for number, item in enumerate(self.items)
            if not self._is_of_all(item)
            for coder in sorted(self.coded[number] - item.fixed)
        ]

    def improve(self, source: random.Random) -> None:
        """Move and exchange places if that is better, or at first not much worse (threshold accepting).

        No coder's work moves further from its target than the largest item, and no component of coders falls apart.
        """
        places = self._movable()
        limit = min(MAX_TRIALS, MAX_COMPARED * len(self.items) // max(1, sum(self.counts)))
        n_trials = min(max(TRIALS * len(places), MIN_TRIALS), limit) if len(places) > 1 else 0
        for trial in range(n_trials):
            bound = PAIR * UNIT * UNIT * max(n_trials - 2 * trial, 0) // n_trials
            # only these numbers of the generator are the same in all versions of Python
            first, second, receiver = (int(source.random() * n) for n in (len(places), len(places), self.n))
            (number, coder), (back, other) = places[first], places[second]
            has_room = self.counts[receiver] < self.limits[receiver] and receiver not in self.coded[number]
            if has_room and self._try(bound, (number, coder, receiver)):
                places[first] = number, receiver
            elif (
                other not in self.coded[number]
                and coder not in self.coded[back]
                and self._try(bound, (number, coder, other), (back, other, coder))
            ):
                places[first], places[second] = (number, other), (back, coder)

    def _try(self, bound: int, *changes: Change) -> bool:
        """Make a move or exchange within the bounds of cost and of work; return whether it was made."""
        number, coder, other = changes[0]
        work = self.work[number] - sum(self.work[back] for back, _, _ in changes[1:])
        limit = max(self.largest, abs(self.loads[coder]), abs(self.loads[other]))
        if abs(self.loads[coder] - work) > limit or abs(self.loads[other] + work) > limit:
            return False
        cost = self._carry_out(*changes)
        if cost <= bound and not any(self._is_apart(giver, item) for item, giver, _ in changes):
            return True
        self._carry_out(*((item, taker, giver) for item, giver, taker in reversed(changes)))
        return False

    def _carry_out(self, *changes: Change) -> int:
        """Give items of coders to others, and return the increase of the cost."""
        return sum(self.add(item, giver, -1) + self.add(item, taker) for item, giver, taker in changes)

    def _is_apart(self, coder: int, number: int) -> bool:
        """Return whether coders are no longer connected, now that a coder has lost an item."""
        if not self.counts[coder]:
            return False
        if len(self.coded[number]) == 1:  # the item connected nobody
            return self.counts[min(self.coded[number])] < 2
        return not self._reaches(coder, self.coded[number])

    def _reaches(self, coder: int, wanted: Set[int]) -> bool:
        """Return whether shared items connect a coder with one of the wanted coders."""
        joined, queue = {coder}, [coder]
        for reached in queue:  # the queue grows
            if joined & wanted:
                return True
            new = [other for other, n_shared in enumerate(self.shared[reached]) if n_shared and other not in joined]
            joined.update(new)
            queue += new
        return False


def share_out(total: int, weights: Sequence[int], minimums: Sequence[int], maximums: Sequence[int]) -> list[int]:
    """Return shares of the total in proportion to weights, each between its minimum and maximum."""

    def at(level: int) -> list[int]:
        bounds = zip(weights, minimums, maximums, strict=True)
        return [max(low, min(weight * level // UNIT, high)) for weight, low, high in bounds]

    return at(bisect_right(range(UNIT * (total + 1)), total, key=lambda level: sum(at(level))) - 1)
