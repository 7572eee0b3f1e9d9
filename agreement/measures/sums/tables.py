"""What each document adds to alpha, for all documents and several distances at once, in arrays.

Values with several readings are compared without the unit where units are excluded: see `sums.overlaps`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.arrays import distinct_rows
from ..data.cells import MISSING, Partition
from ..data.reliability_data import ReliabilityData
from ..data.subsets import number_labels
from ..distances import distances_from_sizes, midranks, number_distance, parse_numbers
from ..options import Options, SumOptions
from ..values import Bools, Floats, Ints, Label
from .overlaps import PairableUnits, find_overlaps, have_several, kinds_of_readings, remove_units_from_readings
from .pairs import different_labels, observed_distances, overlapping_distances, sum_groups
from .text_sums import TextSums

type _Columns = dict[str, Any]  # by name, as `TextSums.from_columns` takes them


def tabulate(data: ReliabilityData, options: SumOptions) -> TextSums:
    """Return the sums of every document of the data."""
    if options not in data.cache:
        data.cache[options] = _tabulate(data, options)
    sums: TextSums = data.cache[options]
    return sums


def as_numbers(data: ReliabilityData, options: Options) -> ReliabilityData:
    """Return the data with labels in text as numbers, where the distance is of numbers."""
    return number_labels(data, f"the distance {options.distance!r} is of numbers") if options.ordered else data


def _tabulate(data: ReliabilityData, options: SumOptions) -> TextSums:
    ordered = [name for name in options.distances if options.of(name).ordered]
    labels: Sequence[Label] = ()
    if isinstance(data.content, Partition) and not ordered:
        columns, entries = _tabulate_partition(data, data.content, options)
    else:
        compared = as_numbers(data, options.of(ordered[0])) if ordered else data
        labels, (columns, entries) = compared.labels, _tabulate_cells(compared, options)
    n_units = np.bincount(data.document_of_unit, minlength=len(data.documents))
    columns["n_left_out"] = n_units - columns["n_units"]
    return TextSums.from_columns(options, data.documents, data.coders, labels, columns, **entries)


def _tabulate_cells(data: ReliabilityData, options: SumOptions) -> tuple[_Columns, _Columns]:
    """Return the columns of labels and sets that may overlap in any way; linear in the pairs of sets that overlap."""
    pairable = PairableUnits.from_data(data)
    n, names = len(data.documents), options.distances
    met: Sequence[Ints | Floats] = ()
    both = options.exclude_unit == "both"
    compared = remove_units_from_readings(pairable) if both else pairable
    if any(options.of(name).ordered for name in names):
        observed, overlap_distance, met = _tabulate_numbers(pairable, names)
        overlapping = np.zeros(n, dtype=np.int64)
    else:
        overlap, conventions = find_overlaps(compared, exclude_units=both), options.of("nominal")
        units, distances = observed_distances(pairable, conventions, names, overlap)
        less = pairable.coders[units] - 1
        observed = {k: sum_groups(pairable.documents[units], 2 * d / less, n) for k, d in distances.items()}
        overlapping, overlap_distance = overlapping_distances(compared, overlap, conventions, names)
    left = compared.set_sizes() - (compared.inside if both else 0)
    document_of_set = pairable.document_of_set
    used = (document_of_set != MISSING) & (np.diff(data.cells.starts) > 0)
    document_of_cell = np.repeat(pairable.documents, len(data.coders))

    def count(chosen: Bools) -> Ints:
        """Return the number of chosen cells in each document."""
        return np.bincount(document_of_cell[chosen.ravel()], minlength=n)

    columns = {
        "n_units": np.bincount(pairable.documents, minlength=n),
        "n_judgements": count(pairable.codes != MISSING),
        "n_sets": np.bincount(document_of_set[used], minlength=n),
        "has_empty_set": count(pairable.set_sizes() == 0) > 0,
        "empty": count(left == 0),
        "nonempty": count((left > 0) & ~have_several(compared)),
        "overlapping": overlapping,
        "observed": observed,
        "overlap_distance": overlap_distance,
    }
    coded = _list_coders([pairable.documents[codes != MISSING] for codes in pairable.codes.T], n)
    units, coders = np.nonzero((pairable.codes != MISSING) & (pairable.codes < len(data.labels)))
    labelled = _count_rows(pairable.documents[units], pairable.codes[units, coders])
    documents, kinds = kinds_of_readings(compared)
    ambiguous = _count_rows(documents, *kinds.T)
    return columns, {"coded": coded, "labelled": labelled, "met": met, "ambiguous": ambiguous}


def _tabulate_numbers(
    pairable: PairableUnits, names: Sequence[str]
) -> tuple[dict[str, Floats], dict[str, Floats], Sequence[Ints | Floats]]:
    """Return the sums of ordered distances, and for the ordinal one with what weight labels met in each document."""
    n = len(pairable.data.documents)
    units, low, high = different_labels(pairable)
    documents, less = pairable.documents[units], pairable.coders[units] - 1
    observed, nothing = {}, {name: np.zeros(n) for name in names}
    for name in names:
        of_label = label_numbers(pairable, name)
        terms = number_distance(of_label[low], of_label[high], name)
        observed[name] = np.zeros(n) if name == "ordinal" else sum_groups(documents, 2 * terms / less, n)
    if "ordinal" not in names:
        return observed, nothing, ()
    base = int(high.max(initial=0)) + 1
    keys, place = np.unique((documents * base + low) * base + high, return_inverse=True)
    rest, high = np.divmod(keys, base)
    return observed, nothing, (*np.divmod(rest, base), high, sum_groups(place, 1 / less, len(keys)))


def _tabulate_partition(data: ReliabilityData, chains: Partition, options: SumOptions) -> tuple[_Columns, _Columns]:
    """Return the columns of chains that share no unit; linear in judgements."""
    n, names, both = len(data.documents), options.distances, options.exclude_unit == "both"
    less = 0 if options.exclude_unit == "none" else 1
    judged = [chains.pairable_sizes(c) for c in range(len(data.coders))]
    observed, overlap_distance = ({name: np.zeros(n) for name in names} for _ in range(2))
    overlapping, n_judgements, singletons = np.zeros((3, n), dtype=np.int64)

    def add(documents: Ints, a: Ints, b: Ints, shared: Ints, number: Ints) -> None:
        """Add so many ordered pairs of judgements on sets of these sizes."""
        if both:
            some = np.flatnonzero((shared > 0) & (number > 0))
            documents, a, b, shared, number = (array[some] for array in (documents, a, b, shared, number))
        overlapping[:] += np.bincount(documents, weights=number, minlength=n).astype(np.int64)
        for name, distances in distances_from_sizes(a, b, shared, names, options):
            if distances.any():
                overlap_distance[name] += np.bincount(documents, weights=number * distances, minlength=n)

    documents, a, b, p, q, s, weights, k, n_sets = _count_chain_pairs(chains, judged, n)
    unit = distances_from_sizes(a - less, b - less, s - less, names, options)
    weight = 2 * k * weights
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
    columns = {
        "n_units": np.bincount(data.document_of_unit[chains.coders > 1], minlength=n),
        "n_judgements": n_judgements,
        "n_sets": n_sets,
        "empty": singletons,
        "nonempty": n_judgements - singletons,
        "overlapping": overlapping,
        "observed": observed,
        "overlap_distance": overlap_distance,
    }
    return columns, {"coded": _list_coders(coded, n)}


_NOTHING: Ints = np.zeros(0, dtype=np.int64)


def _count_chain_pairs(
    chains: Partition, judged: Sequence[Ints], n: int
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Floats, Ints, Ints]:
    """Return the pairs of chains of two coders that share units, each kind once for a document.

    A kind is the document, the two sizes, how many units of each are pairable, how many are shared and their weight;
    then come how many pairs are of it, and the number of different chains with pairable units in each document. The two
    of a pair are in ascending order, so that sums do not depend on which coder is first, or on how chains are numbered.
    """
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
        return documents, a, b, a, b, shared, shared / (len(chains.sizes) - 1), count, n_sets
    width = int(max(p.max(initial=0), q.max(initial=0))) + 1
    first, second = a * width + p, b * width + q
    values, numbers = np.unique(np.concatenate(weights), return_inverse=True)
    low, high = np.minimum(first, second), np.maximum(first, second)
    [documents, low, high, shared, numbers], count = distinct_rows(documents, low, high, shared, numbers)
    (a, p), (b, q) = np.divmod(low, width), np.divmod(high, width)
    return documents, a, b, p, q, shared, values[numbers], count, n_sets


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

    `PairableUnits.different` has the coders of the pairs. `between_labels` is that of `unit_disagreements`.
    """
    name = str(options.distance)
    if between_labels is None and not options.ordered:
        units, by_name = observed_distances(pairable, options, [name])
        return units, by_name[name]
    units, low, high = different_labels(pairable)
    if between_labels is not None:
        return units, between_labels[low, high]
    of_label = label_numbers(pairable, name)
    return units, number_distance(of_label[low], of_label[high], name)


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


def _list_coders(documents_of_coders: Sequence[Ints], n: int) -> Sequence[Ints]:
    """Return each of n documents with the columns of the coders who judged its units, in ascending order."""
    has_coded = np.zeros((n, len(documents_of_coders)), dtype=np.bool_)
    for column, documents in enumerate(documents_of_coders):
        has_coded[documents, column] = True
    return np.nonzero(has_coded)


def _count_rows(*columns: Ints) -> Sequence[Ints]:
    """Return the different rows of some columns, and how often each comes."""
    distinct, counts = distinct_rows(*columns)
    return *distinct, counts
