"""What was computed and how, in words for a paper."""

from __future__ import annotations

from agreement.data.groups import read_groups
from agreement.reports import overall
from agreement.reports.coders.groups import compare_groups
from agreement.reports.coders.repeats import compare_occasions
from agreement.reports.methods import methods
from agreement.reports.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.pages.agreement import build_units_tables


def build(request: AnalysisRequest) -> PageSections:
    """Return a paragraph with what it cites, and for pyramids both counts of units."""
    report = request.compute(lambda parameters, _: overall.compute_report(request.extract, parameters))
    compared = request.compute(
        lambda parameters, _: compare_groups(
            request.project_answers, parameters, read_groups(request.project), differences=False
        )
    )
    repeats = request.compute(lambda parameters, _: compare_occasions(request.project_answers, parameters))
    text = methods.describe_methods(request.extract, report, compared, repeats)
    return PageSections(build_units_tables(request), context={"report": report, "methods": text})
