"""The versions of the scheme of a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotations.formats.model.scheme import CATEGORY
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Project, SchemeVersion
from annotations.schemes.constraints import Constraints
from annotations.schemes.project_scheme import read_scheme


def scheme_of_version(project: Project, number: int) -> dict[str, Any] | None:
    """Return what was asked in a version, as a file has it, in its last words; None where there is no such version."""
    if number == project.scheme_version:
        return scheme_to_json(read_scheme(project.pk).spec, project.answers)
    row = SchemeVersion.objects.filter(project=project, number=number).values_list("scheme", flat=True)
    return row.first()


def merged_answers(project: Project, constraints: Constraints) -> dict[str, dict[str, str]]:
    """Return what has become of the values that are no longer offered since they were merged, by question.

    A page sends by it what it could not send before. None or one query.
    """
    if project.scheme_version == 1:
        return {}
    rows = SchemeVersion.objects.filter(project=project).exclude(merges=[]).order_by("number")
    into = {
        (question, value): new for merges in rows.values_list("merges", flat=True) for question, value, new in merges
    }
    offered = _offered(constraints)
    found: dict[str, dict[str, str]] = {}
    for question, value in into:
        now, seen = value, set[str]()
        while now not in offered.get(question, ()) and now not in seen and (question, now) in into:
            seen.add(now)
            now = into[question, now]
        if now != value and now in offered.get(question, ()):
            found.setdefault(question, {})[value] = now
    return found


def _offered(constraints: Constraints) -> Mapping[str, set[str]]:
    """Return the values that are offered, by question."""
    categories = {key for key, category in constraints["categories"].items() if not category["retired"]}
    attributes = constraints["attributes"].items()
    return {CATEGORY: categories} | {key: {*one["values"]} - {*one["retired_values"]} for key, one in attributes}
