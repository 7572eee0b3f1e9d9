"""Measures of each two coders."""

from __future__ import annotations

from django.urls import reverse

from agreement.data.texts.muc import marked_texts_reader
from agreement.reports.coders import coders as reports
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, Dot, describe_dots, heat_map
from agreement.sections.labels.labels import SCORE_LABELS
from agreement.sections.tables import Cell, Column, Linked, Table
from annotations.core.processes.progress import Progress

PAGE_ROWS = 20  # each cell is a link
MEASURES = {
    "coefficient": "coefficient",
    "observed_agreement": "observed agreement",
    "cohen_kappa": "Cohen’s kappa",
    "link_kappa": "kappa of links",
    **{name: f"{label}, F1" for name, label in SCORE_LABELS.items()},
}


def build_matrix(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return a measure of each two coders, those beside each other who agree, and each coder with the others."""
    matrix = request.compute(
        lambda parameters, own: reports.compute_pair_matrix(
            request.extract,
            parameters,
            own.get("measure") or "coefficient",
            progress,
            marked_texts_reader(request.project) if own.get("measure") in reports.CHAIN_MEASURES else None,
        )
    )
    name = MEASURES[matrix.measure]
    values = [[matrix.value(a, b) for b in matrix.coders] for a in matrix.coders]
    alternative = describe_dots([Dot(" and ".join(sorted(pair)), value) for pair, value in matrix.values.items()])
    chart = Chart(
        "matrix",
        f"Pairs of coders, {name}",
        heat_map(matrix.coders, matrix.coders, values, name),
        alternative,
        "matrix",
    )
    rest = Table(
        "rest",
        f"Each coder and the others: {name}",
        [
            Column("coder", "Coder"),
            Column("value", "Mean of pairs", "figure", explanation="mean_of_pairs"),
            Column("pairs", "Pairs with a value", "count"),
        ],
        [(coder, matrix.against_rest(coder), matrix.count_pairs(coder)) for coder in matrix.coders],
    )
    return TablesAndCharts([_matrix_table(request, matrix), rest], [chart] if len(matrix.coders) > 1 else [])


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
