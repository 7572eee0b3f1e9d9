"""Names of models, where tables and charts have coders by name, say that they are of models: one rule for all pages.

Files of data and the API keep the names as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import shorten
from agreement.results.tables import Column, Table, cell_value

# Columns whose cells have coders by name, one or several.
OF_CODERS = frozenset({"coder", "coders", "human", "first", "second", "who", "part", "name"})
# What a name of an account may have.
SIGN = r"[\w.@+-]"


def label_models(sections: PageSections, models: Collection[str]) -> PageSections:
    """Return what a page shows with each name of a model followed by what it is."""
    if not models:
        return sections
    names = "|".join(re.escape(name) for name in sorted(models, key=len, reverse=True))
    pattern = re.compile(f"(?<!{SIGN})({names})(?!{SIGN})")

    def label(words: str) -> str:
        return pattern.sub(label_model, words)

    alone = {shown: label_model(shown) for name in models for shown in (name, shorten(name))}
    tables = [_label_table(table, label, models) for table in sections.tables]
    charts = [_label_chart(chart, label, alone) for chart in sections.charts]
    return replace(sections, tables=tables, charts=charts)


def label_model(name: str | re.Match[str]) -> str:
    """Return the name of a model with what it is."""
    return f"{name if isinstance(name, str) else name[0]} (model)"


def _label_table(table: Table, label: Callable[[str], str], models: Collection[str]) -> Table:
    columns = []
    for place, column in enumerate(table.columns):
        changed = replace(column, label=label_model(column.label)) if column.label in models else column
        columns.append(_label_cells(table, place, changed, label) if column.name in OF_CODERS else changed)
    return replace(table, columns=columns)


def _label_cells(table: Table, place: int, column: Column, label: Callable[[str], str]) -> Column:
    values = {value for row in table.rows if isinstance(value := cell_value(row[place]), str)}
    labels = {value: labelled for value in values if (labelled := label(value)) != value}
    return replace(column, labels={**labels, **column.labels})


def _label_chart(chart: Chart, label: Callable[[str], str], alone: dict[str, str]) -> Chart:
    return replace(chart, figure=_label_figure(chart.figure, alone), alternative=label(chart.alternative))


def _label_figure(part: Any, alone: dict[str, str]) -> Any:
    """Return a part of a figure in which the whole of a label is a name of a model."""
    if isinstance(part, dict):
        return {key: _label_figure(one, alone) for key, one in part.items()}
    if isinstance(part, list):
        return [_label_figure(one, alone) for one in part]
    return alone.get(part, part) if isinstance(part, str) else part
