"""Give the places of items to coders: greedily, then better by moves and exchanges drawn by a seed."""

import random
from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

# Everything that is compared is an integer, work and items in thousandths: sums of floats differ by machine.
UNIT = 1000
# What an item too much counts for a pair, to the fourth power, and of a stratum for a coder, squared; and the work of
# the largest item too much for a coder, squared: LOAD, or the number of items of a coder, as among many one fits.
LOAD, PAIR, STRATUM = 16, 4, 1
# How many changes are tried for each place, within these bounds, and with how many coders at most, all together.
TRIALS, MIN_TRIALS, MAX_TRIALS, MAX_COMPARED = 100, 10_000, 50_000, 1_000_000


class Shortage(ValueError):
    """Coders take fewer items than there are places: for so many there is nobody."""

    def __init__(self, missing: int) -> None:
        super().__init__(missing)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Item:
    """Texts that go to the same coders, one or a block: they need so many coders beside those who have them already."""

    texts: tuple[str, ...]
    work: int
    stratum: str
    fixed: frozenset[int]
    places: int


type Change = tuple[int, int, int]  # an item, who has it, and who gets it


def assign(items: Sequence[Item], weights: Sequence[int], limits: Sequence[int], seed: int) -> list[list[int]]:
    """Return the coders of each item, by number. Raise Shortage where the limits of how many they take are too small.

    Work is in proportion to weights, within one item where nothing is fixed and no limit holds. Pairs of coders share
    as nearly equal numbers of items as possible. Coders with items are connected by shared ones where exchanges can
    connect them. Items of a stratum are spread evenly.
    """
    plan = _Plan(items, weights, limits)
    plan.fill()
    while plan.join_parts():
        pass
    plan.improve(random.Random(seed))  # noqa: S311 (a plan is no secret)
    return [sorted(coders) for coders in plan.coded]


