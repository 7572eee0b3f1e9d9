"""Which categories coders confuse: a table, and a heat map of it."""

from __future__ import annotations

from agreement.reports.coders.coders import confusion_matrix
from agreement.reports.parameters import Parameters
from agreement.reports.request import AnalysisRequest
from agreement.sections.charts import Chart, heat_map
from agreement.sections.content import TablesAndCharts
from agreement.sections.tables import Column, Table

MOST_NAMED = 3  # pairs of categories that the words of the chart name


def build_confusion(
    request: AnalysisRequest, parameters: Parameters, pair: tuple[str, str] | None = None
) -> TablesAndCharts:
    """Return how often category meets category, of all pairs of coders or of two: rows are those of the first."""
    counts: list[list[int]] = confusion_matrix(request.project_answers, parameters, pair).tolist()
    names = request.extract.countable
    if not names:
        return TablesAndCharts([], [])
    labels = [request.extract.label(name) for name in names]
    caption = f"Categories of {pair[0]} (rows) and {pair[1]} (columns)" if pair else "Category confusion"
    table = Table(
        "confusion",
        caption,
        [
            Column("category", "Category", labels=request.extract.labels),
            *(Column(name, label, "count", explanation="confusion") for name, label in zip(names, labels, strict=True)),
        ],
        [(name, *row) for name, row in zip(names, counts, strict=True)],
        "" if pair else "Each pair of coders on an item counts once in each order.",
    )
    if not any(map(any, counts)):
        return TablesAndCharts([table], [])
    unit = "items" if pair else "pairs of judgements"
    figure = heat_map(labels, labels, counts, unit, pair or ("category of one coder", "category of another"))
    chart = Chart(
        "confusion", f"{caption}, {unit}", figure, _describe(labels, counts, two=pair is not None), "confusion"
    )
    return TablesAndCharts([table], [chart])


def _describe(labels: list[str], counts: list[list[int]], *, two: bool) -> str:
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
    words = f"The same category in {equal:,} of {n:,}."
    return f"{words} Different ones most often: {different}." if different else words
