"""Agreement by category, unit by unit, and with categories merged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from django.http import QueryDict
from rest_framework.serializers import CharField

from agreement.data.documents import original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.data.reading import read_answers
from agreement.data.texts import read_snippets
from agreement.measures import CategoryKappa, Interval, KappaResult, collapse, fleiss_kappa
from agreement.measures.coefficients.kappas import PatternKappa
from agreement.measures.uncertainty.jackknife import interval_statistics
from agreement.measures.values import Floats, Ints, Label
from agreement.models import Mapping as SavedMapping
from agreement.reports import basis
from agreement.reports.coders.coders import read_patterns
from agreement.reports.fields import Flat, copy_fields
from agreement.reports.items import summarize_ambiguity
from agreement.reports.parameters import QUESTION, InvalidParameter, Parameters
from agreement.reports.request import AnalysisRequest, remembered_report, resolve
from agreement.reports.wording import TERMS, item_address, name_terms
from agreement.results.computations import PageSections, ResultPage, paginate, register
from agreement.results.figures.charts import Dot, dots_chart
from agreement.results.figures.sections import build_confusion, build_together
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, columns_of, with_ends
from annotations.models import Project
from annotations.projects.navigation import NO_PYRAMIDS

PAGE_SIZE = 50
MERGE_PREFIX = "merge_"  # prefix of the name of a category's form field
MAX_NAME_LENGTH = 50


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """One category: its judgements, K against all others, and how often a second coder gives it, too."""

    name: str
    n_judgements: int
    share: float
    kappa: float | None
    specific: float | None


@dataclass(frozen=True, eq=False)
class AgreementTable:
    """A table of units by categories with the number of coders; units are in text order."""

    names: tuple[str, ...]
    units: Sequence[int]
    documents: Ints  # positions among the selected texts
    counts: Ints
    agreement: Floats  # S, the share of pairs of coders that agree; sets of labels agree if equal


@dataclass(frozen=True, eq=False)
class AgreementTotals:
    """The totals of the agreement table."""

    rows_of_texts: Ints  # number of rows of each selected text
    counts: Sequence[int]  # judgements of each category
    n_judgements: int  # a set of labels counts once
    agreement: float | None  # the mean of S
    specific: Sequence[float | None]  # of each category, how often a second coder of the unit gives it if one does


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
    def of(cls, found: Interval, n_categories: int) -> Self:
        note = found.result.note or found.note
        return copy_fields(cls, found.result, found, n_categories=n_categories, note=note)


@dataclass(frozen=True, slots=True)
class MergeComparison:
    """K before and after categories are merged."""

    merge: Mapping[str, str]
    before: KappaFigures
    after: KappaFigures


@remembered_report
def compute_category_kappa(answers: ProjectAnswers, parameters: Parameters) -> KappaResult:
    """Return K of the categories, without regard to links."""
    return _pattern_kappa(answers, parameters).result()


def _pattern_kappa(answers: ProjectAnswers, parameters: Parameters) -> PatternKappa:
    judges = sum(judge.kind == "coder" and judge.n_judgements > 0 for judge in summarize_ambiguity(answers, parameters))
    n_coders = len(answers.coders)
    found = PatternKappa(read_patterns(answers, parameters), n_coders, judges, parameters.missing)
    if parameters.missing == "drop":
        return replace(found, n_coders_used=n_coders if len(found.used.n_coders) else 0)
    return found


@remembered_report
def compute_by_category(answers: ProjectAnswers, parameters: Parameters) -> list[CategoryAgreement]:
    """Return the agreement on each category in use, in the order of `countable`."""
    totals, kappas = compute_agreement_totals(answers, parameters), _kappa_of_each(answers, parameters)
    counts_by_name = {name: kappa.n_judgements for name, kappa in kappas.items()}
    if not kappas:  # K is undefined if all give one category, which is still in use
        counts_by_name = dict(zip(answers.countable, totals.counts, strict=True))
    n_judgements = totals.n_judgements if answers.kind == "labels" else sum(counts_by_name.values())
    agreements = []
    for name, specific in zip(answers.countable, totals.specific, strict=True):
        if count := counts_by_name.get(name):
            value = kappas[name].value if kappas else None
            agreements.append(CategoryAgreement(name, count, count / n_judgements, value, specific))
    return agreements


def _kappa_of_each(answers: ProjectAnswers, parameters: Parameters) -> dict[str, CategoryKappa]:
    if answers.kind != "labels":
        return {str(row.category): row for row in compute_category_kappa(answers, parameters).categories}
    kappa, found = _pattern_kappa(answers, parameters), dict[str, CategoryKappa]()
    for name in answers.countable:
        with_it = basis.codes_with(kappa.patterns.labels, name)
        if with_it:
            has_it = {label: place in with_it for place, label in enumerate(kappa.patterns.labels)}
            merged = replace(kappa, patterns=kappa.patterns.collapse(has_it))
            of_label = {row.category: row for row in merged.result().categories}
            found |= {name: of_label[True]} if True in of_label else {}
    return found


@remembered_report
def compute_agreement_totals(answers: ProjectAnswers, parameters: Parameters) -> AgreementTotals:
    """Return the totals of the agreement table."""
    patterns = read_patterns(answers, parameters)
    least = max(len(answers.coders), 2) if parameters.missing == "drop" else 2
    rows = patterns.select(patterns.n_coders >= least)
    n_units, n_coders = rows.n_units, rows.n_coders
    given = [rows.count_coders(basis.codes_with(rows.labels, name)) for name in answers.countable]
    n_rows = int(n_units.sum())

    def add_up(terms: list[Ints]) -> list[int]:
        return [int((n_units * term).sum()) for term in terms]

    # ordered pairs of coders on a unit: both give the category, or the first does
    pairs = zip(add_up([n * (n - 1) for n in given]), add_up([n * (n_coders - 1) for n in given]), strict=True)
    return AgreementTotals(
        rows_of_texts=rows.count_in_texts(),
        counts=add_up(given),
        n_judgements=int((n_units * n_coders).sum()),
        agreement=float((n_units * rows.agreements).sum() / n_rows) if n_rows else None,
        specific=[agreeing / judged if judged else None for agreeing, judged in pairs],
    )


def compute_agreement_table(
    extract: ProjectAnswers, parameters: Parameters, begin: int = 0, end: int | None = None
) -> AgreementTable:
    """Return the rows from `begin` to before `end` of the agreement table, reading answers of their texts only."""
    extract, parameters = resolve(extract, parameters)
    until = np.cumsum(compute_agreement_totals(extract, parameters).rows_of_texts)
    n_rows = int(until[-1]) if len(until) else 0
    last = n_rows if end is None else min(end, n_rows)
    first_text, last_text = np.searchsorted(until, (begin, max(last - 1, 0)), side="right").tolist()
    texts = basis.pick_texts(extract, parameters)[first_text : last_text + 1] if last > begin else ()
    skipped = begin - (int(until[first_text - 1]) if first_text else 0)
    data = basis.select_categories(extract, parameters, texts)
    counts, coders = basis.count_names(data, extract.countable), (data.codes >= 0).sum(axis=1)
    least = max(len(extract.coders), 2) if parameters.missing == "drop" else 2
    rows = np.flatnonzero(coders >= least)[skipped : skipped + last - begin]
    codes, counts, coders = data.codes[rows], counts[rows], coders[rows]
    row, column = np.nonzero(codes >= 0)
    value, alike = np.unique(row * (data.n_values + 1) + codes[row, column], return_counts=True)
    equal = np.bincount(value // (data.n_values + 1), weights=alike * (alike - 1), minlength=len(rows))
    return AgreementTable(
        extract.countable,
        [data.units[row] for row in rows.tolist()],
        first_text + data.document_of_unit[rows],
        counts,
        equal / (coders * (coders - 1)),
    )


def parse_mapping(text: str, names: Sequence[str]) -> dict[str, str]:
    """Parse a mapping such as "lake:water,river:water" from a URL. Raises InvalidParameter."""
    mapping: dict[str, str] = {}
    for entry in filter(None, text.split(",")):
        old, colon, new = entry.partition(":")
        if not colon or not old.strip() or not new.strip():
            raise InvalidParameter("merge", f"{entry!r} is not CATEGORY:NEW NAME.")
        if "\x00" in new or len(new.strip()) > MAX_NAME_LENGTH:
            raise InvalidParameter("merge", f"a name has at most {MAX_NAME_LENGTH} characters that can be printed.")
        if old.strip() not in names:
            raise InvalidParameter("merge", f"{old.strip()!r} is not one of {', '.join(names)}.")
        mapping[old.strip()] = new.strip()
    return mapping


def format_mapping(mapping: Mapping[str, str]) -> str:
    """Format a mapping for a URL, without categories that keep their names."""
    return ",".join(f"{old}:{new}" for old, new in sorted(mapping.items()) if old != new)


def compare_merged(answers: ProjectAnswers, parameters: Parameters, mapping: Mapping[str, str]) -> MergeComparison:
    """Return K before and after the mapping. Raises InvalidParameter."""
    answers, parameters = resolve(answers, parameters)

    def merge(label: Label) -> Label:
        if isinstance(label, frozenset):
            return frozenset(mapping.get(str(member), str(member)) for member in label)
        return mapping.get(str(label), label)

    def compute() -> MergeComparison:
        kappa = _pattern_kappa(answers, parameters)
        labels = kappa.patterns.labels
        used = {label: merge(label) for label in labels if merge(label) != label}
        before = KappaFigures.of(_find_interval(answers, parameters, kappa, {}), len(labels))
        if not used:
            return MergeComparison(mapping, before, before)
        merged = replace(kappa, patterns=kappa.patterns.collapse(used))
        after = KappaFigures.of(_find_interval(answers, parameters, merged, used), len(merged.patterns.labels))
        return MergeComparison(mapping, before, after)

    return basis.remembered(answers, ("merged", parameters, tuple(mapping.items())), compute)


def _find_interval(
    extract: ProjectAnswers, parameters: Parameters, kappa: PatternKappa, merged: Mapping[Label, Label]
) -> Interval:
    """Return the interval of K over texts; if one text has all compared units, over their components."""
    documents = kappa.patterns.documents
    if len({original_of(documents[place]) for place in np.flatnonzero(kappa.pairable_texts).tolist()}) != 1:
        return interval_statistics(kappa.result(), kappa.statistics, kappa.left_out_texts, original=original_of)
    data = basis.select_categories(extract, parameters)
    return basis.interval_over_texts(
        collapse(data, merged) if merged else data, fleiss_kappa, missing=parameters.missing
    )


@dataclass(frozen=True, slots=True)
class CategoriesReport:
    """Each category against all others, and K with categories merged."""

    categories: list[CategoryAgreement]
    merged: Flat[MergeComparison]


@register
class Categories(ResultPage[CategoriesReport]):
    """The agreement table, each category against all others, and K with categories merged."""

    name, title = "categories", "Categories"
    template = "agreement/categories.html"
    position, tab, answers = 120, 130, NO_PYRAMIDS
    takes = {"merge": CharField(help_text="New names of categories: OLD:NEW,…")}
    chooses_coders = True

    def read_fields(self, project: Project, query: QueryDict) -> QueryDict:
        """Return the query with its `merge_CATEGORY=NAME` fields as one option; a name may be a category's label."""
        fields = {name: str(query[name]).strip() for name in query if name.startswith(MERGE_PREFIX)}
        if not fields:
            return query
        labels = read_answers(project, question=str(query.get(QUESTION, ""))).labels
        keys = {label: key for key, label in labels.items()}
        names = {
            field.removeprefix(MERGE_PREFIX): keys.get(name, name).replace(",", " ").replace(":", " ")
            for field, name in fields.items()
            if name
        }
        merged = query.copy()
        for field in fields:
            del merged[field]
        merged["merge"] = format_mapping(names)
        return merged

    def compute(self, request: AnalysisRequest) -> CategoriesReport:
        answers, parameters = request.extract, request.parameters
        classes = parse_mapping(request.options.get("merge", ""), answers.countable)
        merged = compare_merged(answers, parameters, classes)
        return CategoriesReport(compute_by_category(answers, parameters), merged)

    def tables(self, request: AnalysisRequest, report: CategoriesReport) -> list[Table]:
        answers, term = request.extract, TERMS[name_terms(request.extract.question)]
        several = " A judgement may give several labels: shares are of judgements." if answers.kind == "labels" else ""
        columns = [
            Column("category", term.capitalize(), labels=answers.labels, cell="name"),
            Column("judgements", "Judgements", "count"),
            Column("share", "Share", "percent"),
            *columns_of("figure", kappa="K", specific="Specific agreement"),
        ]
        note = (
            f"K is of the {term} against all others. Specific agreement: if one coder gives it, how often another"
            f" does.{several}"
        )
        compared = [("unchanged", report.merged.before), ("merged", report.merged.after)]
        rows = [
            (label, result.n_categories, *with_ends(result), result.observed, result.expected)
            for label, result in (compared if report.merged.merge else compared[:1])
        ]
        merged = [Column("categories", "Categories"), Column("n", "In use", "count"), Column("kappa", "K", "figure")]
        merged += [*ENDS, *columns_of("figure", observed="Observed", expected="Expected")]
        return [
            Table.of("categories", f"Each {term}", columns, report.categories, note),
            Table("collapsed", "K before and after merging", merged, rows),
        ]

    def show(self, request: AnalysisRequest) -> PageSections:
        answers, parameters, report = request.extract, request.parameters, self.compute(request)
        merge = report.merged.merge
        totals = compute_agreement_totals(answers, parameters)
        shown, rows = paginate(request, range(int(totals.rows_of_texts.sum())), PAGE_SIZE)
        dots = [Dot(answers.label(category.name), category.kappa) for category in report.categories]
        title = f"K of each {TERMS[name_terms(answers.question)]}"
        # all units of pyramids have one category
        confusion = PageSections() if answers.units else build_confusion(request, parameters)
        together = build_together(request, parameters)
        categories, merged = self.tables(request, report)
        return PageSections(
            [categories, _agreement_table(request, rows, totals), merged, *confusion.tables, *together.tables],
            [*([dots_chart("categories", title, dots, "K")] if dots else []), *confusion.charts, *together.charts],
            context={
                "kappa": compute_category_kappa(answers, parameters),
                "collapsed": report.merged,
                "fields": [
                    (answers.label(name), f"{MERGE_PREFIX}{name}", answers.label(merge.get(name, name)))
                    for name in answers.countable
                ],
                "too_many": 0 if answers.countable else len(answers.categories),
                "mappings": [
                    (mapping, request.address_with(merge=format_mapping(mapping.classes)))
                    for mapping in SavedMapping.objects.filter(project=request.project)
                ],
                "shown": shown,
            },
        )


