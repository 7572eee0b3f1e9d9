"""Which coders mean the same by a unit: the readings of it that there are among their answers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..options import Options
from ..sums.overlaps import PairableUnits
from ..sums.pairs import different_columns
from ..sums.readings import have_several
from ..sums.tables import different_distances
from ..values import Bools, Floats, Ints
from .two_readings import MOST_GROUPS

# Chains that are on average no farther apart than this, without the unit itself, are one reading of it.
SAME_READING = 0.8
# The distances of so many units are in memory at once.
UNITS_AT_ONCE = 4096


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
        for places, joined in _join_sets(data, rows, codes):
            groups[places] = joined
    numbered = _number_by_frequency(groups)
    # where some groups may be no reading, values decide which, not the order of coders
    for place in np.flatnonzero(numbered.max(axis=1, initial=MISSING) >= MOST_GROUPS).tolist():
        numbered[place] = _number_by_value(data, numbered[place], codes[place])
    return ReadingGroups(rows, numbered, several.sum(axis=1)[enough])


def _join_sets(data: ReliabilityData, rows: Ints, codes: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the places among `rows` of units to which coders gave sets that are near, and the groups of these units."""
    pairs = _find_pairs(data, rows)
    sets = np.minimum(codes[pairs.place, pairs.left], codes[pairs.place, pairs.right]) >= len(data.labels)
    near = np.zeros(len(rows), dtype=np.bool_)
    near[pairs.place[sets & (pairs.distance <= SAME_READING)]] = True
    pairs = pairs.select(near[pairs.place])
    places, number = np.unique(pairs.place, return_inverse=True)
    for begin in range(0, len(places), UNITS_AT_ONCE):
        own = slice(*np.searchsorted(number, (begin, begin + UNITS_AT_ONCE)).tolist())
        of_units = codes[places[begin : begin + UNITS_AT_ONCE]]
        distances = np.zeros((*of_units.shape, of_units.shape[1]))
        unit, left, right = number[own] - begin, pairs.left[own], pairs.right[own]
        distances[unit, left, right] = distances[unit, right, left] = pairs.distance[own]
        yield places[begin : begin + UNITS_AT_ONCE], _join_coders(data, distances, of_units)


def _join_coders(data: ReliabilityData, distances: Floats, codes: Ints) -> Ints:
    """Return the groups of coders, (units, coders), by the distances of their values, (units, coders, coders)."""
    present = codes != MISSING
    joined: Bools = (distances <= SAME_READING) & present[:, :, None] & present[:, None, :]
    groups = np.where(present, joined.argmax(axis=2), MISSING)
    # Where all who are near to one are near to each other, any linkage gives these groups; else it has to be found.
    through = joined.astype(np.float32) @ joined.astype(np.float32) > 0
    others = np.flatnonzero((through != joined).any(axis=(1, 2))).tolist()
    if others:
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform
    for unit in others:
        there = sorted(
            np.flatnonzero(present[unit]).tolist(), key=lambda coder: _order_key(data, int(codes[unit, coder]))
        )
        tree = linkage(squareform(distances[unit][np.ix_(there, there)], checks=False), "average")
        groups[unit, there] = fcluster(tree, SAME_READING, "distance")
    return groups


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of different values of one unit: its place, ascending, the columns of the coders, and the distance."""

    place: Ints
    left: Ints
    right: Ints
    distance: Floats

    def select(self, chosen: Bools) -> "_Pairs":
        """Return some of the pairs."""
        return _Pairs(self.place[chosen], self.left[chosen], self.right[chosen], self.distance[chosen])


def _find_pairs(data: ReliabilityData, rows: Ints) -> _Pairs:
    """Return the pairs of different values of these units, which are in ascending order."""
    pairable = PairableUnits.from_data(data)
    units, distances = different_distances(pairable, Options("jaccard", exclude_unit="observed"))
    left, right = different_columns(pairable)
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
    same: Bools = (groups[:, :, None] == groups[:, None, :]) & (groups != MISSING)[:, :, None]
    size, first = same.sum(axis=2), same.argmax(axis=2)
    # of each judgement a key by which its group comes, then its rank among the keys of the unit
    key = np.where(groups == MISSING, np.iinfo(np.int64).max, first - size * (groups.shape[1] + 1))
    ordered = np.sort(key, axis=1)
    begins = np.concatenate((np.zeros((len(key), 1), dtype=np.int64), np.diff(ordered, axis=1) != 0), axis=1)
    ranks = np.cumsum(begins, axis=1)
    order = np.argsort(key, axis=1, kind="stable")
    numbered = np.empty_like(groups)
    np.put_along_axis(numbered, order, ranks, axis=1)
    numbered[groups == MISSING] = MISSING
    return numbered
