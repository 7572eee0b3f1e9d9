"""Projects with their guidelines, members and invitations."""

from __future__ import annotations

from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import CharField, F, FilteredRelation, Q, Value

from annotations.models.people.rights import MANAGING_ROLES, ROLES_SEEING_ALL_WORK, Person, Right, rights_of
from annotations.models.people.user import User

KEY_LENGTH = 50
TITLE_LENGTH = 200
DESCRIPTION_LENGTH = 5000
CITATION_LENGTH = 1000
# The number of people who may use one invitation, and the length of its note.
MAX_USES, NOTE_LENGTH = 200, 100
# The maximum length of guidelines when they are saved; longer old ones stay.
MAX_GUIDELINES = 200_000
# The fields of the datasheet that only the project's managers can fill in.
DATASHEET_FIELDS = ("description", "source", "licence", "citation", "contact")
# Slugs that are pages under /projects/.
RESERVED_SLUGS = ("new",)


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: Person) -> ProjectQuerySet:
        """Return the user's projects, each with the user's `role`; superusers are managers of all projects."""
        if user.is_superuser:
            return self.annotate(role=Value(Membership.Role.MANAGER.value, output_field=CharField()))
        return self.of_member(user.pk)

    def of_member(self, user: int | None) -> ProjectQuerySet:
        """Return the projects of a user who is no superuser, by primary key, each with the user's `role`."""
        own = FilteredRelation("memberships", condition=Q(memberships__user=user))
        return self.annotate(own=own).filter(own__isnull=False).annotate(role=F("own__role"))


class Project(models.Model):
    """An annotation project: texts, a scheme, and members."""

    class Answers(models.TextChoices):
        """The content of a judgement, in addition to a category."""

        POINTERS = "pointers", "pointers to antecedents"
        INDICES = "indices", "indices of entities"
        CATEGORIES = "categories", "categories alone"
        SCUS = "scus", "content units of summaries"

    class Unmarked(models.TextChoices):
        """The meaning of a missing judgement in a submitted coding, of a markable that other coders judged."""

        SINGLETON = "singleton", "singleton"
        LABEL = "label", "own label"
        MISSING = "missing", "missing"

    slug = models.SlugField(max_length=KEY_LENGTH, unique=True)
    title = models.CharField(max_length=TITLE_LENGTH)
    guidelines = models.TextField(blank=True, help_text="Markdown")
    answers = models.CharField(max_length=10, choices=Answers)
    unmarked = models.CharField(max_length=10, choices=Unmarked, default=Unmarked.SINGLETON)
    results_open = models.BooleanField(
        "results are open to coders", default=False, help_text="Until then coders do not see each other’s work."
    )
    preset = models.CharField(
        max_length=KEY_LENGTH, blank=True, help_text="The preset that the results pages use by default."
    )
    one_contributor = models.BooleanField(
        "one contributor per summary and SCU",
        default=True,
        help_text="Pyramids: each model summary has one contributor per SCU.",
    )
    words_exclusive = models.BooleanField(
        "words belong to one SCU",
        default=True,
        help_text="Pyramids: as in 2003. Off: contributors and SCUs may share words, as in 2005.",
    )
    scores_shown = models.BooleanField(
        "scores are shown while a peer is scored",
        default=False,
        help_text="Pyramids: off means that coders of peers do not see the scores while they work.",
    )
    scheme_version = models.PositiveIntegerField(
        default=1, editable=False, help_text="The version of the scheme: one more with each change of the answers."
    )
    scheme_stamp = models.UUIDField(
        default=uuid4, editable=False, help_text="Another one after each change of the scheme."
    )
    description = models.CharField(
        blank=True, default="", max_length=DESCRIPTION_LENGTH, help_text="What the corpus is, and what it is made for."
    )
    source = models.CharField(
        "source of the texts",
        blank=True,
        default="",
        max_length=DESCRIPTION_LENGTH,
        help_text="Where the texts are from, how they were chosen, and who wrote or spoke them.",
    )
    licence = models.CharField(
        blank=True,
        default="",
        max_length=TITLE_LENGTH,
        help_text="Of texts and annotation, as a name or an address: CC BY 4.0, for example.",
    )
    citation = models.CharField(
        blank=True, default="", max_length=CITATION_LENGTH, help_text="What to cite: a reference, or BibTeX."
    )
    contact = models.CharField(
        blank=True, default="", max_length=TITLE_LENGTH, help_text="Whom to ask: a name, a mail address or a web page."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Since when it can only be read; empty: it is in use."
    )

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
            raise ValidationError({"slug": "This address is reserved."})


def check_group(group: str) -> None:
    """Raise ValidationError for a name of a group that does not fit into a comma-separated address."""
    if "," in group or group != group.strip():
        raise ValidationError("A group has no comma in its name, and no blank before or after it.")
    if not group.isprintable():
        raise ValidationError("A group has letters, digits and signs in its name, and no control characters.")


ROLE_KNOWN = Q(role__in=["manager", "adjudicator", "coder", "viewer", "manager-coder"])


