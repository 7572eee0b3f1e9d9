"""Each two coders."""

from __future__ import annotations

from django.urls import reverse

from agreement.asked import Asked
from agreement.figures import Chart, Dot, heat, said
from agreement.parts.part import Parts
from agreement.reports import coders as reports
from agreement.tables import Cell, Column, Linked, Table
from annotations.progress import Progress

MEASURES = {
    "coefficient": "the coefficient",
    "observed_agreement": "observed agreement",
    "cohen_kappa": "Cohen’s kappa",
    "link_kappa": "kappa of links",
    "muc": "MUC, F1",
    "b_cubed": "B-cubed, F1",
    "ceaf_m": "CEAF of mentions, F1",
    "ceaf_e": "CEAF of entities, F1",
    "lea": "LEA, F1",
    "blanc": "BLANC, F1",
    "conll_average": "CoNLL average, F1",
}


def matrix(page: Asked, progress: Progress | None = None) -> Parts:
    """A measure of each two coders, those beside each other who agree, and each coder with the others."""
    found = page.compute(
        lambda parameters, own: reports.matrix(page.extract, parameters, own.get("measure") or "coefficient", progress)
    )
    name = MEASURES[found.measure]
    values = [[found.value(a, b) for b in found.coders] for a in found.coders]
    alternative = said([Dot(" and ".join(sorted(pair)), value) for pair, value in found.values.items()])
    chart = Chart(
        "matrix", f"Pairs of coders, {name}", heat(found.coders, found.coders, values, name), alternative, "matrix"
    )
    rest = Table(
        "rest",
        f"Each coder with the others: {name}",
        [Column("coder", "Coder"), Column("value", "Mean of the pairs", "figure")],
        [(coder, found.against_rest(coder)) for coder in found.coders],
    )
    return Parts([_matrix(page, found), rest], [chart] if len(found.coders) > 1 else [])


def _matrix(page: Asked, matrix: reports.Matrix) -> Table:
    rows: list[list[Cell]] = []
    for a in matrix.coders:
        row: list[Cell] = [a]
        for b in matrix.coders:
            address = reverse("coder-pair", args=[page.project.slug, a, b]) + f"?{page.query}"
            row.append(None if a == b else Linked(matrix.value(a, b), address))
        rows.append(row)
    return Table(
        "matrix",
        f"Pairs of coders: {MEASURES[matrix.measure]}",
        [Column("coder", "Coder"), *(Column(name, name, "figure") for name in matrix.coders)],
        rows,
        "Coders stand beside those whom they agree with.",
    )
