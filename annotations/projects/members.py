"""The writes that have a rule, besides those to a coding: projects, people, assignment."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations import operations
from annotations.models import Category, Coding, Level, Membership, Project, Text, User
from annotations.permissions import ROLES_THAT_SEE_ALL_WORK
from annotations.schemes import Scheme

ROLES_THAT_CODE = (Membership.Role.CODER, Membership.Role.ADJUDICATOR)
# What a coder makes of a text of that role.
KIND_OF_OWN: dict[str, str] = {
    Text.Role.SOURCE: Coding.Kind.TEXT,
    Text.Role.MODELS: Coding.Kind.PYRAMID,
    Text.Role.PEER: Coding.Kind.PEER,
}


@transaction.atomic
def create_project(
    slug: str,
    title: str,
    scheme: Scheme,
    *,
    guidelines: str = "",
    manager: User | None = None,
    coders_mark: bool = False,
) -> Project:
    """A project with the levels and categories of a ready-made scheme. Raises ValidationError by field.

    coders_mark: coders mark what they judge themselves, besides what comes with the texts. Contributors of pyramids
    are always marked by coders.
    """
    coders_mark = coders_mark or scheme.answers == Project.Answers.SCUS
    project = Project(
        slug=slug,
        title=title,
        guidelines=guidelines,
        answers=scheme.answers,
        unmarked=scheme.unmarked,
        preset=scheme.agreement,
    )
    project.full_clean()
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError:  # somebody else has taken the address since
        raise ValidationError({"slug": "Project with this Slug already exists."}) from None
    levels = {
        level.key: Level.objects.create(
            project=project,
            key=level.key,
            label=level.label,
            coded=level.coded,
            coders_mark=coders_mark and level.coded,
            position=position,
        )
        for position, level in enumerate(scheme.levels)
    }
    Category.objects.bulk_create(
        Category(
            project=project,
            key=category.key,
            label=category.label,
            points_to=levels[category.points_to] if category.points_to else None,
            max_pointers=category.max_pointers,
            allow_later=category.allow_later,
            takes_index=category.takes_index,
            takes_optional=category.takes_optional,
            position=position,
        )
        for position, category in enumerate(scheme.categories)
    )
    if manager is not None:
        add_member(project, manager, Membership.Role.MANAGER)
    return project


@transaction.atomic
def let_coders_mark(project: Project, levels: Iterable[Level]) -> None:
    """Coders mark markables of these coded levels themselves, and of no others. What they marked already stays."""
    project.levels.update(coders_mark=False)
    project.levels.filter(pk__in=[level.pk for level in levels], coded=True).update(coders_mark=True)


def set_round(project: Project, texts: Iterable[Text], name: str) -> int:
    """Put texts of the project into a round of annotation, or with an empty name into none. How many there are."""
    return project.texts.filter(pk__in=[text.pk for text in texts]).update(round=name)


@transaction.atomic
def add_member(project: Project, user: User, role: str) -> Membership:
    """Give the user the role in the project, in the place of the one they had.

    Raises ValidationError for an unknown role, where a coder with work in the project would come to see the others'
    work, and where nobody would be left to manage.
    """
    _lock_members(project.pk)
    membership = Membership.objects.filter(project=project, user=user).first() or Membership(project=project, user=user)
    if membership.pk and membership.role != role:
        _refuse_change(membership)
    if membership.pk is None and role in ROLES_THAT_SEE_ALL_WORK and _has_coded(project, user):
        raise ValidationError(
            f"{user} has coded texts of this project and stays blind: only the role of coder is free."
        )
    membership.role = role
    membership.full_clean()
    membership.save()
    return membership


@transaction.atomic
def remove_member(membership: Membership) -> None:
    """End somebody's access from the next request on; what they coded stays.

    Raises ValidationError for the only manager.
    """
    _lock_members(membership.project_id)
    found = Membership.objects.select_related("user").filter(pk=membership.pk).first()
    if found is None:  # removed meanwhile
        return
    membership = found
    others = Membership.objects.filter(project=membership.project_id, role=Membership.Role.MANAGER)
    if membership.role == Membership.Role.MANAGER and not others.exclude(pk=membership.pk).exists():
        raise ValidationError(f"{membership.user} is the only manager; make somebody else manager first.")
    membership.delete()


def _lock_members(project: int) -> None:
    """Until the transaction ends nobody else changes who is in the project: two managers would remove each other."""
    Project.objects.select_for_update(no_key=True).get(pk=project)


def _has_coded(project: Project, user: User) -> bool:
    return Coding.objects.filter(text__project=project, coder=user).exists()


def _refuse_change(membership: Membership) -> None:
    """Raise ValidationError where the member's role has to stay."""
    project, user = membership.project, membership.user
    if membership.role == Membership.Role.CODER and _has_coded(project, user):
        raise ValidationError(f"{user} codes texts of this project and stays blind: the role cannot change.")
    managers = Membership.objects.filter(project=project, role=Membership.Role.MANAGER)
    if membership.role == Membership.Role.MANAGER and not managers.exclude(pk=membership.pk).exists():
        raise ValidationError(f"{user} is the only manager; make somebody else manager first.")


def coder_of(project: Project, username: str, *, create: bool) -> User:
    """The member who codes under that name. With `create`, people and memberships that lack are made.

    A person made here has no usable password. Raises ValidationError where somebody lacks or has another role.
    """
    user = User.objects.filter(username__iexact=username).first()
    if user is None:
        if not create:
            raise ValidationError(f"There is nobody called {username!r}.")
        user = User(username=username)
        user.set_unusable_password()
        user.full_clean(exclude=["password"])
        user.save()
    membership = Membership.objects.filter(project=project, user=user).first()
    if membership is None:
        if not create:
            raise ValidationError(f"{user} is not a member of {project.slug}.")
        membership = add_member(project, user, Membership.Role.CODER)
    if membership.role not in ROLES_THAT_CODE:
        raise ValidationError(f"{user} is {membership.role} of {project.slug} and does not code.")
    return user


@transaction.atomic
def assign(project: Project, texts: Iterable[Text], coders: Iterable[User]) -> int:
    """Give each coder each text to code; what they have already stays. Returns how many codings are new.

    Raises ValidationError for a person who does not code in the project or a text of another one. Model summaries
    become the coder's own pyramid, a peer summary is held against that; `docsets.assign_peers` can choose another.
    """
    _lock_members(project.pk)
    coders, texts = list(coders), list(texts)
    members = dict(Membership.objects.filter(project=project).values_list("user_id", "role"))
    for coder in coders:
        if members.get(coder.pk) not in ROLES_THAT_CODE:
            raise ValidationError(f"{coder} does not code in {project.slug}.")
    for text in texts:
        if text.project_id != project.pk:
            raise ValidationError(f"{text} is not a text of {project.slug}.")
    before = Coding.objects.filter(text__project=project).count()
    Coding.objects.bulk_create(
        [Coding(text=text, coder=coder, kind=KIND_OF_OWN[text.role]) for text in texts for coder in coders],
        ignore_conflicts=True,
    )
    return Coding.objects.filter(text__project=project).count() - before


def submit(coding: Coding, user: User) -> int:
    """The coder hands the coding in; from then on what it leaves out counts as `Project.unmarked` says."""
    return operations.set_status(coding, user, Coding.Status.SUBMITTED)


def reopen(coding: Coding, user: User) -> int:
    """The manager gives the coding back to its coder."""
    return operations.set_status(coding, user, Coding.Status.OPEN)
