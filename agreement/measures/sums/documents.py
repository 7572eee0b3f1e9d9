"""Alpha as sums over documents.

Documents are independent: sets of different documents share no member, so they are at distance 1 without
being compared. What a document adds is a few numbers, and `combine` makes alpha of them. Only the labels
and the empty set are the same value in every document.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from agreement.measures.data.inputs import Data, as_data
from agreement.measures.options import SET_DISTANCES, Options
from agreement.measures.results import Result
from agreement.measures.sums.readings import ReadingKind
from agreement.measures.sums.tables import DocumentTable, tabulate
from agreement.measures.sums.totals import LabelPair, Totals, alpha_from_totals, sum_label_pairs
from agreement.measures.values import Label


@dataclass(frozen=True)
class DocumentSums:
    """What one document adds to alpha: plain numbers, to be kept and combined later.

    Counts are of pairable units and their judgements. `observed` is the sum over units of the distances of
    all ordered pairs of judgements, divided by the number of coders less one. The rest serves expected
    disagreement, after excluding the units if the parameters say "both": `labels` gives the number of judgements
    with each label, `empty` and `nonempty` those with a set; `overlapping` is the number of ordered pairs of
    different judgements whose sets share a member and `overlap_distance` the sum of their distances. The ordinal
    distance depends on all documents, so `observed` is 0 there and `label_pairs` says how much each two labels
    met. `readings` gives the number of readings, 1 or 0 for an empty one among them, and the number of judgements that
    are such; these are not in `nonempty`, and `overlap_distance` has with them what their kinds have in common anyway.
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
    readings: Sequence[tuple[int, int, int]] = ()


def document_sums(
    data: Data,
    distance: str = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> tuple[DocumentSums, ...]:
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
) -> dict[str, tuple[DocumentSums, ...]]:
    """Return `document_sums` with each of several named distances, by name, from one pass over the data.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> documents_sums(data)["jaccard"] == document_sums(data, "jaccard")
    True
    """
    data = as_data(data)
    options = {name: Options(name, exclude_unit, empty, thirds) for name in distances}
    if not options:
        return {}
    table = tabulate(data, list(options), next(iter(options.values())))
    labels, pairs = _labels_by_document(table), sum_label_pairs(table)
    coders = [
        tuple(c for c, coded in zip(table.coder_names, of_document, strict=True) if coded)
        for of_document in table.coders.tolist()
    ]
    return {name: _build_document_sums(table, name, option, coders, labels, pairs) for name, option in options.items()}


def _build_document_sums(
    table: DocumentTable,
    distance: str,
    options: Options,
    coders: Sequence[tuple[Hashable, ...]],
    labels: Sequence[Sequence[tuple[Label, int]]],
    pairs: Sequence[Mapping[LabelPair, float]],
) -> tuple[DocumentSums, ...]:
    parameters = options.parameters()
    kinds = table.kind_counts.kinds
    readings = [
        tuple((k, empty, count) for (k, empty), count in zip(kinds, counts, strict=True) if count)
        for counts in table.kind_counts.counts.tolist()
    ]
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
            readings=readings[d],
        )
        for d, document in enumerate(table.documents)
    )


def combine(sums: Iterable[DocumentSums]) -> Result:
    """Return alpha of all the documents whose sums are given, in any order: the same digits as `alpha` of the data.

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
    readings: Counter[ReadingKind] = Counter()
    for part in parts:
        labels.update(dict(part.labels))
        readings.update({(k, empty): count for k, empty, count in part.readings})
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
        readings=dict(sorted(readings.items())),
    )
    options = Options(**parameters)
    return replace(alpha_from_totals(totals, options), parameters=parameters)


def _labels_by_document(table: DocumentTable) -> list[list[tuple[Label, int]]]:
    names, label_counts = table.labels, table.label_counts
    counted: list[list[tuple[Label, int]]] = [[] for _ in table.documents]
    for d, label, count in zip(
        label_counts.documents.tolist(), label_counts.labels.tolist(), label_counts.counts.tolist(), strict=True
    ):
        counted[d].append((names[label], count))
    return counted
