"""What was computed and how, in words for a paper."""

from typing import Any

from agreement.data.coders import read_groups
from agreement.data.gold import has_gold
from agreement.reports.coders.differences import compare_groups, compare_occasions
from agreement.reports.gold import GoldReport, compare_with_gold
from agreement.reports.methods import methods
from agreement.reports.overall import overall
from agreement.reports.request.request import AnalysisRequest
from agreement.results.agreement import build_units_tables
from agreement.results.computations import ResultPage, register
from agreement.results.content import PageSections
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.projects.letters import sees_names


@register
class Methods(ResultPage[methods.MethodsText]):
    """A paragraph for a paper: every convention, every figure, version and fingerprint."""

    name, title = "methods", "Methods text"
    template = "agreement/methods.html"
    position = 160
    draws_charts = False

    def compute(self, request: AnalysisRequest) -> methods.MethodsText:
        answers, parameters = request.project_answers, request.parameters
        report = overall.compute_report(request.extract, parameters)
        compared = compare_groups(answers, parameters, read_groups(request.project), differences=False)
        repeats = compare_occasions(answers, parameters)
        return methods.describe_methods(request.extract, report, compared, repeats, _compare_with_gold(request))

    def fields(self, request: AnalysisRequest, report: methods.MethodsText) -> dict[str, Any]:
        return {"paragraph": report.paragraph, "references": list(map(str, report.references)), "bibtex": report.bibtex}

    def preface(self, report: methods.MethodsText) -> str:
        return "\n".join([report.paragraph, *map(str, report.references)])

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the paragraph, and for pyramids both counts of units."""
        return PageSections(build_units_tables(request), context={"methods": self.compute(request)})


def _compare_with_gold(request: AnalysisRequest) -> GoldReport | None:
    """Return how coders compare with gold, for who decides it; None where names choose coders who are letters there."""
    project, parameters = request.project, request.parameters
    if project.answers == Project.Answers.SCUS or not may(project, Right.ADJUDICATE) or not has_gold(project):
        return None
    if parameters.coders and not sees_names(project):
        return None
    return compare_with_gold(project, request.project_answers, request.answers_with_gold, parameters, details=False)
