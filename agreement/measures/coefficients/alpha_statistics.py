"""Samples of reliability data, and the sums from which alpha of any sample follows."""

from collections.abc import Hashable, Sequence

import numpy as np

from agreement.measures.cells import MISSING, Cells, offsets
from agreement.measures.counts import count_dice
from agreement.measures.data import ReliabilityData
from agreement.measures.distances import from_empty, midranks, numbers
from agreement.measures.general import unit_distances
from agreement.measures.masses import Judgements, Masses, Similar
from agreement.measures.options import SET_DISTANCES, Options
from agreement.measures.overlaps import Pairable
from agreement.measures.pairs import different_labels
from agreement.measures.statistics import Matrix, Statistics, beside, sparse_sums
from agreement.measures.sums import DocumentSums, expected_distance, ordered_expected
from agreement.measures.tables import Table, ordered_numbers, tabulate, unit_terms
from agreement.measures.values import Distance, Floats, Ints, Label, Value, without


def alpha_statistics(
    data: ReliabilityData,
    by: str,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> Statistics | None:
    """The sums of `alpha`, or None for a callable, which may relate values of different documents."""
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
) -> Statistics:
    """The sums of `alphas` over documents or units."""
    options = [Options(name, exclude_unit, empty, thirds) for name in distances]
    if any(option.ordered for option in options):
        return _beside([_of_numbers(data, by, option) for option in options])
    if by == "unit":
        return _beside([_of_units(data, option) for option in options])
    return _of_documents(tabulate(data, distances, options[0]), distances, options)


