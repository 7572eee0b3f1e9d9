"""Distances of pairs of judgements on one unit or with overlapping sets, and their distribution."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import frexp, ulp

import numpy as np

from ..data.cells import MISSING
from ..distances import distance_from_empty, distances_from_sizes, label_similarities
from ..options import Options
from ..values import Bools, Floats, Ints
from .overlaps import (
    PairableUnits,
    SetOverlaps,
    SetPairs,
    compare_readings,
    empty_similarities,
    find_overlaps,
    find_several,
    has_several,
    have_several,
    kind_similarities,
    kinds_of_readings,
    pair_kinds,
    pair_overlapping_readings,
    remove_units_from_readings,
)

# Of a term that is cut into parts, the bits of each; and the smallest number above 0.
BITS, SMALLEST = 26, ulp(0.0)
# Distance 0, ten steps up to 1, and distance 1: equal values, and those with nothing in common, stand alone.
STEPS = 10
BINS = STEPS + 2
# Distances that differ by less are equal: they were computed in another order.
DIGITS = 9


def observed_distances(
    pairable: PairableUnits, options: Options, names: Sequence[str], overlap: SetOverlaps | None = None
) -> tuple[Ints, dict[str, Floats]]:
    """Return the distances of the unordered pairs of different values on one unit, and the index of the unit."""
    exclude_unit = options.exclude_unit != "none"
    if exclude_unit and pairable.data.cells.readings is not None:
        pairable, overlap = remove_units_from_readings(pairable), None
    overlap = overlap or pairable.overlaps
    units, sets, a, b, shared = different_sets(pairable, overlap, exclude_unit=exclude_unit)
    distances = {name: np.ones(len(units)) for name in names}
    labels = pairable.data.labels
    similar = {name: label_similarities(labels, name, options) for name in names}
    if any(table is not None for table in similar.values()):
        _, low, high = different_labels(pairable)
        both = np.flatnonzero(high < len(labels))
        for name, between in similar.items():
            if between is not None:
                distances[name][both] = 1 - between[low[both], high[both]]
    for name, of_sets in distances_from_sizes(a, b, shared, names, options):
        distances[name][sets] = of_sets
    if pairable.data.cells.readings is not None:
        chosen, pairs = _different_readings(pairable, exclude_unit=exclude_unit)
        for name, of_readings in compare_readings(pairable.data, pairs, names, options).items():
            distances[name][chosen] = of_readings
    return units, distances


def _different_readings(pairable: PairableUnits, *, exclude_unit: bool) -> tuple[Ints, SetPairs]:
    """Return which pairs of different values have a set with several readings, and these pairs."""
    _, chosen, p, q, p_inside, q_inside = _pairs_of_sets(pairable, exclude_unit=exclude_unit)
    some, first, second = find_several(pairable.data.cells, p, q)
    nothing = np.zeros_like(first)
    less = (p_inside | q_inside)[some].astype(np.int64)  # those with several readings are without the unit already
    return chosen[some], SetPairs(first, second, less, nothing, nothing)


def different_sets(
    pairable: PairableUnits, overlap: SetOverlaps, *, exclude_unit: bool = True
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the unordered pairs of different values on one unit.

    These are the place of the unit of each pair, and of the pairs of two sets: which they are, the two sizes and the
    members shared, with or without the unit.
    """
    units, sets, p, q, p_inside, q_inside = _pairs_of_sets(pairable, exclude_unit=exclude_unit)
    sizes, shared = np.diff(pairable.data.cells.starts), overlap.shared_by(p, q)
    return units, sets, sizes[p] - p_inside, sizes[q] - q_inside, shared - (p_inside & q_inside)


def _pairs_of_sets(pairable: PairableUnits, *, exclude_unit: bool) -> tuple[Ints, Ints, Ints, Ints, Bools, Bools]:
    """Return the unit index of each pair of different values, which pairs are sets, and the two sets of each.

    The last two say whether the unit is to be excluded from the sets.
    """
    units, left, right = pairable.different
    p, q = (pairable.codes[units, columns] - len(pairable.data.labels) for columns in (left, right))
    chosen = np.flatnonzero((p >= 0) & (q >= 0))
    p_inside, q_inside = np.zeros((2, len(chosen)), dtype=np.bool_)
    if exclude_unit:
        p_inside, q_inside = (pairable.inside[units[chosen], columns[chosen]] for columns in (left, right))
    return units, chosen, p[chosen], q[chosen], p_inside, q_inside


def different_labels(pairable: PairableUnits) -> tuple[Ints, Ints, Ints]:
    """Return the unordered pairs of different labels on one unit, lower code first, and the index of the unit."""
    units, left, right = pairable.different
    p, q = pairable.codes[units, left], pairable.codes[units, right]
    return units, np.minimum(p, q), np.maximum(p, q)


