"""The distances of pairs of judgements: those on one unit, and those on sets that overlap."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import frexp, ulp

import numpy as np

from ..data.arrays import pairs_in_runs
from ..data.cells import MISSING
from ..distances import distance_from_empty, distances_from_sizes, label_similarities
from ..options import Options
from ..values import Floats, Ints, Label
from .overlaps import (
    KindCounts,
    PairableUnits,
    ReadingKind,
    SetOverlaps,
    SetPairs,
    compare_readings,
    count_entries,
    count_kinds,
    empty_similarities,
    find_overlaps,
    has_several,
    have_several,
    kind_similarities,
    pair_kinds,
    pair_overlapping_readings,
    remove_units_from_readings,
    set_kinds,
)

# Of a term that is cut into parts, the bits of each; and the smallest number above 0.
BITS, SMALLEST = 26, ulp(0.0)


def observed_distances(
    pairable: PairableUnits, overlap: SetOverlaps, options: Options, names: Sequence[str]
) -> tuple[Ints, dict[str, Floats]]:
    """Return the distances of the unordered pairs of different values of each unit, and the place of the unit."""
    if options.exclude_unit != "none" and pairable.data.cells.readings is not None:
        pairable = pairable.with_data(remove_units_from_readings(pairable.data))
        overlap = find_overlaps(pairable, np.zeros(len(pairable.data.cells.members), dtype=np.int64))
    units, sets, a, b, shared = different_sets(pairable, overlap, exclude_unit=options.exclude_unit != "none")
    distances = {name: np.ones(len(units)) for name in names}
    labels = pairable.data.labels
    similar = {name: label_similarities(labels, name, options) for name in names}
    if any(one is not None for one in similar.values()):
        _, low, high = different_labels(pairable)
        both = np.flatnonzero(high < len(labels))
        for name, between in similar.items():
            if between is not None:
                distances[name][both] = 1 - between[low[both], high[both]]
    for name, of_sets in _compare(a, b, shared, options, names):
        distances[name][sets] = of_sets
    if pairable.data.cells.readings is not None:
        chosen, pairs = _different_readings(pairable, exclude_unit=options.exclude_unit != "none")
        for name, of_readings in compare_readings(pairable.data, pairs, names, options).items():
            distances[name][chosen] = of_readings
    return units, distances


def _different_readings(pairable: PairableUnits, *, exclude_unit: bool) -> tuple[Ints, SetPairs]:
    """Return which of the pairs of different values of one unit are of sets with several readings in one, and these."""
    cells, n_labels = pairable.data.cells, len(pairable.data.labels)
    units, left, right = _different_judgements(pairable)
    p, q = pairable.codes[units, left], pairable.codes[units, right]
    chosen = np.flatnonzero((p >= n_labels) & (q >= n_labels))
    first, second = p[chosen] - n_labels, q[chosen] - n_labels
    some = has_several(cells, first) | has_several(cells, second)
    chosen, first, second = chosen[some], first[some], second[some]
    less = np.zeros_like(first)
    if exclude_unit:  # those with several readings are without the unit already
        p_inside, q_inside = (pairable.inside[units[chosen], columns[chosen]] for columns in (left, right))
        less = (p_inside | q_inside).astype(np.int64)
    swapped = ~has_several(cells, first)
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    nothing = np.zeros_like(first)
    return chosen, SetPairs(first, second, less, nothing, nothing)


def different_sets(
    pairable: PairableUnits, overlap: SetOverlaps, *, exclude_unit: bool = True
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the unordered pairs of different values on one unit.

    These are the place of the unit of each pair, and of the pairs of two sets: which they are, the two sizes and the
    members shared, with or without the unit.
    """
    n_labels = len(pairable.data.labels)
    units, left, right = _different_judgements(pairable)
    p, q = pairable.codes[units, left], pairable.codes[units, right]
    sets = np.flatnonzero((p >= n_labels) & (q >= n_labels))
    p, q = p[sets] - n_labels, q[sets] - n_labels
    sizes = np.diff(pairable.data.cells.starts)
    a, b, shared = sizes[p], sizes[q], overlap.shared_by(p, q)
    if exclude_unit:
        p_inside, q_inside = (pairable.inside[units[sets], columns[sets]] for columns in (left, right))
        a, b, shared = a - p_inside, b - q_inside, shared - (p_inside & q_inside)
    return units, sets, a, b, shared


