"""The plan of a round: who codes which text, by which design."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotations.models.people.user import User
from annotations.models.round import Round
from annotations.models.text import Text


class Plan(models.Model):
    """Who codes what in a round, as it was last asked for. Codings are what came of it, and may have changed since.

    In a pool nobody is assigned anything: coders take the next free place themselves.
    """

    class Design(models.TextChoices):
        ALL = "all", "everybody codes every text"
        K = "k", "each text by k coders"
        SHARE = "share", "a share of the texts by k coders, the others by one"
        BLOCKS = "blocks", "blocks of texts, each by k coders"

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="plan")
    design = models.CharField(max_length=6, choices=Design)
    k = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How many coders code a text, or a shared one; empty: all."
    )
    share = models.FloatField(null=True, blank=True, help_text="Which part of the texts is shared.")
    blocks = models.PositiveIntegerField(
        null=True, blank=True, help_text="Into how many blocks texts are put; empty: as many as there are coders."
    )
    calibration = models.PositiveIntegerField(default=0, help_text="How many texts, drawn at random, are coded by all.")
    seed = models.BigIntegerField(default=0)
    pool = models.BooleanField(default=False, help_text="Coders take the next text themselves.")
    allow_unconnected = models.BooleanField(default=False, help_text="Groups of coders may share no texts.")
    due_on = models.DateField(null=True, blank=True, help_text="Until when the texts are to be coded.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(design__in=["all", "k", "share", "blocks"]), name="plan_design_known"),
            models.CheckConstraint(condition=Q(k__isnull=True) | Q(k__gt=0), name="plan_k_is_positive"),
            models.CheckConstraint(
                condition=Q(design="share", share__gte=0, share__lte=1) | (~Q(design="share") & Q(share__isnull=True)),
                name="plan_share_is_a_part",
            ),
            models.CheckConstraint(
                condition=Q(blocks__isnull=True) | Q(design="blocks", blocks__gt=0), name="plan_blocks_are_of_blocks"
            ),
        ]

    def __str__(self) -> str:
        return f"plan of {self.round}"


class PlanCoder(models.Model):
    """Somebody who takes part in a plan: their share of the work, in thousandths, and how many texts at most."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="coders", db_index=False)
    coder = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    weight = models.PositiveIntegerField(default=1000)
    maximum = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: any number of texts.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["plan", "coder"], name="plan_has_a_coder_once"),
            models.CheckConstraint(condition=Q(weight__gt=0), name="plan_weights_are_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.coder} in the {self.plan}"


class PlanText(models.Model):
    """A text of a plan: by how many it is to be coded, and its place in the pool, from which each takes the first."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="texts", db_index=False)
    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="+")
    coders = models.PositiveIntegerField()
    position = models.PositiveIntegerField(default=0)
    calibration = models.BooleanField(default=False)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "text"], name="plan_has_a_text_once"),
            models.CheckConstraint(condition=Q(coders__gt=0), name="plan_text_is_coded"),
        ]

    def __str__(self) -> str:
        return f"{self.text} in the {self.plan}"


class RepeatPlan(models.Model):
    """Which of their own texts coders are shown again in a round, unmarked, as it was last asked for.

    Codings of the second occasion are what came of it. Either a share of a coder's texts is asked for, or a number.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="repeat_plan")
    share = models.FloatField(null=True, blank=True, help_text="Which part of their submitted texts each codes again.")
    number = models.PositiveIntegerField(null=True, blank=True, help_text="How many texts each codes again.")
    days = models.PositiveIntegerField(help_text="How many days after the last change of a text it may come again.")
    seed = models.BigIntegerField(default=0)
    coders = models.ManyToManyField(User, related_name="+", help_text="Who; none: all who code blind to each other.")
    automatic = models.BooleanField(
        default=False, help_text="What becomes due later is shown again without being asked for."
    )
    applied_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(share__gte=0, share__lte=1, number__isnull=True)
                | Q(share__isnull=True, number__isnull=False),
                name="repeat_plan_has_a_share_or_a_number",
            ),
        ]

    def __str__(self) -> str:
        return f"repeats in {self.round}"
