"""Whether a project is in use, or archived: readable for its members, and changed by nobody."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from annotations.models import Project
from annotations.projects.locks import lock_project


@transaction.atomic
def set_archived(project: Project, *, archived: bool) -> bool:
    """Archive the project or open it again. Return False if it is so already."""
    lock_project(project.pk, archived=True)
    rows = Project.objects.filter(pk=project.pk, archived_at__isnull=archived)
    return bool(rows.update(archived_at=timezone.now() if archived else None))
