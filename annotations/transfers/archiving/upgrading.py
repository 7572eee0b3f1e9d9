"""Bring the tables of an older archive to what a project has now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from annotations.formats.project import Table
from annotations.models import Coding, GuidelinesReading, Project
from annotations.projects.guidelines import record_guidelines
from annotations.schemes.singletons import mark_singletons
from annotations.transfers.archiving.tables import TABLES, archived_fields, shape_of


def add_fields(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables with the fields that came after their archive, each with its default."""
    complete = {}
    for archived in TABLES:
        table = tables[archived.name]
        defaults: dict[str, list[Any]] = {
            name: [field.get_default()] * len(table)
            for name, field in archived_fields(archived).items()
            if name not in table.columns
        }
        complete[archived.name] = Table(shape_of(archived), {**table.columns, **defaults})
    return complete


def upgrade_project(project: Project, tables: Mapping[str, Table]) -> None:
    """Do with a project, restored from these tables as they were read, what migrations did with those here."""
    if "singleton" not in tables["categories"].columns:
        mark_singletons(project.categories.all())
    if "scores_shown" not in tables["project"].columns:
        project.scores_shown = True
        project.save(update_fields=["scores_shown"])
    if project.guidelines and not len(tables["guidelines_versions"]):
        _make_first_version(project)
    if "viewed_at" not in tables["codings"].columns:
        submitted = Coding.objects.filter(text__project=project, status=Coding.Status.SUBMITTED)
        submitted.update(viewed_at=timezone.now())


def _make_first_version(project: Project) -> None:
    """Make the guidelines version 1, which the members of the project have read."""
    version = record_guidelines(project, None)
    if version is not None:
        users = project.memberships.values_list("user", flat=True)
        GuidelinesReading.objects.bulk_create(
            [GuidelinesReading(project=project, user_id=user, number=version.number) for user in users]
        )
