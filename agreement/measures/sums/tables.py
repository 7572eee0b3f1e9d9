"""What each document adds to alpha, for all documents and several distances at once, in arrays.

Values with several readings are compared without the unit where units are excluded: see `sums.readings`.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.measures.data.cells import MISSING
from agreement.measures.data.partitions import Partition
from agreement.measures.data.reliability_data import ReliabilityData
from agreement.measures.distances import distances_from_sizes, midranks, number_distance, parse_numbers
from agreement.measures.options import Options
from agreement.measures.sums.overlaps import PairableUnits, count_entries, find_overlaps
from agreement.measures.sums.pairs import different_labels, grouped_fsum, observed_distances, overlapping_distances
from agreement.measures.sums.readings import KindCounts, count_kinds, have_several, remove_units_from_readings
from agreement.measures.values import Bools, Floats, Ints, Label


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """How many judgements of a document have a label, one entry for each document and label that come together."""

    documents: Ints
    labels: Ints
    counts: Ints


@dataclass(frozen=True, eq=False)
class LabelPairs:
    """Pairs of different labels that met on a unit, `low` < `high`; `weight` is 1 / (coders of the unit - 1)."""

    documents: Ints
    low: Ints
    high: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class DocumentTable:
    """The sums of all documents, a row of each array for a document, for several distances at once."""

    documents: Sequence[Hashable]
    coder_names: Sequence[Hashable]
    labels: Sequence[Label]
    n_units: Ints
    n_left_out: Ints
    n_sets: Ints
    has_empty_set: Bools
    n_judgements: Ints
    coders: Bools
    empty: Ints
    nonempty: Ints
    overlapping: Ints
    observed: dict[str, Floats]
    overlap_distance: dict[str, Floats]
    label_counts: LabelCounts
    kind_counts: KindCounts
    label_pairs: LabelPairs | None = None


def tabulate(data: ReliabilityData, names: Sequence[str], options: Options) -> DocumentTable:
    """Return the sums of every document of the data, for the named distances and the conventions in `options`."""
    ordered = [name for name in names if Options(name).ordered]
    if ordered and len(ordered) < len(names):
        raise ValueError(f"the distance {ordered[0]!r} is of numbers, the others of sets: compute it apart")
    key = (*names, options.exclude_unit, options.empty, options.thirds)
    if key not in data.cache:
        if isinstance(data.content, Partition) and not ordered:
            data.cache[key] = _tabulate_partition(data, data.content, names, options)
        else:
            data.cache[key] = _tabulate_cells(data, names, options)
    table: DocumentTable = data.cache[key]
    return table


def _tabulate_cells(data: ReliabilityData, names: Sequence[str], options: Options) -> DocumentTable:
    """Return the table of labels and sets that may overlap in any way; linear in the pairs of sets that overlap."""
    pairable = PairableUnits.from_data(data)
    n = len(data.documents)
    pairs = None
    both = options.exclude_unit == "both"
    compared = pairable
    if both and data.cells.readings is not None:
        compared = pairable.with_data(remove_units_from_readings(data))
    if options.ordered or any(Options(name).ordered for name in names):
        observed, overlap_distance, pairs = _tabulate_numbers(pairable, names)
        overlapping = np.zeros(n, dtype=np.int64)
    else:
        counts = count_entries(compared) if both else np.zeros(len(data.cells.members), dtype=np.int64)
        overlap = find_overlaps(compared, counts)
        units, distances = observed_distances(pairable, overlap, options, names)
        less = pairable.coders[units] - 1
        observed = {k: np.array(grouped_fsum(pairable.documents[units], 2 * d / less, n)) for k, d in distances.items()}
        overlapping, by_distance = overlapping_distances(compared, overlap, counts, options, names)
        overlap_distance = {name: np.array(total) for name, total in by_distance.items()}
    sizes, left = _set_sizes(pairable), _set_sizes(compared)
    if both:
        left = left - compared.inside
    several = have_several(compared)
    document_of_set = pairable.document_of_set()
    used = (document_of_set != MISSING) & (np.diff(data.cells.starts) > 0)
    coders = np.zeros((n, len(data.coders)), dtype=np.bool_)
    np.logical_or.at(coders, pairable.documents, pairable.codes != MISSING)
    n_units = np.bincount(pairable.documents, minlength=n)
    return DocumentTable(
        documents=data.documents,
        coder_names=data.coders,
        labels=data.labels,
        n_units=n_units,
        n_left_out=np.bincount(data.document_of_unit, minlength=n) - n_units,
        n_sets=np.bincount(document_of_set[used], minlength=n),
        has_empty_set=_count_cells(pairable, sizes == 0) > 0,
        n_judgements=_count_cells(pairable, sizes != _MISSING),
        coders=coders,
        empty=_count_cells(pairable, left == 0),
        nonempty=_count_cells(pairable, (left > 0) & ~several),
        overlapping=overlapping,
        observed=observed,
        overlap_distance=overlap_distance,
        label_counts=_count_labels(pairable),
        kind_counts=count_kinds(compared),
        label_pairs=pairs,
    )


def _tabulate_numbers(
    pairable: PairableUnits, names: Sequence[str]
) -> tuple[dict[str, Floats], dict[str, Floats], LabelPairs | None]:
    """Return the sums of ordered distances, and for the ordinal one the pairs of labels by document."""
    n = len(pairable.data.documents)
    units, low, high = different_labels(pairable)
    documents, less = pairable.documents[units], pairable.coders[units] - 1
    observed, nothing = {}, {name: np.zeros(n) for name in names}
    for name in names:
        of_label = label_numbers(pairable, name)
        terms = number_distance(of_label[low], of_label[high], name)
        observed[name] = np.zeros(n) if name == "ordinal" else np.array(grouped_fsum(documents, 2 * terms / less, n))
    pairs = LabelPairs(documents, low, high, 1 / less) if "ordinal" in names else None
    return observed, nothing, pairs


def _tabulate_partition(
    data: ReliabilityData, chains: Partition, names: Sequence[str], options: Options
) -> DocumentTable:
    """Return the table of chains that share no unit; linear in judgements."""
    n, both = len(data.documents), options.exclude_unit == "both"
    less = 0 if options.exclude_unit == "none" else 1
    pairable = chains.coders > 1
    judged = [chains.pairable_sizes(c) for c in range(len(data.coders))]
    repeated = [np.zeros(len(size), dtype=np.bool_) for size in chains.sizes]
    observed, overlap_distance = ({name: np.zeros(n) for name in names} for _ in range(2))
    overlapping, n_judgements, singletons, n_sets = np.zeros((4, n), dtype=np.int64)

    def add(documents: Ints, a: Ints, b: Ints, shared: Ints, number: Ints) -> None:
        """Add so many ordered pairs of judgements on sets of these sizes."""
        if both:
            some = np.flatnonzero((shared > 0) & (number > 0))
            documents, a, b, shared, number = (array[some] for array in (documents, a, b, shared, number))
        overlapping[:] += np.bincount(documents, weights=number, minlength=n).astype(np.int64)
        for name, distances in distances_from_sizes(a, b, shared, names, empty=options.empty, thirds=options.thirds):
            if distances.any():
                overlap_distance[name] += np.bincount(documents, weights=number * distances, minlength=n)

    for met in chains.chain_pairs():
        documents = chains.documents[met.i][met.first]
        a, b, s = chains.sizes[met.i][met.first], chains.sizes[met.j][met.second], met.shared
        p, q = judged[met.i][met.first], judged[met.j][met.second]
        unit = distances_from_sizes(a - less, b - less, s - less, names, empty=options.empty, thirds=options.thirds)
        for name, distances in unit:
            observed[name] += np.bincount(documents, weights=2 * met.weight * distances, minlength=n)
        if both:  # a judgement has its unit taken out, and two units are in both sets, in one of them or in none
            add(documents, a - 1, b - 1, s, 2 * (p - s) * (q - s))
            add(documents, a - 1, b - 1, s - 1, 2 * (s + s * (q - s) + (p - s) * s))
            add(documents, a - 1, b - 1, s - 2, 2 * s * (s - 1))
        else:
            add(documents, a, b, s, 2 * p * q)
        repeated[met.j][met.second[chains.equal(met)]] = True
    for c, (sizes, documents) in enumerate(zip(chains.sizes, chains.documents, strict=True)):
        used = judged[c] > 0
        n_sets += np.bincount(documents[used & ~repeated[c]], minlength=n)
        n_judgements += np.bincount(documents, weights=judged[c], minlength=n).astype(np.int64)
        if both:
            singletons += np.bincount(documents[used & (sizes == 1)], minlength=n)
        add(documents, sizes - both, sizes - both, sizes - 2 * both, judged[c] * (judged[c] - 1))
    coders = np.zeros((n, len(data.coders)), dtype=np.bool_)
    for c, documents in enumerate(chains.documents):
        coders[documents[judged[c] > 0], c] = True
    n_units = np.bincount(data.document_of_unit[pairable], minlength=n)
    return DocumentTable(
        documents=data.documents,
        coder_names=data.coders,
        labels=(),
        n_units=n_units,
        n_left_out=np.bincount(data.document_of_unit, minlength=n) - n_units,
        n_sets=n_sets,
        has_empty_set=np.zeros(n, dtype=np.bool_),
        n_judgements=n_judgements,
        coders=coders,
        empty=singletons,
        nonempty=n_judgements - singletons,
        overlapping=overlapping,
        observed=observed,
        overlap_distance=overlap_distance,
        label_counts=LabelCounts(*np.zeros((3, 0), dtype=np.int64)),
        kind_counts=KindCounts((), np.zeros((n, 0), dtype=np.int64)),
    )


def unit_disagreements(pairable: PairableUnits, options: Options, between_labels: Floats | None = None) -> list[float]:
    """Return for each unit the distances of all ordered pairs of its judgements, over the number of coders less 1.

    `between_labels` gives the distances of any two labels, by their codes, in place of those of the options.
    """
    name, less, n = str(options.distance), pairable.coders - 1, len(pairable.rows)
    if between_labels is not None:
        units, low, high = different_labels(pairable)
        distances = between_labels[low, high]
    elif options.ordered:
        units, low, high = different_labels(pairable)
        of_label = label_numbers(pairable, name)
        distances = number_distance(of_label[low], of_label[high], name)
    else:
        nothing = np.zeros(len(pairable.data.cells.members), dtype=np.int64)
        units, by_name = observed_distances(pairable, find_overlaps(pairable, nothing), options, [name])
        distances = by_name[name]
    return grouped_fsum(units, 2 * distances / less[units], n)


def label_numbers(pairable: PairableUnits, name: str) -> Floats:
    """Return for each label of the data the number that an ordered distance compares: the label, or its rank."""
    data = pairable.data
    units, columns = np.nonzero(pairable.codes >= len(data.labels))
    if len(units):
        place = f"unit {data.units[pairable.rows[units[0]]]!r}, coder {data.coders[columns[0]]!r}"
        raise ValueError(f"{place}: the distance {name!r} is of numbers, and a set is none")
    of_label = parse_numbers(data.labels, name)
    if name == "ordinal":
        order = np.argsort(of_label)
        counts = np.bincount(pairable.codes[pairable.codes != MISSING], minlength=len(of_label))
        of_label[order] = midranks(counts[order].astype(np.float64))
    return of_label


_LABEL, _MISSING = -2, -3


def _set_sizes(pairable: PairableUnits) -> Ints:
    """Return for each cell the size of the set, or negative numbers for a label and a missing value."""
    sets = pairable.codes - len(pairable.data.labels)
    sizes = np.concatenate((np.diff(pairable.data.cells.starts), [_MISSING]))
    return np.where(sets >= 0, sizes[np.maximum(sets, -1)], np.where(pairable.codes >= 0, _LABEL, _MISSING))


def _count_cells(pairable: PairableUnits, chosen: Bools) -> Ints:
    """Return the number of chosen cells in each document."""
    total = np.zeros(len(pairable.data.documents), dtype=np.int64)
    np.add.at(total, pairable.documents, chosen.sum(axis=1))
    return total


def _count_labels(pairable: PairableUnits) -> LabelCounts:
    """Return the number of judgements with each label, per document."""
    n_labels = len(pairable.data.labels)
    units, columns = np.nonzero((pairable.codes != MISSING) & (pairable.codes < n_labels))
    keys = pairable.documents[units] * n_labels + pairable.codes[units, columns]
    together, counts = np.unique(keys, return_counts=True)
    return LabelCounts(*np.divmod(together, max(n_labels, 1)), counts)
