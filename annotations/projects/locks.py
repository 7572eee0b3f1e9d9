"""The lock of a project."""

from __future__ import annotations

from annotations.models import Project


def lock_project(project: int) -> None:
    """Let nobody else change the project, its scheme, members, docsets or assignments until the transaction ends.

    All of them are locked by one row: with two rows, transactions could lock them in different orders. (SQLite lets one
    transaction write at a time.)
    """
    Project.objects.select_for_update(of=("self",), no_key=True).get(pk=project)
