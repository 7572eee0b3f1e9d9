"""A project, its scheme and its people."""

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from annotations.models.user import User
from annotations.querysets import ProjectQuerySet

KEY_LENGTH = 50
# Addresses under /projects/ that are pages.
RESERVED_SLUGS = ("new",)


class Project(models.Model):
    """An annotation project: texts, a scheme, and the people who code and manage."""

    class Answers(models.TextChoices):
        """What a coder says of a markable, besides its category."""

        POINTERS = "pointers", "pointers to antecedents"
        INDICES = "indices", "indices of entities"
        CATEGORIES = "categories", "categories alone"
        SCUS = "scus", "content units of summaries"

    class Unmarked(models.TextChoices):
        """What it means that a coder who submitted a text left one of its markables out."""

        SINGLETON = "singleton", "it refers to something of its own"
        LABEL = "label", "a category of its own"
        MISSING = "missing", "the coder did not judge it"

    slug = models.SlugField(max_length=KEY_LENGTH, unique=True)
    title = models.CharField(max_length=200)
    guidelines = models.TextField(blank=True, help_text="Markdown")
    answers = models.CharField(max_length=10, choices=Answers)
    unmarked = models.CharField(max_length=10, choices=Unmarked, default=Unmarked.SINGLETON)
    results_open = models.BooleanField(
        "results are open to coders",
        default=False,
        help_text="Until then a coder sees nothing of another coder's work.",
    )
    preset = models.CharField(
        max_length=KEY_LENGTH, blank=True, help_text="The conventions its agreement page opens with."
    )
    one_contributor = models.BooleanField(
        "one contributor per summary and SCU",
        default=True,
        help_text="Of pyramids: a model summary says each content unit at one place only.",
    )
    words_exclusive = models.BooleanField(
        "words belong to one SCU",
        default=True,
        help_text="Of pyramids: as in 2003; off: contributors and SCUs may share words, as in 2005.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    members = models.ManyToManyField(User, through="Membership", related_name="projects")

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["title", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=Q(answers__in=["pointers", "indices", "categories", "scus"]), name="project_answers_known"
            ),
            models.CheckConstraint(
                condition=Q(unmarked__in=["singleton", "label", "missing"]), name="project_unmarked_known"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def clean(self) -> None:
        if self.slug in RESERVED_SLUGS:
            raise ValidationError({"slug": "This address is taken by a page."})


class Membership(models.Model):
    """What one person may do in one project."""

    class Role(models.TextChoices):
        MANAGER = "manager", "manager"
        ADJUDICATOR = "adjudicator", "adjudicator"
        CODER = "coder", "coder"
        VIEWER = "viewer", "viewer"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)

    class Meta:
        ordering = ["user__username"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_one_role_a_person"),
            models.CheckConstraint(
                condition=Q(role__in=["manager", "adjudicator", "coder", "viewer"]),
                name="membership_role_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Level(models.Model):
    """A kind of markable: phrases that are coded, turns that are only pointed at."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="levels")
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    coded = models.BooleanField(default=True, help_text="Off: markables of this level are targets only.")
    coders_mark = models.BooleanField(
        default=False, help_text="Coders mark these themselves, besides those that come with the texts."
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
    """One answer of the scheme."""

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
        ]

    def __str__(self) -> str:
        return self.label
