"""The reports on pyramids by their names, as API and command ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agreement.data.pyramids.pyramids import read_pyramids
from agreement.reports.pyramids import peers, scores, scus, study
from agreement.reports.request.parameters import InvalidParameter
from annotations.models import Project

# Which parameters each takes.
REPORTS = {
    "scores": ("docset", "mean"),
    "study": ("docset", "mean", "first", "second"),
    "scus": ("docset", "first", "second"),
    "peers": ("docset",),
}


def report_as_dict(name: str, project: Project, query: Mapping[str, str]) -> dict[str, Any] | None:
    """Return one of REPORTS as plain data; None for SCUs where no docset has two pyramids. Raises InvalidParameter."""
    check_parameters(name, query)
    values = {field: value for field, value in query.items() if value}
    pyramids = read_pyramids(project, values.get("docset", ""))
    report: scores.ScoresReport | study.StudyReport | scus.ScusReport | peers.PeersReport | None
    if name == "scores":
        report = scores.report_scores(pyramids, **values)
    elif name == "study":
        report = study.report_study(pyramids, **values)
    elif name == "scus":
        report = scus.report_scus(pyramids, **values)
    else:
        report = peers.report_peers(pyramids, **values)
    return report.as_dict() if report else None


def check_parameters(name: str, query: Mapping[str, str]) -> None:
    """Raise InvalidParameter for a parameter that the report does not take."""
    for field in query:
        if field not in REPORTS[name]:
            names = ", ".join(REPORTS[name])
            raise InvalidParameter(field.replace("\x00", ""), f"unknown parameter; available: {names}.")
