"""The scheme of a project: its levels and categories."""

from django.db import models
from django.db.models import Q

from annotations.models.project import KEY_LENGTH, Project


class Level(models.Model):
    """A kind of markable: phrases that are judged, turns that are only pointed at."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="levels")
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    coded = models.BooleanField(default=True, help_text="Off: markables of this level are targets only.")
    coders_mark = models.BooleanField(
        default=False, help_text="Coders create these, in addition to those imported with the texts."
    )
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "key"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="level_key_unique_in_project"),
            models.CheckConstraint(condition=Q(coders_mark=False) | Q(coded=True), name="level_marked_is_coded"),
        ]

    def __str__(self) -> str:
        return self.label


class Category(models.Model):
    """A category of the scheme, which coders choose in a judgement."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="categories")
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    points_to = models.ForeignKey(
        Level,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="pointing_categories",
        help_text="The level that its pointers go to; none: it takes no pointer.",
    )
    max_pointers = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="At most so many pointers; empty: any number."
    )
    allow_later = models.BooleanField(default=False, help_text="May point at a markable later in the text.")
    takes_index = models.BooleanField(default=False, help_text="Where coders index: this answer needs an index.")
    takes_optional = models.BooleanField(
        default=False, help_text='The coder may call this answer optional (MUC\'s STATUS="OPT").'
    )
    position = models.PositiveSmallIntegerField(default=0)
    singleton = models.BooleanField(
        default=False,
        help_text="Where coders index: a markable with this answer is a singleton. Off: the answer is a value of its"
        " own, the same for all that have it.",
    )

    class Meta:
        ordering = ["position", "key"]
        verbose_name_plural = "categories"
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="category_key_unique_in_project"),
            models.CheckConstraint(
                condition=Q(max_pointers__isnull=True) | Q(points_to__isnull=False, max_pointers__gte=1),
                name="category_bound_needs_pointers",
            ),
            models.CheckConstraint(
                condition=Q(takes_index=False) | Q(points_to__isnull=True),
                name="category_points_or_indexes",
            ),
            models.CheckConstraint(
                condition=Q(singleton=False) | Q(takes_index=False, points_to__isnull=True),
                name="category_singleton_refers_to_nothing_else",
            ),
        ]

    def __str__(self) -> str:
        return self.label
