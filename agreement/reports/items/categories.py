"""What coders tell apart and what not: agreement by category, unit by unit, and with categories merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.data.documents import original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import KappaResult, collapse, fleiss_kappa
from agreement.measures.coefficients.pattern_kappa import PatternKappa
from agreement.measures.results import CategoryKappa
from agreement.measures.sums.patterns import LabelPatterns
from agreement.measures.uncertainty.default_interval import interval_statistics
from agreement.measures.uncertainty.intervals import Interval
from agreement.measures.values import Floats, Ints, Label
from agreement.reports.fields import copy_fields
from agreement.reports.items.ambiguity import summarize_ambiguity
from agreement.reports.request.basis import (
    cached,
    codes_with,
    count_names,
    interval_over_texts,
    names_of,
    pick_texts,
    remembered,
    select_categories,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve


def read_patterns(answers: ProjectAnswers, parameters: Parameters) -> LabelPatterns:
    """Return how many coders gave each unit of the chosen texts which category, of `select_categories`.

    answers and parameters: as `resolve` returns them. The documents are the keys of all chosen texts, in their order.
    """
    texts = pick_texts(answers, parameters)
    key = ("patterns", parameters.without, tuple(text.pk for text in texts))
    return cached(answers, key, lambda: _find_patterns(answers, parameters))


def _find_patterns(answers: ProjectAnswers, parameters: Parameters) -> LabelPatterns:
    place = {name: number for number, name in enumerate(answers.categories)}

    def place_in_scheme(label: Label) -> tuple[int, list[str]]:
        return place.get(str(label), len(place)), sorted(names_of(label))

    data = select_categories(answers, parameters)
    used = np.bincount(data.codes[data.codes >= 0].ravel(), minlength=len(data.labels)) > 0
    labels = [label for label, is_used in zip(data.labels, used.tolist(), strict=True) if is_used]
    return LabelPatterns.from_data(data, sorted(labels, key=place_in_scheme))


LONGEST_NAME = 50


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """One category: how often it is used, K of it against all others, and specific agreement.

    `specific` says: if one coder gives it to a unit, how often another does.
    """

    name: str
    n_judgements: int
    share: float
    kappa: float | None
    specific: float | None


@dataclass(frozen=True, eq=False)
class AgreementTable:
    """Units x categories: how many coders gave each, and S, the share of the pairs of coders that agree on the unit.

    Of sets of labels these agree where the sets are equal, and a coder may have given several labels. `coders` says how
    many judged the unit.
    Rows are the units that two coders or more judged, or all where others are dropped, in text order; `documents` are
    the texts they are in, by their places among the chosen ones.
    """

    names: tuple[str, ...]
    units: Sequence[int]
    documents: Ints
    counts: Ints
    coders: Ints
    agreement: Floats


@dataclass(frozen=True, eq=False)
class AgreementTotals:
    """What all rows of the agreement table come to: their number in each chosen text, and how many judgements give each
    category. `agreement` is the mean of S, None where there is no row; `n_judgements` counts a set of labels once.

    `agreeing` and `judged` (names,) are for specific agreement: ordered pairs of coders on a unit of whom both give the
    category, and those of whom the first does.
    """

    names: tuple[str, ...]
    rows_of_texts: Ints
    counts: Ints
    n_judgements: int
    agreement: float | None
    agreeing: Ints
    judged: Ints

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.rows_of_texts.sum())


@dataclass(frozen=True, slots=True)
class KappaFigures:
    """K, and the number of categories in use."""

    value: float | None
    observed: float | None
    expected: float | None
    z: float | None
    p_value: float | None
    low: float | None
    high: float | None
    n_categories: int
    note: str

    @classmethod
    def of(cls, found: Interval, n_categories: int) -> KappaFigures:
        """Return the figures of an interval of K."""
        note = found.result.note or found.note
        return copy_fields(cls, found.result, found, n_categories=n_categories, note=note)


@dataclass(frozen=True, slots=True)
class MergeComparison:
    """K with the categories as they are and as merged."""

    merge: Mapping[str, str]
    before: KappaFigures
    after: KappaFigures


def compute_category_kappa(extract: ProjectAnswers, parameters: Parameters) -> KappaResult:
    """Return K of the categories, whatever is linked to what. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return remembered(extract, ("category kappa", parameters), lambda: _pattern_kappa(extract, parameters).result())


