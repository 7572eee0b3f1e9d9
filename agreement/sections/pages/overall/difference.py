"""Two rounds, groups of coders or categories beside each other."""

from __future__ import annotations

from typing import Any

from agreement.data.codings.groups import read_groups
from agreement.reports.coders.differences import KINDS, check_parts
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections

# Other projects are compared by the API and the command, which are told their addresses.
PAGE_KINDS = tuple(kind for kind in KINDS if kind != "project")


def build(request: AnalysisRequest) -> PageSections:
    """Return two figures and their difference, or only the choices where nothing is chosen yet."""
    choices = _list_choices(request)
    is_chosen = request.compute(lambda parameters, options: _check(request, parameters, options))
    by = request.options.get("by") or next((kind for kind in PAGE_KINDS if len(choices[kind]) > 1), PAGE_KINDS[0])
    context: dict[str, Any] = {
        "kinds": [(kind, request.address_with(by=kind, first="", second=""), kind == by) for kind in PAGE_KINDS],
        "by": by,
        "names": [(name, request.extract.label(name) if by == "category" else name) for name in choices.get(by, [])],
        "first": request.options.get("first", ""),
        "second": request.options.get("second", ""),
        "groups": list(read_groups(request.project)) if by == "group" else [],
        "is_chosen": is_chosen,
        "report_query": request.parameters.query(),
    }
    if not is_chosen:
        return PageSections([], [], context=context)
    left_out = count_left_out(request.extract, request.parameters)
    sections = compute_or_enqueue(request, "difference")
    return sections.extended(**context, not_counted=list_codings_left_out(left_out))


def _list_choices(request: AnalysisRequest) -> dict[str, list[str]]:
    """Return the names of each kind: of groups those of the coders, whom a person puts together."""
    extract = request.extract
    return {"round": list(extract.rounds), "group": list(extract.coders), "category": list(extract.countable)}


def _check(request: AnalysisRequest, parameters: Parameters, options: dict[str, str]) -> bool:
    """Return whether two parts are chosen. Raise InvalidParameter where they are not there."""
    by, first, second = (options.get(name, "") for name in ("by", "first", "second"))
    if by and by not in PAGE_KINDS:
        raise InvalidParameter("by", f"{by!r} is not one of {', '.join(PAGE_KINDS)}.")
    if not first and not second:
        return False
    check_parts(request.project_answers, parameters, by, first, second, read_groups(request.project))
    return True
