"""What coders tell apart, and what merging categories would do."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict
from rest_framework.serializers import CharField

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

    def tables(self, request: AnalysisRequest, report: CategoriesReport) -> list[Table]:
        answers, term = request.extract, TERMS[name_terms(request.extract.question)]
        several = " A judgement may give several labels: shares are of judgements." if answers.kind == "labels" else ""
        compared = [("unchanged", report.merged.before), ("merged", report.merged.after)]
        return [
            Table.of(
                "categories",
                f"Each {term}",
                [
                    Column("category", term.capitalize(), labels=answers.labels, cell="name"),
                    Column("judgements", "Judgements", "count", cell="n_judgements"),
                    Column("share", "Share", "percent"),
                    Column("kappa", "K", "figure"),
                    Column("specific", "Specific agreement", "figure"),
                ],
                report.categories,
                f"K is of the {term} against all others. Specific agreement: if one coder gives it, how often another"
                f" does.{several}",
            ),
            Table(
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
                [
                    (label, one.n_categories, *with_ends(one), one.observed, one.expected)
                    for label, one in (compared if report.merged.merge else compared[:1])
                ],
            ),
        ]

    def show(self, request: AnalysisRequest) -> PageSections:
        answers, parameters, report = request.extract, request.parameters, self.compute(request)
        merge = report.merged.merge
        totals = reports.compute_agreement_totals(answers, parameters)
        shown, rows = paginate(request, range(totals.n_rows), PAGE_SIZE)
        dots = [Dot(answers.label(one.name), one.kappa) for one in report.categories]
        title = f"K of each {TERMS[name_terms(answers.question)]}"
        # all that is compared of pyramids has one category
        confusion = TablesAndCharts([], []) if answers.units else build_confusion(request, parameters)
        together = build_together(request, parameters)
        categories, merged = self.tables(request, report)
        return PageSections(
            [categories, _agreement_table(request, rows, totals), merged, *confusion.tables, *together.tables],
            [
                *([dots_chart("categories", title, dots, "K")] if dots else []),
                *confusion.charts,
                *together.charts,
            ],
            context={
                "kappa": reports.compute_category_kappa(answers, parameters),
                "collapsed": report.merged,
                "fields": [
                    (answers.label(name), f"{MERGE_PREFIX}{name}", answers.label(merge.get(name, name)))
                    for name in answers.countable
                ],
                "too_many": 0 if answers.countable else len(answers.categories),
                "together": bool(together.tables),
                "mappings": [
                    (one, request.address_with(merge=reports.format_mapping(one.classes)))
                    for one in SavedMapping.objects.filter(project=request.project)
                ],
                "shown": shown,
            },
        )


def _agreement_table(request: AnalysisRequest, rows: list[int], totals: reports.AgreementTotals) -> Table:
    """Return items by categories with S, and the marginals of all items below (the slides' agreement table)."""
    answers, (begin, end) = request.extract, (rows[0], rows[-1] + 1) if rows else (0, 0)
    table = reports.compute_agreement_table(answers, request.parameters, begin, end)
    snippets, texts = read_snippets(table.units), pick_texts(answers, request.parameters)
    cells: list[list[Cell]] = []
    for unit, document, counts, agreement in zip(
        table.units, table.documents.tolist(), table.counts.tolist(), table.agreement.tolist(), strict=True
    ):
        address = item_address(request.project.slug, texts[document], snippets[unit].key, request.query)
        cells.append([Linked(snippets[unit].words, address), *counts, agreement])
    cells.append(["all items", *totals.counts.tolist(), totals.agreement])
    columns = [Column(name, answers.label(name), "count", explanation="coders_per_category") for name in table.names]
    return Table(
        "table",
        f"Coders per {TERMS[name_terms(answers.question)]} and item, with S",
        [Column("item", "Item"), *columns, Column("s", "S", "figure")],
        cells,
        "S is the share of the pairs of coders that agree on the item; its mean is the observed agreement."
        + (" Sets of labels agree where they are equal." if answers.kind == "labels" else ""),
    )
