"""Tables and charts of several pages: confusion of categories, disagreement along texts, and times."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from django.urls import reverse
from django.utils.http import urlencode

from agreement.data.documents import Document
from agreement.data.texts import Snippet
from agreement.measures.values import Ints
from agreement.reports.coders.coders import confusion_matrix, count_together
from agreement.reports.coders.profiles import count_by_day, read_project_work, summarize_times
from agreement.reports.items import Items, compute_items
from agreement.reports.parameters import Parameters
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import TERMS, item_address, name_terms, selection_of
from agreement.results.computations import PageSections
from agreement.results.figures.charts import Chart, Dot, Step, dot_plot, heat_map, position_chart, small_multiples
from agreement.results.tables import Cell, Column, Linked, Table, columns_of, format_value

ORDERS = "Each pair of coders on an item counts once in each order."
ALONE = (
    "What both gave stands on the diagonal; what one gave alone meets what the other gave alone. A label that one gave"
    " where the other gave nothing else is in no cell."
)
MAX_NAMED = 3  # pairs of categories in the description of the chart


def build_square(
    request: AnalysisRequest,
    key: str,
    caption: str,
    names: Sequence[str],
    counts: list[list[int]],
    unit: str,
    axes: tuple[str, str],
    words: str,
    *,
    explanation: str = "",
    note: str = "",
) -> PageSections:
    """Return a table of names by names, and a chart that `words` describe if any count is above 0."""
    labels = [request.extract.label(name) for name in names]
    term = TERMS[name_terms(request.extract.question)].capitalize()
    columns = [Column("category", term, labels=request.extract.labels)]
    columns += [Column(*pair, "count", explanation=explanation or key) for pair in zip(names, labels, strict=True)]
    rows: list[list[Cell]] = [[name, *row] for name, row in zip(names, counts, strict=True)]
    chart = Chart(key, f"{caption}, {unit}", heat_map(labels, labels, counts, unit, axes), words, key)
    return PageSections([Table(key, caption, columns, rows, note)], [chart] if any(map(any, counts)) else [])


def build_confusion(
    request: AnalysisRequest, parameters: Parameters, pair: tuple[str, str] | None = None
) -> PageSections:
    """Return the confusion of categories in all pairs of coders, or in one pair, whose first coder has the rows."""
    names = request.extract.countable
    if not names:
        return PageSections()
    counts: list[list[int]] = confusion_matrix(request.project_answers, parameters, pair).tolist()
    terms, of_labels = name_terms(request.extract.question), request.extract.kind == "labels"
    term = TERMS[terms]
    of_pair = pair and f"{terms.capitalize()} of {pair[0]} (rows) and {pair[1]} (columns)"
    caption, unit = of_pair or f"{term.capitalize()} confusion", "items" if pair else "pairs of judgements"
    axes = pair or (f"{term} of one coder", f"{term} of another")
    note = " ".join(filter(None, ["" if pair else ORDERS, ALONE if of_labels else ""]))
    different = _name_most(request, counts, two=pair is not None)
    words = describe_equal(term, counts) + (f" Different ones most often: {different}." if different else "")
    return build_square(request, "confusion", caption, names, counts, unit, axes, words, note=note)


def build_together(request: AnalysisRequest, parameters: Parameters) -> PageSections:
    """Return how often two labels are given in one judgement; empty if judgements have no sets of labels."""
    names = request.extract.countable
    if request.extract.kind != "labels" or not names:
        return PageSections()
    counts: list[list[int]] = count_together(request.extract, parameters).tolist()
    most = _name_most(request, counts, two=False)
    words = f"Most often together: {most}." if most else "No two labels are given together."
    about, note = ("judgements", ("label", "label"), words), "On the diagonal: how many judgements give the label."
    return build_square(request, "together", "Labels given together", names, counts, *about, note=note)


def _name_most(request: AnalysisRequest, counts: list[list[int]], *, two: bool) -> str:
    """Return the most frequent pairs of different names in words; both orders count only for `two` named coders."""
    labels = [request.extract.label(name) for name in request.extract.countable]
    pairs = [
        (number, labels[a], labels[b])
        for a, row in enumerate(counts)
        for b, number in enumerate(row)
        if number and a != b and (two or a < b)
    ]
    most = sorted(pairs, key=lambda pair: -pair[0])[:MAX_NAMED]
    return "; ".join(f"{first} and {second} {number:,}" for number, first, second in most)


def describe_equal(term: str, counts: list[list[int]]) -> str:
    """Return the number of equal answers in words."""
    return f"The same {term} in {sum(row[place] for place, row in enumerate(counts)):,} of {sum(map(sum, counts)):,}."


MAX_STEPS = 150  # bars; in a longer text each has several items
TENTHS = 10
UNIT = "disagreement"


def bin_positions(items: Items, selected: Ints) -> list[Step]:
    """Return steps of items by position in their text; empty for several texts. `selected` has ascending rows."""
    if len(selected) < 2 or items.text[selected[0]] != items.text[selected[-1]]:
        return []
    of_text = np.flatnonzero(items.text == items.text[selected[0]])
    width, steps = -(-len(of_text) // MAX_STEPS), []
    number = (selected - of_text[0]) // width
    for place in sorted(set(number.tolist())):
        rows = selected[number == place]
        distances = items.distance_of(rows)
        first, last = place * width + 1, min((place + 1) * width, len(of_text))
        steps.append(Step(first, last, len(rows), float(distances.mean()), int(rows[distances.argmax()])))
    return steps


def build_positions(
    request: AnalysisRequest, items: Items, bins: Sequence[Step], snippets: Mapping[int, Snippet]
) -> PageSections:
    """Return the disagreement along a text; `snippets` has the highest item of each bin."""
    if not bins:
        return PageSections()
    text = items.texts[items.text[bins[0].highest]]
    steps = []
    for step in bins:
        snippet = snippets[int(items.unit[step.highest])]
        address = item_address(request.project.slug, text, snippet.key, request.full_query)
        steps.append(replace(step, words=snippet.keyword.words, address=address))
    title = f"Disagreement along {text.label}"
    highest = {step: float(items.distance_of(step.highest)) for step in steps}
    columns = [
        Column("position", "Position", cell="positions"),
        Column("words", "Most disagreement", explanation="most_apart", cell=lambda row: Linked(row.words, row.address)),
        Column("items", "Items", "count", cell="n"),
        Column("mean", "Disagreement", "figure", explanation="item_distance"),
        Column("highest", "Highest", "figure", explanation="item_distance", cell=highest.get),
    ]
    note = "The mean distance of the values of two coders on the item or items."
    top, n = max(steps, key=lambda step: step.mean), sum(step.n for step in steps)
    words = f"{n} items; most at {top.positions}, “{top.words}”, {format_value(top.mean, 'figure')}."
    chart = Chart("positions", title, position_chart(steps, UNIT), words, "positions")
    return PageSections([Table.of("positions", title, columns, steps, note)], [chart])


def build_tenths(request: AnalysisRequest, texts: Sequence[Document]) -> PageSections:
    """Return the disagreement in each tenth of these texts; texts without items are left out."""
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
    columns = [Column(f"tenth_{tenth}", tenth, "figure", explanation="tenth") for tenth in tenths]
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


MAX_DAYS = 60  # the latest days, on the page; files have all
MAX_CODERS = 20  # those with most judgements, in the chart


def build_times(request: AnalysisRequest) -> PageSections:
    """Return the median and quartiles of each coder's times per judgement."""
    times = read_project_work(request.project, request.project_answers).judgement_times
    rows = summarize_times(request.extract, request.parameters, times)
    if not rows:
        return PageSections()
    unit = "contributor" if request.extract.units else "judgement"
    title = f"Time per {unit}, median and quartiles"
    columns = [
        Column("coder", "Coder"),
        Column("judgements", f"{unit.capitalize()}s", "count", explanation="timed", cell="n"),
        *columns_of("seconds", first_quartile="First quartile", median="Median", third_quartile="Third quartile"),
    ]
    note = f"Working time before the changes of each {unit}, added up; gaps of over five minutes are pauses."
    figure = dot_plot([Dot(row.coder, row.median, row.first_quartile, row.third_quartile) for row in rows], "seconds")
    figure["layout"]["xaxis"]["rangemode"] = "tozero"
    read = partial(format_value, kind="seconds")
    words = " ".join(
        f"{row.coder}: {read(row.median)}, half of them {read(row.first_quartile)} to {read(row.third_quartile)}."
        for row in rows
    )
    chart = Chart("times", title, figure, words, "times")
    return PageSections([Table.of("times", title, columns, rows, note)], [chart])