class Membership(models.Model):
    """The role of a person in a project. `group` is the kind of coder; coders do not see it."""

    GROUPS = ("expert", "naive", "crowd", "model")
    GROUP_LENGTH = 50

    class Role(models.TextChoices):
        MANAGER = "manager", "manager"
        ADJUDICATOR = "adjudicator", "adjudicator"
        CODER = "coder", "coder"
        VIEWER = "viewer", "viewer"
        MANAGER_CODER = "manager-coder", "manager and coder"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role)
    group = models.CharField(max_length=GROUP_LENGTH, blank=True, default="", validators=[check_group])

    class Meta:
        ordering = ["user__username"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_one_role_a_person"),
            models.CheckConstraint(condition=ROLE_KNOWN, name="membership_role_known"),
            # addresses separate names of groups by commas
            models.CheckConstraint(condition=~Q(group__contains=","), name="membership_group_without_comma"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"

    @property
    def is_model(self) -> bool:
        return hasattr(self, "model")


class ModelCoder(models.Model):
    """The details of a member that is a model: a language model with its prompt, or a trained model.

    Its name is the name of its account, which cannot sign in and belongs to this project only.
    """

    membership = models.OneToOneField(Membership, on_delete=models.CASCADE, related_name="model")
    version = models.CharField(
        max_length=100, blank=True, default="", help_text="Which version, as its makers or you call it."
    )
    hash = models.CharField(
        max_length=128, blank=True, default="", help_text="A digest of its prompt or of its weights."
    )
    date = models.DateField(null=True, blank=True, help_text="When it was called or trained.")

    class Meta:
        ordering = ["membership__user__username"]

    def __str__(self) -> str:
        return f"{self.membership.user} {self.version}".rstrip()


class Invitation(models.Model):
    """A link into one role, for one person or for `max_uses`. The secret is shown once; only its digest is stored.

    `used_by` and `used_at` belong to the last possible use.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=16, choices=Membership.Role)
    note = models.CharField(max_length=NOTE_LENGTH, blank=True, help_text="For whom it is: a note for the managers.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of what the link ends with")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    max_uses = models.PositiveSmallIntegerField(default=1, help_text="How many people may use it.")
    uses = models.PositiveSmallIntegerField(default=0, help_text="How many people have used it.")
    used_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=ROLE_KNOWN, name="invitation_role_known"),
            models.CheckConstraint(
                condition=Q(used_by__isnull=True, used_at__isnull=True)
                | Q(used_by__isnull=False, used_at__isnull=False),
                name="invitation_used_by_somebody_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(max_uses__gte=1, max_uses__lte=MAX_USES, uses__lte=F("max_uses")),
                name="invitation_used_as_often_as_it_may",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} as {self.role}"


class AccountOrigin(models.Model):
    """The project that an account was created for, by an invitation, an import or an archive."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="origin")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.user}: {self.project}"


class GuidelinesVersion(models.Model):
    """The text of the guidelines since one save. Versions count from 1; the last one is the project's current text."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines_versions", db_index=False)
    number = models.PositiveIntegerField()
    author = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who saved it; empty for what was written before there were versions, or by the server.",
    )
    body = models.TextField(blank=True, help_text="Markdown")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="guidelines_version_once_in_project"),
            models.CheckConstraint(condition=Q(number__gte=1), name="guidelines_version_counts_from_1"),
        ]

    def __str__(self) -> str:
        return f"Version {self.number}"


class GuidelinesReading(models.Model):
    """The latest version of the guidelines that a member has read."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines_readings", db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="guidelines_reading_one_a_person"),
            models.CheckConstraint(condition=Q(number__gte=1), name="guidelines_reading_of_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: version {self.number}"


def may(project: Project, right: Right) -> bool:
    """Return whether the reader of the project (`visible_to` sets `role`) has the right."""
    return right in rights_of(project.role, results_open=project.results_open)  # type: ignore[attr-defined]


def may_change(project: Project, right: Right) -> bool:
    """Return whether the reader of the project may change what the right covers; nobody may in an archived project."""
    return project.archived_at is None and may(project, right)


def is_blind_manager(project: Project) -> bool:
    """Return whether the reader of the project manages it and codes, blind to other coders."""
    return may(project, Right.MANAGE) and not may(project, Right.MANAGE_WORK)


def may_see_models(project: Project) -> bool:
    """Return whether the reader of the project learns about coding models; coders never do, even with open results."""
    # A project without a role was read by a command or worker, for the server itself.
    return getattr(project, "role", None) in (None, *ROLES_SEEING_ALL_WORK)


def may_see_gold(project: Project) -> bool:
    """Return whether the reader of the project learns the amount of gold; without a role it is the server itself."""
    return getattr(project, "role", None) is None or may(project, Right.ADJUDICATE)


def sees_all_of(project: Project) -> bool:
    """Return whether the reader of the project sees every coder's work in it (`sees_all_work`)."""
    return project.results_open or getattr(project, "role", None) in ROLES_SEEING_ALL_WORK


def is_member(user: Person, path_to_project: str, *conditions: Q) -> Q:
    """Return the condition that the user is a member of the project at the path, with the membership's conditions."""
    memberships = Membership.objects.filter(*conditions, user=user.pk)
    return Q(**{f"{path_to_project}__in": memberships.values("project")})


def manages(user: Person, path_to_project: str) -> Q:
    """Return the condition that the user manages the project at the path, blind to other coders or not."""
    return is_member(user, path_to_project, Q(role__in=MANAGING_ROLES))


def sees_models(user: Person, path_to_project: str) -> Q:
    """Return the condition that the user's role in the project at the path lets them learn about coding models."""
    return is_member(user, path_to_project, Q(role__in=ROLES_SEEING_ALL_WORK))


def sees_all_work(user: Person, path_to_project: str) -> Q:
    """Return the condition that the user's role in the project at the path lets them see every coder's work."""
    return is_member(user, path_to_project, Q(role__in=ROLES_SEEING_ALL_WORK) | Q(project__results_open=True))
