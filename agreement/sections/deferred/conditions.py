"""Every condition side by side: the grid of Poesio & Artstein's Table 4, their Table 3, and each choice on its own."""

from __future__ import annotations

from dataclasses import replace

from django.utils.http import urlencode

from agreement.data.extract.extract import Extract
from agreement.reports.methods import methods
from agreement.reports.overall import overall
from agreement.reports.overall.overview import RELIABLE, TENTATIVE
from agreement.reports.request.basis import compute_interval
from agreement.reports.request.parameters import Parameters, presets_for
from agreement.reports.request.request import AnalysisRequest, read_asked
from agreement.reports.request.resolution import resolve
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, Dot, Figure, describe_dots, dot_plot, heat_map
from agreement.sections.labels.labels import choice_label, field_label
from agreement.sections.tables import Column, Linked, Table
from annotations.core.processes.progress import Progress


def build_grid(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return every chain construction by every distance, with all markables and without those of a category."""
    rows = request.compute(
        lambda parameters, _: overall.compute_grid(request.extract, replace(parameters, without=""), progress)
    )
    caption = "Alpha by distance" if request.extract.question else "Alpha by chain and distance"
    tables = [_grid_table("grid", f"{caption}, with K", rows, request.parameters)]
    halves = {"all markables": replace(request.parameters, without="")}
    if request.parameters.without:
        rest = request.compute(lambda parameters, _: overall.compute_grid(request.extract, parameters, progress))
        names = " and ".join(map(request.extract.label, request.parameters.without.split(",")))
        without = f"The same without markables that are mostly {names}"
        tables.append(_grid_table("grid-without", without, rest, request.parameters))
        halves[f"without {names}"] = request.parameters
    if request.extract.kind == "pointers":
        tables.append(_antecedents_table(request, halves))
    alternative = f"{len(rows)} constructions by {len(rows[0][1]) - 1} distances; the table has every value."
    return TablesAndCharts(tables, [Chart("grid", caption, _grid_chart(rows), alternative, "grid")])


def build_comparison(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return what each single choice does to the number, and what the conventions of the papers make of it."""

    def extract_of(parameters: Parameters) -> Extract:
        own = request.parameters
        same = parameters.units in ("", request.extract.units) and parameters.unasked == own.unasked
        return request.extract if same else read_asked(request.project, parameters)

    changes = request.compute(
        lambda parameters, _: methods.vary_choices(request.extract, parameters, progress, extract_of)
    )
    labels = [_variation_label(change.name, change.choice, bool(request.extract.units)) for change in changes]
    presets = [
        (preset, chosen, compute_interval(*resolve(extract_of(chosen), chosen)))
        for preset in presets_for(request.extract.answers)
        for chosen in [request.parameters.with_convention(preset.parameters)]
    ]
    figures = [Column("value", "Value", "figure"), Column("low", "from", "figure"), Column("high", "to", "figure")]
    tables = [
        Table(
            "compare",
            "One setting changed at a time",
            [Column("choice", "Setting"), *figures, Column("moved", "Change", "figure", explanation="change")],
            [
                (
                    Linked(label, f"../?{urlencode(one.parameters.query())}"),
                    one.interval.value,
                    one.interval.low,
                    one.interval.high,
                    one.moved,
                )
                for label, one in zip(labels, changes, strict=True)
            ],
        ),
        Table(
            "presets",
            "Presets from the literature",
            [
                Column("convention", "Preset"),
                *figures,
                Column("published", "Published"),
                Column("where", "for the paper’s own data"),
            ],
            [
                (
                    Linked(preset.label, f"../?{urlencode(chosen.query())}"),
                    one.value,
                    one.low,
                    one.high,
                    preset.published,
                    preset.where,
                )
                for preset, chosen, one in presets
            ],
        ),
    ]
    rows = [
        Dot(label, one.interval.value, one.interval.low, one.interval.high)
        for label, one in zip(labels, changes, strict=True)
    ]
    charts = [
        Chart(
            "compare",
            "The value under each setting, with 95% CI",
            dot_plot(rows, "value", (TENTATIVE, RELIABLE)),
            describe_dots(rows),
            "compare",
        )
    ]
    return TablesAndCharts(tables, charts)


def _variation_label(name: str, choice: str, pyramids: bool) -> str:
    return f"{field_label(name, pyramids=pyramids)}: {choice_label(name, choice)}" if name else "current"


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
