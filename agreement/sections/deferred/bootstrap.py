"""The bootstrap of the coefficient, as a table."""

from __future__ import annotations

from agreement.reports.overall.bootstrap import SEED, compute_bootstrap
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.tables import Cell, Column, Table
from annotations.core.processes.progress import Progress

OF_UNITS = (
    "All is in one text, whose units are drawn. They hang together by their chains, so this interval is too narrow:"
    " the one above leaves out what hangs together at once."
)


def build_bootstrap(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return the coefficient with its interval over random samples of the texts, and how this was made."""
    note = ""
    try:
        found = compute_bootstrap(request.extract, request.parameters, progress)
    except ValueError as error:
        row: list[Cell] = [None, None, None, None, 0, 0, 0, "", SEED, str(error)]
    else:
        row = [found.value, found.low, found.high, found.standard_error, found.n, found.n_undefined]
        row += [found.n_groups, found.by, found.seed, found.note]
        note = OF_UNITS if found.by == "unit" else ""
    columns = [
        Column("value", "Value", "figure"),
        Column("low", "from", "figure"),
        Column("high", "to", "figure"),
        Column("standard_error", "Standard error", "figure"),
        Column("replicates", "Replicates", "count"),
        Column("undefined", "Undefined", "count"),
        Column("drawn_from", "Drawn from", "count"),
        Column("by", "of", place="file"),
        Column("seed", "Seed", "count", place="file"),
        Column("note", "Notes"),
    ]
    return TablesAndCharts([Table("bootstrap", "95% interval of the bootstrap: percentiles", columns, [row], note)], [])
