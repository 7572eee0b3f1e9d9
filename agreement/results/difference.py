"""Comparison of two rounds, groups of coders, categories or projects, and of all groups of coders at once."""

from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from django.http import Http404
from rest_framework.serializers import CharField, ChoiceField

from agreement.data.coders import read_groups
from agreement.reports.coders import differences
from agreement.reports.overall import RELIABLE, TENTATIVE
from agreement.reports.parameters import check_choice
from agreement.reports.request import AnalysisRequest, read_asked
from agreement.results.computations import PageSections, ResultPage, register
from agreement.results.figures.charts import Chart, Dot, dots_chart
from agreement.results.tables import ENDS, Cell, Column, Table, figure_columns, with_ends
from annotations.core.text import pluralize
from annotations.models import Project, User
from annotations.projects.viewing import results_for

# Only the API and the command compare projects, which they name by slug.
PAGE_KINDS = tuple(kind for kind in differences.KINDS if kind != "project")
P_VALUES = (Column("p_value", "p", "probability"), Column("permutation_p_value", "p (permutation)", "probability"))


@register
class Difference(ResultPage[differences.DifferenceReport]):
    """A comparison of two rounds, groups of coders or categories, and whether the difference may be chance."""

    name, title, report_name = "difference", "Compare two", "compare"
    template = "agreement/overall/difference.html"
    position = 40
    draws_charts = False
    gives = differences.DifferenceReport
    takes = {
        "by": ChoiceField(differences.KINDS, help_text="What is compared."),
        "first": CharField(
            help_text="A round, coders or groups of coders with commas between, a category, or a project's address."
        ),
        "second": CharField(help_text="Another of the same kind."),
    }
    api = "How two rounds, groups of coders, categories or projects differ: the first less the second."
    api_path, api_route = "agreement/compare/", "api-compare"
    chooses_coders = True
    work = 20

    def compute(self, request: AnalysisRequest) -> differences.DifferenceReport:
        by, first, second = request.asked(*self.options)
        return differences.compare_parts(
            *(request.project_answers, request.parameters, by, first, second),
            lambda slug: read_asked(_find_project(request, slug), request.parameters),
            read_groups(request.project),
        )

    def tables(self, request: AnalysisRequest, report: differences.DifferenceReport) -> list[Table]:
        return [build_table(report, request.extract.labels if report.by == "category" else {})]

    def printed(self, request: AnalysisRequest) -> list[Table]:
        return [build_table(self.compute(request))]

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return two figures and their difference, or only the choices if nothing is chosen yet."""
        extract = request.extract
        by, first, second = request.asked(*self.options)
        is_chosen = bool(first or second)
        # the page offers single coders, whom the reader combines into groups
        choices = {"round": extract.rounds, "group": extract.coders, "category": extract.countable}
        if by:
            check_choice("by", by, PAGE_KINDS)
        shown = by or next((kind for kind in PAGE_KINDS if len(choices[kind]) > 1), PAGE_KINDS[0])
        groups = read_groups(request.project) if is_chosen or shown == "group" else {}
        if is_chosen:
            differences.check_parts(request.project_answers, request.parameters, by, first, second, groups)
        context: dict[str, Any] = {
            "kinds": [(kind, request.address_with(by=kind, first="", second=""), kind == shown) for kind in PAGE_KINDS],
            "by": shown,
            "names": [(name, extract.label(name) if shown == "category" else name) for name in choices[shown]],
            "first": first,
            "second": second,
            "groups": list(groups) if shown == "group" else [],
            "is_chosen": is_chosen,
        }
        return self.sections(request).extended(**context) if is_chosen else PageSections(context=context)


def _find_project(request: AnalysisRequest, slug: str) -> Project:
    """Return a project that the reader may see; the command may see any. Raises Http404."""
    if "\0" in slug:  # PostgreSQL refuses it in comparisons
        raise Http404("Project not found.")
    if request.reader:
        return results_for(User.objects.get(username=request.reader), slug)
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise Http404(f"There is no project {slug!r}.")
    return project


def build_table(report: differences.DifferenceReport, labels: Mapping[str, str] | None = None) -> Table:
    """Return both figures and their difference as a table; `labels` has display names of the two parts."""
    labels, (first, second) = labels or {}, report.names
    how = "Other texts: Welch’s t." if not report.paired else "The same texts: each is left out of both at once."
    if report.paired and report.of_components:
        how = "The same text: each of its connected components is left out of both at once."
    test = f" Permutation test: {differences.PERMUTATIONS:,} assignments of the texts." if report.is_permuted else ""
    note = f" {report.note.capitalize()}." if report.note else ""
    units, p_values = Column("units", "Units", "count"), (report.p_value, report.permutation_p_value)
    return Table(
        "difference",
        f"{labels.get(first, first)} and {labels.get(second, second)}",
        [Column("part", "Part", labels=labels), Column("value", "Value", "figure"), *ENDS, units, *P_VALUES],
        [
            [first, report.first, None, None, report.n_units[0], None, None],
            [second, report.second, None, None, report.n_units[1], None, None],
            ["first − second", report.difference, report.low, report.high, None, *p_values],
        ],
        f"The interval is that of the difference. {how}{test}{note}",
    )


@register
class Groups(ResultPage[differences.GroupsReport]):
    """Agreement within each group of coders and between each two groups, and how the agreement within differs."""

    name, title = "groups", "Groups of coders"
    template = "agreement/coders/groups.html"
    position = 50
    gives = differences.GroupsReport
    api = "Agreement within each group of coders and between each two, and how what they agree within differs."
    chooses_coders = True
    work = 60

    def compute(self, request: AnalysisRequest) -> differences.GroupsReport:
        return differences.compare_groups(request.project_answers, request.parameters, read_groups(request.project))

    def tables(self, request: AnalysisRequest, report: differences.GroupsReport) -> list[Table]:
        figures = attrgetter("difference", "low", "high", "p_value", "permutation_p_value", "note")
        without_between: list[Cell] = [*[None] * 4, "this coefficient has none between groups"]
        without_difference: list[Cell] = [*[None] * 5, "a group has a single coder"]
        between = [
            [_name(pair), *((*with_ends(ci), ci.n_units, ci.note) if (ci := pair.between) else without_between)]
            for pair in report.pairs
        ]
        apart = [
            [_name(pair), *(figures(pair.difference) if pair.difference else without_difference)]
            for pair in report.pairs
        ]
        left_out = f" {pluralize(report.n_left_out, 'smaller group')} left out." if report.n_left_out else ""
        ungrouped = f"In no group: {', '.join(report.ungrouped)}." if report.ungrouped else ""
        groups, units, note = Column("groups", "Groups"), Column("units", "Units", "count"), Column("note", "Notes")
        within_columns = [
            Column("group", "Group", cell="name"),
            Column("coders", "Coders", "count", cell=lambda row: len(row.coders)),
            Column("who", "Who", cell=lambda row: ", ".join(row.coders)),
            *figure_columns(Column("value", "Value", "figure"), "interval"),
            *(replace(units, cell="interval.n_units"), replace(note, cell="interval.note")),
        ]
        between_columns = [groups, Column("between", "Value", "figure"), *ENDS, units, note]
        apart_columns = [groups, Column("difference", "Difference", "figure"), *ENDS, *P_VALUES, note]
        how_between = (
            "Each judgement of the one group against each of the other, with the same distance (Wong, Paritosh &"
            f" Aroyo 2021): of two coders Cohen’s kappa, weighted by the distance.{left_out}"
        )
        how_apart = (
            "Where both coded the same texts each is left out of both at once, else it is Welch’s t; the test"
            " assigns the codings of each text to the groups at random."
        )
        return [
            Table.of("within", "Within each group", within_columns, report.groups, ungrouped),
            Table("between", "Between each two groups", between_columns, between, how_between),
            Table("difference", "How far they differ within, first − second", apart_columns, apart, how_apart),
        ]

    def charts(self, request: AnalysisRequest, report: differences.GroupsReport) -> list[Chart]:
        dots = [Dot(group.name, *with_ends(group.interval)) for group in report.groups]
        dots += [Dot(_name(pair), *with_ends(pair.between)) for pair in report.pairs if pair.between]
        return [dots_chart("within", "Within and between groups, with 95% CI", dots, "value", (TENTATIVE, RELIABLE))]

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return agreement within and between groups, or only the context if no coder is in a group."""
        groups = read_groups(request.project)
        coded = [name for name, coders in groups.items() if set(coders) & set(request.extract.coders)]
        if not coded:
            return PageSections(context={"coded": [], "grouped": bool(groups)})
        return self.sections(request).extended(coded=coded)


def _name(pair: differences.GroupPair) -> str:
    return f"{pair.first} and {pair.second}"