def overlapping_distances(
    pairable: PairableUnits, overlap: SetOverlaps, options: Options, names: Sequence[str]
) -> tuple[Ints, dict[str, Floats]]:
    """Return by document the number and distances of ordered pairs of judgements with overlapping sets.

    Where one has several readings, what the two would have in common without sharing a member is added to the distance:
    that is counted for all pairs of their kinds.
    """
    documents: list[Ints] = []
    numbers: list[Ints] = []
    terms: dict[str, list[Floats]] = {name: [] for name in names}
    for sets, number, by_name in _compare_overlapping(pairable, overlap, options, names):
        documents.append(pairable.document_of_set[sets])
        numbers.append(number)
        for name, distances, in_common in by_name:
            terms[name].append(number * (distances + in_common))
    n = len(pairable.data.documents)
    groups = np.concatenate(documents)
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, groups, np.concatenate(numbers))
    return total, {name: sum_groups(groups, np.concatenate(parts), n) for name, parts in terms.items()}


def _compare_overlapping(
    pairable: PairableUnits, overlap: SetOverlaps, options: Options, names: Sequence[str]
) -> Iterator[tuple[Ints, Ints, Iterator[tuple[str, Floats, Floats]]]]:
    """Yield kinds of ordered pairs of judgements with overlapping sets: one of the sets, and the number.

    Then come the name of each distance, the distances, and what the two would have in common without sharing a member.
    """
    for first, a, b, shared, number in _find_overlaps(pairable, overlap):
        some = np.flatnonzero((number > 0) & (shared > 0))
        compared = distances_from_sizes(a[some], b[some], shared[some], names, options)
        yield first[some], number[some], ((name, distances, np.zeros(len(some))) for name, distances in compared)
    cells = pairable.data.cells
    for pairs in pair_overlapping_readings(pairable, overlap) if cells.readings is not None else ():
        kinds = pair_kinds(cells, pairs)
        of_readings = compare_readings(pairable.data, pairs, names, options)
        in_common = (empty_similarities(*kinds, name, options) for name in names)
        yield pairs.first, pairs.number, zip(of_readings, of_readings.values(), in_common, strict=True)


def _find_overlaps(pairable: PairableUnits, overlap: SetOverlaps) -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints]]:
    """Yield kinds of pairs of judgements on overlapping sets: a set, the two sizes, the shared members, the number.

    A judgement whose unit is excluded has one member less, and shares one less if the unit is shared. So the
    judgements on a set fall into three kinds as seen from another set: with nothing excluded, with a unit
    excluded that only this set has, and with one that both have. Sets with several readings are left out.
    """
    cells = pairable.data.cells
    sizes = np.diff(cells.starts)
    n_sets = len(sizes)
    sets = pairable.codes - len(pairable.data.labels)
    judged = np.bincount(sets[sets >= 0], minlength=n_sets)
    inside, twice = np.zeros((2, n_sets), dtype=np.int64)
    np.add.at(inside, cells.set_of_member, overlap.excluded)
    np.add.at(twice, cells.set_of_member, overlap.excluded**2)
    single = ~has_several(cells, np.arange(n_sets))
    itself = np.flatnonzero((judged > 0) & single)
    # a set overlaps itself; the ordered pairs of a judgement with itself are taken off again
    chosen = single[overlap.first] & single[overlap.second]
    first, second, shared, both_first, both_second, same_unit = (
        np.concatenate((of_pairs[chosen], of_sets))
        for of_pairs, of_sets in (
            (overlap.first, itself),
            (overlap.second, itself),
            (overlap.shared, sizes[itself]),
            (overlap.first_inside, inside[itself]),
            (overlap.second_inside, inside[itself]),
            (overlap.same_unit, twice[itself]),
        )
    )
    orders: Ints = np.where(first == second, 1, 2)
    alone: Ints = np.where(first == second, (judged - inside)[first], 0)
    alone_inside: Ints = np.where(first == second, inside[first], 0)
    a_kinds = _judgement_kinds(judged[first], inside[first], both_first)
    b_kinds = _judgement_kinds(judged[second], inside[second], both_second)
    for a_less, a_shared_less, a_number in a_kinds:
        for b_less, b_shared_less, b_number in b_kinds:
            a, b = sizes[first] - a_less, sizes[second] - b_less
            number: Ints = orders * a_number * b_number
            if a_shared_less and b_shared_less:
                yield first, a, b, shared - 1, orders * same_unit - alone_inside
                yield first, a, b, shared - 2, number - orders * same_unit
            elif not a_less and not b_less:
                yield first, a, b, shared, number - alone
            else:
                yield first, a, b, shared - a_shared_less - b_shared_less, number


def _judgement_kinds(judged: Ints, inside: Ints, shared: Ints) -> list[tuple[int, int, Ints]]:
    """Return (removed members, removed shared members, judgements), without kinds that do not occur."""
    kinds = [(0, 0, judged - inside), (1, 0, inside - shared), (1, 1, shared)]
    return [kind for kind in kinds if not any(kind[:2]) or kind[2].any()]


