"""A text and what stands in it."""

from django.db import models
from django.db.models import F, Q

from annotations.models.project import KEY_LENGTH, Level, Project
from annotations.querysets import MarkableQuerySet, TextQuerySet

TEXT_SLUG_LENGTH = 100


class Text(models.Model):
    """A text to be coded. All offsets into `content` count Unicode code points."""

    class Direction(models.TextChoices):
        LEFT_TO_RIGHT = "ltr", "left to right"
        RIGHT_TO_LEFT = "rtl", "right to left"

    class Role(models.TextChoices):
        SOURCE = "source", "source text"
        MODELS = "models", "model summaries"
        PEER = "peer", "peer summary"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="texts")
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
    round = models.SlugField(
        max_length=KEY_LENGTH,
        blank=True,
        db_index=False,
        help_text="The round of annotation it belongs to: pilot, main.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TextQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
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


class Segment(models.Model):
    """A stretch of a text that the page shows as such: a turn, a sentence, a paragraph, a header."""

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


class Markable(models.Model):
    """A stretch of a text, of one or more parts, that coders judge or point at.

    `key` is made of level and parts ("phrase:12-18", "phrase:10-14,20-25"): it is unique in the text because
    they are, and it tells a coder nothing of what others have marked, as a running number would.
    """

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

    def __str__(self) -> str:
        return self.label or self.key
