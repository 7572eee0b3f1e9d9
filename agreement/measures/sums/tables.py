"""What each document adds to alpha, for all documents and several distances at once, in arrays.

Values with several readings are compared without the unit where units are excluded: see `sums.readings`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.arrays import distinct_rows, sorted_unique
from ..data.cells import MISSING, Partition
from ..data.reliability_data import ReliabilityData
from ..data.subsets import number_labels
from ..distances import distances_from_sizes, midranks, number_distance, parse_numbers
from ..options import Options, SumOptions
from ..values import Bools, Floats, Ints
from .overlaps import PairableUnits, count_entries, find_overlaps
from .pairs import different_labels, observed_distances, overlapping_distances, sum_groups
from .readings import KindCounts, count_kinds, have_several, remove_units_from_readings
from .text_sums import TextSums


def tabulate(data: ReliabilityData, options: SumOptions) -> TextSums:
    """Return the sums of every document of the data."""
    if options not in data.cache:
        ordered = [name for name in options.distances if options.of(name).ordered]
        if isinstance(data.content, Partition) and not ordered:
            data.cache[options] = _tabulate_partition(data, data.content, options)
        else:
            compared = as_numbers(data, options.of(ordered[0])) if ordered else data
            data.cache[options] = _tabulate_cells(compared, options)
    sums: TextSums = data.cache[options]
    return sums


def as_numbers(data: ReliabilityData, options: Options) -> ReliabilityData:
    """Return the data with labels in text as numbers, where the distance is of numbers."""
    return number_labels(data, f"the distance {options.distance!r} is of numbers") if options.ordered else data


def _tabulate_cells(data: ReliabilityData, options: SumOptions) -> TextSums:
    """Return the sums of labels and sets that may overlap in any way; linear in the pairs of sets that overlap."""
    pairable = PairableUnits.from_data(data)
    n, names = len(data.documents), options.distances
    met: Sequence[Ints | Floats] = ()
    both = options.exclude_unit == "both"
    compared = pairable
    if both and data.cells.readings is not None:
        compared = pairable.with_data(remove_units_from_readings(data))
    if any(options.of(name).ordered for name in names):
        observed, overlap_distance, met = _tabulate_numbers(pairable, names)
        overlapping = np.zeros(n, dtype=np.int64)
    else:
        counts = count_entries(compared) if both else np.zeros(len(data.cells.members), dtype=np.int64)
        overlap, conventions = find_overlaps(compared, counts), options.of("nominal")
        units, distances = observed_distances(pairable, overlap, conventions, names)
        less = pairable.coders[units] - 1
        observed = {k: sum_groups(pairable.documents[units], 2 * d / less, n) for k, d in distances.items()}
        overlapping, overlap_distance = overlapping_distances(compared, overlap, counts, conventions, names)
    sizes = _set_sizes(pairable)
    left = sizes if compared is pairable else _set_sizes(compared)
    if both:
        left = left - compared.inside
    several = have_several(compared)
    document_of_set = pairable.document_of_set
    used = (document_of_set != MISSING) & (np.diff(data.cells.starts) > 0)
    document_of_cell = np.repeat(pairable.documents, len(data.coders))

    def count(chosen: Bools) -> Ints:
        """Return the number of chosen cells in each document."""
        return np.bincount(document_of_cell[chosen.ravel()], minlength=n)

    n_units = np.bincount(pairable.documents, minlength=n)
    return TextSums.from_columns(
        options,
        data.documents,
        data.coders,
        data.labels,
        {
            "n_units": n_units,
            "n_left_out": np.bincount(data.document_of_unit, minlength=n) - n_units,
            "n_judgements": count(sizes != _MISSING),
            "n_sets": np.bincount(document_of_set[used], minlength=n),
            "has_empty_set": count(sizes == 0) > 0,
            "empty": count(left == 0),
            "nonempty": count((left > 0) & ~several),
            "overlapping": overlapping,
            "observed": observed,
            "overlap_distance": overlap_distance,
        },
        coded=_list_coders(pairable),
        labelled=_count_labels(pairable),
        met=met,
        ambiguous=_count_readings(count_kinds(compared)),
    )


def _tabulate_numbers(
    pairable: PairableUnits, names: Sequence[str]
) -> tuple[dict[str, Floats], dict[str, Floats], Sequence[Ints | Floats]]:
    """Return the sums of ordered distances, and for the ordinal one the pairs of labels by document."""
    n = len(pairable.data.documents)
    units, low, high = different_labels(pairable)
    documents, less = pairable.documents[units], pairable.coders[units] - 1
    observed, nothing = {}, {name: np.zeros(n) for name in names}
    for name in names:
        of_label = label_numbers(pairable, name)
        terms = number_distance(of_label[low], of_label[high], name)
        observed[name] = np.zeros(n) if name == "ordinal" else sum_groups(documents, 2 * terms / less, n)
    return observed, nothing, _sum_pairs(documents, low, high, 1 / less) if "ordinal" in names else ()


def _sum_pairs(documents: Ints, low: Ints, high: Ints, weights: Floats) -> Sequence[Ints | Floats]:
    """Return with what weight each two labels met in each document: documents, both labels and weights."""
    base = int(high.max(initial=0)) + 1
    keys, place = np.unique((documents * base + low) * base + high, return_inverse=True)
    rest, high = np.divmod(keys, base)
    return *np.divmod(rest, base), high, sum_groups(place, weights, len(keys))


def _tabulate_partition(data: ReliabilityData, chains: Partition, options: SumOptions) -> TextSums:
    """Return the sums of chains that share no unit; linear in judgements."""
    n, names, both = len(data.documents), options.distances, options.exclude_unit == "both"
    less = 0 if options.exclude_unit == "none" else 1
    pairable = chains.coders > 1
    judged = [chains.pairable_sizes(c) for c in range(len(data.coders))]
    observed, overlap_distance = ({name: np.zeros(n) for name in names} for _ in range(2))
    overlapping, n_judgements, singletons = np.zeros((3, n), dtype=np.int64)

    def add(documents: Ints, a: Ints, b: Ints, shared: Ints, number: Ints) -> None:
        """Add so many ordered pairs of judgements on sets of these sizes."""
        if both:
            some = np.flatnonzero((shared > 0) & (number > 0))
            documents, a, b, shared, number = (array[some] for array in (documents, a, b, shared, number))
        overlapping[:] += np.bincount(documents, weights=number, minlength=n).astype(np.int64)
        for name, distances in distances_from_sizes(a, b, shared, names, empty=options.empty, thirds=options.thirds):
            if distances.any():
                overlap_distance[name] += np.bincount(documents, weights=number * distances, minlength=n)

    met, n_sets = _count_chain_pairs(chains, judged, n)
    documents, a, b, p, q, s, k = met.documents, met.a, met.b, met.p, met.q, met.shared, met.count
    unit = distances_from_sizes(a - less, b - less, s - less, names, empty=options.empty, thirds=options.thirds)
    weight = 2 * k * met.weight
    for name, distances in unit:
        observed[name] += np.bincount(documents, weights=weight * distances, minlength=n)
    if both:  # a judgement has its unit taken out, and two units are in both sets, in one of them or in none
        add(documents, a - 1, b - 1, s, 2 * k * (p - s) * (q - s))
        add(documents, a - 1, b - 1, s - 1, 2 * k * (s + s * (q - s) + (p - s) * s))
        add(documents, a - 1, b - 1, s - 2, 2 * k * s * (s - 1))
    else:
        add(documents, a, b, s, 2 * k * p * q)
    own = (np.concatenate([*arrays, _NOTHING]) for arrays in (chains.documents, chains.sizes, judged))
    [documents, sizes, used], k = distinct_rows(*own)
    n_judgements += np.bincount(documents, weights=k * used, minlength=n).astype(np.int64)
    if both:
        singletons += np.bincount(documents, weights=k * ((used > 0) & (sizes == 1)), minlength=n).astype(np.int64)
    add(documents, sizes - both, sizes - both, sizes - 2 * both, k * used * (used - 1))
    coded = [documents[size > 0] for size, documents in zip(judged, chains.documents, strict=True)]
    columns = np.repeat(np.arange(len(coded)), [len(documents) for documents in coded])
    n_units = np.bincount(data.document_of_unit[pairable], minlength=n)
    return TextSums.from_columns(
        options,
        data.documents,
        data.coders,
        (),
        {
            "n_units": n_units,
            "n_left_out": np.bincount(data.document_of_unit, minlength=n) - n_units,
            "n_judgements": n_judgements,
            "n_sets": n_sets,
            "has_empty_set": 0,
            "empty": singletons,
            "nonempty": n_judgements - singletons,
            "overlapping": overlapping,
            "observed": observed,
            "overlap_distance": overlap_distance,
        },
        coded=_distinct_pairs(np.concatenate([*coded, columns[:0]]), columns, len(coded)),
    )


_NOTHING: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _CountedPairs:
    """Pairs of chains of two coders that share units, each kind once for a document, and how many there are of it.

    A kind is the two sizes, how many units of each are pairable (`p` and `q`), how many are shared and their weight.
    They are in ascending order, so that sums do not depend on which coder is first, or on which number a chain has.
    """

    documents: Ints
    a: Ints
    b: Ints
    p: Ints
    q: Ints
    shared: Ints
    weight: Floats
    count: Ints


def _count_chain_pairs(chains: Partition, judged: Sequence[Ints], n: int) -> tuple[_CountedPairs, Ints]:
    """Return the pairs of chains, and the number of different chains with pairable units in each document."""
    repeated = [np.zeros(len(size), dtype=np.bool_) for size in chains.sizes]
    columns: list[tuple[Ints, ...]] = [(_NOTHING,) * 6]
    weights = [np.zeros(0)]
    for met in chains.chain_pairs():
        i, j, first, second = met.i, met.j, met.first, met.second
        sizes = chains.sizes[i][first], chains.sizes[j][second]
        columns.append((chains.documents[i][first], *sizes, judged[i][first], judged[j][second], met.shared))
        weights.append(met.weight)
        repeated[j][second[chains.equal(met)]] = True
    documents, a, b, p, q, shared = (np.concatenate(arrays) for arrays in zip(*columns, strict=True))
    n_sets = np.zeros(n, dtype=np.int64)
    for c, of_chain in enumerate(chains.documents):
        n_sets += np.bincount(of_chain[(judged[c] > 0) & ~repeated[c]], minlength=n)
    if chains.complete:  # every unit is pairable and weighs the same
        [documents, a, b, shared], count = distinct_rows(documents, np.minimum(a, b), np.maximum(a, b), shared)
        return _CountedPairs(documents, a, b, a, b, shared, shared / (len(chains.sizes) - 1), count), n_sets
    width = int(max(p.max(initial=0), q.max(initial=0))) + 1
    first, second = a * width + p, b * width + q
    values, numbers = np.unique(np.concatenate(weights), return_inverse=True)
    low, high = np.minimum(first, second), np.maximum(first, second)
    [documents, low, high, shared, numbers], count = distinct_rows(documents, low, high, shared, numbers)
    (a, p), (b, q) = np.divmod(low, width), np.divmod(high, width)
    return _CountedPairs(documents, a, b, p, q, shared, values[numbers], count), n_sets


def unit_disagreements(pairable: PairableUnits, options: Options, between_labels: Floats | None = None) -> Floats:
    """Return for each unit the distances of all ordered pairs of its judgements, over the number of coders less 1.

    `between_labels` gives the distances of any two labels, by their codes, in place of those of the options.
    """
    units, distances = different_distances(pairable, options, between_labels)
    return sum_groups(units, 2 * distances / (pairable.coders - 1)[units], len(pairable.rows))


def different_distances(
    pairable: PairableUnits, options: Options, between_labels: Floats | None = None
) -> tuple[Ints, Floats]:
    """Return the place of the unit and the distance of each unordered pair of different values of one unit.

    `different_columns` has the coders of the pairs. `between_labels` is that of `unit_disagreements`.
    """
    name = str(options.distance)
    if between_labels is not None:
        units, low, high = different_labels(pairable)
        return units, between_labels[low, high]
    if options.ordered:
        units, low, high = different_labels(pairable)
        of_label = label_numbers(pairable, name)
        return units, number_distance(of_label[low], of_label[high], name)
    nothing = np.zeros(len(pairable.data.cells.members), dtype=np.int64)
    units, by_name = observed_distances(pairable, find_overlaps(pairable, nothing), options, [name])
    return units, by_name[name]


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


def _list_coders(pairable: PairableUnits) -> Sequence[Ints]:
    """Return each document with the columns of the coders who judged its units, in ascending order."""
    has_coded = np.zeros((len(pairable.data.documents), len(pairable.data.coders)), dtype=np.bool_)
    for column, codes in enumerate(pairable.codes.T):
        has_coded[pairable.documents[codes != MISSING], column] = True
    return np.nonzero(has_coded)


def _count_labels(pairable: PairableUnits) -> Sequence[Ints]:
    """Return the number of judgements with each label, per document: documents, labels and counts."""
    n_labels = len(pairable.data.labels)
    units, columns = np.nonzero((pairable.codes != MISSING) & (pairable.codes < n_labels))
    [documents, labels], counts = distinct_rows(pairable.documents[units], pairable.codes[units, columns])
    return documents, labels, counts


def _count_readings(counted: KindCounts) -> Sequence[Ints]:
    """Return the judgements of several readings per document: documents, numbers of readings, empty ones, counts."""
    documents, places = np.nonzero(counted.counts)
    kinds = np.array(counted.kinds, dtype=np.int64).reshape(-1, 2)
    return documents, *kinds[places].T, counted.counts[documents, places]


def _distinct_pairs(documents: Ints, numbers: Ints, n: int) -> Sequence[Ints]:
    """Return each document and number below n that come together once, in ascending order."""
    return np.divmod(sorted_unique(documents * n + numbers), max(n, 1))
