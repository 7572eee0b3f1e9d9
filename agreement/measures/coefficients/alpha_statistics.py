"""Sums over documents or units, from which alpha of any sample is computed."""

from collections.abc import Hashable, Sequence

import numpy as np

from ..data.arrays import sorted_unique
from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..distances import count_similar_pairs, distance_from_empty, label_similarities, midranks, parse_numbers
from ..options import SET_DISTANCES, Options, SumOptions
from ..sums.overlaps import PairableUnits, kind_similarities, sum_kind_similarities
from ..sums.pairs import different_labels
from ..sums.sufficient_statistics import (
    Matrix,
    SetSimilarities,
    SufficientStatistics,
    ValueMasses,
    hstack_sums,
    sparse_sums,
)
from ..sums.tables import as_numbers, label_numbers, tabulate, unit_disagreements
from ..sums.text_sums import DistanceSums, DocumentSums, TextSums, reading_counts, sort_key
from ..sums.totals import expected_distance, expected_ordered_distance
from ..values import Distance, Floats, Ints, Label, remove_unit


def alpha_statistics(
    data: ReliabilityData, by: str, distance: str | Distance = "nominal", **conventions: str
) -> SufficientStatistics | None:
    """Return the sums of `alpha`, or None for a callable, which may compare values of different documents."""
    return alphas_statistics(data, by, [distance], **conventions) if isinstance(distance, str) else None


def alphas_statistics(
    data: ReliabilityData, by: str, distances: Sequence[str] = SET_DISTANCES, **conventions: str
) -> SufficientStatistics:
    """Return the sums of `alphas` over documents or units. The conventions are the options of both."""
    options = SumOptions(tuple(distances), **conventions)
    if by == "document":
        return _document_statistics(tabulate(data, options))
    of_each = [options.of(name) for name in options.distances]
    of_distance = _ordered_unit_statistics if any(distance.ordered for distance in of_each) else _unit_statistics
    return _join_statistics([of_distance(data, distance) for distance in of_each])


def _join_statistics(parts: list[SufficientStatistics]) -> SufficientStatistics:
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([part.sums.shape[1] for part in parts])

    def coefficients(sums: Floats) -> Floats:
        split = np.split(sums, ends[:-1], axis=1)
        return np.hstack([part.coefficients(columns) for part, columns in zip(parts, split, strict=True)])

    return SufficientStatistics(
        groups=parts[0].groups,
        sums=hstack_sums(*(part.sums for part in parts)),
        names=tuple(name for part in parts for name in part.names),
        coefficients=coefficients,
    )


def _document_statistics(sums: TextSums) -> SufficientStatistics:
    """Return the sums of alpha over texts, for several distances at once.

    Columns: judgements, those with the empty set, with another set, overlapping pairs; then for each distance the
    observed sum and that of overlapping pairs; then the judgements of each kind of several readings, and those with
    each label.
    """
    rows, names = sums.rows, sums.options.distances
    if any(sums.options.of(name).ordered for name in names):
        return _join_statistics([_ordered_document_statistics(sums.select_distances([name]), name) for name in names])
    used = sorted(sorted_unique(sums.labelled["label"]).tolist(), key=lambda place: sort_key(sums.labels[place]))
    labels = [sums.labels[place] for place in used]
    column = np.zeros(len(sums.labels), dtype=np.int64)
    column[used] = np.arange(len(used))
    by_label = sparse_sums(
        sums.labelled["text"],
        column[sums.labelled["label"]],
        sums.labelled["count"].astype(np.float64),
        (len(rows), len(labels)),
    )
    kinds, of_kinds = reading_counts(sums)
    counts = [rows[name] for name in ("n_judgements", "empty", "nonempty", "overlapping")]
    of_distances = [rows[name][:, k] for k in range(len(names)) for name in ("observed", "overlap_distance")]
    fixed = np.array([*counts, *of_distances, *of_kinds.T], dtype=np.float64).T.copy()
    n_fixed, options = fixed.shape[1], [sums.options.of(name) for name in names]
    similar = [label_similarities(labels, name, option) for name, option in zip(names, options, strict=True)]
    kinds_alike = [kind_similarities(kinds, name, option) for name, option in zip(names, options, strict=True)]

    def coefficients(sums: Floats) -> Floats:
        n, empty, nonempty, overlapping = sums[:, :4].T
        of_label = sums[:, n_fixed:]
        equal = count_similar_pairs(of_label, None)
        columns = []
        for k, option in enumerate(options):
            expected = expected_distance(
                n=n,
                alike=equal if similar[k] is None else count_similar_pairs(of_label, similar[k]),
                empty=empty,
                nonempty=nonempty,
                overlapping=overlapping,
                overlap_distance=sums[:, 5 + 2 * k],
                from_empty=distance_from_empty(names[k], option),
            )
            if kinds:
                counts = np.hstack((sums[:, [1, 2]], sums[:, n_fixed - len(kinds) : n_fixed]))
                expected = expected - sum_kind_similarities(counts, kinds_alike[k])
            columns.append(alpha_from_sums(sums[:, 4 + 2 * k], expected, n))
        return np.stack(columns, axis=1)

    statistics = SufficientStatistics(sums.documents, hstack_sums(fixed, by_label), tuple(names), coefficients)
    return statistics.select_groups(rows["n_units"] > 0)


