"""Measures of each two coders."""

from __future__ import annotations

from django.urls import reverse

from agreement.data.texts.muc import marked_texts_reader
from agreement.reports.coders import coders as reports
from agreement.reports.links.coreference import SCORES
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import Result, count_judgements, register
from agreement.results.figures.charts import Chart, describe_dots
from agreement.results.figures.plots import Dot, heat_map
from agreement.results.labels.labels import SCORE_LABELS
from agreement.results.tables import Cell, Column, Linked, Table

PAGE_ROWS = 20  # each cell is a link
MEASURES = {
    "coefficient": "coefficient",
    "observed_agreement": "observed agreement",
    "cohen_kappa": "Cohen’s kappa",
    "link_kappa": "kappa of links",
    **{name: f"{label}, F1" for name, label in SCORE_LABELS.items()},
}


@register
class Matrix(Result[reports.PairMatrix]):
    """A measure of each two coders, those beside each other who agree, and each coder with the others."""

    name = "matrix"
    options = ("measure",)

    def cost(self, request: AnalysisRequest) -> int:
        """Return how many judgements the pairs have: each is in as many as there are other coders."""
        pairs = count_judgements(request) * max(len(request.extract.coders) - 1, 0)
        return pairs * (4 if request.options.get("measure") in SCORES else 1)

    def compute(self, request: AnalysisRequest) -> reports.PairMatrix:
        measure = request.options.get("measure") or "coefficient"
        read_marked = marked_texts_reader(request.project) if measure in reports.CHAIN_MEASURES else None
        return reports.compute_pair_matrix(request.extract, request.parameters, measure, request.progress, read_marked)

    def tables(self, request: AnalysisRequest, report: reports.PairMatrix) -> list[Table]:
        return [_matrix_table(request, report), _rest_table(report)]

    def charts(self, request: AnalysisRequest, report: reports.PairMatrix) -> list[Chart]:
        coders, name = report.coders, MEASURES[report.measure]
        if len(coders) < 2:
            return []
        values = [[report.value(a, b) for b in coders] for a in coders]
        words = describe_dots([Dot(" and ".join(sorted(pair)), value) for pair, value in report.values.items()])
        figure = heat_map(coders, coders, values, name)
        return [Chart("matrix", f"Pairs of coders, {name}", figure, words, "matrix")]


def _rest_table(matrix: reports.PairMatrix) -> Table:
    return Table(
        "rest",
        f"Each coder and the others: {MEASURES[matrix.measure]}",
        [
            Column("coder", "Coder"),
            Column("value", "Mean of pairs", "figure", explanation="mean_of_pairs"),
            Column("pairs", "Pairs with a value", "count"),
        ],
        [(coder, matrix.against_rest(coder), matrix.count_pairs(coder)) for coder in matrix.coders],
    )


def _matrix_table(request: AnalysisRequest, matrix: reports.PairMatrix) -> Table:
    rows: list[list[Cell]] = []
    for a in matrix.coders:
        row: list[Cell] = [a]
        for b in matrix.coders:
            address = reverse("coder-pair", args=[request.project.slug, a, b]) + f"?{request.query}"
            row.append(None if a == b else Linked(matrix.value(a, b), address))
        rows.append(row)
    return Table(
        "matrix",
        f"Pairs of coders: {MEASURES[matrix.measure]}",
        [Column("coder", "Coder"), *(Column(name, name, "figure", explanation="pair_value") for name in matrix.coders)],
        rows,
        "Ordered by similarity.",
        page_rows=PAGE_ROWS,
    )
