"""How far each coder is from the others in each text: a table, and a heat map of it."""

from __future__ import annotations

from django.urls import reverse
from django.utils.http import urlencode

from agreement.reports.coders.texts import TextDistances, find_farthest_texts
from agreement.reports.request.basis import effective_distance
from agreement.reports.request.request import AnalysisRequest
from agreement.results.content import TablesAndCharts
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import heat_map
from agreement.results.labels.addresses import selection_of
from agreement.results.labels.labels import choice_label
from agreement.results.tables import Cell, Column, Linked, Table, format_value

MOST_TEXTS = 30  # on the page; the file of the table has all


def build_coder_texts(request: AnalysisRequest) -> TablesAndCharts:
    """Return the mean distance of each coder in each text, the texts with most disagreement first."""
    most = MOST_TEXTS if request.page is not None else None
    shown, n_texts = find_farthest_texts(request.extract, request.parameters, most)
    if not shown:
        return TablesAndCharts([], [])
    name = choice_label("distance", effective_distance(request.parameters))
    title = f"Disagreement of each coder by text: {name} distance from the others"
    coders = request.extract.coders
    rest = f" The {len(shown)} of {n_texts} texts with most; files have all." if len(shown) < n_texts else ""
    table = Table(
        "by_text",
        title,
        [
            Column("text", "Text"),
            Column("all", "All coders", "figure", explanation="all_distance"),
            *(Column(coder, coder, "figure", explanation="coder_distance") for coder in coders),
        ],
        [_row(request, one) for one in shown],
        "Mean distances, ordered by disagreement. A high figure says that a coder differs, not that they are wrong."
        + rest,
    )
    mapped = shown[:MOST_TEXTS]
    figure = heat_map(
        [one.text.label for one in mapped],
        coders,
        [one.coders for one in mapped],
        "mean distance",
        addresses=[_address(request, one) for one in mapped],
    )
    return TablesAndCharts([table], [Chart("by_text", title, figure, _describe(mapped, coders), "by_text")])


def _row(request: AnalysisRequest, one: TextDistances) -> list[Cell]:
    return [Linked(one.text.label, _address(request, one)), one.mean, *one.coders]


def _address(request: AnalysisRequest, one: TextDistances) -> str:
    """Return where the items of the text are."""
    query = urlencode(request.parameters.query() | selection_of(one.text))
    return f"{reverse('items', args=[request.project.slug])}?{query}"


def _describe(texts: list[TextDistances], coders: tuple[str, ...]) -> str:
    """Return the text with most disagreement, and the coder who is farthest from the others in any text."""
    cells = [
        (value, coder, one.text.label)
        for one in texts
        for coder, value in zip(coders, one.coders, strict=True)
        if value is not None
    ]
    value, coder, title = max(cells, key=lambda cell: cell[0])
    first = texts[0]
    return (
        f"Most disagreement in {first.text.label}, {format_value(first.mean, 'figure')}; farthest from the others is"
        f" {coder} in {title}, {format_value(value, 'figure')}."
    )
