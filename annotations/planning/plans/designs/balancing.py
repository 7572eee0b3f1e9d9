"""Give the places of items to coders: greedily, then better by moves and exchanges drawn by a seed."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

# Everything that is compared is an integer, work and items in thousandths: sums of floats differ by machine.
UNIT = 1000
# What an item too much counts for a pair, to the fourth power, and of a stratum for a coder, squared; and the work of
# the largest item too much for a coder, squared: LOAD, or the number of items of a coder, as among many one fits.
LOAD, PAIR, STRATUM = 16, 4, 1
# How many changes are tried for each place, within these bounds, and with how many coders at most, all together.
TRIALS, MIN_TRIALS, MAX_TRIALS, MAX_COMPARED = 100, 10_000, 100_000, 1_000_000


class Shortage(ValueError):
    """Coders take fewer items than there are places: for so many there is nobody."""

    def __init__(self, missing: int) -> None:
        super().__init__(missing)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Need:
    """What an item, a text or a block of texts, needs: so many coders beside those who have it already."""

    fixed: frozenset[int]
    coders: int
    work: int
    stratum: str


def assign(needs: Sequence[Need], weights: Sequence[int], limits: Sequence[int], seed: int) -> list[list[int]]:
    """Return the coders of each item, by number.

    The work of coders is in proportion to their weights, within one item where nothing is fixed and no limit holds;
    `limits` are how many items they take. Pairs of coders share as nearly equal numbers of items as possible, in
    proportion to the work of both; those who have items are connected by shared ones where exchanges can connect them;
    items of a stratum are spread evenly. Raise Shortage where limits are too small.
    """
    plan = _Plan(needs, weights, limits)
    plan.fill()
    plan.connect()
    plan.improve(random.Random(seed))  # noqa: S311 (a plan is no secret)
    return [sorted(coders) for coders in plan.coded]


class _Plan:
    """Who codes what at the moment. `loads`, `pairs` and `strata` are how far they are above what they should be."""

    def __init__(self, needs: Sequence[Need], weights: Sequence[int], limits: Sequence[int]) -> None:
        self.needs, self.limits, self.n = needs, limits, len(limits)
        self.coded = [set[int]() for _ in needs]
        self.counts = [0] * self.n
        self.work = [UNIT * max(1, need.work) for need in needs]
        self.largest = max(self.work)
        sizes = [len(need.fixed) + need.coders for need in needs]
        total = sum(work * size for work, size in zip(self.work, sizes, strict=True))
        mean = total / max(1, sum(sizes))
        self.of_load = max(LOAD, sum(sizes) // self.n)
        # what each coder has in any case, and may have at most
        least, most = [0] * self.n, [0] * self.n
        for need, work in zip(needs, self.work, strict=True):
            for coder in range(self.n) if need.coders else need.fixed:
                most[coder] += work
                least[coder] += work if coder in need.fixed or len(need.fixed) + need.coders >= self.n else 0
        most = [min(work, round(limit * mean)) for work, limit in zip(most, limits, strict=True)]
        goals = share_out(total, weights, least, most)
        self.loads = [-goal for goal in goals]
        n_pairs = UNIT * sum(size * (size - 1) // 2 for size in sizes)
        products = max(1, (sum(goals) ** 2 - sum(goal**2 for goal in goals)) // 2)
        # an item too much for a pair counts a little more than one that lacks: equal sums are not equally even
        self.pairs = [
            [0 if a == b else UNIT // 100 - n_pairs * goals[a] * goals[b] // products for b in range(self.n)]
            for a in range(self.n)
        ]
        self.shared = [Counter[int]() for _ in range(self.n)]
        placed = dict.fromkeys((need.stratum for need in needs), 0)
        for need, size in zip(needs, sizes, strict=True):
            placed[need.stratum] += size * UNIT
        self.of_stratum = STRATUM if len(placed) > 1 else 0
        self.strata = {name: [-size * goal // max(1, sum(goals)) for goal in goals] for name, size in placed.items()}
        for item, need in enumerate(needs):
            for coder in need.fixed:
                self.add(item, coder)

    def add(self, item: int, coder: int, sign: int = 1) -> None:
        """Give an item to a coder, or take it away with the sign -1."""
        others = self.coded[item] - {coder}
        self.coded[item] = others | {coder} if sign > 0 else others
        self.counts[coder] += sign
        self.loads[coder] += sign * self.work[item]
        self.strata[self.needs[item].stratum][coder] += sign * UNIT
        for other in others:
            for a, b in (coder, other), (other, coder):
                self.pairs[a][b] += sign * UNIT
                self.shared[a][b] += sign
                if not self.shared[a][b]:
                    del self.shared[a][b]

    def replace(self, item: int, coder: int, other: int) -> None:
        self.add(item, coder, -1)
        self.add(item, other)

    def cost_of(self, item: int, coder: int, other: int, back: int | None = None) -> int:
        """Return how much worse it is if the other coder has the item, and the coder their item `back`."""
        work, stratum = self.work[item], self.strata[self.needs[item].stratum]
        gained, lost = self.coded[item] - {coder}, set[int]()
        strata = stratum[other] - stratum[coder] + UNIT
        if back is not None:
            lost = self.coded[back] - {other}
            gained, lost, work = gained - lost, lost - gained, work - self.work[back]
            theirs = self.strata[self.needs[back].stratum]
            strata = strata + theirs[coder] - theirs[other] + UNIT if theirs is not stratum else 0
        of_coder, of_other = self.pairs[coder], self.pairs[other]
        more = [of_other[third] for third in gained] + [of_coder[third] for third in lost]
        less = [of_coder[third] for third in gained] + [of_other[third] for third in lost]
        pairs = sum([(pair + UNIT) ** 4 - pair**4 for pair in more])
        pairs += sum([(pair - UNIT) ** 4 - pair**4 for pair in less])
        load = work * (self.loads[other] - self.loads[coder] + work)
        cost = 2 * self.of_load * load * UNIT**2 // self.largest**2
        return cost + PAIR * pairs // UNIT**2 + 2 * self.of_stratum * UNIT * strata

    def fill(self) -> None:
        """Give each place, those of large items first, to the coder who lacks most work; of these, who shares least.

        Where nothing is fixed and all weights are equal, nobody has more than the largest item above another. Raise
        Shortage.
        """
        order = sorted(range(len(self.needs)), key=lambda item: (not self._is_of_all(item), -self.work[item]))
        for item in order:
            chosen, stratum, needed = self.coded[item], self.strata[self.needs[item].stratum], self.needs[item].coders
            costs = [self.of_stratum * excess for excess in stratum]
            for coder in chosen:
                costs = [cost + PAIR * excess for cost, excess in zip(costs, self.pairs[coder], strict=True)]
            free = {i for i in range(self.n) if i not in chosen and self.counts[i] < self.limits[i]}
            if len(free) < needed:
                self._fill_by_flow()
                return
            for _ in range(needed):
                _, _, _, coder = min((self.loads[i], costs[i], (i + item) % self.n, i) for i in free)
                free.remove(coder)
                self.add(item, coder)
                costs = [cost + PAIR * excess for cost, excess in zip(costs, self.pairs[coder], strict=True)]

    def _is_of_all(self, item: int) -> bool:
        return len(self.needs[item].fixed) + self.needs[item].coders >= self.n

    def _fill_by_flow(self) -> None:
        """Give all places again by a maximum flow from items to coders with limits. Raise Shortage where it is less."""
        n_items, source, sink = len(self.needs), len(self.needs) + self.n, len(self.needs) + self.n + 1
        may_have = np.ones((n_items, self.n), dtype=np.bool_)
        for item, need in enumerate(self.needs):
            may_have[item, list(need.fixed)] = False
            for coder in self.coded[item] - need.fixed:
                self.add(item, coder, -1)
        items, coders = np.nonzero(may_have)
        rows = np.concatenate([np.full(n_items, source), items, np.arange(n_items, source)])
        columns = np.concatenate([np.arange(n_items), coders + n_items, np.full(self.n, sink)])
        room = [min(limit, n_items) - count for limit, count in zip(self.limits, self.counts, strict=True)]
        capacities = np.concatenate([[need.coders for need in self.needs], np.ones(len(items), dtype=int), room])
        graph = csr_array((capacities.astype(np.int32), (rows, columns)), shape=(sink + 1, sink + 1))
        found = maximum_flow(graph, source, sink)
        if missing := sum(need.coders for need in self.needs) - int(found.flow_value):
            raise Shortage(missing)
        for item, coder in np.argwhere(found.flow[:n_items, n_items:source].toarray() > 0).tolist():
            self.add(item, coder)

    def reach(self, coder: int, wanted: Collection[int] = ()) -> set[int]:
        """Return those connected with a coder by shared items; no more of them once one is found who is wanted."""
        found, queue = {coder}, deque([coder])
        while queue and found.isdisjoint(wanted):
            new = self.shared[queue.popleft()].keys() - found
            found |= new
            queue += new
        return found

    def connect(self) -> None:
        """Exchange places until everybody who has items is connected, or no exchange connects more of them."""
        active = {coder for coder in range(self.n) if self.counts[coder]}
        while active and len(self.reach(min(active))) < len(active) and self._join():
            pass

    def _join(self) -> bool:
        """Exchange a place that its part can spare for one of another part; return whether there are such places."""
        part_of = dict[int, int]()
        for coder in range(self.n):
            if coder not in part_of:
                part_of |= dict.fromkeys(self.reach(coder), coder)
        of_parts = dict[int, list[tuple[int, int]]]()
        for item, coder in self._movable():
            of_parts.setdefault(part_of[coder], []).append((item, coder))
        for part, places in of_parts.items() if len(of_parts) > 1 else ():
            for item, coder in places:
                if len(self.coded[item]) < 2:
                    continue
                self.add(item, coder, -1)
                if not self.reach(coder, self.coded[item]).isdisjoint(self.coded[item]):
                    theirs = [place for other, own in of_parts.items() if other != part for place in own]
                    their_item, their_coder = min(theirs, key=lambda place: abs(self.work[place[0]] - self.work[item]))
                    self.add(item, their_coder)
                    self.replace(their_item, their_coder, coder)
                    return True
                self.add(item, coder)
        return False

    def _movable(self) -> list[tuple[int, int]]:
        """Return the places that are not fixed, of items that some coder does not have."""
        return [
            (item, coder)
            for item, need in enumerate(self.needs)
            if not self._is_of_all(item)
            for coder in sorted(self.coded[item] - need.fixed)
        ]

    def improve(self, source: random.Random) -> None:
        """Move places, and exchange two, where it is better, or at first not much worse (threshold accepting).

        Nobody comes further from their work than the largest item, and no part of coders falls apart.
        """
        places = self._movable()
        most = min(MAX_TRIALS, MAX_COMPARED * len(self.needs) // max(1, sum(self.counts)))
        n_trials = min(max(TRIALS * len(places), MIN_TRIALS), most) if len(places) > 1 else 0
        for trial in range(n_trials):
            bound = PAIR * UNIT * UNIT * max(n_trials - 2 * trial, 0) // n_trials
            # of the generator only these numbers are the same in each version of Python
            place, second, receiver = (int(source.random() * n) for n in (len(places), len(places), self.n))
            (item, coder), (back, other) = places[place], places[second]
            has_room = self.counts[receiver] < self.limits[receiver] and receiver not in self.coded[item]
            if has_room and self._is_accepted(bound, item, coder, receiver):
                self.replace(item, coder, receiver)
                if self._is_apart(coder, item):
                    self.replace(item, receiver, coder)
                else:
                    places[place] = item, receiver
            elif other in self.coded[item] or coder in self.coded[back]:
                continue
            elif self._is_accepted(bound, item, coder, other, back):
                self.replace(item, coder, other)
                self.replace(back, other, coder)
                if self._is_apart(coder, item) or self._is_apart(other, back):
                    self.replace(back, coder, other)
                    self.replace(item, other, coder)
                else:
                    places[place], places[second] = (item, other), (back, coder)

    def _is_accepted(self, bound: int, item: int, coder: int, other: int, back: int | None = None) -> bool:
        """Return whether the change is better, or worse by no more than the bound, and nobody comes too far."""
        work = self.work[item] - (0 if back is None else self.work[back])
        most = max(self.largest, abs(self.loads[coder]), abs(self.loads[other]))
        if abs(self.loads[coder] - work) > most or abs(self.loads[other] + work) > most:
            return False
        return self.cost_of(item, coder, other, back) <= bound

    def _is_apart(self, coder: int, item: int) -> bool:
        """Return whether coders fall apart, now that a coder has an item no more."""
        if not self.counts[coder]:
            return False
        if len(self.coded[item]) == 1:  # nobody was connected by it
            [other] = self.coded[item]
            return self.counts[other] < 2
        return self.reach(coder, self.coded[item]).isdisjoint(self.coded[item])


def share_out(total: int, weights: Sequence[int], least: Sequence[int], most: Sequence[int]) -> list[int]:
    """Return parts of the total in proportion to weights, none below its least or above its most."""

    def at(level: int) -> list[int]:
        bounds = zip(weights, least, most, strict=True)
        return [max(low, min(weight * level // UNIT, high)) for weight, low, high in bounds]

    return at(bisect_right(range(UNIT * (total + 1)), total, key=lambda level: sum(at(level))) - 1)
