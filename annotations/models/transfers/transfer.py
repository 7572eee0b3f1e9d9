"""Imports and exports, and the mapping of names in files."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotations.models.people.rights import Person, Right
from annotations.models.people.user import User
from annotations.models.project import Project, manages, may, sees_all_work

# The key of project archives, which are no format of documents and therefore not in FORMATS.
ARCHIVE = "project"
FOLDER = "transfers"


class TransferQuerySet(models.QuerySet["Transfer"]):
    def visible_to(self, user: Person) -> TransferQuerySet:
        """Return the transfers of projects whose results the user sees, and the user's own imports and restores."""
        if user.is_superuser:
            return self
        own = Q(user=user.pk, kind=self.model.Kind.IMPORT) & manages(user, "project")  # imports by blind managers
        return self.filter(sees_all_work(user, "project") | own | Q(project=None, user=user.pk))

    def without_gold(self) -> TransferQuerySet:
        """Leave out transfers with gold, which coders learn nothing about."""
        return self.filter(choices__gold__isnull=True)

    def shown_in(self, project: Project) -> TransferQuerySet:
        """Return the transfers that the reader of the project may see, latest first."""
        transfers = self.filter(project=project).select_related("project", "user").order_by("-pk")
        if not may(project, Right.ADJUDICATE):
            transfers = transfers.without_gold()
        if may(project, Right.MANAGE_WORK):
            return transfers
        return transfers.filter(kind=self.model.Kind.EXPORT).exclude(format=ARCHIVE)


class Transfer(models.Model):
    """An import, an export, or the restoring of an archived project, which has no project until it is done.

    A check comes first and changes nothing; the job runs once its owner has seen the report of the check. `choices` are
    the fields of its form; `file` is the upload or the result. `heartbeat_at` is the time of the last reported
    progress, or of queueing; `total` is 0 until a worker has started.
    """

    class Kind(models.TextChoices):
        IMPORT = "import", "import"
        EXPORT = "export", "export"
        RESTORE = "restore", "restored project"

    class State(models.TextChoices):
        CHECKING = "checking", "preparing the preview"
        CHECKED = "checked", "preview ready"
        RUNNING = "running", "in progress"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    ACTIVE_STATES = (State.CHECKING, State.RUNNING)

    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, related_name="transfers")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    format = models.CharField(max_length=20)
    choices = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.CHECKING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    written = models.PositiveIntegerField(
        default=0, help_text="How many documents of an import are in the project: they stay, whatever comes then."
    )
    report = models.JSONField(null=True)
    error = models.TextField(blank=True)
    file = models.FileField(upload_to=FOLDER, max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = TransferQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["import", "export", "restore"]), name="transfer_kind_known"),
            models.CheckConstraint(
                condition=Q(state__in=["checking", "checked", "running", "done", "failed"]), name="transfer_state_known"
            ),
            models.CheckConstraint(
                condition=Q(project__isnull=False) | Q(kind="restore"), name="transfer_only_a_restore_has_no_project"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_active(self) -> bool:
        """Whether a worker is running it or will."""
        return self.state in self.ACTIVE_STATES

    @property
    def is_queued(self) -> bool:
        """Whether it waits for a worker: a worker that starts sets `total`."""
        return self.is_active and self.total == 0


class ImportNames(models.Model):
    """The project's names for names in files, by the import option that maps them."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="import_names")
    format = models.CharField(max_length=20)
    names = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "format"], name="import_names_once_a_format")]

    def __str__(self) -> str:
        return f"{self.project}: {self.format}"
