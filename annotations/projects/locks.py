"""The lock of a project, and the archived state, in which members can read it but nobody can change it."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from annotations.models import Project


class ProjectArchived(PermissionDenied):
    """The project is archived and cannot be changed."""

    # For the API: an open coding page keeps what it could not send, and says why.
    status, code = 423, "archived"


def refuse_archived(project: Project) -> None:
    if project.archived_at is not None:
        raise ProjectArchived(
            f"“{project}” is archived: it can only be read. A manager can open it again on its page Settings."
        )


def lock_project(project: int, *, archived: bool = False) -> Project:
    """Lock the project with its scheme, members, docsets and assignments for the transaction, and return it.

    A single row is the lock, as two could be locked in different orders. Raise ProjectArchived unless `archived`.
    """
    row = Project.objects.select_for_update(of=("self",), no_key=True).get(pk=project)
    if not archived:
        refuse_archived(row)
    return row


@transaction.atomic
def set_archived(project: Project, *, archived: bool) -> bool:
    """Archive the project or open it again. Return False if nothing changed."""
    lock_project(project.pk, archived=True)
    rows = Project.objects.filter(pk=project.pk, archived_at__isnull=archived)
    return bool(rows.update(archived_at=timezone.now() if archived else None))