def build_days(request: AnalysisRequest) -> PageSections:
    """Return the number of markables that each coder judged per day."""
    times = read_project_work(request.project, request.project_answers).judgement_times
    counts = count_by_day(request.extract, request.parameters, times)
    if not counts.days:
        return PageSections()
    first = max(len(counts.days) - MAX_DAYS, 0)
    latest, hidden = counts.days[first:], 0 if request.page is None else first
    unit = "contributors" if request.extract.units else "judgements"
    title = f"{unit.capitalize()} per day, by coder"
    rest = f" The last {len(latest)} of {len(counts.days)} days; files have all." if hidden else ""
    columns = [Column(coder, coder, "count", explanation="judgements_of_day") for coder in counts.coders]
    rows = [[day.isoformat(), *of_day] for day, *of_day in zip(counts.days, *counts.coders.values(), strict=True)]
    note = "What is judged again later counts on the first day. Imported judgements have no day." + rest
    table = Table("days", title, [Column("day", "Day"), *columns], rows[hidden:], note)
    by_work = sorted(counts.coders, key=lambda coder: -sum(counts.coders[coder]))[:MAX_CODERS]
    series = {coder: of_coder[first:] for coder, of_coder in counts.coders.items() if coder in by_work}
    totals = ", ".join(f"{coder} {sum(values):,}" for coder, values in series.items())
    drawn = f" The {len(series)} of {len(counts.coders)} coders with most." if len(series) < len(counts.coders) else ""
    words = f"{latest[0].isoformat()} to {latest[-1].isoformat()}: {totals} in {len(latest)} days with work.{drawn}"
    figure = small_multiples([day.isoformat() for day in latest], series)
    return PageSections([table], [Chart("days", title, figure, words, "days")])
