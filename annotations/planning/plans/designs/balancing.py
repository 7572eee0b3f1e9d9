"""Give the places of items to coders: greedily, then better by moves and exchanges drawn by a seed."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

# Everything that is compared is an integer, in thousandths: sums of floats differ by machine.
UNIT = 1000
# What the work of the largest item too much for a coder counts, an item too much for a pair, and one of a stratum too
# much for a coder; each squared.
LOAD, PAIR, STRATUM = 16, 4, 1
# How many changes are tried for each place, within these bounds, and with how many coders at most, all together.
TRIALS, MIN_TRIALS, MAX_TRIALS, MAX_COMPARED = 100, 3_000, 100_000, 1_000_000


class Shortage(ValueError):
    """Coders take fewer items than there are places: for so many there is nobody."""

    def __init__(self, missing: int) -> None:
        super().__init__(missing)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Place:
    """An item, a text or a block of texts: who has it already, and how many coders it needs besides."""

    fixed: frozenset[int]
    needed: int
    work: int
    stratum: str


def fill(items: Sequence[Place], weights: Sequence[int], limits: Sequence[int], seed: int) -> list[list[int]]:
    """Return the coders of each item, by number.

    The work of coders is in proportion to their weights, within one item where nothing is fixed and no limit holds;
    `limits` are how many items they take. Pairs of coders share as nearly equal numbers of items as possible, in
    proportion to the work of both; those who have items are connected by shared ones where exchanges can connect them;
    items of a stratum are spread evenly. Raise Shortage where limits are too small.
    """
    plan = _Plan(items, weights, limits)
    plan.fill()
    plan.connect()
    plan.improve(random.Random(seed))  # noqa: S311 (a plan is no secret)
    return [sorted(coders) for coders in plan.coded]


class _Plan:
    """Who codes what at the moment. `loads`, `pairs` and `strata` are how far they are above what they should be."""

    def __init__(self, items: Sequence[Place], weights: Sequence[int], limits: Sequence[int]) -> None:
        self.items, self.limits, self.n = items, limits, len(limits)
        self.coded = [set[int]() for _ in items]
        self.counts = [0] * self.n
        largest = max(1, *(item.work for item in items))
        self.work = [max(1, item.work * UNIT // largest) for item in items]
        sizes = [len(item.fixed) + item.needed for item in items]
        total = sum(work * size for work, size in zip(self.work, sizes, strict=True))
        mean = total / max(1, sum(sizes))
        least = [0] * self.n
        for item, work, size in zip(items, self.work, sizes, strict=True):
            for coder in range(self.n) if size >= self.n else item.fixed:
                least[coder] += work
        goals = share_out(total, weights, least, [round(limit * mean) for limit in limits])
        self.loads = [-goal for goal in goals]
        n_pairs = UNIT * sum(size * (size - 1) // 2 for size in sizes)
        products = max(1, (sum(goals) ** 2 - sum(goal**2 for goal in goals)) // 2)
        self.pairs = [
            [0 if a == b else -n_pairs * goals[a] * goals[b] // products for b in range(self.n)] for a in range(self.n)
        ]
        self.shared = [Counter[int]() for _ in range(self.n)]
        placed = dict.fromkeys((item.stratum for item in items), 0)
        for item, size in zip(items, sizes, strict=True):
            placed[item.stratum] += size * UNIT
        self.strata = {name: [-size * goal // max(1, sum(goals)) for goal in goals] for name, size in placed.items()}
        for number, item in enumerate(items):
            for coder in item.fixed:
                self.add(number, coder)

    def add(self, item: int, coder: int, sign: int = 1) -> None:
        """Give an item to a coder, or take it away with the sign -1."""
        others = self.coded[item] - {coder}
        self.coded[item] = others | {coder} if sign > 0 else others
        self.counts[coder] += sign
        self.loads[coder] += sign * self.work[item]
        self.strata[self.items[item].stratum][coder] += sign * UNIT
        for other in others:
            for a, b in (coder, other), (other, coder):
                self.pairs[a][b] += sign * UNIT
                self.shared[a][b] += sign
                if not self.shared[a][b]:
                    del self.shared[a][b]

    def replace(self, item: int, coder: int, other: int) -> None:
        self.add(item, coder, -1)
        self.add(item, other)

    def change(self, item: int, coder: int, other: int, back: int | None = None) -> int:
        """Return how much worse it is, by sums of squares, if the other has the item, and the coder theirs `back`."""
        work, stratum = self.work[item], self.strata[self.items[item].stratum]
        gained, lost = self.coded[item] - {coder}, set[int]()
        strata = stratum[other] - stratum[coder] + UNIT
        if back is not None:
            lost = self.coded[back] - {other}
            gained, lost, work = gained - lost, lost - gained, work - self.work[back]
            theirs = self.strata[self.items[back].stratum]
            strata = strata + theirs[coder] - theirs[other] + UNIT if theirs is not stratum else 0
        of_coder, of_other = self.pairs[coder], self.pairs[other]
        more = [of_other[one] for one in gained] + [of_coder[one] for one in lost]
        less = [of_coder[one] for one in gained] + [of_other[one] for one in lost]
        pairs = sum([(one + UNIT) ** 4 - one**4 for one in more]) + sum([(one - UNIT) ** 4 - one**4 for one in less])
        load = work * (self.loads[other] - self.loads[coder] + work)
        return 2 * LOAD * load + PAIR * pairs // UNIT**2 + 2 * STRATUM * UNIT * strata

    def fill(self) -> None:
        """Give each place, those of large items first, to the coder who lacks most work; of these, who shares least.

        So the work of two coders is never further apart than the largest item. Raise Shortage.
        """
        order = sorted(range(len(self.items)), key=lambda number: (not self._is_of_all(number), -self.work[number]))
        for number in order:
            chosen, stratum = self.coded[number], self.strata[self.items[number].stratum]
            costs = [STRATUM * excess for excess in stratum]
            for one in chosen:
                costs = [cost + PAIR * excess for cost, excess in zip(costs, self.pairs[one], strict=True)]
            free = [one for one in range(self.n) if one not in chosen and self.counts[one] < self.limits[one]]
            if len(free) < self.items[number].needed:
                self._fill_by_flow()
                return
            for _ in range(self.items[number].needed):
                place = min(
                    range(len(free)), key=lambda i: (self.loads[free[i]], costs[free[i]], (free[i] + number) % self.n)
                )
                coder = free.pop(place)
                self.add(number, coder)
                costs = [cost + PAIR * excess for cost, excess in zip(costs, self.pairs[coder], strict=True)]

    def _is_of_all(self, number: int) -> bool:
        return len(self.items[number].fixed) + self.items[number].needed >= self.n

    def _fill_by_flow(self) -> None:
        """Give the places anew by a maximum flow from items to coders with limits. Raise Shortage where it is less."""
        n_items, source, sink = len(self.items), len(self.items) + self.n, len(self.items) + self.n + 1
        edges = [(source, number, item.needed) for number, item in enumerate(self.items)]
        for number, item in enumerate(self.items):
            for coder in self.coded[number] - item.fixed:
                self.add(number, coder, -1)
            edges += [(number, n_items + coder, 1) for coder in range(self.n) if coder not in item.fixed]
        edges += [(n_items + coder, sink, self.limits[coder] - self.counts[coder]) for coder in range(self.n)]
        rows, columns, capacities = np.array(edges, dtype=np.int32).T
        found = maximum_flow(csr_array((capacities, (rows, columns)), shape=(sink + 1, sink + 1)), source, sink)
        if missing := sum(item.needed for item in self.items) - int(found.flow_value):
            raise Shortage(missing)
        flow = found.flow.tocoo()
        for number, node, units in zip(flow.row.tolist(), flow.col.tolist(), flow.data.tolist(), strict=True):
            if number < n_items <= node < source and units > 0:
                self.add(number, node - n_items)

    def reach(self, coder: int, wanted: Collection[int] | None = None) -> set[int]:
        """Return those connected with a coder by shared items; of those alone who are wanted, once all are found."""
        found, queue = {coder}, [coder]
        while queue and (wanted is None or not found.issuperset(wanted)):
            new = self.shared[queue.pop()].keys() - found
            found |= new
            queue += new
        return found

    def connect(self) -> None:
        """Exchange places until everybody who has items is connected, or no exchange connects more of them."""
        while self._is_split() and self._join():
            pass

    def _is_split(self) -> bool:
        active = [coder for coder in range(self.n) if self.counts[coder]]
        return bool(active) and len(self.reach(active[0])) < len(active)

    def _join(self) -> bool:
        """Exchange a place that its part can spare for one of another part; return whether there are such places."""
        movable = self._movable()
        for item, coder in movable:
            if len(self.coded[item]) < 2:
                continue
            self.add(item, coder, -1)
            part = self.reach(coder)
            theirs = [one for one in movable if one[1] not in part] if part >= self.coded[item] else []
            if theirs:
                their_item, their_coder = min(theirs, key=lambda one: abs(self.work[one[0]] - self.work[item]))
                self.add(item, their_coder)
                self.replace(their_item, their_coder, coder)
                return True
            self.add(item, coder)
        return False

    def _movable(self) -> list[tuple[int, int]]:
        """Return the places that are not fixed, of items that some coder does not have."""
        return [
            (number, coder)
            for number, item in enumerate(self.items)
            if not self._is_of_all(number)
            for coder in sorted(self.coded[number] - item.fixed)
        ]

    def improve(self, source: random.Random) -> None:
        """Move places, and exchange two, where it is better, or at first not much worse (threshold accepting).

        Nobody comes further from their work than the largest item, and no part of coders falls apart.
        """
        places = self._movable()
        most = min(MAX_TRIALS, MAX_COMPARED * len(self.items) // max(1, sum(self.counts)))
        n_trials = min(max(TRIALS * len(places), MIN_TRIALS), most) if len(places) > 1 else 0
        for trial in range(n_trials):
            bound = PAIR * UNIT * UNIT * max(n_trials - 2 * trial, 0) // n_trials
            place, second = source.randrange(len(places)), source.randrange(len(places))
            (item, coder), (back, other), receiver = places[place], places[second], source.randrange(self.n)
            has_room = self.counts[receiver] < self.limits[receiver] and receiver not in self.coded[item]
            if has_room and self._is_better(bound, item, coder, receiver):
                self.replace(item, coder, receiver)
                if self._is_apart(coder, item):
                    self.replace(item, receiver, coder)
                else:
                    places[place] = item, receiver
            elif other in self.coded[item] or coder in self.coded[back]:
                continue
            elif self._is_better(bound, item, coder, other, back):
                self.replace(item, coder, other)
                self.replace(back, other, coder)
                if self._is_apart(coder, item) or self._is_apart(other, back):
                    self.replace(back, coder, other)
                    self.replace(item, other, coder)
                else:
                    places[place], places[second] = (item, other), (back, coder)

    def _is_better(self, bound: int, item: int, coder: int, other: int, back: int | None = None) -> bool:
        """Return whether the change is better, or worse by no more than the bound, and nobody comes too far."""
        work = self.work[item] - (0 if back is None else self.work[back])
        most = max(UNIT, abs(self.loads[coder]), abs(self.loads[other]))
        if abs(self.loads[coder] - work) > most or abs(self.loads[other] + work) > most:
            return False
        return self.change(item, coder, other, back) <= bound

    def _is_apart(self, coder: int, item: int) -> bool:
        """Return whether a coder is no more connected with those who have an item that they had, too."""
        return self.counts[coder] > 0 and not self.reach(coder, self.coded[item]) >= self.coded[item]


def share_out(total: int, weights: Sequence[int], least: Sequence[int], most: Sequence[int]) -> list[int]:
    """Return parts of the total in proportion to weights, none below its least or above its most."""
    scale = 1_000_000

    def at(level: int) -> list[int]:
        bounds = zip(weights, least, most, strict=True)
        return [max(low, min(weight * level // scale, high)) for weight, low, high in bounds]

    return at(bisect_right(range(scale * (total + 1)), total, key=lambda level: sum(at(level))) - 1)