def _pattern_kappa(extract: ProjectAnswers, parameters: Parameters) -> PatternKappa:
    judges = sum(one.kind == "coder" and one.n_judgements > 0 for one in summarize_ambiguity(extract, parameters))
    n_coders = len(extract.coders)
    found = PatternKappa(read_patterns(extract, parameters), n_coders, judges, parameters.missing)
    if parameters.missing == "drop":
        return replace(found, n_coders_used=n_coders if len(found.used.n_coders) else 0)
    return found


def compute_by_category(extract: ProjectAnswers, parameters: Parameters) -> list[CategoryAgreement]:
    """Return each category that is used, by name. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return remembered(extract, ("by category", parameters), lambda: _compare_with_others(extract, parameters))


def _compare_with_others(extract: ProjectAnswers, parameters: Parameters) -> list[CategoryAgreement]:
    table = compute_agreement_totals(extract, parameters)
    kappas = _kappa_of_each(extract, parameters)
    counts_by_name = {name: one.n_judgements for name, one in kappas.items()}
    if not kappas:  # K is undefined where all say the same; the category is used nonetheless
        counts_by_name = dict(zip(table.names, table.counts.tolist(), strict=True))
    n_judgements = table.n_judgements if extract.kind == "labels" else sum(counts_by_name.values())
    agreements = []
    for name, agreeing, judged in zip(table.names, table.agreeing.tolist(), table.judged.tolist(), strict=True):
        if count := counts_by_name.get(name):
            specific = agreeing / judged if judged else None
            value = kappas[name].value if kappas else None
            agreements.append(CategoryAgreement(name, count, count / n_judgements, value, specific))
    return agreements


def _kappa_of_each(extract: ProjectAnswers, parameters: Parameters) -> dict[str, CategoryKappa]:
    """Return K of each category against all others; of sets of labels, of having the label or not."""
    if extract.kind != "labels":
        return {str(one.category): one for one in compute_category_kappa(extract, parameters).categories}
    kappa, found = _pattern_kappa(extract, parameters), dict[str, CategoryKappa]()
    labels = kappa.patterns.labels
    for name in extract.countable:
        with_it = codes_with(labels, name)
        if with_it:
            merged = kappa.patterns.collapse({label: place in with_it for place, label in enumerate(labels)})
            kappas = {one.category: one for one in replace(kappa, patterns=merged).result().categories}
            if True in kappas:
                found[name] = kappas[True]
    return found


def compute_agreement_totals(extract: ProjectAnswers, parameters: Parameters) -> AgreementTotals:
    """Return what the rows of the agreement table come to. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return remembered(extract, ("totals", parameters), lambda: _sum_rows(extract, parameters))


def _sum_rows(extract: ProjectAnswers, parameters: Parameters) -> AgreementTotals:
    patterns = read_patterns(extract, parameters)
    rows = patterns.select(patterns.n_coders >= _least_coders(extract, parameters.missing))
    n_units, n_coders = rows.n_units, rows.n_coders
    given = [rows.count_coders(codes_with(rows.labels, name)) for name in extract.countable]
    n_rows = int(n_units.sum())

    def add_up(terms: list[Ints]) -> Ints:
        return np.array([int((n_units * one).sum()) for one in terms], dtype=np.int64)

    return AgreementTotals(
        names=extract.countable,
        rows_of_texts=rows.count_in_texts(),
        counts=add_up(given),
        n_judgements=int((n_units * n_coders).sum()),
        agreement=float((n_units * rows.agreements).sum() / n_rows) if n_rows else None,
        agreeing=add_up([one * (one - 1) for one in given]),
        judged=add_up([one * (n_coders - 1) for one in given]),
    )


def _least_coders(extract: ProjectAnswers, missing: str) -> int:
    """Return how many coders judge a unit of the agreement table at least."""
    return max(len(extract.coders), 2) if missing == "drop" else 2


