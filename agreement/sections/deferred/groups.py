"""Groups of coders, as tables and a chart: each within itself, each two between them, and their difference."""

from __future__ import annotations

from agreement.data.codings.groups import read_groups
from agreement.reports.coders.groups import GroupPair, GroupsReport, compare_groups
from agreement.reports.overall.overview import RELIABLE, TENTATIVE
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot
from agreement.sections.tables import Cell, Column, Table
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize

ENDS = (Column("low", "from", "figure"), Column("high", "to", "figure"))


def build_groups(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:  # noqa: ARG001
    """Return agreement within and between the groups of coders of a project."""
    report = compare_groups(request.project_answers, request.parameters, read_groups(request.project))
    return TablesAndCharts(build_tables(report), _charts(report))


def build_tables(report: GroupsReport) -> list[Table]:
    """Return what each group agrees within, what each two agree between, and how they differ."""
    return [_within_table(report), _between_table(report), _difference_table(report)]


def _within_table(report: GroupsReport) -> Table:
    ungrouped = f"In no group: {', '.join(report.ungrouped)}." if report.ungrouped else ""
    return Table(
        "within",
        "Within each group",
        [
            Column("group", "Group"),
            Column("coders", "Coders", "count"),
            Column("who", "Who"),
            Column("value", "Value", "figure"),
            *ENDS,
            Column("units", "Units", "count"),
            Column("note", "Notes"),
        ],
        [
            (
                one.name,
                len(one.coders),
                ", ".join(one.coders),
                *(one.interval.value, one.interval.low, one.interval.high),
                one.interval.result.n_units,
                one.interval.note or one.interval.result.note,
            )
            for one in report.groups
        ],
        ungrouped,
    )


def _name(pair: GroupPair) -> str:
    return f"{pair.first} and {pair.second}"


def _between_table(report: GroupsReport) -> Table:
    rows: list[list[Cell]] = []
    for pair in report.pairs:
        one = pair.between
        if one is None:
            rows.append([_name(pair), None, None, None, None, "this coefficient has none between groups"])
        else:
            note = one.note or one.result.note
            rows.append([_name(pair), one.value, one.low, one.high, one.result.n_units, note])
    left_out = f" {pluralize(report.n_left_out, 'smaller group')} left out." if report.n_left_out else ""
    return Table(
        "between",
        "Between each two groups",
        [
            Column("groups", "Groups"),
            Column("between", "Value", "figure"),
            *ENDS,
            Column("units", "Units", "count"),
            Column("note", "Notes"),
        ],
        rows,
        "Each judgement of the one group against each of the other, with the same distance (Wong, Paritosh & Aroyo"
        f" 2021): of two coders Cohen’s kappa, weighted by the distance.{left_out}",
    )


def _difference_table(report: GroupsReport) -> Table:
    rows: list[list[Cell]] = []
    for pair in report.pairs:
        one = pair.difference
        if one is None:
            rows.append([_name(pair), None, None, None, None, None, "a group has a single coder"])
            continue
        found = one.difference
        p = one.permutation.p_value if one.permutation else None
        rows.append([_name(pair), found.difference, found.low, found.high, found.p_value, p, found.note])
    return Table(
        "difference",
        "How far they differ within, first − second",
        [
            Column("groups", "Groups"),
            Column("difference", "Difference", "figure"),
            *ENDS,
            Column("p_value", "p", "probability"),
            Column("permutation_p_value", "p (permutation)", "probability"),
            Column("note", "Notes"),
        ],
        rows,
        "Where both coded the same texts each is left out of both at once, else it is Welch’s t; the test assigns the"
        " codings of each text to the groups at random.",
    )


def _charts(report: GroupsReport) -> list[Chart]:
    dots = [Dot(one.name, one.interval.value, one.interval.low, one.interval.high) for one in report.groups]
    dots += [
        Dot(_name(pair), pair.between.value, pair.between.low, pair.between.high)
        for pair in report.pairs
        if pair.between
    ]
    title = "Within and between groups, with 95% CI"
    return [Chart("within", title, dot_plot(dots, "value", (TENTATIVE, RELIABLE)), describe_dots(dots), "within")]
