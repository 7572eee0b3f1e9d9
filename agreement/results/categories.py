"""What coders tell apart, and what merging categories would do."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from rest_framework.serializers import CharField

from agreement.data.project_answers import ProjectAnswers
from agreement.data.reading import read_answers
from agreement.data.texts.snippets import read_snippets
from agreement.models import Mapping as SavedMapping
from agreement.reports.fields import Flat
from agreement.reports.items import categories as reports
from agreement.reports.request.basis import pick_texts
from agreement.reports.request.parameters import QUESTION
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts, paginate
from agreement.results.figures.charts import dots_chart
from agreement.results.figures.confusion import build_confusion, build_together
from agreement.results.figures.plots import Dot
from agreement.results.labels.labels import item_address
from agreement.results.labels.settings import TERMS, name_terms
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, with_ends
from annotations.models import Project
from annotations.projects.navigation import NO_PYRAMIDS

PAGE_SIZE = 50
MERGE_PREFIX = "merge_"  # the name of a category's field in the form begins so


@dataclass(frozen=True, slots=True)
class CategoriesReport:
    """Each category against all others, and K with categories merged."""

    categories: list[reports.CategoryAgreement]
    merged: Flat[reports.MergeComparison]


@register
class Categories(ResultPage[CategoriesReport]):
    """The agreement table, each category against all others, and K with categories merged."""

    name, title = "categories", "Categories"
    template = "agreement/categories.html"
    position, tab, answers = 120, 130, NO_PYRAMIDS
    takes = {"merge": CharField(help_text="New names of categories: OLD:NEW,…")}
    chooses_coders = True

    def read_fields(self, project: Project, query: QueryDict) -> QueryDict:
        """Return a query with its fields `merge_CATEGORY=NAME` as one option; a name may be a category's label."""
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
        merged["merge"] = reports.format_mapping(names)
        return merged

    def compute(self, request: AnalysisRequest) -> CategoriesReport:
        answers, parameters = request.extract, request.parameters
        classes = reports.parse_mapping(request.options.get("merge", ""), answers.countable)
        merged = reports.compare_merged(answers, parameters, classes)
        return CategoriesReport(reports.compute_by_category(answers, parameters), merged)

    def printed(self, request: AnalysisRequest) -> list[Table]:
        report = self.compute(request)
        return [categories_table(report.categories, request.extract), merge_table(report.merged)]

    def show(self, request: AnalysisRequest) -> PageSections:
        report = self.compute(request)
        categories, comparison = report.categories, report.merged
        totals = reports.compute_agreement_totals(request.extract, request.parameters)
        shown, rows = paginate(request, range(totals.n_rows), PAGE_SIZE)
        first, last = (rows[0], rows[-1] + 1) if rows else (0, 0)
        table = reports.compute_agreement_table(request.extract, request.parameters, first, last)
        dots = [Dot(request.extract.label(one.name), one.kappa) for one in categories]
        term = TERMS[name_terms(request.extract.question)]
        # all that is compared of pyramids has one category
        confusion = TablesAndCharts([], []) if request.extract.units else build_confusion(request, request.parameters)
        together = build_together(request, request.parameters)
        return PageSections(
            tables=[
                categories_table(categories, request.extract),
                _agreement_table(request, table, totals),
                merge_table(comparison),
                *confusion.tables,
                *together.tables,
            ],
            charts=[
                *([dots_chart("categories", f"K of each {term}", dots, "K")] if dots else []),
                *confusion.charts,
                *together.charts,
            ],
            context={
                "kappa": reports.compute_category_kappa(request.extract, request.parameters),
                "collapsed": comparison,
                "fields": [
                    (
                        request.extract.label(name),
                        f"{MERGE_PREFIX}{name}",
                        request.extract.label(comparison.merge.get(name, name)),
                    )
                    for name in request.extract.countable
                ],
                "too_many": 0 if request.extract.countable else len(request.extract.categories),
                "together": bool(together.tables),
                "mappings": [
                    (one, request.address_with(merge=reports.format_mapping(one.classes)))
                    for one in SavedMapping.objects.filter(project=request.project)
                ],
                "shown": shown,
            },
        )


def categories_table(categories: list[reports.CategoryAgreement], answers: ProjectAnswers) -> Table:
    """Return each category against all others."""
    term = TERMS[name_terms(answers.question)]
    note = " A judgement may give several labels: shares are of judgements." if answers.kind == "labels" else ""
    return Table.of(
        "categories",
        f"Each {term}",
        [
            Column("category", term.capitalize(), labels=answers.labels, cell="name"),
            Column("judgements", "Judgements", "count", cell="n_judgements"),
            Column("share", "Share", "percent"),
            Column("kappa", "K", "figure"),
            Column("specific", "Specific agreement", "figure"),
        ],
        categories,
        f"K is of the {term} against all others. Specific agreement: if one coder gives it, how often another does."
        + note,
    )


def _agreement_table(request: AnalysisRequest, table: reports.AgreementTable, totals: reports.AgreementTotals) -> Table:
    """Return items by categories with S, and the marginals of all items below (the slides' agreement table)."""
    snippets = read_snippets(table.units)
    texts = pick_texts(request.extract, request.parameters)
    cells: list[list[Cell]] = []
    for unit, document, counts, agreement in zip(
        table.units, table.documents.tolist(), table.counts.tolist(), table.agreement.tolist(), strict=True
    ):
        one = snippets[unit]
        address = item_address(request.project.slug, texts[document], one.key, request.query)
        cells.append([Linked(one.words, address), *counts, agreement])
    cells.append(["all items", *totals.counts.tolist(), totals.agreement])
    return Table(
        "table",
        f"Coders per {TERMS[name_terms(request.extract.question)]} and item, with S",
        [
            Column("item", "Item"),
            *(
                Column(name, request.extract.label(name), "count", explanation="coders_per_category")
                for name in table.names
            ),
            Column("s", "S", "figure"),
        ],
        cells,
        "S is the share of the pairs of coders that agree on the item; its mean is the observed agreement."
        + (" Sets of labels agree where they are equal." if request.extract.kind == "labels" else ""),
    )


def merge_table(comparison: reports.MergeComparison) -> Table:
    """Return K with the categories as they are and as merged."""
    rows = [
        (label, one.n_categories, *with_ends(one), one.observed, one.expected)
        for label, one in (("unchanged", comparison.before), ("merged", comparison.after))
    ]
    return Table(
        "collapsed",
        "K before and after merging",
        [
            Column("categories", "Categories"),
            Column("n", "In use", "count"),
            Column("kappa", "K", "figure"),
            *ENDS,
            Column("observed", "Observed", "figure"),
            Column("expected", "Expected", "figure"),
        ],
        rows if comparison.merge else rows[:1],
    )
