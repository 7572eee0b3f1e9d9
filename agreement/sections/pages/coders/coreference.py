"""Coreference scores of two coders, or of a coder and a key."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from agreement.reports.links.coreference import select_pair
from agreement.reports.request.basis import count_left_out, count_other_versions
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import describe_versions, list_codings_left_out
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections


def build(request: AnalysisRequest) -> PageSections:
    """Return every score of two coders, over all texts and in each; without two coders nothing but the choice."""
    pair = request.compute(lambda parameters, options: _choose_pair(request, parameters, options))
    context: dict[str, Any] = {
        "coders": request.extract.coders,
        "has_chains": request.extract.has_chains,
        "report_query": request.parameters.query(),
        "pair": pair,
    }
    if pair is None:
        return PageSections([], [], context=context)
    first, second = pair
    request.options = {"first": first, "second": second}
    of_pair, parameters = select_pair(request.project_answers, request.parameters, first, second)
    left_out = count_left_out(of_pair, parameters)
    scores = compute_or_enqueue(request, "coreference")
    versions_left_out = describe_versions(parameters.scheme_versions, count_other_versions(of_pair, parameters))
    return scores.extended(**context, not_counted=list_codings_left_out(left_out), versions_left_out=versions_left_out)


def _choose_pair(request: AnalysisRequest, parameters: Parameters, options: dict[str, str]) -> tuple[str, str] | None:
    """Return the coders that the address names, or the first two; None where there are no two."""
    if not request.extract.has_chains:
        return None
    first, second = options.get("first", ""), options.get("second", "")
    if not first and not second:
        return next(combinations(request.extract.coders, 2), None)
    if not first or not second:
        raise InvalidParameter("second" if first else "first", "name two coders, first and second.")
    select_pair(request.project_answers, parameters, first, second)
    return first, second
