"""The versions of the scheme of a project."""

from __future__ import annotations

from typing import Any

from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Project, SchemeVersion
from annotations.schemes.project_scheme import read_scheme


def scheme_of_version(project: Project, number: int) -> dict[str, Any] | None:
    """Return what was asked in a version, as a file has it, in its last words; None where there is no such version."""
    if number == project.scheme_version:
        return scheme_to_json(read_scheme(project.pk).spec, project.answers)
    row = SchemeVersion.objects.filter(project=project, number=number).values_list("scheme", flat=True)
    return row.first()
