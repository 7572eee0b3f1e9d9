"""Agreement within and between groups of coders."""

from __future__ import annotations

from agreement.data.codings.groups import read_groups
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections


def build(request: AnalysisRequest) -> PageSections:
    """Return what each group of coders agrees within and with each other one; nothing where nobody is in a group."""
    groups = read_groups(request.project)
    coded = [name for name, coders in groups.items() if set(coders) & set(request.extract.coders)]
    if not coded:
        return PageSections(context={"coded": [], "grouped": bool(groups)})
    left_out = count_left_out(request.extract, request.parameters)
    sections = compute_or_enqueue(request, "groups")
    return sections.extended(coded=coded, not_counted=list_codings_left_out(left_out))
