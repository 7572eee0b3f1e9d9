"""What each version of a scheme changed, for the page of its history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import scheme_from_json
from annotations.models import Project, SchemeVersion
from annotations.schemes.design.differences import describe_differences


@dataclass(frozen=True, slots=True)
class VersionEntry:
    """A version, and how it differs from the one before it. Of the first there is nothing to say."""

    version: SchemeVersion
    changes: Sequence[str]


def list_versions(project: Project) -> QuerySet[SchemeVersion]:
    """Return the versions of the scheme, the latest first; none as long as there is one."""
    return SchemeVersion.objects.filter(project=project).select_related("author").order_by("-number")


def describe_versions(project: Project, versions: Sequence[SchemeVersion]) -> list[VersionEntry]:
    """Return what each of these changed; they follow each other, the latest first. One query."""
    if not versions:
        return []
    earlier = list_versions(project).filter(number__lt=versions[-1].number).first()
    specs: list[SchemeSpec | None] = [scheme_from_json(one.scheme)[0] for one in versions]
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