def sum_groups(groups: Ints, terms: Floats, n: int) -> Floats:
    """Return the sum of the terms of each group 0..n-1, independent of their order.

    Terms are cut into parts of BITS bits. Those at one place are added up without rounding, for up to 2**27 terms, and
    only the sums of these are rounded, from the smallest on.
    """
    sums, rest = [], terms
    step = max(2.0 ** (frexp(float(np.abs(terms).max(initial=0.0)))[1] - BITS), SMALLEST)
    while rest.any():
        part = np.trunc(rest / step) * step
        sums.append(np.bincount(groups, part, n))
        rest, step = rest - part, max(step / 2**BITS, SMALLEST)
    total = np.zeros(n)
    for of_groups in sums[::-1]:
        total += of_groups
    return total


@dataclass(frozen=True, eq=False)
class PairDistances:
    """The distances of each two coders on each common unit: its index, and the columns of the two coders."""

    units: Ints
    first: Ints
    second: Ints
    distances: Floats


@dataclass(frozen=True, eq=False)
class DistanceCounts:
    """The pairs of judgements by their distance: an array (BINS,) of each kind of pair.

    `observed` weights the pairs of a unit as alpha does, so that all judgements of the unit count alike. `expected`
    counts the ordered pairs of different judgements, whichever units and documents they are of.
    """

    observed: Floats
    expected: Ints
    has_readings: bool


def pair_distances(pairable: PairableUnits, options: Options) -> PairDistances:
    """Return the distance of each two coders on each unit."""
    units, left, right = pairable.pair_judgements()
    distances, name = np.zeros(len(units)), str(options.distance)
    _, by_name = observed_distances(pairable, options, [name])
    distances[pairable.codes[units, left] != pairable.codes[units, right]] = by_name[name]  # both go unit by unit
    return PairDistances(units, left, right, distances)


def bin_of(distances: Floats) -> Ints:
    """Return the bin of each distance: 0 for distance 0, 1 to STEPS for larger ones, the last for 1.

    >>> bin_of(np.array([0, 0.05, 0.1, 0.11, 0.99, 1])).tolist()
    [0, 1, 1, 2, 10, 11]
    """
    steps: Ints = np.ceil((distances * STEPS).round(DIGITS)).astype(np.int64)
    return np.where(distances.round(DIGITS) >= 1, STEPS + 1, steps)


def count_distances(pairable: PairableUnits, options: Options) -> DistanceCounts:
    """Return the distances of the data, for a distance between sets.

    What is not alike, not overlapping and not the empty set against another set is at distance 1, as in
    `expected_distance`.
    """
    data, name, both = pairable.data, str(options.distance), options.exclude_unit == "both"
    observed, pairs = np.zeros((len(data.documents), BINS)), pair_distances(pairable, options)
    weights = 2 / (pairable.coders[pairs.units] - 1)
    np.add.at(observed, (pairable.documents[pairs.units], bin_of(pairs.distances)), weights)
    if both:
        pairable = remove_units_from_readings(pairable)
    expected = np.zeros(BINS, dtype=np.int64)
    overlap = find_overlaps(pairable, exclude_units=both)
    for _, number, by_name in _compare_overlapping(pairable, overlap, options, [name]):
        for _, distances, in_common in by_name:
            np.add.at(expected, bin_of(distances), number)
            some = np.flatnonzero(in_common)  # counted with the kinds of readings
            np.subtract.at(expected, bin_of(1 - in_common[some]), number[some])
    codes = pairable.codes[pairable.codes != MISSING]
    n, labels = len(codes), np.bincount(codes[codes < len(data.labels)], minlength=len(data.labels))
    left = pairable.set_sizes() - (pairable.inside if both else 0)
    empty, sets = np.count_nonzero(left == 0), np.count_nonzero((left > 0) & ~have_several(pairable))
    expected[0] += int((labels * (labels - 1)).sum()) + empty * (empty - 1)
    similar = label_similarities(data.labels, name, options)
    if similar is not None:
        _add_pairs(expected, labels, np.where(np.eye(len(labels)) > 0, 0.0, similar))
    kinds, of_kinds = np.unique(kinds_of_readings(pairable)[1], axis=0, return_counts=True)
    if len(kinds):
        in_common = kind_similarities([(k, empty) for k, empty in kinds.tolist()], name, options)
        in_common[:2, :2] = 0  # of two sets that are no readings
        _add_pairs(expected, np.array([empty, sets, *of_kinds]), in_common)
    expected[bin_of(np.array([distance_from_empty(name, options)]))] += 2 * empty * sets
    expected[-1] += n * (n - 1) - int(expected.sum())
    return DistanceCounts(observed.sum(axis=0), expected, has_readings=len(kinds) > 0)


def _add_pairs(total: Ints, counts: Ints, similar: Floats) -> None:
    """Add the ordered pairs of different judgements with overlapping values, by distance."""
    pairs = np.outer(counts, counts)
    np.fill_diagonal(pairs, counts * (counts - 1))
    some = similar > 0
    np.add.at(total, bin_of(1 - similar[some]), pairs[some])
