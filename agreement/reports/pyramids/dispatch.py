"""The reports on pyramids by their names, as API and command ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agreement.parameters import WrongParameter
from agreement.pyramids import read
from agreement.reports import peers, scores, scus, study
from annotations.models import Project

# Which parameters each takes.
REPORTS = {
    "scores": ("docset", "mean"),
    "study": ("docset", "mean", "first", "second"),
    "scus": ("docset", "first", "second"),
    "peers": ("docset",),
}


def as_dict(name: str, project: Project, asked: Mapping[str, str]) -> dict[str, Any] | None:
    """One of REPORTS as plain data; None for SCUs where no docset has two pyramids. Raises WrongParameter."""
    check(name, asked)
    given = {field: value for field, value in asked.items() if value}
    pyramids = read(project, given.get("docset", ""))
    found: scores.Report | study.Report | scus.Report | peers.Report | None
    if name == "scores":
        found = scores.report(pyramids, **given)
    elif name == "study":
        found = study.report(pyramids, **given)
    elif name == "scus":
        found = scus.report(pyramids, **given)
    else:
        found = peers.report(pyramids, **given)
    return found.as_dict() if found else None


def check(name: str, asked: Mapping[str, str]) -> None:
    """Raise WrongParameter for a parameter that the report does not take."""
    for field in asked:
        if field not in REPORTS[name]:
            there = ", ".join(REPORTS[name])
            raise WrongParameter(field.replace("\x00", ""), f"there is no such parameter; there are {there}.")
