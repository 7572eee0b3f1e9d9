"""The questions of coders: threads between a coder and the people who answer."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.db import models
from django.db.models import Exists, OuterRef, Q

from annotations.core.database.queries import related_rows
from annotations.models.people.rights import Right
from annotations.models.people.user import User
from annotations.models.project import Project, may
from annotations.models.text import Text

BODY_LENGTH = 5000
# The length of `Markable.key`.
MARKABLE_KEY_LENGTH = 500


def _shown_again() -> models.QuerySet[Any]:
    """Return the repeats of the question's text that its coder was given after asking."""
    codings = related_rows(Text, "codings").filter(
        text=OuterRef("text"), coder=OuterRef("coder"), occasion__gt=1, by_model=False
    )
    return codings.filter(created_at__gte=OuterRef("created_at")).order_by()


class QuestionQuerySet(models.QuerySet["Question"]):
    def visible_in(self, project: Project, user: User) -> QuestionQuerySet:
        """Return the questions of a project: all for users who may discuss items, otherwise the user's own."""
        questions = self.filter(text__project=project)
        return questions if may(project, Right.DISCUSS) else questions.asked_by(user)

    def asked_by(self, user: User) -> QuestionQuerySet:
        """Return the user's own questions, without those about a text that was repeated since."""
        return self.filter(~Exists(_shown_again()), coder=user.pk)

    def out_of_sight(self) -> QuestionQuerySet:
        """Return the questions that are hidden from their coders."""
        return self.filter(Exists(_shown_again()))


class Question(models.Model):
    """A coder's question about a text, or a markable of it, until it is resolved.

    Addresses have the `uuid`, as a running number would disclose how much others ask. `needs_answer`: the coder wrote
    last. `has_news`: the coder has not read the last reply. `public_question` and `public_answer` are shown to
    everybody in the project, without names.
    """

    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="questions", db_index=False)
    uuid = models.UUIDField(default=uuid4, editable=False)
    key = models.CharField(
        max_length=MARKABLE_KEY_LENGTH, blank=True, help_text="The key of the markable; empty: the text as a whole."
    )
    coder = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    body = models.TextField(max_length=BODY_LENGTH, help_text="Markdown")
    created_at = models.DateTimeField()
    needs_answer = models.BooleanField(default=True)
    has_news = models.BooleanField(default=False)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    public_question = models.TextField(max_length=BODY_LENGTH, blank=True)
    public_answer = models.TextField(max_length=BODY_LENGTH, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["text", "uuid"], name="question_once_in_text"),
            models.CheckConstraint(condition=~Q(body=""), name="question_not_empty"),
            models.CheckConstraint(
                condition=Q(resolved_at__isnull=True, resolved_by__isnull=True)
                | Q(resolved_at__isnull=False, resolved_by__isnull=False, needs_answer=False),
                name="question_resolved_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(published_at__isnull=True, public_question="", public_answer="")
                | (Q(published_at__isnull=False) & ~Q(public_question="") & ~Q(public_answer="")),
                name="question_published_with_answer",
            ),
        ]

    def __str__(self) -> str:
        return self.body


class Reply(models.Model):
    """A message in the thread of a question."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="replies")
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    body = models.TextField(max_length=BODY_LENGTH, help_text="Markdown")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "pk"]
        verbose_name_plural = "replies"
        constraints = [models.CheckConstraint(condition=~Q(body=""), name="reply_not_empty")]

    def __str__(self) -> str:
        return self.body