def document_sums_statistics(several: Sequence[Sequence[DocumentSums]]) -> SufficientStatistics:
    """Return the sums of `alpha` over documents from their `DocumentSums`: `alphas_statistics` of all their data.

    `several` has the sums of one distance after the other, each of the same documents in the same order. Raises
    ValueError if the sums of one were made with different parameters or are of other documents.
    """
    parts = [DistanceSums.from_sequence(sums) for sums in several]
    for part in parts:
        if part.texts is not parts[0].texts and list(part.texts.documents) != list(parts[0].texts.documents):
            raise ValueError("the sums are of different documents")
    if all(part.texts is parts[0].texts for part in parts):
        return _document_statistics(parts[0].texts.select_distances([part.distance for part in parts]))
    return _join_statistics([_document_statistics(part.texts.select_distances([part.distance])) for part in parts])


def _unit_statistics(data: ReliabilityData, options: Options) -> SufficientStatistics:
    used = PairableUnits.from_data(data)
    masses = count_masses(used, options, "unit")
    return mass_statistics(used, unit_disagreements(used, options), masses, "unit", str(options.distance))


def mass_statistics(
    used: PairableUnits, terms: Floats, masses: ValueMasses, by: str, name: str
) -> SufficientStatistics:
    """Return the sums of alpha: judgements and observed sum of each group, then its masses of all values."""
    groups, names = used.group_by(by)
    fixed = [np.bincount(groups, weights, len(names)) for weights in (used.coders, terms)]

    def coefficients(sums: Floats) -> Floats:
        n = sums[:, 0]
        # what two judgements have in common includes each with itself, at distance 0
        return alpha_from_sums(sums[:, 1], n**2 - masses.common_mass(sums[:, 2:])[:, 0, 0], n)[:, None]

    statistics = SufficientStatistics(names, hstack_sums(np.stack(fixed, axis=1), masses.sums), (name,), coefficients)
    return statistics.select_groups(np.bincount(groups, minlength=len(names)) > 0)


def count_masses(
    used: PairableUnits,
    options: Options,
    by: str,
    raters: Ints | None = None,
    *,
    of_unit: Floats | None = None,
    labels: Floats | None = None,
    similar: SetSimilarities | None = None,
) -> ValueMasses:
    """Return how often raters use each value, in each document or unit; without its unit where that is excluded.

    `raters` has the rater that each coder is, or None where all are one. `of_unit` is the mass of a judgement of each
    unit, 1 unless given; `labels` and `similar` are how similar labels and sets are, if not by the distance.
    """
    name, (groups, names) = str(options.distance), used.group_by(by)
    pairable = _remove_units(used) if options.exclude_unit == "both" and used.data.has_sets else used
    return ValueMasses(
        pairable,
        np.zeros(pairable.codes.shape[1], dtype=np.int64) if raters is None else raters,
        1 if raters is None else int(raters.max(initial=-1)) + 1,
        np.ones(len(pairable.rows)) if of_unit is None else of_unit,
        SetSimilarities.from_units(pairable, name, options) if similar is None else similar,
        groups,
        len(names),
        by_unit=by == "unit",
        labels=label_similarities(pairable.data.labels, name, options) if labels is None else labels,
    )


