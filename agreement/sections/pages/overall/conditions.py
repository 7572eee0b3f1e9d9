"""Every condition in a grid, and what each single choice does."""

from __future__ import annotations

from dataclasses import replace

from django.utils.http import urlencode

from agreement.reports.request.request import AnalysisRequest
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections


def build_grid(request: AnalysisRequest) -> PageSections:
    """Return the grid, and the categories whose markables can be left out."""
    excluded = request.parameters.selection("without")
    halves = [
        (
            request.extract.label(name),
            f"?{urlencode(replace(request.parameters, without=','.join(excluded ^ {name})).query())}",
            name in excluded,
        )
        for name in request.extract.countable
    ]
    offered = len(halves) > 1 and not request.extract.units
    return compute_or_enqueue(request, "grid").extended(halves=halves if offered else [])


def build_comparison(request: AnalysisRequest) -> PageSections:
    """Return what each choice and each convention of a paper makes of the coefficient."""
    return compute_or_enqueue(request, "compare")
