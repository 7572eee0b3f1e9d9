"""Groups of coders with the same reading of a unit, and the probability of two readings by EM."""

from dataclasses import dataclass
from math import log

import numpy as np

from ..coefficients.alpha import compare_pairs
from ..data.arrays import distinct_rows, sorted_unique
from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..options import Options
from ..sums.overlaps import PairableUnits, have_several
from ..values import Bools, Floats, Ints

# Chains that are on average no farther apart than this, without the unit itself, are one reading of it.
SAME_READING = 0.8
# Fewer coders than this are no camps: of two or three who differ nobody can tell whether the item is ambiguous.
MIN_IN_CAMPS = 4
# An ambiguous unit is read in the first way by one of these shares of coders, in the second by the rest.
SHARES = np.array([0.3, 0.5, 0.7])
# Only the largest groups of a unit may be what it means.
MAX_GROUPS = 8
# What is known before, as answers and units: eight of ten answers are right, and a tenth of the units is ambiguous.
RIGHT, WRONG = 8.0, 2.0
AMBIGUOUS, CLEAR = 10.0, 90.0
# Fitting ends where no parameter moves by more than this, or after so many rounds.
TOLERANCE, MAX_ROUNDS = 1e-5, 200


@dataclass(frozen=True, eq=False)
class ReadingGroups:
    """The groups of coders with the same reading, for each unit that two coders or more judged.

    `groups` has the group of each judgement, (units, coders), -1 where it is missing: 0 is that of most coders, and
    equal ones are in the order of coders. `explicit` counts coders who gave several readings, who are in no group.
    """

    rows: Ints
    groups: Ints
    explicit: Ints


def group_readings(data: ReliabilityData) -> ReadingGroups:
    """Return the groups of coders by reading.

    Equal answers are one reading, and different labels are two. Two sets are compared without the unit, by the distance
    of Jaccard: a slip on another unit of a chain changes the chain, and hardly what this unit is said to refer to.
    Coders are joined by average linkage, up to SAME_READING. Of coders who are equally near, those are joined first
    whose values come first in the text; neither their names nor their order change the groups.
    """
    judged = PairableUnits.from_data(data, least=1)
    several = have_several(judged)
    codes = np.where(several, MISSING, judged.codes)
    enough = (codes != MISSING).sum(axis=1) >= 2
    rows, codes = judged.rows[enough], codes[enough]
    numbered = _number_by_frequency(_join_sets(data, rows, codes) if data.has_sets else codes)
    # where some groups may be no reading, values decide which, not the order of coders
    for place in np.flatnonzero(numbered.max(axis=1, initial=MISSING) >= MAX_GROUPS).tolist():
        numbered[place] = _number_by_value(data, numbered[place], codes[place])
    return ReadingGroups(rows, numbered, several.sum(axis=1)[enough])