def _ordered_document_statistics(sums: TextSums, name: str) -> SufficientStatistics:
    """Return the sums of alpha over texts of an ordered distance, the only one of the sums."""
    used = sorted_unique(sums.labelled["label"])
    places, of_label = _order_labels([sums.labels[label] for label in used.tolist()], name)
    place = np.zeros(len(sums.labels), dtype=np.int64)
    place[used] = places
    n = len(sums.rows)
    counts = sums.labelled["count"].astype(np.float64)
    labels = sparse_sums(sums.labelled["text"], place[sums.labelled["label"]], counts, (n, len(of_label)))
    a, b = place[sums.met["low"]], place[sums.met["high"]]
    pairs, low, high = _sum_label_pairs(sums.met["text"], a, b, 2 * sums.met["weight"], n)
    observed = sums.rows["observed"].copy()
    statistics = _build_ordered(sums.documents, observed, labels, pairs, (low, high), of_label, name)
    return statistics.select_groups(sums.rows["n_units"] > 0)


def _ordered_unit_statistics(data: ReliabilityData, options: Options) -> SufficientStatistics:
    data = as_numbers(data, options)
    name, used = str(options.distance), PairableUnits.from_data(data)
    label_numbers(used, name)  # refuses what is no number
    n = len(used.rows)
    terms = np.zeros(n) if name == "ordinal" else unit_disagreements(used, options)
    place, of_label = _order_labels(data.labels, name)
    rows, columns = np.nonzero(used.codes != MISSING)
    labels = sparse_sums(rows, place[used.codes[rows, columns]], np.ones(len(rows)), (n, len(of_label)))
    units, a, b = different_labels(used) if name == "ordinal" else (rows[:0],) * 3
    pairs, low, high = _sum_label_pairs(units, place[a], place[b], 2 / (used.coders[units] - 1), n)
    return _build_ordered(used.group_by("unit")[1], terms[:, None], labels, pairs, (low, high), of_label, name)


def _order_labels(labels: Sequence[Label], name: str) -> tuple[Ints, Floats]:
    """Return the places of the labels in the order of their numbers, and these numbers in order."""
    of_label = parse_numbers(labels, name)
    order = np.argsort(of_label)
    return np.argsort(order), of_label[order]


def _build_ordered(
    groups: Sequence[Hashable],
    observed: Floats,
    labels: Matrix,
    pairs: Matrix,
    of_pairs: tuple[Ints, Ints],
    of_label: Floats,
    name: str,
) -> SufficientStatistics:
    """Return the statistics of an ordered distance: observed sum, judgements with each label, and pairs of labels."""
    low, high = of_pairs
    n_labels = len(of_label)

    def coefficients(sums: Floats) -> Floats:
        counts = sums[:, 1 : 1 + n_labels]
        n = counts.sum(axis=1)
        observed = sums[:, 0]
        if name == "ordinal":
            ranks = midranks(counts)
            observed = (sums[:, 1 + n_labels :] * (ranks[:, low] - ranks[:, high]) ** 2).sum(axis=1)
        return alpha_from_sums(observed, expected_ordered_distance(counts, of_label, name), n)[:, None]

    return SufficientStatistics(groups, hstack_sums(observed, labels, pairs), (name,), coefficients)


def _sum_label_pairs(groups: Ints, a: Ints, b: Ints, weights: Floats, n: int) -> tuple[Matrix, Ints, Ints]:
    """Return how often each two labels met in each group, and the places of the labels of each column."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    width = int(high.max(initial=0)) + 1
    kinds, column = np.unique(low * width + high, return_inverse=True)
    return sparse_sums(groups, column, weights, (n, len(kinds))), *np.divmod(kinds, width)


def alpha_from_sums(observed: Floats, expected: Floats, n: Floats) -> Floats:
    """Return alpha, 1 - Do/De, from arrays of observed sums, expected sums and numbers of judgements, else NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - observed / n / (expected / (n * (n - 1))), np.nan)


def _remove_units(used: PairableUnits) -> PairableUnits:
    data, rows = used.data, used.rows.tolist()
    values = [data.value(code) for code in range(data.n_values)]
    table = [
        [None if code == MISSING else remove_unit(values[code], data.units[row]) for code in codes]
        for row, codes in zip(rows, used.codes.tolist(), strict=True)
    ]
    documents = [data.documents[d] for d in used.documents.tolist()]
    units = [data.units[row] for row in rows]
    return PairableUnits.from_data(ReliabilityData.from_values(units, data.coders, table, documents))