def _beside(parts: list[Statistics]) -> Statistics:
    """Several statistics of the same groups as one."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([part.sums.shape[1] for part in parts])

    def coefficients(sums: Floats) -> Floats:
        split = np.split(sums, ends[:-1], axis=1)
        return np.hstack([part.coefficients(columns) for part, columns in zip(parts, split, strict=True)])

    return Statistics(
        groups=parts[0].groups,
        sums=beside(*(part.sums for part in parts)),
        names=tuple(name for part in parts for name in part.names),
        coefficients=coefficients,
    )


def _of_documents(table: Table, names: Sequence[str], options: list[Options]) -> Statistics:
    """The sums of alpha over the documents of a table, for several distances at once."""
    counts = [table.n_judgements, table.empty, table.nonempty, table.overlapping]
    sums = [sums[name] for name in names for sums in (table.observed, table.overlap_distance)]
    labels = table.label_counts
    n_labels = int(labels.labels.max(initial=-1)) + 1
    by_label = sparse_sums(
        labels.documents, labels.labels, labels.counts.astype(np.float64), (len(table.n_units), n_labels)
    )
    fixed = np.stack([np.asarray(column, dtype=np.float64) for column in counts + sums], axis=1)
    return _of_sums(table.documents, fixed, by_label, names, options).of_groups(table.n_units > 0)


def sums_statistics(several: Sequence[Sequence[DocumentSums]]) -> Statistics:
    """The sums of `alpha` over documents, from those that were kept of each: `alphas_statistics` of all their data.

    `several` has the sums of one distance after the other, each of the same documents in the same order. Raises
    ValueError if the sums of one were made with different parameters or are of other documents, and for an ordered
    distance, whose ranks need all documents together.
    """
    first = several[0]
    options = [_options_of(sums) for sums in several]
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
    names = [str(option.distance) for option in options]
    found = _of_sums([one.document for one in first], np.hstack(fixed), by_label, names, options)
    return found.of_groups(np.array([one.n_units > 0 for one in first], dtype=np.bool_))


def _options_of(sums: Sequence[DocumentSums]) -> Options:
    parameters = dict(sums[0].parameters) if sums else Options().parameters()
    if any(one.parameters != parameters for one in sums):
        raise ValueError("the sums were made with different parameters")
    return Options(**parameters)


def _of_sums(
    documents: Sequence[Hashable], fixed: Floats, by_label: Matrix, names: Sequence[str], options: list[Options]
) -> Statistics:
    """Columns: judgements, those with the empty set, with another set, overlapping pairs; then for each distance the
    observed sum and that of overlapping pairs; then the judgements with each label."""
    n_fixed = fixed.shape[1]

    def coefficients(sums: Floats) -> Floats:
        n, empty, nonempty, overlapping = sums[:, :4].T
        of_label = sums[:, n_fixed:]
        equal = (of_label**2).sum(axis=1) - of_label.sum(axis=1)
        found = []
        for k, option in enumerate(options):
            expected = expected_distance(
                n=n,
                equal=equal,
                empty=empty,
                nonempty=nonempty,
                overlapping=overlapping,
                overlap_distance=sums[:, 5 + 2 * k],
                from_empty=from_empty(names[k], option),
            )
            found.append(_alpha(sums[:, 4 + 2 * k], expected, n))
        return np.stack(found, axis=1)

    return Statistics(documents, beside(fixed, by_label), tuple(names), coefficients)


def _of_units(data: ReliabilityData, options: Options) -> Statistics:
    """Columns: judgements of each unit and its observed sum, then its masses of all values."""
    name = str(options.distance)
    used = Pairable.of(data)
    terms = np.array(unit_terms(used, options))
    compared = _without_units(data, used) if options.exclude_unit == "both" else data
    pairable = Pairable.of(compared)
    rows, columns = np.nonzero(pairable.codes != MISSING)
    judgements = Judgements(
        pairable, rows, np.zeros_like(columns), pairable.codes[rows, columns], np.ones(len(rows)), n_raters=1
    )
    n_units = len(used.rows)
    masses = Masses(judgements, Similar.of(pairable, name, options), np.arange(n_units), n_units, by_unit=True)
    fixed = np.stack((used.coders.astype(np.float64), terms), axis=1) if n_units else np.zeros((0, 2))

    def coefficients(sums: Floats) -> Floats:
        n = sums[:, 0]
        # what two judgements have in common includes each with itself, at distance 0
        return _alpha(sums[:, 1], n**2 - masses.common(sums[:, 2:])[:, 0, 0], n)[:, None]

    groups = [data.units[row] for row in used.rows.tolist()]
    return Statistics(groups, beside(fixed, masses.sums), (name,), coefficients)


def _of_numbers(data: ReliabilityData, by: str, options: Options) -> Statistics:
    """Columns: the observed sum, the judgements with each label, and for ranks how much each two labels met."""
    name, used = str(options.distance), Pairable.of(data)
    terms = np.zeros(len(used.rows)) if name == "ordinal" else np.array(unit_terms(used, options))
    ordered_numbers(used, name)  # refuses what is no number
    of_label = numbers(data.labels, name)
    order = np.argsort(of_label)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    groups = np.arange(len(used.rows)) if by == "unit" else used.documents
    n_groups = len(used.rows) if by == "unit" else len(data.documents)
    rows, columns = np.nonzero(used.codes != MISSING)
    labels = sparse_sums(groups[rows], place[used.codes[rows, columns]], np.ones(len(rows)), (n_groups, len(order)))
    observed = np.bincount(groups, weights=terms, minlength=n_groups)[:, None]
    pairs, low, high = _met(used, place, groups, n_groups) if name == "ordinal" else (observed[:, :0], None, None)

    def coefficients(sums: Floats) -> Floats:
        counts = sums[:, 1 : 1 + len(order)]
        n = counts.sum(axis=1)
        observed = sums[:, 0]
        if low is not None:
            ranks = midranks(counts)
            observed = (sums[:, 1 + len(order) :] * (ranks[:, low] - ranks[:, high]) ** 2).sum(axis=1)
        return _alpha(observed, ordered_expected(counts, of_label[order], name), n)[:, None]

    names = [data.units[row] for row in used.rows.tolist()] if by == "unit" else data.documents
    found = Statistics(names, beside(observed, labels, pairs), (name,), coefficients)
    return found.of_groups(np.bincount(groups, minlength=n_groups) > 0)


def count_statistics(data: ReliabilityData, by: str) -> Statistics:
    """The sums of `count_alpha`: the observed sum, and the judgements with each count."""
    used, options = Pairable.of(data), Options(count_dice)
    terms = np.array(list(unit_distances(data, count_dice, options).values()), dtype=np.float64)
    groups = np.arange(len(used.rows)) if by == "unit" else used.documents
    n_groups, n_labels = len(used.rows) if by == "unit" else len(data.documents), len(data.labels)
    rows, columns = np.nonzero(used.codes != MISSING)
    labels = sparse_sums(groups[rows], used.codes[rows, columns], np.ones(len(rows)), (n_groups, n_labels))
    observed = np.bincount(groups, weights=terms, minlength=n_groups)[:, None]
    apart = np.array([[count_dice(a, b) for b in data.labels] for a in data.labels]).reshape(n_labels, n_labels)

    def coefficients(sums: Floats) -> Floats:
        counts = sums[:, 1:]
        return _alpha(sums[:, 0], ((counts @ apart) * counts).sum(axis=1), counts.sum(axis=1))[:, None]

    names = [data.units[row] for row in used.rows.tolist()] if by == "unit" else data.documents
    found = Statistics(names, beside(observed, labels), ("",), coefficients)
    return found.of_groups(np.bincount(groups, minlength=n_groups) > 0)


def _met(used: Pairable, place: Ints, groups: Ints, n_groups: int) -> tuple[Matrix, Ints, Ints]:
    """How much each two labels met in each group, and the places of the labels of each column."""
    units, a, b = different_labels(used)
    low, high = np.minimum(place[a], place[b]), np.maximum(place[a], place[b])
    kinds, column = np.unique(low * len(place) + high, return_inverse=True)
    weights = 2 / (used.coders[units] - 1)
    sums = sparse_sums(groups[units], column, weights, (n_groups, len(kinds)))
    return sums, *np.divmod(kinds, max(len(place), 1))


def _alpha(observed: Floats, expected: Floats, n: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - observed / n / (expected / (n * (n - 1))), np.nan)


def _without_units(data: ReliabilityData, used: Pairable) -> ReliabilityData:
    """The pairable units with each value without its unit."""
    rows = used.rows.tolist()
    values = [data.value(code) for code in range(data.n_values)]
    table = [
        [None if code == MISSING else without(values[code], data.units[row]) for code in codes]
        for row, codes in zip(rows, used.codes.tolist(), strict=True)
    ]
    documents = [data.documents[d] for d in used.documents.tolist()]
    return ReliabilityData.from_values([data.units[row] for row in rows], data.coders, table, documents)


def resampled(data: ReliabilityData, chosen: Ints, by: str) -> ReliabilityData:
    """The chosen documents or units, by their numbers; one that comes twice is two that have nothing to do with
    each other. Raises ValueError for units with sets, whose copies would have to be in one set."""
    if by == "unit":
        if len(data.cells.starts) > 1:
            raise ValueError("units with sets as values cannot be drawn for this coefficient: draw documents")
        content = Cells(data.codes[chosen], data.labels, data.cells.starts, data.cells.members, ())
        documents = data.document_of_unit[chosen]
        return ReliabilityData(range(len(chosen)), data.coders, data.documents, documents, content)
    sizes = np.bincount(data.document_of_unit, minlength=len(data.documents))
    starts = np.cumsum(sizes) - sizes
    order = np.argsort(data.document_of_unit, kind="stable")
    rows = order[np.repeat(starts[chosen], sizes[chosen]) + offsets(sizes[chosen])]
    copy = np.repeat(np.arange(len(chosen)), sizes[chosen])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.repeat(starts, sizes)  # of each unit in its document
    content = _copied(data.cells, data.codes[rows], copy, place, np.cumsum(sizes[chosen]) - sizes[chosen])
    return ReliabilityData(range(len(rows)), data.coders, range(len(chosen)), copy, content)


def documents_in_use(data: ReliabilityData) -> Ints:
    """The numbers of the documents that anything was coded in."""
    coded = (data.codes != MISSING).any(axis=1)
    return np.flatnonzero(np.bincount(data.document_of_unit[coded], minlength=len(data.documents)))


def _copied(cells: Cells, codes: Ints, copy: Ints, place: Ints, first_row: Ints) -> Cells:
    """The cells of copies of documents: each copy has its own sets."""
    n_labels, n_sets, n_units = len(cells.labels), len(cells.starts) - 1, len(place)
    units, columns = np.nonzero(codes >= n_labels)
    sets = codes[units, columns] - n_labels
    empty = np.diff(cells.starts)[sets] == 0  # the empty set is one value, whichever the copy
    kinds, found = np.unique(np.where(empty, 0, copy[units]) * n_sets + sets, return_inverse=True)
    codes = codes.copy()
    codes[units, columns] = n_labels + found
    copies, sets = np.divmod(kinds, max(n_sets, 1))
    sizes = np.diff(cells.starts)[sets]
    members = cells.members[np.repeat(cells.starts[sets], sizes) + offsets(sizes)]
    copy_of_member = np.repeat(copies, sizes)
    other = members >= n_units
    kinds, number = np.unique(copy_of_member[other] * len(cells.others) + members[other] - n_units, return_inverse=True)
    new = np.empty_like(members)
    new[~other] = first_row[copy_of_member[~other]] + place[members[~other]]
    new[other] = len(codes) + number
    others = tuple((k // len(cells.others), cells.others[k % len(cells.others)]) for k in kinds.tolist())
    return Cells(codes, cells.labels, np.concatenate(([0], np.cumsum(sizes))), new, others)


def pooled_documents(first: ReliabilityData, second: ReliabilityData) -> ReliabilityData:
    """The documents of both, as different documents; coders are matched by their place."""
    n_coders = max(len(first.coders), len(second.coders))
    units: list[Value] = []
    documents: list[Value] = []
    rows: list[list[Value | None]] = []
    for which, data in enumerate((first, second)):
        values = [_renamed(data.value(code), which) for code in range(data.n_values)]
        units += [(which, unit) for unit in data.units]
        documents += [(which, data.documents[d]) for d in data.document_of_unit.tolist()]
        for codes in data.codes.tolist():
            row = [None if code == MISSING else values[code] for code in codes]
            rows.append(row + [None] * (n_coders - len(row)))
    return ReliabilityData.from_values(units, range(n_coders), rows, documents)


def _renamed(value: Value, which: int) -> Value:
    return frozenset((which, member) for member in value) if isinstance(value, frozenset) else value
