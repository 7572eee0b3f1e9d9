"""The sums over documents or units from which alpha of any sample of them follows."""

from collections.abc import Hashable, Sequence

import numpy as np

from agreement.measures.data.cells import MISSING
from agreement.measures.data.reliability_data import ReliabilityData
from agreement.measures.distances import distance_from_empty, midranks, parse_numbers
from agreement.measures.options import SET_DISTANCES, Options
from agreement.measures.sums.documents import DocumentSums
from agreement.measures.sums.label_sets import count_similar_pairs, label_similarities
from agreement.measures.sums.masses import SetSimilarities, ValueMasses, WeightedJudgements
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.pairs import different_labels
from agreement.measures.sums.readings import ReadingKind, kind_similarities, sum_kind_similarities
from agreement.measures.sums.sufficient_statistics import Matrix, SufficientStatistics, hstack_sums, sparse_sums
from agreement.measures.sums.tables import DocumentTable, label_numbers, tabulate, unit_disagreements
from agreement.measures.sums.totals import expected_distance, expected_ordered_distance
from agreement.measures.values import Distance, Floats, Ints, Label, remove_unit


def alpha_statistics(
    data: ReliabilityData,
    by: str,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> SufficientStatistics | None:
    """Return the sums of `alpha`, or None for a callable, which may relate values of different documents."""
    if not isinstance(distance, str):
        return None
    return alphas_statistics(data, by, [distance], exclude_unit=exclude_unit, empty=empty, thirds=thirds)


def alphas_statistics(
    data: ReliabilityData,
    by: str,
    distances: Sequence[str] = SET_DISTANCES,
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> SufficientStatistics:
    """Return the sums of `alphas` over documents or units."""
    options = [Options(name, exclude_unit, empty, thirds) for name in distances]
    if any(option.ordered for option in options):
        return _join_statistics([_ordered_statistics(data, by, option) for option in options])
    if by == "unit":
        return _join_statistics([_unit_statistics(data, option) for option in options])
    return _document_statistics(tabulate(data, distances, options[0]), distances, options)


def _join_statistics(parts: list[SufficientStatistics]) -> SufficientStatistics:
    """Join several statistics of the same groups."""
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


def _document_statistics(table: DocumentTable, names: Sequence[str], options: list[Options]) -> SufficientStatistics:
    """Return the sums of alpha over the documents of a table, for several distances at once."""
    counts = [table.n_judgements, table.empty, table.nonempty, table.overlapping]
    sums = [sums[name] for name in names for sums in (table.observed, table.overlap_distance)]
    labels = table.label_counts
    n_labels = int(labels.labels.max(initial=-1)) + 1
    by_label = sparse_sums(
        labels.documents, labels.labels, labels.counts.astype(np.float64), (len(table.n_units), n_labels)
    )
    kinds = table.kind_counts
    columns = [*counts, *sums, *kinds.counts.T]
    fixed = np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
    statistics = _build_statistics(table.documents, fixed, by_label, table.labels[:n_labels], kinds.kinds, options)
    return statistics.select_groups(table.n_units > 0)


def document_sums_statistics(several: Sequence[Sequence[DocumentSums]]) -> SufficientStatistics:
    """Return the sums of `alpha` over documents from their `DocumentSums`: `alphas_statistics` of all their data.

    `several` has the sums of one distance after the other, each of the same documents in the same order. Raises
    ValueError if the sums of one were made with different parameters or are of other documents, and for an ordered
    distance, whose ranks need all documents together.
    """
    first = several[0]
    options = [_common_options(sums) for sums in several]
    for option, sums in zip(options, several, strict=True):
        if option.ordered:
            raise ValueError(f"there are no sums to draw from for the distance {option.distance!r}")
        if [one.document for one in sums] != [one.document for one in first]:
            raise ValueError("the sums are of different documents")
    number: dict[Label, int] = {}
    labelled = [
        (row, number.setdefault(label, len(number)), count)
        for row, one in enumerate(first)
        for label, count in one.labels
    ]
    rows, columns, counts = np.array(labelled, dtype=np.int64).reshape(-1, 3).T
    by_label = sparse_sums(rows, columns, counts.astype(np.float64), (len(first), len(number)))
    counted = [(one.n_judgements, one.empty, one.nonempty, one.overlapping) for one in first]
    fixed = [np.array(counted, dtype=np.float64).reshape(-1, 4)]
    fixed += [
        np.array([(one.observed, one.overlap_distance) for one in sums], dtype=np.float64).reshape(-1, 2)
        for sums in several
    ]
    kinds = sorted({(k, empty) for one in first for k, empty, _ in one.readings})
    of_kind = [{(k, empty): count for k, empty, count in one.readings} for one in first]
    fixed.append(np.array([[own.get(kind, 0) for kind in kinds] for own in of_kind]).reshape(len(first), len(kinds)))
    documents = [one.document for one in first]
    statistics = _build_statistics(documents, np.hstack(fixed), by_label, list(number), kinds, options)
    return statistics.select_groups(np.array([one.n_units > 0 for one in first], dtype=np.bool_))


def _common_options(sums: Sequence[DocumentSums]) -> Options:
    parameters = dict(sums[0].parameters) if sums else Options().parameters()
    if any(one.parameters != parameters for one in sums):
        raise ValueError("the sums were made with different parameters")
    return Options(**parameters)


def _build_statistics(
    documents: Sequence[Hashable],
    fixed: Floats,
    by_label: Matrix,
    labels: Sequence[Label],
    kinds: Sequence[ReadingKind],
    options: list[Options],
) -> SufficientStatistics:
    """Return the statistics of several distances.

    Columns: judgements, those with the empty set, with another set, overlapping pairs; then for each distance the
    observed sum and that of overlapping pairs; then the judgements of each kind of several readings, and those with
    each label.
    """
    n_fixed, names = fixed.shape[1], [str(option.distance) for option in options]
    similar = [label_similarities(labels, name, option) for name, option in zip(names, options, strict=True)]
    of_kinds = [kind_similarities(kinds, name, option) for name, option in zip(names, options, strict=True)]

    def coefficients(sums: Floats) -> Floats:
        n, empty, nonempty, overlapping = sums[:, :4].T
        of_label = sums[:, n_fixed:]
        columns = []
        for k, option in enumerate(options):
            expected = expected_distance(
                n=n,
                alike=count_similar_pairs(of_label, similar[k]),
                empty=empty,
                nonempty=nonempty,
                overlapping=overlapping,
                overlap_distance=sums[:, 5 + 2 * k],
                from_empty=distance_from_empty(names[k], option),
            )
            if kinds:
                counts = np.hstack((sums[:, [1, 2]], sums[:, n_fixed - len(kinds) : n_fixed]))
                expected = expected - sum_kind_similarities(counts, of_kinds[k])
            columns.append(alpha_from_sums(sums[:, 4 + 2 * k], expected, n))
        return np.stack(columns, axis=1)

    return SufficientStatistics(documents, hstack_sums(fixed, by_label), tuple(names), coefficients)


def _unit_statistics(data: ReliabilityData, options: Options) -> SufficientStatistics:
    """Return the sums of alpha over units.

    Columns: judgements of each unit and its observed sum, then its masses of all values.
    """
    name = str(options.distance)
    used = PairableUnits.from_data(data)
    terms = np.array(unit_disagreements(used, options))
    compared = remove_units(data, used) if options.exclude_unit == "both" and data.has_sets else data
    pairable = PairableUnits.from_data(compared)
    rows, columns = np.nonzero(pairable.codes != MISSING)
    judgements = WeightedJudgements(
        pairable, rows, np.zeros_like(columns), pairable.codes[rows, columns], np.ones(len(rows)), n_raters=1
    )
    n_units = len(used.rows)
    masses = ValueMasses(
        judgements,
        SetSimilarities.from_units(pairable, name, options),
        np.arange(n_units),
        n_units,
        by_unit=True,
        labels=label_similarities(data.labels, name, options),
    )
    fixed = np.stack((used.coders.astype(np.float64), terms), axis=1) if n_units else np.zeros((0, 2))

    def coefficients(sums: Floats) -> Floats:
        n = sums[:, 0]
        # what two judgements have in common includes each with itself, at distance 0
        return alpha_from_sums(sums[:, 1], n**2 - masses.common_mass(sums[:, 2:])[:, 0, 0], n)[:, None]

    return SufficientStatistics(used.group_by("unit")[1], hstack_sums(fixed, masses.sums), (name,), coefficients)


def _ordered_statistics(data: ReliabilityData, by: str, options: Options) -> SufficientStatistics:
    """Return the sums of alpha of an ordered distance over documents or units.

    Columns: the observed sum, the judgements with each label, and for ranks how often each two labels met.
    """
    name, used = str(options.distance), PairableUnits.from_data(data)
    terms = np.zeros(len(used.rows)) if name == "ordinal" else np.array(unit_disagreements(used, options))
    label_numbers(used, name)  # refuses what is no number
    of_label = parse_numbers(data.labels, name)
    order = np.argsort(of_label)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    groups, names = used.group_by(by)
    n_groups = len(names)
    rows, columns = np.nonzero(used.codes != MISSING)
    labels = sparse_sums(groups[rows], place[used.codes[rows, columns]], np.ones(len(rows)), (n_groups, len(order)))
    observed = np.bincount(groups, weights=terms, minlength=n_groups)[:, None]
    pairs, low, high = (
        _sum_label_pairs(used, place, groups, n_groups) if name == "ordinal" else (observed[:, :0], None, None)
    )

    def coefficients(sums: Floats) -> Floats:
        counts = sums[:, 1 : 1 + len(order)]
        n = counts.sum(axis=1)
        observed = sums[:, 0]
        if low is not None:
            ranks = midranks(counts)
            observed = (sums[:, 1 + len(order) :] * (ranks[:, low] - ranks[:, high]) ** 2).sum(axis=1)
        return alpha_from_sums(observed, expected_ordered_distance(counts, of_label[order], name), n)[:, None]

    statistics = SufficientStatistics(names, hstack_sums(observed, labels, pairs), (name,), coefficients)
    return statistics.select_groups(np.bincount(groups, minlength=n_groups) > 0)


def _sum_label_pairs(used: PairableUnits, place: Ints, groups: Ints, n_groups: int) -> tuple[Matrix, Ints, Ints]:
    """Return how often each two labels met in each group, and the places of the labels of each column."""
    units, a, b = different_labels(used)
    low, high = np.minimum(place[a], place[b]), np.maximum(place[a], place[b])
    kinds, column = np.unique(low * len(place) + high, return_inverse=True)
    weights = 2 / (used.coders[units] - 1)
    sums = sparse_sums(groups[units], column, weights, (n_groups, len(kinds)))
    return sums, *np.divmod(kinds, max(len(place), 1))


def alpha_from_sums(observed: Floats, expected: Floats, n: Floats) -> Floats:
    """Return alpha, 1 - Do/De, from arrays of observed sums, expected sums and numbers of judgements, else NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - observed / n / (expected / (n * (n - 1))), np.nan)


def remove_units(data: ReliabilityData, used: PairableUnits) -> ReliabilityData:
    """Return the data of the pairable units, each value without its unit."""
    rows = used.rows.tolist()
    values = [data.value(code) for code in range(data.n_values)]
    table = [
        [None if code == MISSING else remove_unit(values[code], data.units[row]) for code in codes]
        for row, codes in zip(rows, used.codes.tolist(), strict=True)
    ]
    documents = [data.documents[d] for d in used.documents.tolist()]
    return ReliabilityData.from_values([data.units[row] for row in rows], data.coders, table, documents)
