"""Which categories coders confuse: a table, and a heat map of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agreement.reports.coders.coders import confusion_matrix, count_together
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart, heat_map
from agreement.results.labels import TERMS, name_terms
from agreement.results.tables import Cell, Column, Table

ORDERS = "Each pair of coders on an item counts once in each order."
ALONE = (
    "What both gave stands on the diagonal; what one gave alone meets what the other gave alone. A label that one gave"
    " where the other gave nothing else is in no cell."
)
MOST_NAMED = 3  # pairs of categories that the words of the chart name


@dataclass(frozen=True, slots=True)
class Square:
    """How often name meets name: a table, and a chart of it; `axes` are what its rows and columns are."""

    key: str
    caption: str
    names: Sequence[str]
    counts: list[list[int]]
    unit: str
    axes: tuple[str, str]
    explanation: str
    note: str = ""

    def build(self, request: AnalysisRequest, describe: Callable[[list[str]], str]) -> PageSections:
        """Return the table, and where anything is counted the chart, which `describe` says in words."""
        labels = [request.extract.label(name) for name in self.names]
        term = TERMS[name_terms(request.extract.question)].capitalize()
        columns = [
            Column("category", term, labels=request.extract.labels),
            *(Column(*pair, "count", explanation=self.explanation) for pair in zip(self.names, labels, strict=True)),
        ]
        rows: list[list[Cell]] = [[name, *row] for name, row in zip(self.names, self.counts, strict=True)]
        table = Table(self.key, self.caption, columns, rows, self.note)
        if not any(map(any, self.counts)):
            return PageSections([table], [])
        figure = heat_map(labels, labels, self.counts, self.unit, self.axes)
        chart = Chart(self.key, f"{self.caption}, {self.unit}", figure, describe(labels), self.key)
        return PageSections([table], [chart])


def build_confusion(
    request: AnalysisRequest, parameters: Parameters, pair: tuple[str, str] | None = None
) -> PageSections:
    """Return how often category meets category, of all pairs of coders or of two: rows are those of the first."""
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

    def describe(labels: list[str]) -> str:
        words, different = describe_equal(term, counts), _name_most(labels, counts, two=pair is not None)
        return f"{words} Different ones most often: {different}." if different else words

    return Square("confusion", caption, names, counts, unit, axes, "confusion", note).build(request, describe)


def build_together(request: AnalysisRequest, parameters: Parameters) -> PageSections:
    """Return how often label and label are given together in one judgement; nothing where there are no sets of them."""
    names = request.extract.countable
    if request.extract.kind != "labels" or not names:
        return PageSections()
    counts: list[list[int]] = count_together(request.extract, parameters).tolist()

    def describe(labels: list[str]) -> str:
        words = _name_most(labels, counts, two=False)
        return f"Most often together: {words}." if words else "No two labels are given together."

    caption, note = "Labels given together", "On the diagonal: how many judgements give the label."
    axes = ("label", "label")
    return Square("together", caption, names, counts, "judgements", axes, "together", note).build(request, describe)


def _name_most(labels: list[str], counts: list[list[int]], *, two: bool) -> str:
    """Return the different names that meet most; where both coders are any, each two names once."""
    size = range(len(labels))
    pairs = [
        (counts[a][b], labels[a], labels[b]) for a in size for b in size if a != b and (two or a < b) and counts[a][b]
    ]
    most = sorted(pairs, key=lambda one: -one[0])[:MOST_NAMED]
    return "; ".join(f"{first} and {second} {number:,}" for number, first, second in most)


def describe_equal(term: str, counts: list[list[int]]) -> str:
    """Return how much is equal, in words."""
    return f"The same {term} in {sum(row[place] for place, row in enumerate(counts)):,} of {sum(map(sum, counts)):,}."
