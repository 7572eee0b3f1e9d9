"""Every condition side by side: the grid of Poesio & Artstein's Table 4, their Table 3, and each choice on its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.utils.http import urlencode

from agreement.asked import Asked
from agreement.extract import Extract, extract
from agreement.figures import Chart, Dot, Figure, dots, heat, said
from agreement.forms import NAMES, NAMES_OF_PYRAMIDS, in_words
from agreement.parameters import Parameters, presets_for
from agreement.parts.part import Parts
from agreement.reports import methods, overall
from agreement.reports.basis import effective, interval_of
from agreement.reports.overview import RELIABLE, TENTATIVE
from agreement.tables import Column, Linked, Table
from annotations.progress import Progress


def grid(page: Asked, progress: Progress | None = None) -> Parts:
    """Every chain construction by every distance, with all markables and without those of a category."""
    rows = page.compute(lambda parameters, _: overall.grid(page.extract, replace(parameters, without=""), progress))
    tables = [_grid("grid", "Alpha for every construction and distance, and K", rows, page.parameters)]
    halves = {"all markables": replace(page.parameters, without="")}
    if page.parameters.without:
        rest = page.compute(lambda parameters, _: overall.grid(page.extract, parameters, progress))
        names = " and ".join(page.parameters.without.split(","))
        caption = f"The same without markables that are mostly {names}"
        tables.append(_grid("grid-without", caption, rest, page.parameters))
        halves[f"without {names}"] = page.parameters
    if page.project.answers == "pointers":
        tables.append(_antecedents(page, halves))
    alternative = f"{len(rows)} constructions by {len(rows[0][1]) - 1} distances; the table has every value."
    return Parts(tables, [Chart("grid", "Alpha for every construction and distance", _heat(rows), alternative, "grid")])


def compare(page: Asked, progress: Progress | None = None) -> Parts:
    """What each single choice does to the number, and what the conventions of the papers make of it."""

    def extract_of(units: str) -> Extract:
        return page.extract if units in ("", page.extract.units) else extract(page.project, units)

    changes = page.compute(lambda parameters, _: methods.compare(page.extract, parameters, progress, extract_of))
    names = NAMES_OF_PYRAMIDS if page.extract.units else {}
    labels = [_changed(change.name, change.choice, names) for change in changes]
    presets = [
        (preset, interval_of(source, effective(source, preset.parameters)))
        for preset in presets_for(page.project.answers)
        for source in [extract_of(preset.parameters.units)]
    ]
    figures = [Column("value", "Value", "figure"), Column("low", "from", "figure"), Column("high", "to", "figure")]
    tables = [
        Table(
            "compare",
            "Each choice made otherwise, all else as it is",
            [Column("choice", "Choice"), *figures, Column("moved", "Moved by", "figure")],
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
            "By the conventions of the papers",
            [
                Column("convention", "Convention"),
                *figures,
                Column("published", "Published"),
                Column("where", "for the paper’s own data"),
            ],
            [
                (
                    Linked(preset.label, f"../?{urlencode(preset.parameters.query())}"),
                    one.value,
                    one.low,
                    one.high,
                    preset.published,
                    preset.where,
                )
                for preset, one in presets
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
            "The value under each choice, with 95% intervals",
            dots(rows, "value", (TENTATIVE, RELIABLE)),
            said(rows),
            "compare",
        )
    ]
    return Parts(tables, charts)


def _changed(name: str, choice: str, names: Mapping[str, str]) -> str:
    return f"{names.get(name, NAMES[name])}: {in_words(name, choice)}" if name else "as it is"


def _grid(key: str, caption: str, rows: list[tuple[str, list[overall.Cell]]], asked_for: Parameters) -> Table:
    names = [cell.parameters.distance if cell.parameters.is_alpha else "K" for cell in rows[0][1]]
    return Table(
        key,
        caption,
        [Column("construction", "Construction"), *(Column(name, name, "figure") for name in names)],
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


def _antecedents(page: Asked, halves: dict[str, Parameters]) -> Table:
    """Poesio & Artstein 2005, Table 3."""
    rows = []
    for label, parameters in halves.items():
        k, alpha = overall.antecedents(page.extract, parameters)
        both = k.result.value is not None and alpha.result.value is not None
        more = alpha.result.value - k.result.value if both else None  # type: ignore[operator]
        links = [Linked(cell.result.value, f"../?{urlencode(cell.parameters.query())}") for cell in (k, alpha)]
        rows.append((label, *links, more))
    return Table(
        "antecedents",
        "K beside alpha on antecedents only",
        [
            Column("markables", "Markables"),
            Column("k", "K", "figure"),
            Column("alpha", "Alpha, Passonneau", "figure"),
            Column("difference", "Alpha less K", "figure"),
        ],
        rows,
        "K takes an antecedent among several for a disagreement; alpha gives it a part.",
    )


def _heat(rows: list[tuple[str, list[overall.Cell]]]) -> Figure:
    names = [cell.parameters.distance for cell in rows[0][1] if cell.parameters.is_alpha]
    values = [[cell.result.value for cell in cells if cell.parameters.is_alpha] for _, cells in rows]
    return heat([label for label, _ in rows], names, values, "alpha")
