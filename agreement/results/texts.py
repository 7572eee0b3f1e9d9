"""The coefficient in each text, and what becomes of that of all texts without it."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import ChoiceField

from agreement.data.documents import Document
from agreement.reports.overall import overall
from agreement.reports.overall.overall import RELIABLE, TENTATIVE
from agreement.reports.request.basis import compute_interval, pick_texts
from agreement.reports.request.parameters import check_choice
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import name_components
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts, paginate
from agreement.results.figures.charts import dots_chart
from agreement.results.figures.plots import Dot
from agreement.results.figures.positions import build_tenths
from agreement.results.labels.labels import selection_of
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Linked, Table

PAGE_SIZE = 25
SORTS = ("text", "value", "shift", "units")
COLUMNS = [
    Column("text", "Text"),
    Column("round", "Round"),
    Column("value", "Value", "figure"),
    *ENDS,
    Column("observed", "Observed", "figure"),
    Column("expected", "Expected", "figure"),
    Column("units", "Units", "count"),
    Column("coders", "Coders", "count", explanation="number_of_coders"),
    Column("shift", "Change without the text", "figure"),
    Column("note", "Left out"),
]
NOTE = (
    "The CI of one text is over {components}, in eight groups. The change is that of the value of all"
    " texts when the text is left out."
)


@register
class Texts(ResultPage[TablesAndCharts]):
    """The coefficient in each text, and what becomes of that of all texts without it."""

    name, title = "texts", "By text"
    template = "agreement/overall/texts.html"
    position, tab = 60, 140
    takes = {"sort": ChoiceField(SORTS)}
    work = 60

    def compute(self, request: AnalysisRequest) -> TablesAndCharts:
        return build_texts(request, sort_texts(request))

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the texts of one page, or all of them, whose intervals take long."""
        shown, rows = paginate(request, sort_texts(request), PAGE_SIZE)
        if request.page is None:
            sections = self.sections(request)
        else:
            content = build_texts(request, rows)
            sections = PageSections(content.tables, content.charts)
        current = request.options.get("sort") or "text"
        tenths = build_tenths(request, rows)
        return sections.extended(
            tenths.tables,
            tenths.charts,
            shown=shown,
            sorts=[(name, request.address_with(sort=name), name == current) for name in SORTS],
            report=overall.compute_report(request.extract, request.parameters),
        )


def sort_texts(request: AnalysisRequest) -> list[Document]:
    """Return the texts in the order that is asked for. Raises InvalidParameter."""
    report, sort = overall.compute_report(request.extract, request.parameters), request.options.get("sort") or "text"
    check_choice("sort", sort, SORTS)
    if sort == "text":
        return list(pick_texts(report.extract, report.parameters))
    keys = {
        "value": lambda text: (text.result.value is None, text.result.value or 0.0),
        "shift": lambda text: (text.shift is None, -abs(text.shift or 0.0)),
        "units": lambda text: -text.result.n_units,
    }
    return [one.text for one in sorted(report.texts, key=keys[sort])]


def build_texts(request: AnalysisRequest, texts: Sequence[Document]) -> TablesAndCharts:
    """Return these texts with their intervals."""
    report = overall.compute_report(request.extract, request.parameters)
    rows: list[list[Cell]] = []
    points = []
    for done, text in enumerate(texts):
        if request.progress:
            request.progress(done, len(texts))
        one = report.of_text(text)
        result = one.result
        interval = compute_interval(request.extract, request.parameters, [text])
        note = "; ".join([*(f"{count} {why}" for why, count in result.left_out.items()), *filter(None, [result.note])])
        query = urlencode(request.parameters.query() | selection_of(text))
        address = reverse("items", args=[request.project.slug]) + f"?{query}"
        figures = (result.value, interval.low, interval.high, result.observed, result.expected)
        rows.append(
            [Linked(text.title, address), text.round, *figures, result.n_units, result.n_coders, one.shift, note]
        )
        points.append(Dot(text.label, result.value, interval.low, interval.high))
    chart = dots_chart("texts", "Agreement by text, with 95% CI", points, "value", (TENTATIVE, RELIABLE))
    return TablesAndCharts(
        [Table("texts", "By text", COLUMNS, rows, NOTE.format(components=name_components(request.extract)))],
        [chart] if rows else [],
    )
