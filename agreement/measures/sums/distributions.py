"""How distances are distributed: those of pairs of judgements on one unit, and those of all pairs of judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.arrays import pairs_in_runs
from ..data.cells import MISSING
from ..distances import distance_from_empty, distances_from_sizes
from ..options import Options
from ..values import Floats, Ints, Label
from .label_sets import label_similarities
from .overlaps import PairableUnits, count_entries, find_overlaps
from .pairs import observed_distances, overlapping_judgements
from .readings import (
    KindCounts,
    ReadingKind,
    compare_readings,
    count_kinds,
    empty_similarities,
    have_several,
    kind_similarities,
    pair_kinds,
    pair_overlapping_readings,
    remove_units_from_readings,
    set_kinds,
)

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
