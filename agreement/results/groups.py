"""Groups of coders, as tables and a chart: each within itself, each two between them, and their difference."""

from __future__ import annotations

from agreement.data.groups import read_groups
from agreement.reports.coders.groups import GroupPair, GroupsReport, compare_groups
from agreement.reports.overall.overview import RELIABLE, TENTATIVE
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out
from agreement.results.computations import register
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Table, with_ends
from annotations.core.text import pluralize


@register
class Groups(ResultPage[GroupsReport]):
    """What each group of coders agrees within, what each two agree between, and how they differ."""

    name = "groups"
    template = "agreement/coders/groups.html"
    position = 50
    api = "Agreement within each group of coders and between each two, and how what they agree within differs."
    chooses_coders = True
    work = 60

    def compute(self, request: AnalysisRequest) -> GroupsReport:
        return compare_groups(request.project_answers, request.parameters, read_groups(request.project))

    def tables(self, request: AnalysisRequest, report: GroupsReport) -> list[Table]:
        return [_within_table(report), _between_table(report), _difference_table(report)]

    def charts(self, request: AnalysisRequest, report: GroupsReport) -> list[Chart]:
        dots = [Dot(one.name, *with_ends(one.interval)) for one in report.groups]
        dots += [Dot(_name(pair), *with_ends(pair.between)) for pair in report.pairs if pair.between]
        return [dots_chart("within", "Within and between groups, with 95% CI", dots, "value", (TENTATIVE, RELIABLE))]

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return what each group agrees within and with each other one; nothing where nobody is in a group."""
        groups = read_groups(request.project)
        coded = [name for name, coders in groups.items() if set(coders) & set(request.extract.coders)]
        if not coded:
            return PageSections(context={"coded": [], "grouped": bool(groups)})
        left_out = count_left_out(request.extract, request.parameters)
        return self.sections(request).extended(coded=coded, not_counted=list_codings_left_out(left_out))


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
                *with_ends(one.interval),
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
            rows.append([_name(pair), *with_ends(one), one.result.n_units, note])
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
