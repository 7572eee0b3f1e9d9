"""What was computed and how, in words for a paper."""

from __future__ import annotations

from agreement.data.codings.gold import has_gold
from agreement.data.codings.groups import read_groups
from agreement.reports.coders.groups import compare_groups
from agreement.reports.coders.repeats import compare_occasions
from agreement.reports.gold.readers import Reader
from agreement.reports.gold.report import GoldReport, compare_with_gold, read_gold_source
from agreement.reports.methods import methods
from agreement.reports.overall import overall
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.pages.overall.agreement import build_units_tables
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may


def build(request: AnalysisRequest) -> PageSections:
    """Return a paragraph with what it cites, and for pyramids both counts of units."""
    report = request.compute(lambda parameters, _: overall.compute_report(request.extract, parameters))
    compared = request.compute(
        lambda parameters, _: compare_groups(
            request.project_answers, parameters, read_groups(request.project), differences=False
        )
    )
    repeats = request.compute(lambda parameters, _: compare_occasions(request.project_answers, parameters))
    text = methods.describe_methods(request.extract, report, compared, repeats, _compare_with_gold(request))
    return PageSections(build_units_tables(request), context={"report": report, "methods": text})


def _compare_with_gold(request: AnalysisRequest) -> GoldReport | None:
    """Return how coders compare with gold, for who decides it; None where names choose coders who are letters there."""
    if request.project.answers == Project.Answers.SCUS or not may(request.project, Right.ADJUDICATE):
        return None
    hidden = request.parameters.coders and not Reader.of(request.project, request.reader).sees_names
    if hidden or not has_gold(request.project):
        return None
    source = read_gold_source(request.project, request.project_answers, request.parameters, request.answers_with_gold)
    return compare_with_gold(source, request.parameters, details=False)
