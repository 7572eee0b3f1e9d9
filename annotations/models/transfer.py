"""Files that come into a project, or leave it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotations.models.project import Project
from annotations.models.user import User
from annotations.querysets import TransferQuerySet

# The key of the project's archive. It holds more than documents, so it is none of FORMATS.
ARCHIVE = "project"
FOLDER = "transfers"


class Transfer(models.Model):
    """An import, an export, or the bringing back of an archived project, which has no project before it is done.

    It is first checked, which changes nothing, and carried out when its owner has seen the report of that. `choices`
    are the fields of its form; `file` is what was uploaded, or what was made. `told_at` is when the worker last said
    how far it is, or when somebody asked for one; `total` is 0 until one has begun.
    """

    class Kind(models.TextChoices):
        IMPORT = "import", "import"
        EXPORT = "export", "export"
        RESTORE = "restore", "project from its archive"

    class State(models.TextChoices):
        CHECKING = "checking", "being checked"
        CHECKED = "checked", "checked, not carried out"
        RUNNING = "running", "being carried out"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    AT_WORK = (State.CHECKING, State.RUNNING)

    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, related_name="transfers")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    format = models.CharField(max_length=20)
    choices = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.CHECKING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    report = models.JSONField(null=True)
    error = models.TextField(blank=True)
    file = models.FileField(upload_to=FOLDER, max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    told_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = TransferQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["import", "export", "restore"]), name="transfer_kind_known"),
            models.CheckConstraint(
                condition=Q(state__in=["checking", "checked", "running", "done", "failed"]),
                name="transfer_state_known",
            ),
            models.CheckConstraint(
                condition=Q(project__isnull=False) | Q(kind="restore"), name="transfer_only_a_restore_has_no_project"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def at_work(self) -> bool:
        """Whether somebody works on it or shall."""
        return self.state in self.AT_WORK

    @property
    def waits(self) -> bool:
        """Whether nobody has begun yet: who begins says that there is something to do."""
        return self.at_work and self.total == 0
