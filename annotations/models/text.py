"""Texts with their segments and markables."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, F, Max, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from annotations.core.database.queries import related_rows, word_count
from annotations.models.people.rights import Person, Right
from annotations.models.project import KEY_LENGTH, Project, is_member, manages, may, sees_all_work
from annotations.models.scheme import Level

TEXT_SLUG_LENGTH = 100


class TextQuerySet(models.QuerySet["Text"]):
    def visible_to(self, user: Person) -> TextQuerySet:
        """Return all texts of a project for users who see all work or manage it, otherwise the texts they code."""
        if user.is_superuser:
            return self
        own = self._coded_by(user) & is_member(user, "project")
        return self.filter(sees_all_work(user, "project") | manages(user, "project") | own)

    def visible_in(self, project: Project, user: Person) -> TextQuerySet:
        """Return the texts of a project, read for the user, that the user may see (`visible_to`)."""
        if may(project, Right.READ_TEXTS):
            return self.filter(project=project)
        return self.filter(self._coded_by(user), project=project)

    def _coded_by(self, user: Person) -> Q:
        codings = related_rows(self.model, "codings").exclude(kind="gold")
        return Q(Exists(codings.filter(text=OuterRef("pk"), coder=user.pk)))

    def with_words(self) -> TextQuerySet:
        """Annotate each text with the number of its words, `words`, separated by white space."""
        return self.annotate(words=word_count("content"))

    def with_round(self) -> TextQuerySet:
        """Annotate each text with the name of its latest round, `round`, and that round's position."""
        latest = related_rows(self.model, "rounds").filter(texts=OuterRef("pk")).order_by("-position", "-pk")
        return self.annotate(
            round=Coalesce(Subquery(latest.values("name")[:1]), Value("")),
            round_place=Coalesce(Subquery(latest.values("position")[:1]), Value(-1)),
        )

    def next_position(self, project: int) -> int:
        """Return the position of new texts in the project: the last, or 0 if its texts have no order of their own."""
        last: int | None = self.filter(project=project).aggregate(last=Max("position"))["last"]
        return last + 1 if last else 0


class Text(models.Model):
    """A text to be coded. All offsets into `content` count Unicode code points."""

    class Direction(models.TextChoices):
        LEFT_TO_RIGHT = "ltr", "left to right"
        RIGHT_TO_LEFT = "rtl", "right to left"

    class Role(models.TextChoices):
        SOURCE = "source", "source text"
        MODELS = "models", "model summaries"
        PEER = "peer", "peer summary"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="texts", db_index=False)
    role = models.CharField(max_length=6, choices=Role, default=Role.SOURCE)
    docset = models.ForeignKey(
        "annotations.Docset", on_delete=models.CASCADE, null=True, blank=True, related_name="texts"
    )
    system = models.CharField(max_length=100, blank=True, help_text="What wrote a peer summary.")
    slug = models.SlugField(max_length=TEXT_SLUG_LENGTH)
    title = models.CharField(max_length=200)
    content = models.TextField()
    language = models.CharField(max_length=35, default="en", help_text="BCP 47 tag")
    direction = models.CharField(max_length=3, choices=Direction, default=Direction.LEFT_TO_RIGHT)
    position = models.PositiveIntegerField(
        default=0, help_text="Its place among the texts of the project; those of one place are in the order of slugs."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TextQuerySet.as_manager()

    class Meta:
        ordering = ["position", "slug"]
        # texts are counted without reading them
        indexes = [models.Index(fields=["project", "role"], name="text_project_role")]
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="text_slug_unique_in_project"),
            models.CheckConstraint(condition=~Q(content=""), name="text_not_empty"),
            models.CheckConstraint(condition=Q(direction__in=["ltr", "rtl"]), name="text_direction_known"),
            models.CheckConstraint(
                condition=Q(role="source", docset__isnull=True) | Q(role__in=["models", "peer"], docset__isnull=False),
                name="text_summaries_are_of_a_docset",
            ),
            models.UniqueConstraint(fields=["docset"], condition=Q(role="models"), name="text_one_of_models_a_docset"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def round_names(self) -> list[str]:
        """The names of the text's rounds, in their order. One query."""
        names: list[str] = list(self.rounds.values_list("name", flat=True))
        return names


class Segment(models.Model):
    """A part of a text that pages display as such: a turn, a sentence, a paragraph, a header."""

    class Kind(models.TextChoices):
        TURN = "turn", "turn"
        SENTENCE = "sentence", "sentence"
        PARAGRAPH = "paragraph", "paragraph"
        HEADER = "header", "header"
        SUMMARY = "summary", "model summary"

    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="segments", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    label = models.CharField(max_length=KEY_LENGTH, blank=True)
    speaker = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["start", "-end"]
        constraints = [
            models.UniqueConstraint(fields=["text", "kind", "start", "end"], name="segment_once"),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="segment_not_empty"),
        ]

    def __str__(self) -> str:
        return self.label or f"{self.kind} {self.start}-{self.end}"


class MarkableQuerySet(models.QuerySet["Markable"]):
    def in_use(self) -> MarkableQuerySet:
        """Leave out markables that every coder has deleted again, and markables that only gold or models have."""
        judgements = related_rows(self.model, "judgements").exclude(coding__kind="gold").exclude(coding__by_model=True)
        return self.filter(Q(predefined=True) | Exists(judgements.filter(markable=OuterRef("pk"))))

    def seen_in(self, coding: int, text: int) -> MarkableQuerySet:
        """Return the markables that the coder of the coding sees in its text: predefined ones and the coder's own.

        Only for filters by key: finding all of them would scan other coders' markables.
        """
        own = related_rows(self.model, "judgements").filter(coding=coding, markable=OuterRef("pk"))
        return self.filter(Q(predefined=True) | Exists(own), text=text)


class Markable(models.Model):
    """Words of a text, in one or more parts, that coders judge or point at."""

    # `key` is level and parts ("phrase:10-14,20-25"); a running number would disclose what others marked.

    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="markables", db_index=False)
    level = models.ForeignKey(Level, on_delete=models.PROTECT, related_name="markables")
    key = models.CharField(max_length=500)
    label = models.CharField(max_length=KEY_LENGTH, blank=True, help_text="A short name from the source.")
    parts = models.JSONField(help_text="[[start, end], ...] in text order, ends exclusive")
    head = models.JSONField(
        default=list, blank=True, help_text="[[start, end], ...] of the least words that stand for it (MUC's MIN)"
    )
    start = models.PositiveIntegerField(help_text="start of the first part")
    end = models.PositiveIntegerField(help_text="end of the last part")
    predefined = models.BooleanField(
        default=True, help_text="Given with the text; else only coders who marked it see it."
    )

    objects = MarkableQuerySet.as_manager()

    class Meta:
        ordering = ["start", "-end", "key"]
        constraints = [
            models.UniqueConstraint(fields=["text", "key"], name="markable_once_in_text"),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="markable_not_empty"),
        ]
        indexes = [models.Index(fields=["text"], condition=Q(predefined=True), name="markable_predefined_in_text")]

    def __str__(self) -> str:
        return self.label or self.key