def different_labels(pairable: PairableUnits) -> tuple[Ints, Ints, Ints]:
    """Return the unordered pairs of different labels of each unit, the lower code first, and the place of the unit."""
    units, left, right = _different_judgements(pairable)
    p, q = pairable.codes[units, left], pairable.codes[units, right]
    return units, np.minimum(p, q), np.maximum(p, q)


def different_columns(pairable: PairableUnits) -> tuple[Ints, Ints]:
    """Return the columns of the two coders of each unordered pair of different values of one unit."""
    _, left, right = _different_judgements(pairable)
    return left, right


def _different_judgements(pairable: PairableUnits) -> tuple[Ints, Ints, Ints]:
    """Return pairs of judgements of one unit with different codes: its place, and the columns of the coders.

    The cost follows the pairs of judgements on one unit: of many coders few may have judged it.
    """
    units, columns = np.nonzero(pairable.codes != MISSING)
    earlier, later = pairs_in_runs(units)
    codes = pairable.codes[units, columns]
    different = np.flatnonzero(codes[earlier] != codes[later])
    earlier, later = earlier[different], later[different]
    return units[earlier], columns[earlier], columns[later]


def overlapping_distances(
    pairable: PairableUnits, overlap: SetOverlaps, counts: Ints, options: Options, names: Sequence[str]
) -> tuple[Ints, dict[str, Floats]]:
    """Return by document the number and distances of ordered pairs of judgements whose sets share a member.

    Where one has several readings, what the two would have in common without sharing a member is added to the distance:
    that is counted for all pairs of their kinds.
    """
    documents: list[Ints] = []
    numbers: list[Ints] = []
    terms: dict[str, list[Floats]] = {name: [] for name in names}
    document_of_set = pairable.document_of_set
    for first, a, b, shared, number in overlapping_judgements(pairable, overlap, counts):
        some = np.flatnonzero((number > 0) & (shared > 0))
        documents.append(document_of_set[first[some]])
        numbers.append(number[some])
        for name, distances in _compare(a[some], b[some], shared[some], options, names):
            terms[name].append(number[some] * distances)
    data = pairable.data
    if data.cells.readings is not None:
        kinds = set_kinds(data.cells)
        for pairs in pair_overlapping_readings(pairable, overlap, counts):
            documents.append(document_of_set[pairs.first])
            numbers.append(pairs.number)
            first_kinds, second_kinds = pair_kinds(data, kinds, pairs)
            for name, distances in compare_readings(data, pairs, names, options).items():
                in_common = empty_similarities(first_kinds, second_kinds, name, options)
                terms[name].append(pairs.number * (distances + in_common))
    n = len(data.documents)
    groups = np.concatenate(documents)
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, groups, np.concatenate(numbers))
    return total, {name: sum_groups(groups, np.concatenate(parts), n) for name, parts in terms.items()}


def overlapping_judgements(
    pairable: PairableUnits, overlap: SetOverlaps, counts: Ints
) -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints]]:
    """Yield kinds of pairs of judgements on overlapping sets: a set, the two sizes, the shared members, the number.

    A judgement whose unit is excluded has one member less, and shares one less if the unit is shared. So the
    judgements on a set fall into three kinds as seen from another set: with nothing excluded, with a unit
    excluded that only this set has, and with one that both have. `counts` is zero where nothing is excluded.
    Sets with several readings are left out.
    """
    sizes = np.diff(pairable.data.cells.starts)
    n_sets = len(sizes)
    cells = pairable.codes - len(pairable.data.labels)
    judged = np.bincount(cells[cells >= 0], minlength=n_sets)
    inside, twice = np.zeros((2, n_sets), dtype=np.int64)
    np.add.at(inside, pairable.data.cells.set_of_member, counts)
    np.add.at(twice, pairable.data.cells.set_of_member, counts**2)
    itself = np.flatnonzero(judged)
    if pairable.data.cells.readings is not None:
        several = has_several(pairable.data.cells, np.arange(n_sets))
        overlap = overlap.select(~(several[overlap.first] | several[overlap.second]))
        itself = itself[~several[itself]]
    # a set overlaps itself; the ordered pairs of a judgement with itself are taken off again
    first = np.concatenate((overlap.first, itself))
    second = np.concatenate((overlap.second, itself))
    shared = np.concatenate((overlap.shared, sizes[itself]))
    both_first = np.concatenate((overlap.first_inside, inside[itself]))
    both_second = np.concatenate((overlap.second_inside, inside[itself]))
    same_unit = np.concatenate((overlap.same_unit, twice[itself]))
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
    """Return (members less, shared members less, number of judgements), without the kinds that nothing is of."""
    kinds = [(0, 0, judged - inside), (1, 0, inside - shared), (1, 1, shared)]
    return [kind for kind in kinds if not any(kind[:2]) or kind[2].any()]


