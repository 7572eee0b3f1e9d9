"""The lock of a project, and whether it is archived: readable for its members, and changed by nobody."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from annotations.models import Project


class ProjectArchived(PermissionDenied):
    """The project is archived: nothing of it is changed."""

    # In the API: a window that is open then keeps what it could not send, and says why.
    status, code = 423, "archived"


def refuse_archived(project: Project) -> None:
    if project.archived_at is not None:
        raise ProjectArchived(
            f"“{project}” is archived: it can only be read. A manager can open it again on its page Settings."
        )


def lock_project(project: int, *, archived: bool = False) -> Project:
    """Return the project; nobody else changes it, its scheme, members, docsets or assignments in this transaction.

    One row locks all, as two could be locked in different orders. Raise ProjectArchived, unless `archived` may change.
    """
    row = Project.objects.select_for_update(of=("self",), no_key=True).get(pk=project)
    if not archived:
        refuse_archived(row)
    return row


@transaction.atomic
def set_archived(project: Project, *, archived: bool) -> bool:
    """Archive the project or open it again. Return False if it is so already."""
    lock_project(project.pk, archived=True)
    rows = Project.objects.filter(pk=project.pk, archived_at__isnull=archived)
    return bool(rows.update(archived_at=timezone.now() if archived else None))
