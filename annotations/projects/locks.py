"""The lock of a project, and what keeps an archived one as it is."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied

from annotations.models import Project


class ProjectArchived(PermissionDenied):
    """The project is archived: nothing of it is changed."""

    # In the API: a window that is open then keeps what it could not send, and says why.
    status, code = 423, "archived"


def refuse_archived(project: Project) -> None:
    """Raise ProjectArchived if the project is archived."""
    if project.archived_at is not None:
        raise ProjectArchived(
            f"“{project}” is archived: it can only be read. A manager can open it again on its page Settings."
        )


def lock_project(project: int, *, archived: bool = False) -> Project:
    """Return the project; nobody else changes it, its scheme, members, docsets or assignments in this transaction.

    All of them are locked by one row: with two rows, transactions could lock them in different orders. (SQLite lets one
    transaction write at a time.) Raise ProjectArchived for an archived project, unless `archived` ones may change too.
    """
    row = Project.objects.select_for_update(of=("self",), no_key=True).get(pk=project)
    if not archived:
        refuse_archived(row)
    return row
