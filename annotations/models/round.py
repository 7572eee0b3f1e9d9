"""The rounds of a project, their texts, and their plans of assignments."""

from __future__ import annotations

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotations.models.people.user import User
from annotations.models.project import KEY_LENGTH, Project
from annotations.models.text import Text

# The default round.
MAIN = "main"


class RoundQuerySet(models.QuerySet["Round"]):
    def open(self) -> RoundQuerySet:
        return self.filter(closed_at__isnull=True)


class Round(models.Model):
    """A part of the annotation: texts that are coded under the same guidelines and scheme, at about one time.

    A text may be in several rounds, and is coded from the start in each. `guidelines_version` and `scheme_version` are
    the versions when work in the round began.
    """

    class Kind(models.TextChoices):
        TRAINING = "training", "training"
        PILOT = "pilot", "pilot"
        MAIN = "main", "main"
        RECHECK = "recheck", "recheck"

    class PassMeasure(models.TextChoices):
        CATEGORY = "category", "share of the gold’s judgements with its category"
        MASI = "masi", "mean 1 − MASI of the chains, 0 where the category is another"
        ANSWERS = "answers", "share of all answers of the gold: categories, chains, attributes, relations"

    class Feedback(models.TextChoices):
        SUBMISSION = "submission", "once the text is submitted"
        JUDGEMENT = "judgement", "after each judgement, whose first answer counts"

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

    pass_measure = models.CharField(
        max_length=10,
        choices=PassMeasure,
        blank=True,
        default="",
        help_text="Of a training round: what is compared with the gold; empty: nobody passes unless a manager says so.",
    )
    pass_mark = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="From 0 to 1: who reaches it in a text has passed the round.",
    )
    attempts = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="How many texts of a training round a coder may try; empty: all that have gold.",
    )
    feedback = models.CharField(
        max_length=10,
        choices=Feedback,
        default=Feedback.SUBMISSION,
        help_text="When coders of a training round see the gold beside their own answers.",
    )
    required_round = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The training round that a coder has passed before they get texts of this one.",
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
            models.CheckConstraint(
                condition=Q(pass_measure="", pass_mark__isnull=True)
                | Q(
                    pass_measure__in=["category", "masi", "answers"],
                    pass_mark__isnull=False,
                    pass_mark__gte=0,
                    pass_mark__lte=1,
                ),
                name="round_pass_rule_has_measure_and_mark",
            ),
            models.CheckConstraint(
                condition=Q(kind="training") | Q(pass_measure="", attempts__isnull=True),
                name="round_pass_rule_is_of_training",
            ),
            models.CheckConstraint(
                condition=Q(attempts__isnull=True) | Q(attempts__gte=1), name="round_attempts_are_positive"
            ),
            models.CheckConstraint(
                condition=Q(feedback="submission") | Q(kind="training", feedback="judgement"),
                name="round_feedback_at_once_is_of_training",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None

    @property
    def has_begun(self) -> bool:
        return self.scheme_version is not None


class RoundText(models.Model):
    """The membership of a text in a round. Texts have the same order as in the project."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="memberships")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "text"], name="round_has_a_text_once")]

    def __str__(self) -> str:
        return f"{self.text} in {self.round}"


class TrainingDecision(models.Model):
    """A manager's decision on a coder in a training round, overriding the pass rule: appended, never altered.

    The latest decision on a coder in a round is in force.
    """

    REASON_LENGTH = 500

    class Outcome(models.TextChoices):
        PASSED = "passed", "passed"
        FAILED = "failed", "not passed"
        RULE = "rule", "as the pass rule says"

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="decisions")
    coder = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    outcome = models.CharField(max_length=6, choices=Outcome)
    reason = models.CharField(max_length=REASON_LENGTH)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["decided_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome__in=["passed", "failed", "rule"]), name="training_decision_outcome_known"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="training_decision_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.coder} in {self.round}: {self.outcome}"


class Plan(models.Model):
    """The last request for assignments in a round. Codings resulted from it, and may have changed since.

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
    """A coder in a plan: the share of the work, in thousandths, and the maximum of texts."""

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
    """A text of a plan: its number of coders, and its position in the pool, which gives the first free text."""

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
    """The last request to repeat coders' own texts in a round, unmarked.

    The resulting codings have occasion 2. The request is a share of a coder's texts, or a number.
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
            )
        ]

    def __str__(self) -> str:
        return f"repeats in {self.round}"