class _Plan:
    """Who codes what at the moment. `loads`, `pairs` and `strata` are how far they are above what they should be."""

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
        # what each coder has in any case, and may have at most
        least, most = [0] * self.n, [0] * self.n
        for item, work in zip(items, self.work, strict=True):
            for coder in range(self.n) if item.places else item.fixed:
                most[coder] += work
                least[coder] += work if coder in item.fixed or self._is_of_all(item) else 0
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
        """Give an item to a coder, or take it away with the sign -1; return how much worse that makes the plan."""
        coded, stratum, step = self.coded[number], self.strata[self.items[number].stratum], sign * UNIT
        coded.discard(coder)
        work, load, of_stratum = sign * self.work[number], self.loads[coder], stratum[coder]
        self.counts[coder] += sign
        self.loads[coder] += work
        stratum[coder] += step
        pairs, shared, of_pairs = self.pairs[coder], self.shared[coder], 0
        for other in coded:
            excess = pairs[other]
            of_pairs += (excess + step) ** 4 - excess**4
            pairs[other] = self.pairs[other][coder] = excess + step
            shared[other] = self.shared[other][coder] = shared[other] + sign
        if sign > 0:
            coded.add(coder)
        of_load = self.of_load * work * (2 * load + work) * UNIT**2 // self.largest**2
        return of_load + PAIR * of_pairs // UNIT**2 + self.of_stratum * step * (2 * of_stratum + step)

    def fill(self) -> None:
        """Give each place, large items first, to the coder who lacks most work, then shares least. Raise Shortage."""
        order = sorted(range(len(self.items)), key=lambda i: (not self._is_of_all(self.items[i]), -self.work[i]))
        for number in order:
            item, chosen = self.items[number], self.coded[number]
            free = {i for i in range(self.n) if i not in chosen and self.counts[i] < self.limits[i]}
            if len(free) < item.places:
                self._fill_by_flow()
                return
            stratum = self.strata[item.stratum]
            costs = {
                i: self.of_stratum * stratum[i] + PAIR * sum(self.pairs[i][other] for other in chosen) for i in free
            }
            for _ in range(item.places):
                _, _, _, coder = min((self.loads[i], costs[i], (i + number) % self.n, i) for i in free)
                free.remove(coder)
                self.add(number, coder)
                costs = {i: costs[i] + PAIR * self.pairs[i][coder] for i in free}

    def _fill_by_flow(self) -> None:
        """Give all places again by a maximum flow from items to coders with limits. Raise Shortage where it is less."""
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
        """Exchange a place that its part of the coders can spare for one of another part; return whether one was."""
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
            theirs = [place for place in places if part_of[place[1]] != part_of[coder]] if is_spared else []
            if theirs:
                back, other = min(theirs, key=lambda place: abs(self.work[place[0]] - self.work[number]))
                self._carry_out((number, coder, other), (back, other, coder))
                return True
        return False

    def _movable(self) -> list[tuple[int, int]]:
        """Return the places that are not fixed, of items that some coder does not have."""
        return [
            (number, coder)
            for number, item in enumerate(self.items)
            if not self._is_of_all(item)
            for coder in sorted(self.coded[number] - item.fixed)
        ]

    def improve(self, source: random.Random) -> None:
        """Move and exchange places where it is better, or at first not much worse (threshold accepting).

        Nobody comes further from their work than the largest item, and no part of coders falls apart.
        """
        places = self._movable()
        most = min(MAX_TRIALS, MAX_COMPARED * len(self.items) // max(1, sum(self.counts)))
        n_trials = min(max(TRIALS * len(places), MIN_TRIALS), most) if len(places) > 1 else 0
        for trial in range(n_trials):
            bound = PAIR * UNIT * UNIT * max(n_trials - 2 * trial, 0) // n_trials
            # of the generator only these numbers are the same in each version of Python
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
        """Carry out a move or exchange if it is worse by no more than the bound, and nobody comes too far."""
        number, coder, other = changes[0]
        work = self.work[number] - sum(self.work[back] for back, _, _ in changes[1:])
        most = max(self.largest, abs(self.loads[coder]), abs(self.loads[other]))
        if abs(self.loads[coder] - work) > most or abs(self.loads[other] + work) > most:
            return False
        cost = self._carry_out(*changes)
        if cost <= bound and not any(self._is_apart(giver, item) for item, giver, _ in changes):
            return True
        self._carry_out(*((item, taker, giver) for item, giver, taker in reversed(changes)))
        return False

    def _carry_out(self, *changes: Change) -> int:
        """Give items of coders to others, and return how much worse that makes the plan."""
        return sum(self.add(item, giver, -1) + self.add(item, taker) for item, giver, taker in changes)

    def _is_apart(self, coder: int, number: int) -> bool:
        """Return whether coders fall apart, now that a coder has an item no more."""
        if not self.counts[coder]:
            return False
        if len(self.coded[number]) == 1:  # nobody was connected by it
            return self.counts[min(self.coded[number])] < 2
        return not self._reaches(coder, self.coded[number])

    def _reaches(self, coder: int, wanted: Set[int]) -> bool:
        """Return whether a coder is connected with one of those wanted by shared items."""
        found, queue = {coder}, [coder]
        for reached in queue:  # which grows
            if found & wanted:
                return True
            new = [other for other, n_shared in enumerate(self.shared[reached]) if n_shared and other not in found]
            found.update(new)
            queue += new
        return False


def share_out(total: int, weights: Sequence[int], least: Sequence[int], most: Sequence[int]) -> list[int]:
    """Return parts of the total in proportion to weights, none below its least or above its most."""

    def at(level: int) -> list[int]:
        bounds = zip(weights, least, most, strict=True)
        return [max(low, min(weight * level // UNIT, high)) for weight, low, high in bounds]

    return at(bisect_right(range(UNIT * (total + 1)), total, key=lambda level: sum(at(level))) - 1)
