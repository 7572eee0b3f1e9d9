"""Comments, flags and mappings of managers and adjudicators, stored answers, and computations of workers."""

from django.db import models
from django.db.models import Q

from annotations.models import Markable, Project, Round, Text, User

NAME_LENGTH = 50
REASON_LENGTH = 500


class Remark(models.Model):
    """A comment on an item, which only managers and adjudicators read."""

    markable = models.ForeignKey(Markable, on_delete=models.CASCADE, related_name="remarks")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    body = models.TextField(max_length=5000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.CheckConstraint(condition=~Q(body=""), name="remark_not_empty")]

    def __str__(self) -> str:
        return self.body


class Flag(models.Model):
    """A flag on an item that the guidelines should cover, open until somebody resolves it."""

    markable = models.OneToOneField(Markable, on_delete=models.CASCADE, related_name="flag")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(resolved_at__isnull=True, resolved_by__isnull=True)
                | Q(resolved_at__isnull=False, resolved_by__isnull=False),
                name="flag_resolved_by_somebody",
            )
        ]

    def __str__(self) -> str:
        return str(self.markable)


class Mapping(models.Model):
    """A named mapping that merges categories."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="mappings")
    name = models.CharField(max_length=NAME_LENGTH)
    classes = models.JSONField(help_text="{category: what it becomes}; what is not in it stays")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="mapping_name_unique_in_project"),
            models.CheckConstraint(condition=~Q(name=""), name="mapping_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class StoredAnswers(models.Model):
    """The answers of coders in a document, which is a text in a round on one occasion, as last read."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="+", db_index=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="+")
    occasion = models.PositiveSmallIntegerField()
    reading = models.CharField(max_length=20, blank=True)  # which codings count, and whether gold or models are there
    version = models.BinaryField()  # of the codings; if theirs differs now, the document is read again
    content = models.BinaryField()  # keys and numbers
    names = models.TextField(blank=True)  # names of the chains of each coding, if coders give indices

    class Meta:
        verbose_name_plural = "stored answers"
        constraints = [
            models.UniqueConstraint(fields=["text", "round", "occasion", "reading"], name="stored_answers_once")
        ]

    def __str__(self) -> str:
        return f"{self.text} in {self.round}"


class FiguresVersion(models.Model):
    """The number of refreshes of a project's figures: by hand, or because markables of its texts changed."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="+", primary_key=True)
    number = models.PositiveIntegerField(default=0)  # answers stored or cached under another number are read again

    def __str__(self) -> str:
        return f"{self.project}: {self.number}"

    @classmethod
    def increase(cls, project: int) -> None:
        """Make all processes read the answers of a project again; `project` is its primary key."""
        cls.objects.get_or_create(project_id=project)
        cls.objects.filter(project_id=project).update(number=models.F("number") + 1)


class Computation(models.Model):
    """Sections of a page that a worker computes or has computed, for parameters and the page's own options."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="computations")
    kind = models.CharField(max_length=20)
    state = models.CharField(max_length=16)  # digest of answers, rounds and version of the program
    parameters = models.JSONField()
    own = models.JSONField(default=dict)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    result = models.JSONField(null=True)
    error = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(auto_now_add=True)  # when the worker last reported its progress
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["project", "kind", "state"], name="computation_of_state")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.project}"
