"""Alpha from sums over documents.

Documents are independent: sets of different documents share no member, so they are at distance 1 without
being compared. What a document adds is a few numbers, and `combine` makes alpha of them. Only the labels
and the empty set are the same value in every document.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum

import numpy as np

from ..data.findings import find_odd_labels
from ..data.inputs import Data, as_data
from ..distances import distance_from_empty, label_similarities, midranks, number_distance, parse_numbers
from ..options import SET_DISTANCES, Options, SumOptions
from ..results import TOO_FEW_CODERS, Result, nonzero_counts
from ..values import Floats, Label
from .overlaps import kind_similarities, sum_kind_similarities
from .pairs import sum_groups
from .tables import tabulate
from .text_sums import COUNTS, DistanceSums, DocumentSums, TextSums, reading_counts


def alpha_of_texts(sums: TextSums, distance: str) -> Result:
    """Return alpha of all texts with one of the distances; the order of texts changes no digit."""
    rows, options, place = sums.rows, sums.options.of(distance), sums.options.distances.index(distance)
    total = {name: int(rows[name].sum()) for name in COUNTS}
    counts = np.bincount(sums.labelled["label"], weights=sums.labelled["count"], minlength=len(sums.labels))
    labels = {label: int(count) for label, count in zip(sums.labels, counts.tolist(), strict=True) if count}
    observed, expected = fsum(rows["observed"][:, place].tolist()), 0.0
    if options.ordered:
        observed, expected = _ordered_sums(sums, distance, labels, observed)
    elif total["n_judgements"]:
        expected = expected_distance(
            n=total["n_judgements"],
            alike=_alike_labels(labels, options),
            empty=total["empty"],
            nonempty=total["nonempty"],
            overlapping=total["overlapping"],
            overlap_distance=fsum(rows["overlap_distance"][:, place].tolist()),
            from_empty=distance_from_empty(distance, options),
        )
        if len(sums.ambiguous):
            kinds, of_kinds = reading_counts(sums)
            counts = np.array([[total["empty"], total["nonempty"], *of_kinds.sum(axis=0)]], dtype=np.float64)
            expected -= float(sum_kind_similarities(counts, kind_similarities(kinds, distance, options))[0])
    return build_alpha_result(
        options.parameters(),
        observed,
        expected,
        labels,
        **{name: total[name] for name in ("n_units", "n_left_out", "n_judgements")},
        n_coders=int(np.count_nonzero(np.bincount(sums.coded["coder"]))),
        n_values=len(labels) + total["n_sets"] + bool(total["has_empty_set"]),
    )


def build_alpha_result(
    parameters: Mapping[str, str],
    observed: float,
    expected: float,
    labels: Iterable[Label],
    *,
    n_left_out: int,
    **counts: int,
) -> Result:
    """Return alpha from the two sums of distances: of pairs within units, weighted, and of all ordered pairs."""
    n, note = counts["n_judgements"], ""
    if not counts["n_units"]:
        note = "no unit is coded by two coders" if n_left_out else "there is no data"
    elif expected == 0:
        alike = "only one value is used" if counts["n_values"] == 1 else "all values are at distance 0 from each other"
        note = f"{alike}, so that chance would agree as well"
    do = observed / n if n else None
    de = expected / (n * (n - 1)) if n else None
    return Result(
        "alpha",
        None if note or do is None or de is None else 1.0 - do / de,
        do,
        de,
        **counts,
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


def _alike_labels(labels: Mapping[Label, int], options: Options) -> float:
    """Return the sum of the similarities of labels over all ordered pairs of different judgements."""
    counts = np.array(list(labels.values()), dtype=np.int64)
    similar = label_similarities(list(labels), str(options.distance), options)
    if similar is None:
        return float((counts * (counts - 1)).sum())
    pairs = np.outer(counts, counts) - np.diag(counts)
    some = np.nonzero(similar)
    return fsum((pairs[some] * similar[some]).tolist())  # in any order of labels


def _ordered_sums(sums: TextSums, name: str, counted: Mapping[Label, int], observed: float) -> tuple[float, float]:
    """Return the observed and expected sums of an ordered distance; those observed of ranks depend on all texts."""
    of_label = parse_numbers(list(counted), name)
    order = np.argsort(of_label)
    of_label, counts = of_label[order], np.array(list(counted.values()), dtype=np.float64)[order]
    if not len(counts):
        return 0.0, 0.0
    expected = float(expected_ordered_distance(counts[None, :], of_label, name)[0])
    if name != "ordinal":
        return observed, expected
    names = list(counted)
    rank = dict(zip((names[place] for place in order.tolist()), midranks(counts).tolist(), strict=True))
    of_place = np.array([rank.get(label, 0.0) for label in sums.labels])
    low, high = np.sort((sums.met["low"], sums.met["high"]), axis=0)
    pairs, place = np.unique(low * len(of_place) + high, return_inverse=True)
    weights = sum_groups(place, sums.met["weight"], len(pairs))
    low, high = np.divmod(pairs, max(len(of_place), 1))
    return fsum((2 * weights * (of_place[low] - of_place[high]) ** 2).tolist()), expected


def document_sums(
    data: Data, distance: str = "nominal", *, exclude_unit: str = "none", empty: str = "subset", thirds: str = "exact"
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
    result = alpha_of_texts(given.texts, given.distance)
    return result if len(given) else replace(result, parameters={})
