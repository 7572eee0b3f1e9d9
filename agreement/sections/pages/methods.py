"""What was computed and how, in words for a paper."""

from __future__ import annotations

from agreement.reports import overall
from agreement.reports.methods import methods
from agreement.reports.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.pages.agreement import build_units_tables


def build(request: AnalysisRequest) -> PageSections:
    """Return a paragraph with what it cites, and for pyramids both counts of units."""
    report = request.compute(lambda parameters, _: overall.compute_report(request.extract, parameters))
    text = methods.describe_methods(request.extract, report)
    return PageSections(build_units_tables(request), context={"report": report, "methods": text})
