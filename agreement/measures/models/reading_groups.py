"""Which coders mean the same by a unit: the readings of it that there are among their answers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..options import Options
from ..sums.overlaps import PairableUnits, have_several
from ..sums.pairs import different_judgements
from ..sums.tables import different_distances
from ..values import Bools, Floats, Ints
from .two_readings import MOST_GROUPS

# Chains that are on average no farther apart than this, without the unit itself, are one reading of it.
SAME_READING = 0.8
# So many distances are in memory at once: pairs of answers to units that have the same number of answers.
DISTANCES_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class ReadingGroups:
    """The groups of coders who give a unit the same reading, of the units that two coders or more judged.

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
    groups = codes.copy()
    if data.has_sets:
        for places, columns, joined in _join_sets(data, rows, codes):
            groups[places[:, None], columns] = joined
    numbered = _number_by_frequency(groups)
    # where some groups may be no reading, values decide which, not the order of coders
    for place in np.flatnonzero(numbered.max(axis=1, initial=MISSING) >= MOST_GROUPS).tolist():
        numbered[place] = _number_by_value(data, numbered[place], codes[place])
    return ReadingGroups(rows, numbered, several.sum(axis=1)[enough])


def _join_sets(data: ReliabilityData, rows: Ints, codes: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield places among `rows` of units with near sets, the columns of their answers, and the groups of these.

    The units of one batch have the same number of answers, so the cost follows the pairs of answers.
    """
    pairs = _find_pairs(data, rows)
    sets = np.minimum(codes[pairs.place, pairs.left], codes[pairs.place, pairs.right]) >= len(data.labels)
    near = np.zeros(len(rows), dtype=np.bool_)
    near[pairs.place[sets & (pairs.distance <= SAME_READING)]] = True
    # Coders who gave several readings are in no group.
    given = np.minimum(codes[pairs.place, pairs.left], codes[pairs.place, pairs.right]) != MISSING
    pairs = pairs.select(near[pairs.place] & given)
    n_answers = (codes != MISSING).sum(axis=1)
    places = np.flatnonzero(near)
    places = places[np.argsort(n_answers[places], kind="stable")]
    number_of = np.full(len(rows), MISSING, dtype=np.int64)
    number_of[places] = np.arange(len(places))
    pairs = pairs.select(np.argsort(number_of[pairs.place], kind="stable"))
    number = number_of[pairs.place]
    for begin, end in _batches(n_answers[places]):
        batch = places[begin:end]
        present = codes[batch] != MISSING
        columns = np.nonzero(present)[1].reshape(len(batch), -1)
        position = present.cumsum(axis=1) - 1
        own = slice(*np.searchsorted(number, (begin, end)).tolist())
        unit = number[own] - begin
        left, right = position[unit, pairs.left[own]], position[unit, pairs.right[own]]
        distances = np.zeros((*columns.shape, columns.shape[1]))
        distances[unit, left, right] = distances[unit, right, left] = pairs.distance[own]
        yield batch, columns, _join_answers(data, distances, codes[batch[:, None], columns])


def _batches(n_answers: Ints) -> Iterator[tuple[int, int]]:
    """Yield the first place and the end of batches of units with equal numbers of answers, which are ascending."""
    sizes, begins, counts = np.unique(n_answers, return_index=True, return_counts=True)
    for size, begin, end in zip(sizes.tolist(), begins.tolist(), (begins + counts).tolist(), strict=True):
        step = max(1, DISTANCES_AT_ONCE // size**2)
        yield from ((first, min(first + step, end)) for first in range(begin, end, step))


def _join_answers(data: ReliabilityData, distances: Floats, codes: Ints) -> Ints:
    """Return the groups of answers, (units, answers), by the distances between them, (units, answers, answers)."""
    joined: Bools = distances <= SAME_READING
    groups = joined.argmax(axis=2)
    # Where all who are near to one are near to each other, any linkage gives these groups; else it has to be found.
    through = joined.astype(np.float32) @ joined.astype(np.float32) > 0
    others = np.flatnonzero((through != joined).any(axis=(1, 2))).tolist()
    if others:
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform
    for unit in others:
        order = sorted(range(codes.shape[1]), key=lambda place: _order_key(data, int(codes[unit, place])))
        tree = linkage(squareform(distances[unit][np.ix_(order, order)], checks=False), "average")
        groups[unit, order] = fcluster(tree, SAME_READING, "distance")
    return groups


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of different values of one unit: its place, ascending, the columns of the coders, and the distance."""

    place: Ints
    left: Ints
    right: Ints
    distance: Floats

    def select(self, chosen: Bools | Ints) -> "_Pairs":
        """Return some of the pairs."""
        return _Pairs(self.place[chosen], self.left[chosen], self.right[chosen], self.distance[chosen])


def _find_pairs(data: ReliabilityData, rows: Ints) -> _Pairs:
    """Return the pairs of different values of these units, which are in ascending order."""
    pairable = PairableUnits.from_data(data)
    units, distances = different_distances(pairable, Options("jaccard", exclude_unit="observed"))
    _, left, right = different_judgements(pairable)
    place_of = np.full(len(data.units), MISSING, dtype=np.int64)
    place_of[rows] = np.arange(len(rows))
    places = place_of[pairable.rows[units]]
    order = np.argsort(places, kind="stable")
    pairs = _Pairs(places[order], left[order], right[order], distances[order])
    return pairs.select(pairs.place != MISSING)


def _order_key(data: ReliabilityData, code: int) -> tuple[int, list[int]]:
    """Return a key by which labels come first, then sets in the order of their members."""
    number = code - len(data.labels)
    if number < 0:
        return code, []
    return len(data.labels), data.cells.members[data.cells.starts[number] : data.cells.starts[number + 1]].tolist()


def _number_by_value(data: ReliabilityData, groups: Ints, codes: Ints) -> Ints:
    """Return the groups of a unit numbered from 0, larger ones first, then those whose values come first."""
    given = np.flatnonzero(groups != MISSING).tolist()
    first = {
        group: min(_order_key(data, int(codes[one])) for one in given if groups[one] == group)
        for group in groups[given].tolist()
    }
    sizes = np.bincount(groups[given])
    ordered = sorted(first, key=lambda group: (-sizes[group], first[group]))
    number = {group: place for place, group in enumerate(ordered)} | {MISSING: MISSING}
    return np.array([number[group] for group in groups.tolist()], dtype=np.int64)


def _number_by_frequency(groups: Ints) -> Ints:
    """Return the groups of each unit numbered from 0, larger ones first, then those of earlier coders."""
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
