"""The state of a plan while it is made: texts x coders, with what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

type Numbers = NDArray[np.int64]
type Flags = NDArray[np.bool_]

# Everything that is compared is an integer, in thousandths of a text or pair: sums of floats differ by machine.
UNIT = 1000


@dataclass(slots=True)
class Places:
    """What is given: items (texts, or blocks of them) x coders, both in an order drawn by the seed.

    `places` is how many coders an item still needs beside those that are `fixed`, `work` what it costs, in thousandths
    of the mean; `limits` how many items a coder takes at most, `weights` of what share of the work.
    """

    fixed: Flags
    places: Numbers
    work: Numbers
    strata: Numbers
    weights: Numbers
    limits: Numbers

    @property
    def n_coders(self) -> int:
        return int(self.fixed.shape[1])


class State:
    """Who codes what at the moment. `loads`, `pairs` and `spread` are how far coders are off what they should have."""

    def __init__(self, given: Places) -> None:
        self.given = given
        self.coded: Flags = given.fixed.copy()
        self.counts: Numbers = self.coded.sum(axis=0, dtype=np.int64)
        self.places: Numbers = given.places + self.coded.sum(axis=1, dtype=np.int64)
        self.goals = goal_loads(given)
        self.pair_goals = goal_pairs(self.places, self.goals)
        numbers = self.coded.astype(np.int64)
        self.shared: Numbers = numbers.T @ numbers
        np.fill_diagonal(self.shared, 0)
        n_strata = int(given.strata.max()) + 1
        self.by_stratum = np.zeros((n_strata, given.n_coders), np.int64)
        np.add.at(self.by_stratum, given.strata, numbers)
        placed = np.zeros(n_strata, np.int64)
        np.add.at(placed, given.strata, self.places)
        # Of a stratum everybody should have the part that they have of the whole.
        total = max(1, int(self.goals.sum()))
        self.stratum_goals: Numbers = placed[:, None] * UNIT * self.goals[None, :] // total
        self.n_strata = n_strata

    @property
    def pair_excess(self) -> Numbers:
        """By how many thousandths two coders share more texts than they should."""
        excess = self.shared * UNIT - self.pair_goals
        np.fill_diagonal(excess, 0)
        return excess

    @property
    def stratum_excess(self) -> Numbers:
        return self.by_stratum * UNIT - self.stratum_goals

    def add(self, item: int, coder: int) -> None:
        others = self.coded[item]
        self.shared[coder, others] += 1
        self.shared[others, coder] += 1
        self.coded[item, coder] = True
        self.counts[coder] += 1
        self.by_stratum[self.given.strata[item], coder] += 1

    def remove(self, item: int, coder: int) -> None:
        self.coded[item, coder] = False
        others = self.coded[item]
        self.shared[coder, others] -= 1
        self.shared[others, coder] -= 1
        self.counts[coder] -= 1
        self.by_stratum[self.given.strata[item], coder] -= 1

    def replace(self, item: int, coder: int, other: int) -> None:
        self.remove(item, coder)
        self.add(item, other)

    def load_excess(self) -> Numbers:
        """By how many thousandths of a mean text the work of each coder is above what it should be."""
        loads: Numbers = self.given.work @ self.coded
        return loads - self.goals


def goal_loads(given: Places) -> Numbers:
    """Return the work that each coder should have: in proportion to weights, between what is fixed and the limits."""
    places = given.places + given.fixed.sum(axis=1)
    by_all = places >= given.n_coders
    least = [int(value) for value in given.work @ (given.fixed | by_all[:, None])]
    total = int((given.work * places).sum())
    mean = total / max(1, int(places.sum()))
    most = [max(low, round(int(limit) * mean)) for low, limit in zip(least, given.limits, strict=True)]
    weights = [int(weight) for weight in given.weights]

    def at(level: int) -> list[int]:
        return [
            min(max(weight * level // 1_000_000, low), high)
            for weight, low, high in zip(weights, least, most, strict=True)
        ]

    low, high = 0, 1_000_000 * (total + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(at(middle)) <= total:
            low = middle
        else:
            high = middle - 1
    return np.array(at(low), np.int64)


def goal_pairs(places: Numbers, goals: Numbers) -> Numbers:
    """Return how many thousandths of a text two coders should share, in proportion to the work of both."""
    number = int((places * (places - 1) // 2).sum()) * UNIT
    loads = [int(goal) for goal in goals]
    products = (sum(loads) ** 2 - sum(load * load for load in loads)) // 2
    if not products:
        return np.zeros((len(loads), len(loads)), np.int64)
    result = np.array([[number * a * b // products for b in loads] for a in loads], np.int64)
    np.fill_diagonal(result, 0)
    return result


def components(links: Any) -> list[list[int]]:
    """Return the connected parts of an undirected graph, given as an adjacency matrix; each in order of its nodes."""
    left = list(range(len(links)))
    parts = []
    while left:
        part, queue = {left[0]}, [left[0]]
        while queue:
            node = queue.pop()
            for other in np.flatnonzero(links[node]).tolist():
                if other not in part:
                    part.add(other)
                    queue.append(other)
        parts.append(sorted(part))
        left = [node for node in left if node not in part]
    return parts


def count_parts(state: State) -> int:
    """Return into how many parts those who code fall, if those who share an item are in one part."""
    active = np.flatnonzero(state.counts)
    return len(components(state.shared[np.ix_(active, active)]))
