"""Alpha from the sums of all documents together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import frexp, fsum, ldexp

import numpy as np

from ..data.findings import find_odd_labels
from ..data.inputs import Data, as_data
from ..distances import distance_from_empty, label_similarities, midranks, number_distance, parse_numbers
from ..options import SET_DISTANCES, Options, SumOptions
from ..results import TOO_FEW_CODERS, Result, nonzero_counts
from ..values import Floats, Label
from .overlaps import ReadingKind, kind_similarities, sum_kind_similarities
from .pairs import sum_groups
from .tables import tabulate
from .text_sums import COUNTS, DistanceSums, DocumentSums, LabelPair, TextSums, reading_counts

# `fsum` adds fewer terms faster, and terms outside these bounds are nobody's distances
_FEW_TERMS, _SMALLEST, _LARGEST = 1000, 1e-200, 1e200
_AT_HAND = 16_384


@dataclass(frozen=True)
class Totals:
    """The sums of all documents together."""

    n_units: int
    n_left_out: int
    n_judgements: int
    n_coders: int
    n_sets: int
    empty: int
    nonempty: int
    overlapping: int
    observed: float
    overlap_distance: float
    labels: Mapping[Label, int]
    label_pairs: Mapping[LabelPair, float]
    readings: Mapping[ReadingKind, int]


def total_sums(sums: TextSums, distance: str) -> Totals:
    """Return the sums of all texts for one distance; their order changes no digit."""
    rows, place = sums.rows, sums.options.distances.index(distance)
    if "totals" not in sums.cache:
        sums.cache["totals"] = _total_counts(sums)
    counted: Totals = sums.cache["totals"]
    return replace(
        counted,
        observed=exact_sum(rows["observed"][:, place]),
        overlap_distance=exact_sum(rows["overlap_distance"][:, place]),
    )


def exact_sum(terms: Floats) -> float:
    """Return the sum of finite terms, rounded once: the digits of `fsum`, many terms at a time.

    Each round takes the leading bits of all terms, so few that adding them rounds nothing in any order; what is left of
    the terms is exact, too, and its bits are taken by the next (Rump, Ogita & Oishi 2008). So many terms are added at
    a time as a processor has at hand.

    >>> exact_sum(np.array([1e16, 1.0, -1e16] * 500))
    500.0
    """
    largest = float(np.abs(terms).max(initial=0.0))
    if len(terms) < _FEW_TERMS or not _SMALLEST < largest < _LARGEST:
        return fsum(terms.tolist())
    return fsum(part for begin in range(0, len(terms), _AT_HAND) for part in _split(terms[begin : begin + _AT_HAND]))


def _split(rest: Floats) -> list[float]:
    """Return few numbers that add up to exactly what the terms do."""
    parts, largest = [], float(np.abs(rest).max())
    while largest > _SMALLEST:
        unit = ldexp(1.0, frexp(largest)[1] + (len(rest) + 2).bit_length())
        leading = (rest + unit) - unit
        rest = rest - leading
        parts.append(float(leading.sum()))
        largest = float(np.abs(rest).max())
    return parts if largest == 0 else [*parts, *rest.tolist()]


def _total_counts(sums: TextSums) -> Totals:
    """Return the sums that are the same for each distance."""
    total = {name: int(sums.rows[name].sum()) for name in COUNTS}
    counts = np.bincount(sums.labelled["label"], weights=sums.labelled["count"], minlength=len(sums.labels))
    return Totals(
        n_units=total["n_units"],
        n_left_out=total["n_left_out"],
        n_judgements=total["n_judgements"],
        n_coders=int(np.count_nonzero(np.bincount(sums.coded["coder"]))),
        n_sets=total["n_sets"] + bool(total["has_empty_set"]),
        empty=total["empty"],
        nonempty=total["nonempty"],
        overlapping=total["overlapping"],
        observed=0.0,
        overlap_distance=0.0,
        labels={label: int(count) for label, count in zip(sums.labels, counts.tolist(), strict=True) if count},
        label_pairs=_sum_label_pairs(sums),
        readings=_sum_readings(sums),
    )


def alpha_from_totals(totals: Totals, options: Options) -> Result:
    """Return alpha from the sums of all documents."""
    observed, expected = totals.observed, 0.0
    if options.ordered:
        observed, expected = _ordered_sums(totals, str(options.distance))
    elif totals.n_judgements:
        expected = expected_distance(
            n=totals.n_judgements,
            alike=_alike_labels(totals.labels, options),
            empty=totals.empty,
            nonempty=totals.nonempty,
            overlapping=totals.overlapping,
            overlap_distance=totals.overlap_distance,
            from_empty=distance_from_empty(str(options.distance), options),
        )
        if totals.readings:
            expected -= _common_of_readings(totals, options)
    return build_alpha_result(
        parameters=options.parameters(),
        observed=observed,
        expected=expected,
        n_units=totals.n_units,
        n_left_out=totals.n_left_out,
        n_judgements=totals.n_judgements,
        n_coders=totals.n_coders,
        n_values=len(totals.labels) + totals.n_sets,
        labels=totals.labels,
    )


def build_alpha_result(
    *,
    parameters: Mapping[str, str],
    observed: float,
    expected: float,
    n_units: int,
    n_left_out: int,
    n_judgements: int,
    n_coders: int,
    n_values: int,
    labels: Iterable[Label],
) -> Result:
    """Return alpha from the two sums of distances: of pairs within units, weighted, and of all ordered pairs."""
    note = ""
    if not n_units:
        note = "no unit is coded by two coders" if n_left_out else "there is no data"
    elif expected == 0:
        alike = "only one value is used" if n_values == 1 else "all values are at distance 0 from each other"
        note = f"{alike}, so that chance would agree as well"
    n = n_judgements
    do = observed / n if n else None
    de = expected / (n * (n - 1)) if n else None
    return Result(
        coefficient="alpha",
        value=None if note or do is None or de is None else 1.0 - do / de,
        observed=do,
        expected=de,
        n_units=n_units,
        n_coders=n_coders,
        n_values=n_values,
        n_judgements=n,
        left_out=nonzero_counts({TOO_FEW_CODERS: n_left_out}),
        parameters=parameters,
        note=note or "; ".join(find_odd_labels(labels)),
    )


def expected_distance[N: (float, Floats)](
    *, n: N, alike: N, empty: N, nonempty: N, overlapping: N, overlap_distance: N, from_empty: float
) -> N:
    """Return the sum of distances over all ordered pairs of different judgements, of whichever documents.

    `alike` is the number of ordered pairs with equal labels, and the sum of the similarities of labels that are sets.
    What is not alike, not overlapping and not the empty set against another set is at distance 1; what several readings
    have in common (`sum_kind_similarities`) is to be subtracted. Numbers, or arrays with a number for each replicate.
    """
    with_empty = 2 * empty * nonempty
    apart = n * (n - 1) - alike - empty * (empty - 1) - with_empty - overlapping
    return apart + with_empty * from_empty + overlap_distance


def expected_ordered_distance(counts: Floats, of_label: Floats, name: str) -> Floats:
    """Return the sum of an ordered distance over all ordered pairs of judgements.

    `counts` has the shape (replicates, labels), `of_label` the number that each label is, in ascending order.
    """
    if name == "ratio":
        expected = np.zeros(len(counts))
        for label, number in enumerate(of_label):  # one row at a time: labels squared is too large to keep
            expected += counts[:, label] * (counts @ number_distance(number, of_label, name))
        return expected
    places = midranks(counts) if name == "ordinal" else of_label - (of_label.mean() if len(of_label) else 0)
    n = counts.sum(axis=1)
    squares: Floats = 2 * (n * (counts * places**2).sum(axis=1) - (counts * places).sum(axis=1) ** 2)
    return np.where(np.count_nonzero(counts, axis=1) > 1, squares, 0.0)


def _sum_label_pairs(sums: TextSums) -> dict[LabelPair, float]:
    """Return with what weight each two labels met in all texts."""
    if not len(sums.met):
        return {}
    low, high = np.minimum(sums.met["low"], sums.met["high"]), np.maximum(sums.met["low"], sums.met["high"])
    n = len(sums.labels)
    keys, place = np.unique(low * n + high, return_inverse=True)
    weights = sum_groups(place, sums.met["weight"], len(keys)).tolist()
    pairs = zip(*(part.tolist() for part in np.divmod(keys, n)), strict=True)
    return {(sums.labels[a], sums.labels[b]): weight for (a, b), weight in zip(pairs, weights, strict=True)}


def _sum_readings(sums: TextSums) -> dict[ReadingKind, int]:
    """Return how many judgements of all texts are of each kind of several readings, in ascending order of kinds."""
    kinds, counts = reading_counts(sums)
    return dict(zip(kinds, counts.sum(axis=0).tolist(), strict=True))


def _alike_labels(labels: Mapping[Label, int], options: Options) -> float:
    """Return the sum of the similarities of labels over all ordered pairs of different judgements."""
    counts = np.array(list(labels.values()), dtype=np.int64)
    similar = label_similarities(list(labels), str(options.distance), options)
    if similar is None:
        return float((counts * (counts - 1)).sum())
    pairs = np.outer(counts, counts) - np.diag(counts)
    some = np.nonzero(similar)
    return fsum((pairs[some] * similar[some]).tolist())  # in any order of labels


def _common_of_readings(totals: Totals, options: Options) -> float:
    """Return what is in common of pairs of judgements of which one has several readings, by their kinds."""
    similar = kind_similarities(list(totals.readings), str(options.distance), options)
    counts = np.array([[totals.empty, totals.nonempty, *totals.readings.values()]], dtype=np.float64)
    return float(sum_kind_similarities(counts, similar)[0])


def _ordered_sums(totals: Totals, name: str) -> tuple[float, float]:
    """Return the observed and expected sums of an ordered distance."""
    of_label = parse_numbers(list(totals.labels), name)
    order = np.argsort(of_label)
    of_label, counts = of_label[order], np.array(list(totals.labels.values()), dtype=np.float64)[order]
    if not len(counts):
        return 0.0, 0.0
    expected = float(expected_ordered_distance(counts[None, :], of_label, name)[0])
    if name != "ordinal":
        return totals.observed, expected
    names = [list(totals.labels)[i] for i in order.tolist()]
    rank = dict(zip(names, midranks(counts).tolist(), strict=True))
    return fsum(2 * weight * (rank[a] - rank[b]) ** 2 for (a, b), weight in totals.label_pairs.items()), expected


def document_sums(
    data: Data,
    distance: str = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> DistanceSums:
    """Return the sums of each document of the data, in the order of `data.documents`.

    The arguments are those of `alpha`, but `distance` must be a name: a callable may relate values of
    different documents. The sums of a document do not depend on the others in the data.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> [sums] = document_sums(data, "jaccard")
    >>> sums.n_judgements, sums.overlapping, combine([sums]) == combine(document_sums(data, "jaccard"))
    (6, 26, True)
    """
    data = as_data(data)
    if not isinstance(distance, str):
        raise ValueError("distance must be a name: sums over documents do not exist for a callable")
    return documents_sums(data, [distance], exclude_unit=exclude_unit, empty=empty, thirds=thirds)[distance]


def documents_sums(
    data: Data,
    distances: Sequence[str] = SET_DISTANCES,
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> TextSums:
    """Return `document_sums` with each of several named distances, by name, from one pass over the data.

    Raises ValueError also where distances for numbers are mixed with distances for sets.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> documents_sums(data)["jaccard"] == document_sums(data, "jaccard")
    True
    """
    return tabulate(as_data(data), SumOptions(tuple(distances), exclude_unit, empty, thirds))


def combine(sums: Iterable[DocumentSums]) -> Result:
    """Return alpha of all the documents whose sums are given, in any order: the same digits as `alpha` of the data.

    Each document is to be given once. Raises ValueError if the sums were made with different parameters.
    Without any sums the result is undefined and has no parameters.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1]], ["a", "a", "b", "b"])
    >>> combine(reversed(document_sums(data, "masi")))
    <alpha = 0.2000: 4 units, 2 coders, 8 judgements, 6 values>
    """
    given = DistanceSums.from_sequence(sums)
    result = alpha_from_totals(total_sums(given.texts, given.distance), given.options)
    return result if len(given) else replace(result, parameters={})
