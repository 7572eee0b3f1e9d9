"""Which coders mean the same by a unit: the readings of it that there are among their answers, and the camps."""

from dataclasses import dataclass

import numpy as np

from ..data.arrays import distinct_rows, sorted_unique
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
# Fewer coders than this are no camps: of two or three who differ nobody can tell whether the item is ambiguous.
LEAST_IN_CAMPS = 4


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
    numbered = _number_by_frequency(_join_sets(data, rows, codes) if data.has_sets else codes)
    # where some groups may be no reading, values decide which, not the order of coders
    for place in np.flatnonzero(numbered.max(axis=1, initial=MISSING) >= MOST_GROUPS).tolist():
        numbered[place] = _number_by_value(data, numbered[place], codes[place])
    return ReadingGroups(rows, numbered, several.sum(axis=1)[enough])


def _join_sets(data: ReliabilityData, rows: Ints, codes: Ints) -> Ints:
    """Return the groups of the answers to these units: values by which they are named."""
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
    """Return the groups of the answers to a unit by average linkage, given the distances of those that differ."""
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
    units, distances = different_distances(pairable, Options("jaccard", exclude_unit="observed"))
    left, right = different_columns(pairable)
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


def count_camps(codes: Ints) -> tuple[Ints, Ints]:
    """Return for each unit the number of distinct values, and how many coders hold the second most frequent.

    >>> [counts.tolist() for counts in count_camps(np.array([[0, 0, 1, 1], [0, 2, 2, -1], [1, 1, 1, 1]]))]
    [[2, 2, 1], [2, 1, 0]]
    """
    n = len(codes)
    rows, columns = np.nonzero(codes != MISSING)
    width = int(codes.max(initial=0)) + 1
    kinds, counts = np.unique(rows * width + codes[rows, columns], return_counts=True)
    row = kinds // width
    order = np.lexsort((-counts, row))
    row, counts = row[order], counts[order]
    distinct = np.bincount(row, minlength=n)
    begins = np.cumsum(distinct) - distinct
    second = np.zeros(n, dtype=np.int64)
    several = distinct > 1
    second[several] = counts[begins[several] + 1]
    return distinct, second


def split_into_camps(codes: Ints) -> Bools:
    """Return which units split their coders into camps.

    These are units of four coders or more, of whom two, and a quarter at least, give the second most frequent value.
    """
    judged = (codes != MISSING).sum(axis=1)
    _, second = count_camps(codes)
    camps: Bools = (judged >= LEAST_IN_CAMPS) & (second >= np.maximum(2, judged / 4))
    return camps