def compute_agreement_table(
    extract: ProjectAnswers, parameters: Parameters, begin: int = 0, end: int | None = None
) -> AgreementTable:
    """Return the rows of the agreement table from `begin` until before `end`. Raises InvalidParameter.

    The answers in the texts of these rows alone are read.
    """
    extract, parameters = resolve(extract, parameters)
    until = np.cumsum(compute_agreement_totals(extract, parameters).rows_of_texts)
    last = int(until[-1]) if end is None and len(until) else min(end or 0, int(until[-1]) if len(until) else 0)
    first_text, last_text = np.searchsorted(until, (begin, max(last - 1, 0)), side="right").tolist()
    texts = pick_texts(extract, parameters)[first_text : last_text + 1] if last > begin else ()
    skipped = begin - (int(until[first_text - 1]) if first_text else 0)
    data = select_categories(extract, parameters, texts)
    counts, coders = count_names(data, extract.countable), (data.codes >= 0).sum(axis=1)
    rows = np.flatnonzero(coders >= _least_coders(extract, parameters.missing))[skipped : skipped + last - begin]
    codes, counts, coders = data.codes[rows], counts[rows], coders[rows]
    row, column = np.nonzero(codes >= 0)
    value, alike = np.unique(row * (data.n_values + 1) + codes[row, column], return_counts=True)
    equal = np.bincount(value // (data.n_values + 1), weights=alike * (alike - 1), minlength=len(rows))
    return AgreementTable(
        extract.countable,
        [data.units[row] for row in rows.tolist()],
        first_text + data.document_of_unit[rows],
        counts,
        coders,
        equal / (coders * (coders - 1)),
    )


def parse_mapping(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return a mapping as an address has it, "lake:water,river:water". Raises InvalidParameter."""
    mapping: dict[str, str] = {}
    for one in filter(None, text.split(",")):
        old, colon, new = one.partition(":")
        if not colon or not old.strip() or not new.strip():
            raise InvalidParameter("merge", f"{one!r} is not CATEGORY:NEW NAME.")
        if "\x00" in new or len(new.strip()) > LONGEST_NAME:
            raise InvalidParameter("merge", f"a name has at most {LONGEST_NAME} characters that can be printed.")
        if old.strip() not in names:
            raise InvalidParameter("merge", f"{old.strip()!r} is not one of {', '.join(names)}.")
        mapping[old.strip()] = new.strip()
    return mapping


def _merge(label: Label, mapping: Mapping[str, str]) -> Label:
    """Return a category as it is called after merging, or the set of the merged labels."""
    if isinstance(label, frozenset):
        return frozenset(mapping.get(str(one), str(one)) for one in label)
    return mapping.get(str(label), label)


def format_mapping(mapping: Mapping[str, str]) -> str:
    """Return the mapping as an address has it; what keeps its name is not in it."""
    return ",".join(f"{old}:{new}" for old, new in sorted(mapping.items()) if old != new)


def compare_merged(extract: ProjectAnswers, parameters: Parameters, mapping: Mapping[str, str]) -> MergeComparison:
    """Return K before and after the mapping. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    key = ("merged", parameters, tuple(sorted(mapping.items())))
    return cached(extract, key, lambda: _compare_merged(extract, parameters, mapping))


def _compare_merged(extract: ProjectAnswers, parameters: Parameters, mapping: Mapping[str, str]) -> MergeComparison:
    kappa = _pattern_kappa(extract, parameters)
    labels = kappa.patterns.labels
    used: dict[Label, Label] = {label: _merge(label, mapping) for label in labels}
    used = {old: new for old, new in used.items() if old != new}
    merged = replace(kappa, patterns=kappa.patterns.collapse(used)) if used else kappa
    before = _find_interval(extract, parameters, kappa, {})
    after = _find_interval(extract, parameters, merged, used) if used else before
    n_after = len(merged.patterns.labels)
    return MergeComparison(mapping, KappaFigures.of(before, len(labels)), KappaFigures.of(after, n_after))


def _find_interval(
    extract: ProjectAnswers, parameters: Parameters, kappa: PatternKappa, merged: Mapping[Label, Label]
) -> Interval:
    """Return K over the texts; where one text has all that is compared, over the components of its units."""
    documents = kappa.patterns.documents
    if len({original_of(documents[place]) for place in np.flatnonzero(kappa.pairable_texts).tolist()}) != 1:
        return interval_statistics(kappa.result(), kappa.statistics, kappa.left_out_texts, original=original_of)
    data = select_categories(extract, parameters)
    return interval_over_texts(collapse(data, merged) if merged else data, fleiss_kappa, missing=parameters.missing)
