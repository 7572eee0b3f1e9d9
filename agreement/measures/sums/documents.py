"""Alpha as sums over documents.

Documents are independent: sets of different documents share no member, so they are at distance 1 without
being compared. What a document adds is a few numbers, and `combine` makes alpha of them. Only the labels
and the empty set are the same value in every document.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from agreement.measures.data import ReliabilityData
from agreement.measures.distances import between_numbers, from_empty, midranks, numbers
from agreement.measures.options import SET_DISTANCES, Options
from agreement.measures.results import TOO_FEW_CODERS, Result, counted
from agreement.measures.tables import Table, tabulate
from agreement.measures.values import Floats, Label

type LabelPair = tuple[Label, Label]


@dataclass(frozen=True)
class DocumentSums:
    """What one document adds to alpha: plain numbers, to be kept and combined later.

    Counts are of pairable units and their judgements. `observed` is the sum over units of the distances of
    all ordered pairs of judgements, divided by the number of coders less one. The rest serves expected
    disagreement, after excluding the units if the parameters say "both": `labels` gives the number of judgements
    with each label, `empty` and `nonempty` those with a set; `overlapping` is the number of ordered pairs of
    different judgements whose sets share a member and `overlap_distance` the sum of their distances. The ordinal
    distance depends on all documents, so `observed` is 0 there and `label_pairs` says how much each two labels
    met.
    """

    document: Hashable
    parameters: Mapping[str, str]
    n_units: int
    n_left_out: int
    n_judgements: int
    coders: tuple[Hashable, ...]
    n_sets: int
    has_empty_set: bool
    observed: float
    labels: Sequence[tuple[Label, int]]
    empty: int
    nonempty: int
    overlapping: int
    overlap_distance: float
    label_pairs: Sequence[tuple[LabelPair, float]] = ()


def document_sums(
    data: ReliabilityData,
    distance: str = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> tuple[DocumentSums, ...]:
    """The sums of each document of the data, in the order of `data.documents`.

    The arguments are those of `alpha`, but `distance` must be a name: a callable may relate values of
    different documents. The sums of a document do not depend on the others in the data.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> [sums] = document_sums(data, "jaccard")
    >>> sums.n_judgements, sums.overlapping, combine([sums]) == combine(document_sums(data, "jaccard"))
    (6, 26, True)
    """
    if not isinstance(distance, str):
        raise ValueError("distance must be a name: sums over documents do not exist for a callable")
    return documents_sums(data, [distance], exclude_unit=exclude_unit, empty=empty, thirds=thirds)[distance]


def documents_sums(
    data: ReliabilityData,
    distances: Sequence[str] = SET_DISTANCES,
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> dict[str, tuple[DocumentSums, ...]]:
    """`document_sums` with each of several named distances, by name, from one pass over the data.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> documents_sums(data)["jaccard"] == document_sums(data, "jaccard")
    True
    """
    options = {name: Options(name, exclude_unit, empty, thirds) for name in distances}
    if not options:
        return {}
    table = tabulate(data, list(options), next(iter(options.values())))
    labels, pairs = _labels_by_document(table), _label_pairs_by_document(table)
    coders = [
        tuple(c for c, coded in zip(table.names, of_document, strict=True) if coded)
        for of_document in table.coders.tolist()
    ]
    return {name: _sums_of(table, name, option, coders, labels, pairs) for name, option in options.items()}


def _sums_of(
    table: Table,
    distance: str,
    options: Options,
    coders: Sequence[tuple[Hashable, ...]],
    labels: Sequence[Sequence[tuple[Label, int]]],
    pairs: Sequence[Mapping[LabelPair, float]],
) -> tuple[DocumentSums, ...]:
    parameters = options.parameters()
    return tuple(
        DocumentSums(
            document=document,
            parameters=parameters,
            n_units=int(table.n_units[d]),
            n_left_out=int(table.n_left_out[d]),
            n_judgements=int(table.n_judgements[d]),
            coders=coders[d],
            n_sets=int(table.n_sets[d]),
            has_empty_set=bool(table.has_empty_set[d]),
            observed=float(table.observed[distance][d]),
            labels=tuple(labels[d]),
            empty=int(table.empty[d]),
            nonempty=int(table.nonempty[d]),
            overlapping=int(table.overlapping[d]),
            overlap_distance=float(table.overlap_distance[distance][d]),
            label_pairs=tuple(pairs[d].items()),
        )
        for d, document in enumerate(table.documents)
    )


def combine(sums: Iterable[DocumentSums]) -> Result:
    """Alpha of all the documents whose sums are given, in any order: the same digits as `alpha` of the data.

    Each document is to be given once. Raises ValueError if the sums were made with different parameters.
    Without any sums the result is undefined and has no parameters.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1]], ["a", "a", "b", "b"])
    >>> combine(reversed(document_sums(data, "masi")))
    <alpha = 0.2000: 4 units, 2 coders, 8 judgements, 6 values>
    """
    parts = list(sums)
    parameters = dict(parts[0].parameters) if parts else {}
    for part in parts:
        if part.parameters != parameters:
            raise ValueError(f"the sums of document {part.document!r} were made with other parameters")
    labels: Counter[Label] = Counter()
    pairs: dict[LabelPair, list[float]] = {}
    for part in parts:
        labels.update(dict(part.labels))
        for (a, b), weight in part.label_pairs:  # the same two labels in one order, whichever came first there
            pairs.setdefault((b, a) if (b, a) in pairs else (a, b), []).append(weight)
    totals = Totals(
        n_units=sum(part.n_units for part in parts),
        n_left_out=sum(part.n_left_out for part in parts),
        n_judgements=sum(part.n_judgements for part in parts),
        n_coders=len({coder for part in parts for coder in part.coders}),
        n_sets=sum(part.n_sets for part in parts) + any(part.has_empty_set for part in parts),
        empty=sum(part.empty for part in parts),
        nonempty=sum(part.nonempty for part in parts),
        overlapping=sum(part.overlapping for part in parts),
        observed=fsum(part.observed for part in parts),
        overlap_distance=fsum(part.overlap_distance for part in parts),
        labels=labels,
        label_pairs={pair: fsum(weights) for pair, weights in pairs.items()},
    )
    options = Options(**parameters)
    return replace(alpha_of_totals(totals, options), parameters=parameters)


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


def totals_of(table: Table, name: str) -> Totals:
    """The sums of all documents for one distance: the digits that `combine` has."""
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
        label_pairs={pair: fsum(weights) for pair, weights in _weights(table).items()},
    )


def alpha_of_totals(totals: Totals, options: Options) -> Result:
    """Alpha from the sums of all documents."""
    observed, expected = totals.observed, 0.0
    if options.ordered:
        observed, expected = _ordered(totals, str(options.distance))
    elif totals.n_judgements:
        expected = expected_distance(
            n=totals.n_judgements,
            equal=sum(count * (count - 1) for count in totals.labels.values()),
            empty=totals.empty,
            nonempty=totals.nonempty,
            overlapping=totals.overlapping,
            overlap_distance=totals.overlap_distance,
            from_empty=from_empty(str(options.distance), options),
        )
    return alpha_result(
        parameters=options.parameters(),
        observed=observed,
        expected=expected,
        n_units=totals.n_units,
        n_left_out=totals.n_left_out,
        n_judgements=totals.n_judgements,
        n_coders=totals.n_coders,
        n_values=len(totals.labels) + totals.n_sets,
    )


def alpha_result(
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
    """Alpha from the two sums of distances: of pairs within units, weighted, and of all ordered pairs."""
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
        left_out=counted({TOO_FEW_CODERS: n_left_out}),
        parameters=parameters,
        note=note,
    )


def expected_distance[N: (float, Floats)](
    *, n: N, equal: N, empty: N, nonempty: N, overlapping: N, overlap_distance: N, from_empty: float
) -> N:
    """The sum of distances over all ordered pairs of different judgements, of whichever documents.

    `equal` is the number of ordered pairs with equal labels. What is not equal, not overlapping and not the empty
    set against another set is at distance 1. Numbers, or arrays with a number for each replicate.
    """
    with_empty = 2 * empty * nonempty
    apart = n * (n - 1) - equal - empty * (empty - 1) - with_empty - overlapping
    return apart + with_empty * from_empty + overlap_distance


def ordered_expected(counts: Floats, of_label: Floats, name: str) -> Floats:
    """The sum of an ordered distance over all ordered pairs of judgements.

    `counts` has the shape (replicates, labels), `of_label` the number that each label is, in ascending order.
    """
    if name == "ratio":
        found = np.zeros(len(counts))
        for label, number in enumerate(of_label):  # one row at a time: labels squared is too large to keep
            found += counts[:, label] * (counts @ between_numbers(number, of_label, name))
        return found
    places = midranks(counts) if name == "ordinal" else of_label - (of_label.mean() if len(of_label) else 0)
    n = counts.sum(axis=1)
    squares: Floats = 2 * (n * (counts * places**2).sum(axis=1) - (counts * places).sum(axis=1) ** 2)
    return np.where(np.count_nonzero(counts, axis=1) > 1, squares, 0.0)


def _labels_by_document(table: Table) -> list[list[tuple[Label, int]]]:
    names, found = table.labels, table.label_counts
    counted: list[list[tuple[Label, int]]] = [[] for _ in table.documents]
    for d, label, count in zip(found.documents.tolist(), found.labels.tolist(), found.counts.tolist(), strict=True):
        counted[d].append((names[label], count))
    return counted


def _label_pairs_by_document(table: Table) -> list[dict[LabelPair, float]]:
    found: list[dict[LabelPair, list[float]]] = [{} for _ in table.documents]
    for d, pair, weight in _met(table):
        found[d].setdefault(pair, []).append(weight)
    return [{pair: fsum(weights) for pair, weights in pairs.items()} for pairs in found]


def _weights(table: Table) -> dict[LabelPair, list[float]]:
    """What each document says of each two labels, as `combine` finds it."""
    found: dict[LabelPair, list[float]] = {}
    if table.label_pairs is None:
        return found
    for pairs in _label_pairs_by_document(table):
        for pair, weight in pairs.items():
            found.setdefault(pair, []).append(weight)
    return found


def _met(table: Table) -> Iterator[tuple[int, LabelPair, float]]:
    pairs, names = table.label_pairs, table.labels
    if pairs is None:
        return
    for d, low, high, weight in zip(
        pairs.documents.tolist(), pairs.low.tolist(), pairs.high.tolist(), pairs.weight.tolist(), strict=True
    ):
        yield d, (names[low], names[high]), weight


def _ordered(totals: Totals, name: str) -> tuple[float, float]:
    """The observed and expected sums of an ordered distance."""
    of_label = numbers(list(totals.labels), name)
    order = np.argsort(of_label)
    of_label, counts = of_label[order], np.array(list(totals.labels.values()), dtype=np.float64)[order]
    if not len(counts):
        return 0.0, 0.0
    expected = float(ordered_expected(counts[None, :], of_label, name)[0])
    if name != "ordinal":
        return totals.observed, expected
    names = [list(totals.labels)[i] for i in order.tolist()]
    rank = dict(zip(names, midranks(counts).tolist(), strict=True))
    return fsum(2 * weight * (rank[a] - rank[b]) ** 2 for (a, b), weight in totals.label_pairs.items()), expected
