"""Which categories coders confuse: a table, and a heat map of it."""

from __future__ import annotations

from agreement.reports.coders.coders import confusion_matrix, count_together
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, heat_map
from agreement.sections.labels.settings import TERMS, name_terms
from agreement.sections.tables import Column, Table

ORDERS = "Each pair of coders on an item counts once in each order."
ALONE = (
    "What both gave stands on the diagonal; what one gave alone meets what the other gave alone. A label that one gave"
    " where the other gave nothing else is in no cell."
)
MOST_NAMED = 3  # pairs of categories that the words of the chart name


def build_confusion(
    request: AnalysisRequest, parameters: Parameters, pair: tuple[str, str] | None = None
) -> TablesAndCharts:
    """Return how often category meets category, of all pairs of coders or of two: rows are those of the first."""
    names = request.extract.countable
    if not names:
        return TablesAndCharts([], [])
    counts: list[list[int]] = confusion_matrix(request.project_answers, parameters, pair).tolist()
    labels = [request.extract.label(name) for name in names]
    terms, of_labels = name_terms(request.extract.question), request.extract.kind == "labels"
    term = TERMS[terms]
    of_pair = pair and f"{terms.capitalize()} of {pair[0]} (rows) and {pair[1]} (columns)"
    caption = of_pair or f"{term.capitalize()} confusion"
    table = Table(
        "confusion",
        caption,
        [
            Column("category", term.capitalize(), labels=request.extract.labels),
            *(Column(name, label, "count", explanation="confusion") for name, label in zip(names, labels, strict=True)),
        ],
        [(name, *row) for name, row in zip(names, counts, strict=True)],
        " ".join(filter(None, ["" if pair else ORDERS, ALONE if of_labels else ""])),
    )
    if not any(map(any, counts)):
        return TablesAndCharts([table], [])
    unit = "items" if pair else "pairs of judgements"
    figure = heat_map(labels, labels, counts, unit, pair or (f"{term} of one coder", f"{term} of another"))
    chart = Chart(
        "confusion", f"{caption}, {unit}", figure, _describe(term, labels, counts, two=pair is not None), "confusion"
    )
    return TablesAndCharts([table], [chart])


def build_together(request: AnalysisRequest, parameters: Parameters) -> TablesAndCharts:
    """Return how often label and label are given together in one judgement; nothing where there are no sets of them."""
    names = request.extract.countable
    if request.extract.kind != "labels" or not names:
        return TablesAndCharts([], [])
    counts: list[list[int]] = count_together(request.extract, parameters).tolist()
    labels = [request.extract.label(name) for name in names]
    table = Table(
        "together",
        "Labels given together",
        [
            Column("category", "Label", labels=request.extract.labels),
            *(Column(name, label, "count", explanation="together") for name, label in zip(names, labels, strict=True)),
        ],
        [(name, *row) for name, row in zip(names, counts, strict=True)],
        "On the diagonal: how many judgements give the label.",
    )
    if not any(map(any, counts)):
        return TablesAndCharts([table], [])
    figure = heat_map(labels, labels, counts, "judgements", ("label", "label"))
    size = range(len(labels))
    pairs = [(counts[a][b], labels[a], labels[b]) for a in size for b in size if a < b and counts[a][b]]
    most = sorted(pairs, key=lambda one: -one[0])[:MOST_NAMED]
    words = "; ".join(f"{first} and {second} {number:,}" for number, first, second in most)
    described = f"Most often together: {words}." if words else "No two labels are given together."
    return TablesAndCharts(
        [table], [Chart("together", "Labels given together, judgements", figure, described, "together")]
    )


def _describe(term: str, labels: list[str], counts: list[list[int]], *, two: bool) -> str:
    """Return how much is equal, and the different categories that meet most, in words."""
    n = sum(map(sum, counts))
    equal = sum(row[place] for place, row in enumerate(counts))
    size = range(len(labels))
    # of all coders the matrix is symmetric: each two categories once
    pairs = [
        (counts[a][b], labels[a], labels[b]) for a in size for b in size if a != b and (two or a < b) and counts[a][b]
    ]
    most = sorted(pairs, key=lambda one: -one[0])[:MOST_NAMED]
    different = "; ".join(f"{first} and {second} {number:,}" for number, first, second in most)
    words = f"The same {term} in {equal:,} of {n:,}."
    return f"{words} Different ones most often: {different}." if different else words
