"""Where in a text coders part: bars along it, and tenths of several texts as a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.urls import reverse
from django.utils.http import urlencode

from agreement.data.documents import Document
from agreement.data.texts.snippets import Snippet
from agreement.measures.values import Ints
from agreement.reports.items.items import Items, compute_items
from agreement.reports.request.request import AnalysisRequest
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart, Step, heat_map, position_chart
from agreement.results.labels import item_address, selection_of
from agreement.results.tables import Cell, Column, Linked, Table, format_value

MOST_STEPS = 150  # bars; of a longer text each is of several items
TENTHS = 10
UNIT = "disagreement"


@dataclass(frozen=True, slots=True)
class PositionBin:
    """Items at positions of a text, from 1: how many are shown, and the row with most disagreement."""

    first: int
    last: int
    n: int
    mean: float
    highest: int


def bin_positions(items: Items, selected: Ints) -> list[PositionBin]:
    """Return the selected items, in ascending rows, by their position in their text; nothing for several texts."""
    if len(selected) < 2 or items.text[selected[0]] != items.text[selected[-1]]:
        return []
    of_text = np.flatnonzero(items.text == items.text[selected[0]])
    width = -(-len(of_text) // MOST_STEPS)
    number = (selected - of_text[0]) // width
    bins = []
    for place in sorted(set(number.tolist())):
        rows = selected[number == place]
        distances = items.distance_of(rows)
        first, last = place * width + 1, min((place + 1) * width, len(of_text))
        bins.append(PositionBin(first, last, len(rows), float(distances.mean()), int(rows[distances.argmax()])))
    return bins


def build_positions(
    request: AnalysisRequest, items: Items, bins: Sequence[PositionBin], snippets: Mapping[int, Snippet]
) -> PageSections:
    """Return the disagreement along a text; `snippets` has the items with most disagreement."""
    if not bins:
        return PageSections()
    text = items.texts[items.text[bins[0].highest]]
    steps = []
    for place in bins:
        snippet = snippets[int(items.unit[place.highest])]
        address = item_address(request.project.slug, text, snippet.key, request.full_query)
        steps.append(Step(place.first, place.last, snippet.keyword.words, place.mean, address))
    title = f"Disagreement along {text.label}"
    rows: list[list[Cell]] = [
        [step.positions, Linked(step.words, step.address), place.n, place.mean, float(items.distance_of(place.highest))]
        for step, place in zip(steps, bins, strict=True)
    ]
    columns = [
        Column("position", "Position"),
        Column("words", "Most disagreement", explanation="most_apart"),
        Column("items", "Items", "count"),
        Column("mean", "Disagreement", "figure", explanation="item_distance"),
        Column("highest", "Highest", "figure", explanation="item_distance"),
    ]
    note = "The mean distance of the values of two coders on the item or items."
    top = max(steps, key=lambda step: step.value)
    n, highest = sum(place.n for place in bins), format_value(top.value, "figure")
    words = f"{n} items; most at {top.positions}, “{top.words}”, {highest}."
    chart = Chart("positions", title, position_chart(steps, UNIT), words, "positions")
    return PageSections([Table("positions", title, columns, rows, note)], [chart])


def build_tenths(request: AnalysisRequest, texts: Sequence[Document]) -> PageSections:
    """Return the disagreement in each tenth of these texts, those without an item left out."""
    if not texts:
        return PageSections()
    chosen = replace(request.parameters, texts=",".join(text.slug for text in texts), rounds="")
    items = compute_items(request.extract, chosen)
    number = {text.pk: place for place, text in enumerate(items.texts)}
    found = [(text, _mean_by_tenth(items, np.flatnonzero(items.text == number[text.pk]))) for text in texts]
    rows = [(text, means) for text, means in found if any(value is not None for value in means)]
    if not rows:
        return PageSections()
    title = "Disagreement along each text, by tenth of its items"
    page, asked = reverse("items", args=[request.project.slug]), request.parameters.query()
    addresses = [f"{page}?{urlencode(asked | selection_of(text))}" for text, _ in rows]
    tenths = [str(number) for number in range(1, TENTHS + 1)]
    columns = [Column(f"tenth_{one}", one, "figure", explanation="tenth") for one in tenths]
    cells = [[Linked(text.label, address), *means] for (text, means), address in zip(rows, addresses, strict=True)]
    note = "Mean distances of the values of two coders. A tenth without an item is empty."
    labels, values = [text.label for text, _ in rows], [means for _, means in rows]
    axes, links = ("", "tenth of the text"), [[address] * TENTHS for address in addresses]
    figure = heat_map(labels, tenths, values, UNIT, axes, links)
    value, label, tenth = max(
        (value, label, tenth)
        for label, means in zip(labels, values, strict=True)
        for tenth, value in enumerate(means, start=1)
        if value is not None
    )
    words = f"Most in tenth {tenth} of {label}, {format_value(value, 'figure')}."
    chart = Chart("tenths", title, figure, words, "tenths")
    return PageSections([Table("tenths", title, [Column("text", "Text"), *columns], cells, note)], [chart])


def _mean_by_tenth(items: Items, rows: Ints) -> list[float | None]:
    tenth = np.arange(len(rows)) * TENTHS // max(len(rows), 1)
    numbers = np.bincount(tenth, minlength=TENTHS)
    totals = np.bincount(tenth, weights=items.distance_of(rows), minlength=TENTHS)
    return [total / number if number else None for total, number in zip(totals.tolist(), numbers.tolist(), strict=True)]
