"""Text by text."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse
from django.utils.http import urlencode

from agreement.asked import Asked
from agreement.figures import Chart, Dot, dots, said
from agreement.parameters import WrongParameter
from agreement.parts.part import Parts
from agreement.reports import overall
from agreement.reports.basis import interval_of
from agreement.reports.overview import RELIABLE, TENTATIVE
from agreement.tables import Cell, Column, Linked, Table
from agreement.wording import nouns_of
from annotations.progress import Progress

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
    Column("coders", "Coders", "count"),
    Column("shift", "Shift without it", "figure"),
    Column("note", "Left out"),
]
NOTE = "Intervals are over the {units} of the text; the shift is how far all texts together move without it."


def in_order(page: Asked, sort: str) -> list[overall.TextReport]:
    """The texts in the order asked for. Raises WrongParameter."""
    texts = overall.report(page.extract, page.parameters).texts
    if sort not in SORTS:
        raise WrongParameter("sort", f"{sort!r} is not one of {', '.join(SORTS)}.")
    if sort == "text":
        return list(texts)
    keys = {
        "value": lambda text: (text.result.value is None, text.result.value or 0.0),
        "shift": lambda text: (text.shift is None, -abs(text.shift or 0.0)),
        "units": lambda text: -text.result.n_units,
    }
    return sorted(texts, key=keys[sort])


def every_text(page: Asked, progress: Progress | None = None) -> Parts:
    """All texts of a project with their intervals."""
    return some_texts(page, in_order(page, page.own.get("sort") or "text"), progress)


def some_texts(page: Asked, texts: Sequence[overall.TextReport], progress: Progress | None = None) -> Parts:
    """These texts with their intervals."""
    rows: list[list[Cell]] = []
    points = []
    for done, text in enumerate(texts):
        if progress:
            progress(done, len(texts))
        place = page.extract.place(text.slug)
        interval = interval_of(page.extract, page.parameters, [place] if place else [])
        result = text.result
        note = "; ".join([*(f"{count} {why}" for why, count in result.left_out.items()), *filter(None, [result.note])])
        query = urlencode(page.parameters.query() | {"texts": text.slug})
        address = reverse("items", args=[page.project.slug]) + f"?{query}"
        figures = (result.value, interval.low, interval.high, result.observed, result.expected)
        rows.append(
            [Linked(text.title, address), text.round, *figures, result.n_units, result.n_coders, text.shift, note]
        )
        points.append(Dot(text.title, result.value, interval.low, interval.high))
    title = "Agreement by text, with 95% intervals"
    chart = Chart("texts", title, dots(points, "value", (TENTATIVE, RELIABLE)), said(points), "texts")
    return Parts(
        [Table("texts", "Text by text", COLUMNS, rows, NOTE.format(units=nouns_of(page.extract.units).units))],
        [chart] if rows else [],
    )
