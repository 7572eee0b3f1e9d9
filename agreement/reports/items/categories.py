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
from agreement.reports.resolved import remembered_report


def read_patterns(answers: ProjectAnswers, parameters: Parameters) -> LabelPatterns:
    """Return how many coders gave each unit of the chosen texts which category, of `select_categories`.

    answers and parameters: as `resolve` returns them. The documents are the keys of all chosen texts, in their order.
    """
    texts = pick_texts(answers, parameters)
    place = {name: number for number, name in enumerate(answers.categories)}

    def place_in_scheme(label: Label) -> tuple[int, list[str]]:
        return place.get(str(label), len(place)), sorted(names_of(label))

    def find() -> LabelPatterns:
        data = select_categories(answers, parameters)
        used = [data.labels[code] for code in np.flatnonzero(np.bincount(data.codes[data.codes >= 0])).tolist()]
        return LabelPatterns.from_data(data, sorted(used, key=place_in_scheme))

    return cached(answers, ("patterns", parameters.without, tuple(text.pk for text in texts)), find)


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


@remembered_report
def compute_category_kappa(answers: ProjectAnswers, parameters: Parameters) -> KappaResult:
    """Return K of the categories, whatever is linked to what."""
    return _pattern_kappa(answers, parameters).result()


def _pattern_kappa(answers: ProjectAnswers, parameters: Parameters) -> PatternKappa:
    judges = sum(one.kind == "coder" and one.n_judgements > 0 for one in summarize_ambiguity(answers, parameters))
    n_coders = len(answers.coders)
    found = PatternKappa(read_patterns(answers, parameters), n_coders, judges, parameters.missing)
    if parameters.missing == "drop":
        return replace(found, n_coders_used=n_coders if len(found.used.n_coders) else 0)
    return found


@remembered_report
def compute_by_category(answers: ProjectAnswers, parameters: Parameters) -> list[CategoryAgreement]:
    """Return each category that is used, by name."""
    totals, kappas = compute_agreement_totals(answers, parameters), _kappa_of_each(answers, parameters)
    counts_by_name = {name: one.n_judgements for name, one in kappas.items()}
    if not kappas:  # K is undefined where all say the same; the category is used nonetheless
        counts_by_name = dict(zip(totals.names, totals.counts.tolist(), strict=True))
    n_judgements = totals.n_judgements if answers.kind == "labels" else sum(counts_by_name.values())
    agreements = []
    for name, agreeing, judged in zip(totals.names, totals.agreeing.tolist(), totals.judged.tolist(), strict=True):
        if count := counts_by_name.get(name):
            specific = agreeing / judged if judged else None
            value = kappas[name].value if kappas else None
            agreements.append(CategoryAgreement(name, count, count / n_judgements, value, specific))
    return agreements


def _kappa_of_each(answers: ProjectAnswers, parameters: Parameters) -> dict[str, CategoryKappa]:
    """Return K of each category against all others; of sets of labels, of having the label or not."""
    if answers.kind != "labels":
        return {str(one.category): one for one in compute_category_kappa(answers, parameters).categories}
    kappa, found = _pattern_kappa(answers, parameters), dict[str, CategoryKappa]()
    for name in answers.countable:
        with_it = codes_with(kappa.patterns.labels, name)
        if with_it:
            has_it = {label: place in with_it for place, label in enumerate(kappa.patterns.labels)}
            merged = replace(kappa, patterns=kappa.patterns.collapse(has_it))
            of_label = {one.category: one for one in merged.result().categories}
            found |= {name: of_label[True]} if True in of_label else {}
    return found


@remembered_report
def compute_agreement_totals(answers: ProjectAnswers, parameters: Parameters) -> AgreementTotals:
    """Return what the rows of the agreement table come to."""
    patterns = read_patterns(answers, parameters)
    rows = patterns.select(patterns.n_coders >= _least_coders(answers, parameters.missing))
    n_units, n_coders = rows.n_units, rows.n_coders
    given = [rows.count_coders(codes_with(rows.labels, name)) for name in answers.countable]
    n_rows = int(n_units.sum())

    def add_up(terms: list[Ints]) -> Ints:
        return np.array([int((n_units * one).sum()) for one in terms], dtype=np.int64)

    return AgreementTotals(
        names=answers.countable,
        rows_of_texts=rows.count_in_texts(),
        counts=add_up(given),
        n_judgements=int((n_units * n_coders).sum()),
        agreement=float((n_units * rows.agreements).sum() / n_rows) if n_rows else None,
        agreeing=add_up([one * (one - 1) for one in given]),
        judged=add_up([one * (n_coders - 1) for one in given]),
    )


def _least_coders(answers: ProjectAnswers, missing: str) -> int:
    """Return how many coders judge a unit of the agreement table at least."""
    return max(len(answers.coders), 2) if missing == "drop" else 2


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


def format_mapping(mapping: Mapping[str, str]) -> str:
    """Return the mapping as an address has it; what keeps its name is not in it."""
    return ",".join(f"{old}:{new}" for old, new in sorted(mapping.items()) if old != new)


def compare_merged(answers: ProjectAnswers, parameters: Parameters, mapping: Mapping[str, str]) -> MergeComparison:
    """Return K before and after the mapping. Raises InvalidParameter."""
    answers, parameters = resolve(answers, parameters)

    def merge(label: Label) -> Label:
        if isinstance(label, frozenset):
            return frozenset(mapping.get(str(one), str(one)) for one in label)
        return mapping.get(str(label), label)

    def compute() -> MergeComparison:
        kappa = _pattern_kappa(answers, parameters)
        labels = kappa.patterns.labels
        used = {label: merge(label) for label in labels if merge(label) != label}
        before = _find_interval(answers, parameters, kappa, {})
        if not used:
            unchanged = KappaFigures.of(before, len(labels))
            return MergeComparison(mapping, unchanged, unchanged)
        merged = replace(kappa, patterns=kappa.patterns.collapse(used))
        after = KappaFigures.of(_find_interval(answers, parameters, merged, used), len(merged.patterns.labels))
        return MergeComparison(mapping, KappaFigures.of(before, len(labels)), after)

    return remembered(answers, ("merged", parameters, tuple(sorted(mapping.items()))), compute)


def _find_interval(
    extract: ProjectAnswers, parameters: Parameters, kappa: PatternKappa, merged: Mapping[Label, Label]
) -> Interval:
    """Return K over the texts; where one text has all that is compared, over the components of its units."""
    documents = kappa.patterns.documents
    if len({original_of(documents[place]) for place in np.flatnonzero(kappa.pairable_texts).tolist()}) != 1:
        return interval_statistics(kappa.result(), kappa.statistics, kappa.left_out_texts, original=original_of)
    data = select_categories(extract, parameters)
    return interval_over_texts(collapse(data, merged) if merged else data, fleiss_kappa, missing=parameters.missing)
