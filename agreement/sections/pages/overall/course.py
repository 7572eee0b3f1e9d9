"""How agreement and work went over time."""

from __future__ import annotations

from agreement.reports.coders.timing import read_project_work
from agreement.reports.overall.course import check_grouping
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections
from agreement.sections.deferred.course import default_grouping
from agreement.sections.figures.times import build_days

GROUPING_LABELS = {"round": "round", "week": "week", "operations": "number of operations"}


def build(request: AnalysisRequest) -> PageSections:
    """Return agreement, each coder's and all, and the time a judgement takes, stage by stage."""
    request.compute(lambda _, options: check_grouping(options.get("by") or "round"))
    current = request.options.get("by") or default_grouping(
        bool(read_project_work(request.project, request.project_answers).activities)
    )
    days = build_days(request)
    return compute_or_enqueue(request, "course").extended(
        tables=days.tables,
        charts=days.charts,
        days=bool(days.tables),
        choices=[(label, request.address_with(by=name), name == current) for name, label in GROUPING_LABELS.items()],
    )
