"""Alpha from the sums of all documents together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np

from agreement.measures.distances import distance_from_empty, midranks, number_distance, parse_numbers
from agreement.measures.options import Options
from agreement.measures.results import TOO_FEW_CODERS, Result, nonzero_counts
from agreement.measures.sums.label_sets import count_similar_pairs, label_similarities
from agreement.measures.sums.readings import ReadingKind, kind_similarities, sum_kind_similarities
from agreement.measures.sums.tables import DocumentTable
from agreement.measures.values import Floats, Label

type LabelPair = tuple[Label, Label]


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


def total_sums(table: DocumentTable, name: str) -> Totals:
    """Return the sums of all documents for one distance: the digits that `combine` has."""
    counts = np.bincount(
        table.label_counts.labels, weights=table.label_counts.counts, minlength=len(table.labels)
    ).astype(np.int64)
    return Totals(
        n_units=int(table.n_units.sum()),
        n_left_out=int(table.n_left_out.sum()),
        n_judgements=int(table.n_judgements.sum()),
        n_coders=int(np.count_nonzero(table.coders.any(axis=0))),
        n_sets=int(table.n_sets.sum()) + bool(table.has_empty_set.any()),
        empty=int(table.empty.sum()),
        nonempty=int(table.nonempty.sum()),
        overlapping=int(table.overlapping.sum()),
        observed=fsum(table.observed[name].tolist()),
        overlap_distance=fsum(table.overlap_distance[name].tolist()),
        labels={label: count for label, count in zip(table.labels, counts.tolist(), strict=True) if count},
        label_pairs={pair: fsum(weights) for pair, weights in _collect_label_pairs(table).items()},
        readings=dict(zip(table.kind_counts.kinds, table.kind_counts.counts.sum(axis=0).tolist(), strict=True)),
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
        note=note,
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


def sum_label_pairs(table: DocumentTable) -> list[dict[LabelPair, float]]:
    """Return for each document the weight with which each two labels met on its units."""
    weights_of: list[dict[LabelPair, list[float]]] = [{} for _ in table.documents]
    for d, pair, weight in _iterate_label_pairs(table):
        weights_of[d].setdefault(pair, []).append(weight)
    return [{pair: fsum(weights) for pair, weights in pairs.items()} for pairs in weights_of]


def _collect_label_pairs(table: DocumentTable) -> dict[LabelPair, list[float]]:
    """Return the weights of each two labels by document, in the order that `combine` has them."""
    weights_of: dict[LabelPair, list[float]] = {}
    if table.label_pairs is None:
        return weights_of
    for pairs in sum_label_pairs(table):
        for pair, weight in pairs.items():
            weights_of.setdefault(pair, []).append(weight)
    return weights_of


def _iterate_label_pairs(table: DocumentTable) -> Iterator[tuple[int, LabelPair, float]]:
    pairs, names = table.label_pairs, table.labels
    if pairs is None:
        return
    for d, low, high, weight in zip(
        pairs.documents.tolist(), pairs.low.tolist(), pairs.high.tolist(), pairs.weight.tolist(), strict=True
    ):
        yield d, (names[low], names[high]), weight


def _alike_labels(labels: Mapping[Label, int], options: Options) -> float:
    """Return the sum of the similarities of labels over all ordered pairs of different judgements."""
    similar = label_similarities(list(labels), str(options.distance), options)
    return float(count_similar_pairs(np.array([list(labels.values())], dtype=np.float64), similar)[0])


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
