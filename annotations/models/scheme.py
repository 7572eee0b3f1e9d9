"""The scheme of a project: its levels, and the questions on them."""

from enum import StrEnum

from django.db import models
from django.db.models import Q

from annotations.formats.model.scheme import AnswerKind, Subject
from annotations.models.people.user import User
from annotations.models.project import KEY_LENGTH, Project

HELP_LENGTH = 1000
COLOUR_LENGTH = 7
COLOUR_HELP = "Such as #1f77b4; empty: none of its own."
CONDITION_HELP = '{"question": key, "values": [...]}, {"relation": key}, or nothing: always.'


def _choices(names: type[StrEnum]) -> list[tuple[str, str]]:
    return [(name.value, name.value) for name in names]


class Labelled(models.Model):
    """A part of the scheme with a position, shown by its label."""

    label: str

    class Meta:
        abstract = True
        ordering = ["position", "key"]

    def __str__(self) -> str:
        return self.label


class Level(Labelled):
    """A kind of markable: phrases that are judged, turns that are only pointed at."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="levels")
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    coded = models.BooleanField(default=True, help_text="Off: markables of this level are targets only.")
    coders_mark = models.BooleanField(
        default=False, help_text="Coders create these, in addition to those imported with the texts."
    )
    position = models.PositiveSmallIntegerField(default=0)

    class Meta(Labelled.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="level_key_unique_in_project"),
            models.CheckConstraint(condition=Q(coders_mark=False) | Q(coded=True), name="level_marked_is_coded"),
        ]


class Category(Labelled):
    """A category of the scheme, which coders choose in a judgement."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="categories")
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    level = models.ForeignKey(
        Level,
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        related_name="categories",
        help_text="The only level that it is for; none: every coded level.",
    )
    help = models.TextField(blank=True, max_length=HELP_LENGTH)
    colour = models.CharField(max_length=COLOUR_LENGTH, blank=True, help_text=COLOUR_HELP)
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
    retired = models.BooleanField(default=False, help_text="No longer offered; it stays where it was given.")

    class Meta(Labelled.Meta):
        verbose_name_plural = "categories"
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="category_key_unique_in_project"),
            models.CheckConstraint(
                condition=Q(singleton=False) | Q(takes_index=False), name="category_singleton_takes_no_index"
            ),
        ]


class Relation(Labelled):
    """A relation from a markable to others: identity, whose pointers make chains, or another such as bridging.

    A category with pointers has one identity relation, with the same key and asked of that category only.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="relations")
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    help = models.TextField(blank=True, max_length=HELP_LENGTH)
    from_levels = models.ManyToManyField(
        Level, blank=True, related_name="relations_from", help_text="Where it is asked; none: on every coded level."
    )
    to_levels = models.ManyToManyField(
        Level, blank=True, related_name="relations_to", help_text="Where its targets are; none: it is not offered."
    )
    identity = models.BooleanField(default=False, help_text="Its pointers make chains.")
    max_targets = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="At most so many targets; empty: any number."
    )
    joint = models.BooleanField(default=False, help_text="Several targets may be meant together.")
    later = models.BooleanField(default=False, help_text="A target may stand later in the text.")
    asked_if = models.JSONField(null=True, blank=True, help_text=CONDITION_HELP)
    position = models.PositiveSmallIntegerField(default=0)
    retired = models.BooleanField(default=False, help_text="No longer offered; it stays where it was given.")

    class Meta(Labelled.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="relation_key_unique_in_project"),
            models.CheckConstraint(
                condition=Q(max_targets__isnull=True) | Q(max_targets__gte=1), name="relation_takes_a_target"
            ),
        ]


class Attribute(Labelled):
    """A further question about a markable, its entity (once in a chain), or a relation that is set."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="attributes")
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    help = models.TextField(blank=True, max_length=HELP_LENGTH)
    of = models.CharField(max_length=10, choices=_choices(Subject), default="markable")
    relation = models.ForeignKey(
        Relation,
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        related_name="attributes",
        help_text="The relation of which it is asked.",
    )
    levels = models.ManyToManyField(
        Level, blank=True, related_name="attributes", help_text="Where it is asked; none: on every coded level."
    )
    kind = models.CharField(max_length=10, choices=_choices(AnswerKind), default="one")
    required = models.BooleanField(default=False)
    asked_if = models.JSONField(null=True, blank=True, help_text=CONDITION_HELP)
    primary_of = models.ForeignKey(
        "self",
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        related_name="secondary",
        help_text="The attribute to which this one asks for a second choice.",
    )
    position = models.PositiveSmallIntegerField(default=0)
    retired = models.BooleanField(default=False, help_text="No longer offered; it stays where it was given.")

    class Meta(Labelled.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="attribute_key_unique_in_project"),
            models.CheckConstraint(
                condition=Q(of="relation", relation__isnull=False)
                | Q(of__in=["markable", "entity"], relation__isnull=True),
                name="attribute_of_relation_names_it",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["one", "several", "text", "number"]), name="attribute_kind_known"
            ),
        ]


class AttributeValue(Labelled):
    """A value that an attribute lists."""

    attribute = models.ForeignKey(Attribute, on_delete=models.CASCADE, related_name="values", db_index=False)
    key = models.SlugField(max_length=KEY_LENGTH)
    label = models.CharField(max_length=100)
    help = models.TextField(blank=True, max_length=HELP_LENGTH)
    colour = models.CharField(max_length=COLOUR_LENGTH, blank=True, help_text=COLOUR_HELP)
    position = models.PositiveSmallIntegerField(default=0)
    retired = models.BooleanField(default=False, help_text="No longer offered; it stays where it was given.")

    class Meta(Labelled.Meta):
        constraints = [models.UniqueConstraint(fields=["attribute", "key"], name="value_key_unique_in_attribute")]


class SchemeVersion(models.Model):
    """The scheme from one change of the answers to the next. Versions count from 1.

    Rows exist once there are two versions. The last one is the project's current scheme, whose labels may have changed
    since. An earlier one has its final labels.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="scheme_versions", db_index=False)
    number = models.PositiveIntegerField()
    author = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who saved it; empty for the first, from before anybody coded.",
    )
    scheme = models.JSONField(help_text="as a file has it")
    merges = models.JSONField(
        default=list, blank=True, help_text="What it merged: a list of questions with a value and what that became."
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="scheme_version_once_in_project"),
            models.CheckConstraint(condition=Q(number__gte=1), name="scheme_version_counts_from_1"),
        ]

    def __str__(self) -> str:
        return f"Version {self.number}"
