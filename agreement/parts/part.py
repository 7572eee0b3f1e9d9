"""Tables and charts together, and the same as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agreement.figures import Chart
from agreement.tables import Cell, Column, Linked, Table


@dataclass(frozen=True, slots=True)
class Parts:
    """What a page shows."""

    tables: Sequence[Table]
    charts: Sequence[Chart]

    def as_json(self) -> dict[str, Any]:
        """Plain data from which `from_json` makes the same."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Parts:
        """The parts that `as_json` wrote."""
        return cls([_table(table) for table in data["tables"]], [Chart(**chart) for chart in data["charts"]])


def _table(data: Mapping[str, Any]) -> Table:
    columns = [Column(**column) for column in data["columns"]]
    rows = [[_cell(cell) for cell in row] for row in data["rows"]]
    return Table(data["key"], data["caption"], columns, rows, data["note"])


def _cell(cell: Any) -> Cell:
    return Linked(**cell) if isinstance(cell, dict) else cell
