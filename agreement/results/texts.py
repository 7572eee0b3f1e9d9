"""The coefficient in each text, and what becomes of that of all texts without it."""

from collections.abc import Sequence

from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import ChoiceField

from agreement.data.documents import Document
from agreement.measures import Interval
from agreement.reports.overall.overall import RELIABLE, TENTATIVE, TextReport, compute_report
from agreement.reports.request.basis import compute_interval, pick_texts, remembered
from agreement.reports.request.parameters import check_choice
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import name_components
from agreement.results.computations import ResultPage, register
from agreement.results.content import PageSections, paginate
from agreement.results.figures.charts import Dot, dots_chart
from agreement.results.figures.sections import build_tenths
from agreement.results.labels import selection_of
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


@register
class Texts(ResultPage[PageSections]):
    """The coefficient in each text, and what becomes of that of all texts without it."""

    name, title = "texts", "By text"
    template = "agreement/overall/texts.html"
    is_kept = True
    position, tab = 60, 140
    takes = {"sort": ChoiceField(SORTS)}
    work = 60

    def compute(self, request: AnalysisRequest) -> PageSections:
        return _build_texts(request, _sort_texts(request))

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the texts of one page, or all of them, whose intervals take long."""
        shown, rows = paginate(request, _sort_texts(request), PAGE_SIZE)
        sections = self.sections(request) if request.page is None else _build_texts(request, rows)
        current = request.options.get("sort") or "text"
        tenths = build_tenths(request, rows)
        return sections.extended(
            tenths.tables,
            tenths.charts,
            shown=shown,
            sorts=[(name, request.address_with(sort=name), name == current) for name in SORTS],
            report=compute_report(request.extract, request.parameters),
        )


def _sort_texts(request: AnalysisRequest) -> list[Document]:
    report, sort = compute_report(request.extract, request.parameters), request.options.get("sort") or "text"
    check_choice("sort", sort, SORTS)
    if sort == "text":
        return list(pick_texts(report.extract, report.parameters))
    keys = {
        "value": lambda text: (text.result.value is None, text.result.value or 0.0),
        "shift": lambda text: (text.shift is None, -abs(text.shift or 0.0)),
        "units": lambda text: -text.result.n_units,
    }
    return [one.text for one in sorted(report.texts, key=keys[sort])]


def _build_texts(request: AnalysisRequest, texts: Sequence[Document]) -> PageSections:
    def compute() -> list[tuple[TextReport, Interval]]:
        report, rows = compute_report(request.extract, request.parameters), []
        for done, text in enumerate(texts):
            if request.progress:
                request.progress(done, len(texts))
            rows.append((report.of_text(text), compute_interval(request.extract, request.parameters, [text])))
        return rows

    key = ("by text", request.parameters, tuple(text.pk for text in texts))
    cells: list[list[Cell]] = []
    dots = []
    for one, interval in remembered(request.extract, key, compute):
        text, result = one.text, one.result
        notes = [*(f"{count} {why}" for why, count in result.left_out.items()), *filter(None, [result.note])]
        query = urlencode(request.parameters.query() | selection_of(text))
        link = Linked(text.title, f"{reverse('items', args=[request.project.slug])}?{query}")
        figures = (result.value, interval.low, interval.high, result.observed, result.expected)
        counts = (result.n_units, result.n_coders)
        cells.append([link, text.round, *figures, *counts, one.shift, "; ".join(notes)])
        dots.append(Dot(text.label, result.value, interval.low, interval.high))
    note = (
        f"The CI of one text is over {name_components(request.extract)}, in eight groups. The change is that of the"
        " value of all texts when the text is left out."
    )
    chart = dots_chart("texts", "Agreement by text, with 95% CI", dots, "value", (TENTATIVE, RELIABLE))
    return PageSections([Table("texts", "By text", COLUMNS, cells, note)], [chart] if dots else [])
