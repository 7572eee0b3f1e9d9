"""Two rounds, groups of coders or categories, and their difference, as a table."""

from __future__ import annotations

from collections.abc import Mapping

from agreement.data.codings.groups import read_groups
from agreement.reports.coders.differences import PERMUTATIONS, DifferenceReport, compare_parts
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.tables import Column, Table
from annotations.core.processes.progress import Progress


def build_difference(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:  # noqa: ARG001
    """Return the two parts that the options name beside each other."""
    by, first, second = (request.options[name] for name in ("by", "first", "second"))
    groups = read_groups(request.project)
    report = compare_parts(request.project_answers, request.parameters, by, first, second, groups=groups)
    labels = request.extract.labels if by == "category" else {}
    return TablesAndCharts([build_table(report, labels)], [])


def build_table(report: DifferenceReport, labels: Mapping[str, str] | None = None) -> Table:
    """Return both figures and the difference as a table; `labels` are what the two parts are called."""
    labels = labels or {}
    found, permutation = report.difference, report.permutation
    how = "Other texts: Welch’s t."
    if found.paired:
        one_text = "The same text: each of its connected components is left out of both at once."
        how = one_text if found.by == "component" else "The same texts: each is left out of both at once."
    test = f" Permutation test: {PERMUTATIONS:,} assignments of the texts." if permutation else ""
    note = f" {found.note.capitalize()}." if found.note else ""
    return Table(
        "difference",
        f"{labels.get(report.first, report.first)} and {labels.get(report.second, report.second)}",
        [
            Column("part", "Part", labels=labels),
            Column("value", "Value", "figure"),
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("units", "Units", "count"),
            Column("p_value", "p", "probability"),
            Column("permutation_p_value", "p (permutation)", "probability"),
        ],
        [
            [report.first, found.first.value, None, None, found.first.n_units, None, None],
            [report.second, found.second.value, None, None, found.second.n_units, None, None],
            [
                "first − second",
                *(found.difference, found.low, found.high),
                None,
                found.p_value,
                permutation.p_value if permutation else None,
            ],
        ],
        f"The interval is that of the difference. {how}{test}{note}",
    )
