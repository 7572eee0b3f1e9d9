"""The log of every change to a coding."""

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotations.models.coding import Coding
from annotations.models.people.user import User


class OperationKind(models.TextChoices):
    JUDGE = "judge", "set the whole judgement of a markable"
    CLEAR = "clear", "take the judgement of a markable away"
    UNMARK = "unmark", "delete a markable of the coder's own"
    MOVE = "move", "change the edges of a markable of the coder's own"
    DESCRIBE = "describe", "set the label and comment of an SCU"
    IMPORT = "import", "set all judgements from a file"
    DRAFT = "draft", "propose all judgements of gold, from what coders answered"
    CORRECT = "correct", "move all markables with the words of the text"
    MERGE = "merge", "give other answers to a question that the scheme has changed"
    CHECK = "check", "see a judgement of training beside the gold"
    DECIDE = "decide", "say what holds of items of gold, and why"
    ASSIGN = "assign", "say who goes on with gold"
    SUBMIT = "submit", "submit the coding"
    REOPEN = "reopen", "reopen the coding"


class Operation(models.Model):
    """One change to one coding: appended, never altered. Replaying all operations in order gives the coding."""

    Kind: TypeAlias = OperationKind  # noqa: UP040 - its members are read from it
    # Operations that are no work on the coding: managers' changes to all codings of a text or project, drafts of gold,
    # and changes of its owner.
    MANAGING_KINDS = (Kind.CORRECT, Kind.MERGE, Kind.DRAFT, Kind.ASSIGN)
    # Operations that change no answer: a coding with only these has not begun (`Coding.corrections` counts them).
    UNBEGUN_KINDS = (Kind.CORRECT, Kind.ASSIGN)

    coding = models.ForeignKey(Coding, on_delete=models.CASCADE, related_name="operations", db_index=False)
    sequence = models.PositiveIntegerField()
    uuid = models.UUIDField()
    kind = models.CharField(max_length=10, choices=Kind)
    payload = models.JSONField()
    scheme_version = models.PositiveIntegerField(
        default=1, help_text="the version of the scheme that it was made under"
    )
    step = models.UUIDField(null=True, blank=True, help_text="the same for operations that are undone together")
    undoes = models.UUIDField(null=True, blank=True, help_text="the step that this one undoes")
    user = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who did it; of a draft whom the gold was given to, empty where nobody was.",
    )
    made_at = models.DateTimeField(null=True, blank=True, help_text="by the clock of the coder's machine")
    applied_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["coding", "sequence"]
        # The activity of a project is read without payloads, which may be long.
        indexes = [models.Index(fields=["coding", "applied_at", "kind"], name="operation_times")]
        constraints = [
            models.UniqueConstraint(fields=["coding", "sequence"], name="operation_sequence_without_double"),
            models.UniqueConstraint(fields=["coding", "uuid"], name="operation_applied_once"),
            models.CheckConstraint(condition=Q(kind__in=OperationKind.values), name="operation_kind_known"),
            models.CheckConstraint(
                condition=Q(user__isnull=False) | Q(kind="draft"), name="operation_has_a_user_unless_draft"
            ),
            models.CheckConstraint(condition=Q(sequence__gte=1), name="operation_sequence_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.sequence} {self.kind}"
