"""Alpha as sums over documents.

Documents are independent: sets of different documents share no member, so they are at distance 1 without
being compared. What a document adds is a few numbers, and `combine` makes alpha of them. Only the labels
and the empty set are the same value in every document.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np

from agreement.measures.data import MISSING, ReliabilityData
from agreement.measures.distances import from_counts
from agreement.measures.options import Options
from agreement.measures.overlaps import Pairable, entry_counts, overlaps
from agreement.measures.pairs import fsum_by, observed_distances, overlapping_distances
from agreement.measures.results import TOO_FEW_CODERS, Result, counted
from agreement.measures.values import Bools, Ints, Label


@dataclass(frozen=True)
class DocumentSums:
    """What one document adds to alpha: plain numbers, to be kept and combined later.

    Counts are of pairable units and their judgements. `observed` is the sum over units of the distances of
    all ordered pairs of judgements, divided by the number of coders less one. The rest serves expected
    disagreement, after excluding the units if the parameters say "both": `labels` counts the judgements
    with each label, `empty` and `nonempty` those with a set; `overlapping` is the number of ordered pairs of
    different judgements whose sets share a member and `overlap_distance` the sum of their distances.
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
    labels: Mapping[Label, int]
    empty: int
    nonempty: int
    overlapping: int
    overlap_distance: float


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
    options = Options(distance, exclude_unit, empty, thirds)
    pairable = Pairable.of(data)
    n = len(data.documents)
    counts = entry_counts(pairable) if exclude_unit == "both" else np.zeros(len(data.members), dtype=np.int64)
    overlap = overlaps(pairable, counts)
    units, distances = observed_distances(pairable, overlap, options)
    observed = fsum_by(pairable.documents[units], 2 * distances / (pairable.coders[units] - 1), n)
    overlapping, overlap_distance = overlapping_distances(pairable, overlap, counts, options)
    labels = _labels(pairable)
    coders = _coders(pairable)
    sizes = _sizes(pairable)
    compared = sizes - pairable.inside if exclude_unit == "both" else sizes
    n_units = np.bincount(pairable.documents, minlength=n)
    n_left_out = np.bincount(data.document_of_unit, minlength=n) - n_units
    n_empty, n_nonempty = (_cells(pairable, cells) for cells in (compared == 0, compared > 0))
    n_empty_sets, n_labels = (_cells(pairable, cells) for cells in (sizes == 0, sizes == _LABEL))
    document_of_set = pairable.document_of_set()
    used = (document_of_set != MISSING) & (np.diff(data.starts) > 0)
    n_sets = np.bincount(document_of_set[used], minlength=n)
    parameters = options.parameters()
    return tuple(
        DocumentSums(
            document=document,
            parameters=parameters,
            n_units=int(n_units[d]),
            n_left_out=int(n_left_out[d]),
            n_judgements=int(n_labels[d] + n_empty[d] + n_nonempty[d]),
            coders=coders[d],
            n_sets=int(n_sets[d]),
            has_empty_set=bool(n_empty_sets[d]),
            observed=observed[d],
            labels=labels[d],
            empty=int(n_empty[d]),
            nonempty=int(n_nonempty[d]),
            overlapping=overlapping[d],
            overlap_distance=overlap_distance[d],
        )
        for d, document in enumerate(data.documents)
    )


def combine(sums: Iterable[DocumentSums]) -> Result:
    """Alpha of all the documents whose sums are given, in any order: the same digits as `alpha` of the data.

    Each document is to be given once. Raises ValueError if the sums were made with different parameters.
    Without any sums the result is undefined and has no parameters.
    """
    parts = list(sums)
    parameters = parts[0].parameters if parts else {}
    for part in parts:
        if part.parameters != parameters:
            raise ValueError(f"the sums of document {part.document!r} were made with other parameters")
    n = sum(part.n_judgements for part in parts)
    labels: dict[Label, int] = {}
    for part in parts:
        for label, count in part.labels.items():
            labels[label] = labels.get(label, 0) + count
    return alpha_result(
        parameters=parameters,
        observed=fsum(part.observed for part in parts),
        expected=_pooled_distance(parts, labels, n) if n else 0.0,
        n_units=sum(part.n_units for part in parts),
        n_left_out=sum(part.n_left_out for part in parts),
        n_judgements=n,
        n_coders=len({coder for part in parts for coder in part.coders}),
        n_values=len(labels) + sum(part.n_sets for part in parts) + any(part.has_empty_set for part in parts),
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


def _pooled_distance(parts: list[DocumentSums], labels: Mapping[Label, int], n: int) -> float:
    """The sum of distances over all ordered pairs of different judgements, of whichever documents.

    What is not equal, not overlapping and not the empty set against another set is at distance 1, and is
    counted exactly, in integers.
    """
    empty, nonempty = (sum(part.empty for part in parts), sum(part.nonempty for part in parts))
    equal = sum(count * (count - 1) for count in labels.values()) + empty * (empty - 1)
    with_empty = 2 * empty * nonempty
    overlapping = sum(part.overlapping for part in parts)
    apart = n * (n - 1) - equal - with_empty - overlapping
    parameters = parts[0].parameters
    # the distance of the empty set from another set does not depend on the size of that set
    name, rule, thirds = parameters["distance"], parameters["empty"], parameters["thirds"]
    from_empty = float(from_counts(0, 1, 0, name, empty=rule, thirds=thirds))
    return fsum([apart, with_empty * from_empty, *(part.overlap_distance for part in parts)])


_LABEL, _NOTHING = -2, -3


def _sizes(pairable: Pairable) -> Ints:
    """For each cell the size of the set, or that it is a label or missing, in negative numbers."""
    sets = pairable.codes - len(pairable.data.labels)
    sizes = np.concatenate((np.diff(pairable.data.starts), [_NOTHING]))
    return np.where(sets >= 0, sizes[np.maximum(sets, -1)], np.where(pairable.codes >= 0, _LABEL, _NOTHING))


def _cells(pairable: Pairable, chosen: Bools) -> Ints:
    """The number of chosen cells in each document."""
    total = np.zeros(len(pairable.data.documents), dtype=np.int64)
    np.add.at(total, pairable.documents, chosen.sum(axis=1))
    return total


def _labels(pairable: Pairable) -> list[dict[Label, int]]:
    """The number of judgements with each label, per document."""
    labels = pairable.data.labels
    units, columns = np.nonzero((pairable.codes != MISSING) & (pairable.codes < len(labels)))
    keys = pairable.documents[units] * len(labels) + pairable.codes[units, columns]
    found: list[dict[Label, int]] = [{} for _ in pairable.data.documents]
    for key, count in zip(*(array.tolist() for array in np.unique(keys, return_counts=True)), strict=True):
        document, code = divmod(key, len(labels))
        found[document][labels[code]] = count
    return found


def _coders(pairable: Pairable) -> list[tuple[Hashable, ...]]:
    """Who coded pairable units, per document."""
    coders = pairable.data.coders
    judged = np.zeros((len(pairable.data.documents), len(coders)), dtype=np.bool_)
    np.logical_or.at(judged, pairable.documents, pairable.codes != MISSING)
    return [tuple(coder for coder, one in zip(coders, row, strict=True) if one) for row in judged.tolist()]