def _join_sets(data: ReliabilityData, rows: Ints, codes: Ints) -> Ints:
    """Return the groups of the answers to these units, named by values."""
    place, left, right, distance = _find_pairs(data, rows, codes)
    groups, near = codes.copy(), distance <= SAME_READING
    if not near.any():
        return groups
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    n = data.n_values
    a, b = (place[near] * n + codes[place[near], side[near]] for side in (left, right))
    [a, b], _ = distinct_rows(np.minimum(a, b), np.maximum(a, b))
    values = sorted_unique(np.concatenate((a, b)))
    a, b = np.searchsorted(values, a), np.searchsorted(values, b)
    graph = sparse.coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(len(values), len(values)))
    component = connected_components(graph, directed=False)[1]
    first, sizes = np.unique(component, return_index=True, return_counts=True)[1:]
    units, columns = np.nonzero(codes != MISSING)
    at = np.minimum(np.searchsorted(values, units * n + codes[units, columns]), len(values) - 1)
    known = values[at] == units * n + codes[units, columns]
    groups[units[known], columns[known]] = values[first[component[at[known]]]] % n
    # Where all who are near to one are near to each other, any linkage gives these groups; else it has to be found.
    apart = np.bincount(component[a]) < sizes * (sizes - 1) // 2
    for unit in sorted_unique(values[first[apart]] // n).tolist():
        own = slice(*np.searchsorted(place, (unit, unit + 1)).tolist())
        groups[unit] = _link_answers(data, codes[unit], left[own], right[own], distance[own])
    return groups


def _link_answers(data: ReliabilityData, codes: Ints, left: Ints, right: Ints, distance: Floats) -> Ints:
    """Return the groups of the answers to a unit by average linkage, from the distances of different answers."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distances = np.zeros((len(codes), len(codes)))
    distances[left, right] = distances[right, left] = distance
    order = sorted(np.flatnonzero(codes != MISSING).tolist(), key=lambda column: _order_key(data, int(codes[column])))
    tree = linkage(squareform(distances[np.ix_(order, order)], checks=False), "average")
    groups = codes.copy()
    groups[order] = fcluster(tree, SAME_READING, "distance")
    return groups


def _find_pairs(data: ReliabilityData, rows: Ints, codes: Ints) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the pairs of different values of each unit: its place, ascending, the columns of the coders, distances."""
    pairable = PairableUnits.from_data(data)
    units, left, right, distances = compare_pairs(pairable, Options("jaccard", exclude_unit="observed"))
    place_of = np.full(len(data.units), MISSING, dtype=np.int64)
    place_of[rows] = np.arange(len(rows))
    place = place_of[pairable.rows[units]]
    chosen = np.flatnonzero(place != MISSING)
    # coders who gave several readings are in no group
    given = np.minimum(codes[place[chosen], left[chosen]], codes[place[chosen], right[chosen]]) != MISSING
    chosen = chosen[given]
    chosen = chosen[np.argsort(place[chosen], kind="stable")]
    return place[chosen], left[chosen], right[chosen], distances[chosen]


def _order_key(data: ReliabilityData, code: int) -> tuple[int, list[int]]:
    """Return a key by which labels come first, then sets in the order of their members."""
    number = code - len(data.labels)
    if number < 0:
        return code, []
    return len(data.labels), data.cells.members[data.cells.starts[number] : data.cells.starts[number + 1]].tolist()


def _number_by_value(data: ReliabilityData, groups: Ints, codes: Ints) -> Ints:
    """Return the groups of a unit numbered from 0, by size, then by value."""
    given = np.flatnonzero(groups != MISSING).tolist()
    first = {
        group: min(_order_key(data, int(codes[column])) for column in given if groups[column] == group)
        for group in groups[given].tolist()
    }
    sizes = np.bincount(groups[given])
    ordered = sorted(first, key=lambda group: (-sizes[group], first[group]))
    number = {group: place for place, group in enumerate(ordered)} | {MISSING: MISSING}
    return np.array([number[group] for group in groups.tolist()], dtype=np.int64)


def _number_by_frequency(groups: Ints) -> Ints:
    """Return the groups of each unit numbered from 0, by size, then by first coder."""
    units, columns = np.nonzero(groups != MISSING)
    width = int(groups.max(initial=0)) + 1
    keys, first, which, sizes = np.unique(
        units * width + groups[units, columns], return_index=True, return_inverse=True, return_counts=True
    )
    units_of_groups = keys // width
    order = np.lexsort((columns[first], -sizes, units_of_groups))
    begins = np.searchsorted(units_of_groups, units_of_groups)
    ranks = np.empty_like(begins)
    # Both are in the order of units, so each group's place among those of its unit is its place less their first.
    ranks[order] = np.arange(len(keys)) - begins
    numbered = np.full_like(groups, MISSING)
    numbered[units, columns] = ranks[which]
    return numbered


def count_camps(codes: Ints) -> tuple[Ints, Ints]:
    """Return for each unit the number of distinct values, and how many coders hold the second most frequent.

    >>> [counts.tolist() for counts in count_camps(np.array([[0, 0, 1, 1], [0, 2, 2, -1], [1, 1, 1, 1]]))]
    [[2, 2, 1], [2, 1, 0]]
    """
    n = len(codes)
    units, columns = np.nonzero(codes != MISSING)
    [units, _], counts = distinct_rows(units, codes[units, columns])
    distinct = np.bincount(units, minlength=n)
    width = int(counts.max(initial=0)) + 1
    of_units = np.sort(units * width + width - 1 - counts)  # the most frequent value of each unit first
    begins = np.cumsum(distinct) - distinct
    second = np.zeros(n, dtype=np.int64)
    several = distinct > 1
    second[several] = width - 1 - of_units[begins[several] + 1] % width
    return distinct, second


def split_into_camps(codes: Ints) -> Bools:
    """Return which units have four coders or more, two and a quarter of them with the second most frequent value."""
    return are_camps((codes != MISSING).sum(axis=1), count_camps(codes)[1])


def are_camps(judged: Ints, second: Ints) -> Bools:
    """Return which units are split, by the numbers of their coders and of those with the second most frequent value."""
    camps: Bools = (judged >= MIN_IN_CAMPS) & (second >= np.maximum(2, judged / 4))
    return camps


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted parameters.

    `posterior` is the probability of each unit to have two readings, `of_group` that of each of its first groups to be
    one, (units, groups). `skill` is how often each coder gives a reading that is meant, `prevalence` the share of
    ambiguous units, and `objectives` the logarithm of what was made as large as could be, before each round.
    """

    posterior: Floats
    of_group: Floats
    skill: Floats
    prevalence: float
    objectives: tuple[float, ...]
    converged: bool


@dataclass(frozen=True, eq=False)
class _Expected:
    """The probabilities of the meanings of units, given the parameters, and the log probability of all answers.

    `one` is of a group as the only reading, (units, groups); `shared` of it as one of two that is read in each of
    SHARES, (units, groups, shares).
    """

    one: Floats
    shared: Floats
    posterior: Floats
    log_probability: float


def fit_two_readings(groups: Ints, alternatives: float) -> Fit:
    """Fit the skill of each coder and the share of ambiguous units.

    `groups` has that of each judgement, (units, coders), numbered in each unit from 0, -1 where it is missing. A unit
    has `alternatives` possible readings, of which one is meant, or two, all alike. A coder takes one of those meant (of
    two the first in one of SHARES), and gives it with the own skill, else any other alike.
    """
    # of coders there are few ways to differ, however many units there are: equal rows mean the same
    patterns, place, weights = np.unique(groups, axis=0, return_inverse=True, return_counts=True)
    state = _Model(patterns, weights, alternatives)
    skill = np.full(groups.shape[1], RIGHT / (RIGHT + WRONG))
    prevalence = AMBIGUOUS / (AMBIGUOUS + CLEAR)
    judged = (groups != MISSING).sum(axis=0)
    objectives: list[float] = []
    moved = np.inf
    while True:
        expected = state.expect(skill, prevalence)
        objectives.append(expected.log_probability + _log_prior(skill, prevalence))
        if moved <= TOLERANCE or len(objectives) > MAX_ROUNDS:
            break
        updated = (state.count_right(expected, skill) + RIGHT) / (judged + RIGHT + WRONG)
        share = float(expected.posterior @ weights + AMBIGUOUS) / (len(groups) + AMBIGUOUS + CLEAR)
        moved = max(float(np.abs(updated - skill).max(initial=0)), abs(share - prevalence))
        skill, prevalence = updated, share
    of_group = expected.one + expected.shared.sum(axis=2)
    return Fit(expected.posterior[place], of_group[place], skill, prevalence, tuple(objectives), moved <= TOLERANCE)


class _Model:
    """The likelihood of each possible meaning of a unit; `weights` counts the units with each row of groups."""

    def __init__(self, groups: Ints, weights: Ints, alternatives: float) -> None:
        self.weights = weights
        self.n_coders = groups.shape[1]
        self.n_groups = min(int(groups.max(initial=0)) + 1, MAX_GROUPS)
        # the judgements that may be a reading: which unit, coder and group
        self.unit, self.coder = np.nonzero((groups != MISSING) & (groups < self.n_groups))
        self.group = groups[self.unit, self.coder]
        self.shape = (len(groups), self.n_groups)
        self.given = groups != MISSING
        there = np.zeros(self.shape, dtype=np.bool_)
        there[self.unit, self.group] = True
        self.absent = np.where(there, 0.0, -np.inf)
        seen = there.sum(axis=1)
        self.alternatives = alternatives
        many = np.maximum(alternatives, seen)
        unseen, pairs = many - seen, many * (many - 1) / 2
        self.log_one = -np.log(many)
        self.log_two = -np.log(pairs * len(SHARES))
        with np.errstate(divide="ignore"):  # where all alternatives were given, none is unseen
            self.log_unseen = np.log(unseen)
            # what nobody gave is meant alone, or two such: all answers are slips
            self.log_unseen_alone = np.log(unseen / many)
            self.log_unseen_both = np.log(np.maximum(unseen * (unseen - 1) / 2, 0) / pairs)
        self.first, self.second = np.triu_indices(self.n_groups, 1)

    def expect(self, skill: Floats, prevalence: float) -> _Expected:
        slip = (1 - skill) / (self.alternatives - 1)
        base = self.given @ np.log(slip)
        one = self._sum_groups(np.log(skill / slip)) + self.absent
        # (units, groups, shares): the same where this share of coders take the group
        shared = np.stack([self._sum_groups(np.log(self._mix(share, skill) / slip)) for share in SHARES], axis=2)
        shared += self.absent[:, :, None]
        one += (self.log_one + log(1 - prevalence))[:, None]
        prior = (self.log_two + log(prevalence))[:, None, None]
        two = shared[:, self.first] + shared[:, self.second, ::-1] + prior
        unseen = shared + prior + self.log_unseen[:, None, None]
        slips = self.log_unseen_alone + log(1 - prevalence), self.log_unseen_both + log(prevalence)
        largest = np.concatenate([one, unseen.max(axis=2), two.max(axis=2), np.stack(slips, axis=1)], axis=1)
        top = largest.max(axis=1)
        one, two, unseen = (np.exp(part - top.reshape(-1, *[1] * (part.ndim - 1))) for part in (one, two, unseen))
        alone, both = (np.exp(part - top) for part in slips)
        posterior = two.sum(axis=(1, 2)) + unseen.sum(axis=(1, 2)) + both
        total = one.sum(axis=1) + alone + posterior
        for pair, (a, b) in enumerate(zip(self.first.tolist(), self.second.tolist(), strict=True)):
            unseen[:, a] += two[:, pair]
            unseen[:, b] += two[:, pair, ::-1]
        return _Expected(
            one / total[:, None],
            unseen / total[:, None, None],
            posterior / total,
            float((base + top + np.log(total)) @ self.weights),
        )

    def count_right(self, expected: _Expected, skill: Floats) -> Floats:
        """Return the expected number of answers of each coder that are no slips."""
        right = expected.one[self.unit, self.group]
        own = skill[self.coder]
        for number, share in enumerate(SHARES):
            right += expected.shared[self.unit, self.group, number] * share * own / self._mix(share, skill)[self.coder]
        return np.bincount(self.coder, weights=right * self.weights[self.unit], minlength=self.n_coders)

    def _mix(self, share: float, skill: Floats) -> Floats:
        """Return the probability of an answer with this share of coders: by skill, or by a slip."""
        mixed: Floats = share * skill + (1 - share) * (1 - skill) / (self.alternatives - 1)
        return mixed

    def _sum_groups(self, weights: Floats) -> Floats:
        places = self.unit * self.n_groups + self.group
        sums = np.bincount(places, weights=weights[self.coder], minlength=self.shape[0] * self.n_groups)
        return sums.reshape(self.shape).astype(np.float64)  # of no judgements they are integers


def _log_prior(skill: Floats, prevalence: float) -> float:
    """Return the logarithm of the prior of the parameters, up to a constant."""
    of_skill = RIGHT * np.log(skill) + WRONG * np.log(1 - skill)
    return float(of_skill.sum()) + AMBIGUOUS * log(prevalence) + CLEAR * log(1 - prevalence)
