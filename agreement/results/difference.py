"""Two rounds, groups of coders, categories or projects beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404

from agreement.data.groups import read_groups
from agreement.data.project_answers import ProjectAnswers
from agreement.reports.coders.differences import KINDS, PERMUTATIONS, DifferenceReport, check_parts, compare_parts
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest, read_asked
from agreement.reports.wording import list_codings_left_out
from agreement.results.computations import register
from agreement.results.content import PageSections
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Column, Table
from annotations.models import Project, User
from annotations.projects.viewing import results_for

# Other projects are compared by the API and the command, which are told their addresses.
PAGE_KINDS = tuple(kind for kind in KINDS if kind != "project")


@register
class Difference(ResultPage[DifferenceReport]):
    """Two rounds, groups of coders or categories beside each other, and whether their difference may be chance."""

    name, report_name = "difference", "compare"
    template = "agreement/overall/difference.html"
    position = 40
    options = ("by", "first", "second")
    draws_charts = False
    api = "How two rounds, groups of coders, categories or projects differ: the first less the second."
    api_path, api_route = "agreement/compare/", "api-compare"
    chooses_coders = True
    work = 20

    def compute(self, request: AnalysisRequest) -> DifferenceReport:
        by, first, second = (request.options.get(name, "") for name in self.options)

        def answers_of(slug: str) -> ProjectAnswers:
            return read_asked(_find_project(request, slug), request.parameters)

        groups = read_groups(request.project)
        return compare_parts(request.project_answers, request.parameters, by, first, second, answers_of, groups)

    def tables(self, request: AnalysisRequest, report: DifferenceReport) -> list[Table]:
        return [build_table(report, request.extract.labels if report.by == "category" else {})]

    def printed(self, request: AnalysisRequest) -> list[Table]:
        return [build_table(self.compute(request))]

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return two figures and their difference, or only the choices where nothing is chosen yet."""
        choices = _list_choices(request)
        is_chosen = _check(request)
        by = request.options.get("by") or next((kind for kind in PAGE_KINDS if len(choices[kind]) > 1), PAGE_KINDS[0])
        context: dict[str, Any] = {
            "kinds": [(kind, request.address_with(by=kind, first="", second=""), kind == by) for kind in PAGE_KINDS],
            "by": by,
            "names": [
                (name, request.extract.label(name) if by == "category" else name) for name in choices.get(by, [])
            ],
            "first": request.options.get("first", ""),
            "second": request.options.get("second", ""),
            "groups": list(read_groups(request.project)) if by == "group" else [],
            "is_chosen": is_chosen,
            "report_query": request.parameters.query(),
        }
        if not is_chosen:
            return PageSections(context=context)
        left_out = count_left_out(request.extract, request.parameters)
        sections = self.sections(request)
        return sections.extended(**context, not_counted=list_codings_left_out(left_out))


def _find_project(request: AnalysisRequest, slug: str) -> Project:
    """Return another project for who asks; for the command any. Raises Http404."""
    if "\0" in slug:  # PostgreSQL takes it in no comparison
        raise Http404("Project not found.")
    if request.reader:
        return results_for(User.objects.get(username=request.reader), slug)
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise Http404(f"There is no project {slug!r}.")
    return project


def _list_choices(request: AnalysisRequest) -> dict[str, list[str]]:
    """Return the names of each kind: of groups those of the coders, whom a person puts together."""
    extract = request.extract
    return {"round": list(extract.rounds), "group": list(extract.coders), "category": list(extract.countable)}


def _check(request: AnalysisRequest) -> bool:
    """Return whether two parts are chosen. Raise InvalidParameter where they are not there."""
    by, first, second = (request.options.get(name, "") for name in ("by", "first", "second"))
    if by and by not in PAGE_KINDS:
        raise InvalidParameter("by", f"{by!r} is not one of {', '.join(PAGE_KINDS)}.")
    if not first and not second:
        return False
    check_parts(request.project_answers, request.parameters, by, first, second, read_groups(request.project))
    return True


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
            *ENDS,
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