def sum_groups(groups: Ints, terms: Floats, n: int) -> Floats:
    """Return the sum of the terms of each group 0..n-1, which no order of the terms changes.

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


def _compare(a: Ints, b: Ints, shared: Ints, options: Options, names: Sequence[str]) -> Iterator[tuple[str, Floats]]:
    return distances_from_sizes(a, b, shared, names, empty=options.empty, thirds=options.thirds)


# Distance 0, ten steps up to 1, and distance 1: equal values, and those with nothing in common, stand alone.
STEPS = 10
BINS = STEPS + 2
# Distances that differ by less are equal: they were computed in another order.
DIGITS = 9


@dataclass(frozen=True, eq=False)
class PairDistances:
    """The distances of each two coders on each unit that both judged: its place, and the columns of the two."""

    units: Ints
    first: Ints
    second: Ints
    distances: Floats


@dataclass(frozen=True, eq=False)
class DistanceCounts:
    """The pairs of judgements of each document by their distance: an array (documents, BINS) of each kind of pair.

    `observed` weights the unordered pairs of a unit as alpha does, so that all judgements of the unit count alike.
    `overlapping` counts ordered pairs of judgements of sets that share a member. What these leave is in the number of
    judgements, of those that gave the empty set, and of those that gave each label (documents, labels). `readings` has
    the judgements of several readings by kind, which are not in `sets`; what two kinds have in common without sharing a
    member is taken off `overlapping` where they do share one.
    """

    observed: Floats
    overlapping: Ints
    judgements: Ints
    empty: Ints
    sets: Ints
    labels: Ints
    readings: KindCounts


def pair_distances(pairable: PairableUnits, options: Options) -> PairDistances:
    """Return the distance of each two coders on each unit."""
    units, columns = np.nonzero(pairable.codes != MISSING)
    earlier, later = pairs_in_runs(units)
    codes = pairable.codes[units, columns]
    distances = np.zeros(len(earlier))
    nothing = np.zeros(len(pairable.data.cells.members), dtype=np.int64)
    name = str(options.distance)
    _, by_name = observed_distances(pairable, find_overlaps(pairable, nothing), options, [name])
    distances[codes[earlier] != codes[later]] = by_name[name]  # both go unit by unit, pair by pair
    return PairDistances(units[earlier], columns[earlier], columns[later], distances)


def bin_of(distances: Floats) -> Ints:
    """Return the bin of each distance: 0 for none at all, 1 to STEPS for more than none, the last for 1.

    >>> bin_of(np.array([0, 0.05, 0.1, 0.11, 0.99, 1])).tolist()
    [0, 1, 1, 2, 10, 11]
    """
    steps: Ints = np.ceil((distances * STEPS).round(DIGITS)).astype(np.int64)
    return np.where(distances.round(DIGITS) >= 1, STEPS + 1, steps)


def count_distances(pairable: PairableUnits, options: Options) -> DistanceCounts:
    """Return the distances of each document of the data, for a distance between sets."""
    n, n_labels = len(pairable.data.documents), len(pairable.data.labels)
    observed = np.zeros((n, BINS))
    pairs = pair_distances(pairable, options)
    weights = 2 / (pairable.coders[pairs.units] - 1)
    np.add.at(observed, (pairable.documents[pairs.units], bin_of(pairs.distances)), weights)
    both = options.exclude_unit == "both"
    if both and pairable.data.cells.readings is not None:
        pairable = pairable.with_data(remove_units_from_readings(pairable.data))
    counts = count_entries(pairable) if both else np.zeros(len(pairable.data.cells.members), dtype=np.int64)
    units, columns = np.nonzero(pairable.codes != MISSING)
    codes, documents = pairable.codes[units, columns], pairable.documents[units]
    is_set = codes >= n_labels
    sizes = np.diff(pairable.data.cells.starts)[codes[is_set] - n_labels]
    left = sizes - pairable.inside[units, columns][is_set] if both else sizes
    filled = (left > 0) & ~have_several(pairable)[units, columns][is_set]
    labels = np.zeros((n, n_labels), dtype=np.int64)
    np.add.at(labels, (documents[~is_set], codes[~is_set]), 1)
    return DistanceCounts(
        observed=observed,
        overlapping=_count_overlapping(pairable, counts, options),
        judgements=np.bincount(documents, minlength=n),
        empty=np.bincount(documents[is_set][left == 0], minlength=n),
        sets=np.bincount(documents[is_set][filled], minlength=n),
        labels=labels,
        readings=count_kinds(pairable),
    )


def _count_overlapping(pairable: PairableUnits, counts: Ints, options: Options) -> Ints:
    total = np.zeros((len(pairable.data.documents), BINS), dtype=np.int64)
    document_of_set, name = pairable.document_of_set, str(options.distance)
    overlap = find_overlaps(pairable, counts)
    for first, a, b, shared, number in overlapping_judgements(pairable, overlap, counts):
        some = np.flatnonzero((number > 0) & (shared > 0))
        a, b, shared = a[some], b[some], shared[some]
        [(_, distances)] = distances_from_sizes(a, b, shared, [name], empty=options.empty, thirds=options.thirds)
        np.add.at(total, (document_of_set[first[some]], bin_of(distances)), number[some])
    if pairable.data.cells.readings is not None:
        kinds = set_kinds(pairable.data.cells)
        for pairs in pair_overlapping_readings(pairable, overlap, counts):
            documents = document_of_set[pairs.first]
            distances = compare_readings(pairable.data, pairs, [name], options)[name]
            np.add.at(total, (documents, bin_of(distances)), pairs.number)
            in_common = empty_similarities(*pair_kinds(pairable.data, kinds, pairs), name, options)
            some = np.flatnonzero(in_common > 0)
            np.subtract.at(total, (documents[some], bin_of(1 - in_common[some])), pairs.number[some])
    return total


def expected_counts(
    *,
    overlapping: Ints,
    judgements: int,
    empty: int,
    sets: int,
    labels: Ints,
    options: Options,
    names: Sequence[Label] = (),
    readings: Mapping[ReadingKind, int] | None = None,
) -> Ints:
    """Return the number of ordered pairs of different judgements by their distance, whichever documents they are of.

    All are sums over documents: of pairs that overlap by bin, of judgements, of those of the empty set and of other
    sets, of judgements by label, and of those of several readings by kind. `names` are the labels, where some are sets.
    What is not alike, not overlapping and not the empty set against another set is at distance 1, as in
    `expected_distance`.
    """
    total = overlapping.copy()
    total[0] += int((labels * (labels - 1)).sum()) + empty * (empty - 1)
    similar = label_similarities(names, str(options.distance), options)
    if similar is not None:
        _add_pairs(total, labels, np.where(np.eye(len(labels)) > 0, 0.0, similar))
    if readings:
        counts = np.array([empty, sets, *readings.values()], dtype=np.int64)
        in_common = kind_similarities(list(readings), str(options.distance), options)
        in_common[:2, :2] = 0  # of two sets that are no readings
        _add_pairs(total, counts, in_common)
    from_empty = distance_from_empty(str(options.distance), options)
    total[int(bin_of(np.array([from_empty]))[0])] += 2 * empty * sets
    total[-1] += judgements * (judgements - 1) - int(total.sum())
    return total


def _add_pairs(total: Ints, counts: Ints, similar: Floats) -> None:
    """Add the ordered pairs of different judgements of values that have something in common, by their distance."""
    pairs = np.outer(counts, counts)
    np.fill_diagonal(pairs, counts * (counts - 1))
    some = similar > 0
    np.add.at(total, bin_of(1 - similar[some]), pairs[some])
