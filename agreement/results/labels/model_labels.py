"""Names of models, where tables and charts have coders by name, say that they are of models: one rule for all pages.

Files of data and the API keep the names as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from agreement.results.content import PageSections
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
    alone = {shown: label_model(shown) for name in models for shown in (name, shorten(name))}

    def label(words: str) -> str:
        return pattern.sub(lambda found: label_model(found[0]), words)

    def label_column(table: Table, place: int, column: Column) -> Column:
        if column.label in models:
            column = replace(column, label=label_model(column.label))
        if column.name not in OF_CODERS:
            return column
        values = {value for row in table.rows if isinstance(value := cell_value(row[place]), str)}
        labels = {value: labelled for value in values if (labelled := label(value)) != value}
        return replace(column, labels={**labels, **column.labels})

    tables = [
        replace(table, columns=[label_column(table, *placed) for placed in enumerate(table.columns)])
        for table in sections.tables
    ]
    charts = [
        replace(chart, figure=_label_figure(chart.figure, alone), alternative=label(chart.alternative))
        for chart in sections.charts
    ]
    return replace(sections, tables=tables, charts=charts)


def label_model(name: str) -> str:
    """Return the name of a model with what it is."""
    return f"{name} (model)"


def _label_figure(part: Any, alone: dict[str, str]) -> Any:
    """Return a part of a figure in which the whole of a label is a name of a model."""
    if isinstance(part, dict):
        return {key: _label_figure(one, alone) for key, one in part.items()}
    if isinstance(part, list):
        return [_label_figure(one, alone) for one in part]
    return alone.get(part, part) if isinstance(part, str) else part
