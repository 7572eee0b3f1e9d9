"""How many texts are enough."""

from __future__ import annotations

from agreement.reports.planning import DIFFERENCE, POWER, Targets
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections

FIELDS = (
    ("margin", "95% CI of ±", "the next"),
    ("bound", "95% CI above", "0.667"),
    ("difference", "Difference", f"{DIFFERENCE:g}"),
    ("power", "Power", f"{POWER:g}"),
)
SAMPLE_LABELS = {"groups": "these coders", "both": "coders like these"}


def build(request: AnalysisRequest) -> PageSections:
    """Return the interval that other numbers of texts would have, and how many are enough."""
    request.compute(lambda _, options: Targets.from_options(options))
    left_out = count_left_out(request.extract, request.parameters)
    sample = request.options.get("sample") or "groups"
    return compute_or_enqueue(request, "planning").extended(
        fields=[(name, label, request.options.get(name, ""), hint) for name, label, hint in FIELDS],
        samples=[(label, request.address_with(sample=name), name == sample) for name, label in SAMPLE_LABELS.items()],
        sample=sample,
        report_query=request.parameters.query(),
        not_counted=list_codings_left_out(left_out),
    )
