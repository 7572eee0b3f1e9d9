"""The versions of the scheme of a project: their questions and their changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotations.formats.model.scheme import CATEGORY, SchemeSpec
from annotations.formats.model.scheme_json import scheme_from_json, scheme_to_json
from annotations.models import Project, SchemeVersion
from annotations.schemes.constraints import Constraints
from annotations.schemes.design.wording import describe_differences
from annotations.schemes.project_scheme import read_scheme


def scheme_of_version(project: Project, number: int) -> dict[str, Any] | None:
    """Return a version's scheme as in a file, with its final words; None if there is no such version."""
    if number == project.scheme_version:
        return scheme_to_json(read_scheme(project.pk).spec, project.answers)
    return SchemeVersion.objects.filter(project=project, number=number).values_list("scheme", flat=True).first()


def merged_answers(project: Project, constraints: Constraints) -> dict[str, dict[str, str]]:
    """Return the new values for merged ones by question, as open pages may send old ones. At most one query."""
    if project.scheme_version == 1:
        return {}
    rows = SchemeVersion.objects.filter(project=project).exclude(merges=[]).order_by("number")
    into = {(question, old): new for merges in rows.values_list("merges", flat=True) for question, old, new in merges}
    categories = {key for key, category in constraints["categories"].items() if not category["retired"]}
    attributes = constraints["attributes"].items()
    offered = {CATEGORY: categories} | {key: {*spec["values"]} - {*spec["retired_values"]} for key, spec in attributes}
    current: dict[str, dict[str, str]] = {}
    for question, value in into:
        now, seen = value, set[str]()
        while now not in offered.get(question, ()) and now not in seen and (question, now) in into:
            seen.add(now)
            now = into[question, now]
        if now != value and now in offered.get(question, ()):
            current.setdefault(question, {})[value] = now
    return current


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """A version, and its differences from the version before; none for the first."""

    version: SchemeVersion
    changes: Sequence[str]


def list_versions(project: Project) -> QuerySet[SchemeVersion]:
    """Return the versions of the scheme, the latest first; none while there is only one."""
    return SchemeVersion.objects.filter(project=project).select_related("author").order_by("-number")


def describe_versions(project: Project, versions: Sequence[SchemeVersion]) -> list[VersionEntry]:
    """Return the changes of each of these consecutive versions, the latest first. One query."""
    if not versions:
        return []
    earlier = list_versions(project).filter(number__lt=versions[-1].number).first()
    specs: list[SchemeSpec | None] = [scheme_from_json(version.scheme)[0] for version in versions]
    specs.append(scheme_from_json(earlier.scheme)[0] if earlier is not None else None)
    return [
        VersionEntry(
            version,
            [
                *(f"{question}: {value} is merged into {into}." for question, value, into in version.merges),
                *(describe_differences(before, after) if before is not None and after is not None else []),
            ],
        )
        for version, after, before in zip(versions, specs[:-1], specs[1:], strict=True)
    ]
