"""Every condition side by side: the grid of Poesio & Artstein's Table 4, and their Table 3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.http import urlencode

from agreement.reports.overall import overall
from agreement.reports.request.basis import pick_texts
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import count_judgements, register
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import Figure, heat_map
from agreement.results.labels.labels import choice_label
from agreement.results.page import ResultPage
from agreement.results.tables import Column, Linked, Table


def _caption(request: AnalysisRequest) -> str:
    return "Alpha by distance" if request.extract.question else "Alpha by chain and distance"


# Parameters, and with these a row of cells a construction.
type Half = tuple[Parameters, list[tuple[str, list[overall.GridCell]]]]


@register
class Grid(ResultPage[list[Half]]):
    """Every chain construction by every distance, with all markables and without those of a category."""

    name = "grid"
    template = "agreement/overall/grid.html"
    position = 20
    api = "Alpha for every distance x chain construction, and K for each construction."

    def cost(self, request: AnalysisRequest) -> int:
        """Return how many judgements the constructions have, with a share for columns of coders and texts left out."""
        constructions = len(overall.CONSTRUCTIONS[request.extract.kind])
        of_coders = len(pick_texts(request.extract, request.parameters)) * len(request.extract.coders) ** 2
        return count_judgements(request) * constructions * (2 if request.parameters.without else 1) + of_coders // 1000

    def compute(self, request: AnalysisRequest) -> list[Half]:
        everything = replace(request.parameters, without="")
        halves = [everything, request.parameters] if request.parameters.without else [everything]
        return [(one, overall.compute_grid(request.extract, one, request.progress)) for one in halves]

    def fields(self, request: AnalysisRequest, report: list[Half]) -> list[dict[str, Any]]:
        return [
            {
                "construction": label,
                "parameters": cell.parameters.query(),
                "value": cell.result.value,
                "note": cell.result.note,
            }
            for label, cells in report[-1][1]
            for cell in cells
        ]

    def tables(self, request: AnalysisRequest, report: list[Half]) -> list[Table]:
        (_, rows), *rest = report
        tables = [_grid_table("grid", f"{_caption(request)}, with K", rows, request.parameters)]
        names = " and ".join(map(request.extract.label, request.parameters.without.split(","))) if rest else ""
        for parameters, cells in rest:
            without = f"The same without markables that are mostly {names}"
            tables.append(_grid_table("grid-without", without, cells, parameters))
        if request.extract.kind == "pointers":
            halves = zip(("all markables", f"without {names}"), (parameters for parameters, _ in report), strict=False)
            tables.append(_antecedents_table(request, dict(halves)))
        return tables

    def charts(self, request: AnalysisRequest, report: list[Half]) -> list[Chart]:
        [(_, rows), *_] = report
        words = f"{len(rows)} constructions by {len(rows[0][1]) - 1} distances; the table has every value."
        return [Chart("grid", _caption(request), _grid_chart(rows), words, "grid")]

    def show(self, request: AnalysisRequest) -> PageSections:
        excluded = request.parameters.selection("without")
        halves = [
            (
                request.extract.label(name),
                f"?{urlencode(replace(request.parameters, without=','.join(excluded ^ {name})).query())}",
                name in excluded,
            )
            for name in request.extract.countable
        ]
        offered = len(halves) > 1 and not request.extract.units
        return self.sections(request).extended(halves=halves if offered else [])


def _grid_table(key: str, caption: str, rows: list[tuple[str, list[overall.GridCell]]], asked_for: Parameters) -> Table:
    names = [cell.parameters.distance if cell.parameters.is_alpha else "K" for cell in rows[0][1]]
    return Table(
        key,
        caption,
        [
            Column("construction", "Construction"),
            *(Column(name, choice_label("distance", name), "figure", explanation=name.lower()) for name in names),
        ],
        [
            (
                label,
                *(
                    Linked(cell.result.value, f"../?{urlencode(cell.parameters.query())}", cell.parameters == asked_for)
                    for cell in cells
                ),
            )
            for label, cells in rows
        ],
    )


def _antecedents_table(request: AnalysisRequest, halves: dict[str, Parameters]) -> Table:
    """Return Table 3 of Poesio & Artstein 2005."""
    rows = []
    for label, parameters in halves.items():
        k, alpha = overall.compare_antecedents(request.extract, parameters)
        both = k.result.value is not None and alpha.result.value is not None
        more = alpha.result.value - k.result.value if both else None  # type: ignore[operator]
        links = [Linked(cell.result.value, f"../?{urlencode(cell.parameters.query())}") for cell in (k, alpha)]
        rows.append((label, *links, more))
    return Table(
        "antecedents",
        "K and alpha on antecedents only",
        [
            Column("markables", "Markables"),
            Column("k", "K", "figure"),
            Column("alpha", "Alpha, Passonneau", "figure"),
            Column("difference", "Alpha − K", "figure"),
        ],
        rows,
        "K counts one shared antecedent of several as disagreement; alpha counts it in part.",
    )


def _grid_chart(rows: list[tuple[str, list[overall.GridCell]]]) -> Figure:
    names = [choice_label("distance", cell.parameters.distance) for cell in rows[0][1] if cell.parameters.is_alpha]
    values = [[cell.result.value for cell in cells if cell.parameters.is_alpha] for _, cells in rows]
    return heat_map([label for label, _ in rows], names, values, "alpha")
