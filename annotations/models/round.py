"""The rounds of a project, and which texts are coded in which of them."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from annotations.models.project import KEY_LENGTH, Project
from annotations.models.text import Text

# The round of what nobody put into another.
MAIN = "main"


class RoundQuerySet(models.QuerySet["Round"]):
    def open(self) -> RoundQuerySet:
        """Return the rounds that are not closed."""
        return self.filter(closed_at__isnull=True)


class Round(models.Model):
    """A part of the annotation: texts that are coded under the same guidelines and scheme, at about one time.

    A text may be in several rounds: it is coded anew in each. `guidelines_version` and `scheme_version` are those of
    the moment when somebody first worked in it.
    """

    class Kind(models.TextChoices):
        TRAINING = "training", "training"
        PILOT = "pilot", "pilot"
        MAIN = "main", "main"
        RECHECK = "recheck", "recheck"

    # A foreign key that begins a unique constraint needs no index of its own.
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="rounds", db_index=False)
    name = models.SlugField(max_length=KEY_LENGTH, db_index=False, help_text="For example pilot, main or main-2.")
    position = models.PositiveIntegerField(default=0, help_text="Its place among the rounds of the project.")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.MAIN)
    starts_on = models.DateField("from", null=True, blank=True)
    ends_on = models.DateField("until", null=True, blank=True)
    guidelines_version = models.PositiveIntegerField(
        null=True, blank=True, editable=False, help_text="The version of the guidelines when the round began."
    )
    scheme_version = models.PositiveIntegerField(
        null=True, blank=True, editable=False, help_text="The version of the scheme when the round began."
    )
    closed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Since when no work is done in it; empty: it is open."
    )

    texts = models.ManyToManyField(Text, through="RoundText", related_name="rounds")

    objects = RoundQuerySet.as_manager()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="round_name_unique_in_project"),
            models.CheckConstraint(condition=~Q(name=""), name="round_has_a_name"),
            models.CheckConstraint(
                condition=Q(kind__in=["training", "pilot", "main", "recheck"]), name="round_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(starts_on__isnull=True) | Q(ends_on__isnull=True) | Q(ends_on__gte=F("starts_on")),
                name="round_ends_after_it_starts",
            ),
            models.CheckConstraint(
                condition=Q(guidelines_version__isnull=True) | Q(scheme_version__isnull=False),
                name="round_has_guidelines_once_it_began",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_closed(self) -> bool:
        """Whether nobody codes in it any more."""
        return self.closed_at is not None

    @property
    def has_begun(self) -> bool:
        """Whether somebody has worked in it."""
        return self.scheme_version is not None


class RoundText(models.Model):
    """A text is coded in a round. Its place among the texts of the round is that in the project."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="memberships")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "text"], name="round_has_a_text_once")]

    def __str__(self) -> str:
        return f"{self.text} in {self.round}"
