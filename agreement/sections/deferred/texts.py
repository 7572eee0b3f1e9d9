"""The coefficient in each text."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse
from django.utils.http import urlencode

from agreement.data.answers.contents import TextEntry, load_answers
from agreement.data.extract.reading import MOST_READ_AT_ONCE
from agreement.reports.overall import overall
from agreement.reports.overall.overview import RELIABLE, TENTATIVE
from agreement.reports.request.basis import compute_interval, pick_texts
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import name_components
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot
from agreement.sections.labels.addresses import selection_of
from agreement.sections.tables import Cell, Column, Linked, Table
from annotations.core.processes.progress import Progress

SORTS = ("text", "value", "shift", "units")
COLUMNS = [
    Column("text", "Text"),
    Column("round", "Round"),
    Column("value", "Value", "figure"),
    Column("low", "from", "figure"),
    Column("high", "to", "figure"),
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


def sort_texts(request: AnalysisRequest, parameters: Parameters, sort: str) -> list[TextEntry]:
    """Return the texts in an order, one of SORTS. Raises InvalidParameter."""
    report = overall.compute_report(request.extract, parameters)
    if sort not in SORTS:
        raise InvalidParameter("sort", f"{sort!r} is not one of {', '.join(SORTS)}.")
    if sort == "text":
        return list(pick_texts(report.extract, report.parameters))
    keys = {
        "value": lambda text: (text.result.value is None, text.result.value or 0.0),
        "shift": lambda text: (text.shift is None, -abs(text.shift or 0.0)),
        "units": lambda text: -text.result.n_units,
    }
    return [one.text for one in sorted(report.texts, key=keys[sort])]


def build_all_texts(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return all texts of a project with their intervals."""
    texts = sort_texts(request, request.parameters, request.options.get("sort") or "text")
    return build_texts(request, texts, progress)


def build_texts(
    request: AnalysisRequest, texts: Sequence[TextEntry], progress: Progress | None = None
) -> TablesAndCharts:
    """Return these texts with their intervals."""
    report = overall.compute_report(request.extract, request.parameters)
    load_answers(texts[:MOST_READ_AT_ONCE])  # together, for the intervals
    rows: list[list[Cell]] = []
    points = []
    for done, text in enumerate(texts):
        if progress:
            progress(done, len(texts))
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
    title = "Agreement by text, with 95% CI"
    chart = Chart("texts", title, dot_plot(points, "value", (TENTATIVE, RELIABLE)), describe_dots(points), "texts")
    return TablesAndCharts(
        [Table("texts", "By text", COLUMNS, rows, NOTE.format(components=name_components(request.extract)))],
        [chart] if rows else [],
    )