def _agreement_table(request: AnalysisRequest, rows: list[int], totals: AgreementTotals) -> Table:
    """Return items by categories with S, and a last row for all items (the slides' agreement table)."""
    answers, query, (begin, end) = request.extract, request.query, (rows[0], rows[-1] + 1) if rows else (0, 0)
    table = compute_agreement_table(answers, request.parameters, begin, end)
    snippets, texts = read_snippets(table.units), basis.pick_texts(answers, request.parameters)
    cells: list[list[Cell]] = []
    for unit, document, counts, agreement in zip(
        table.units, table.documents.tolist(), table.counts.tolist(), table.agreement.tolist(), strict=True
    ):
        address = item_address(request.project.slug, texts[document], snippets[unit].key, query)
        cells.append([Linked(snippets[unit].words, address), *counts, agreement])
    cells.append(["all items", *totals.counts, totals.agreement])
    names = [Column(name, answers.label(name), "count", explanation="coders_per_category") for name in table.names]
    columns = [Column("item", "Item"), *names, Column("s", "S", "figure")]
    caption = f"Coders per {TERMS[name_terms(answers.question)]} and item, with S"
    note = "S is the share of the pairs of coders that agree on the item; its mean is the observed agreement."
    note += " Sets of labels agree where they are equal." if answers.kind == "labels" else ""
    return Table("table", caption, columns, cells, note)
