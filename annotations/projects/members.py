"""Members of projects and their roles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.models import Coding, Membership, Project, User
from annotations.models.rights import ROLES_SEEING_ALL_WORK
from annotations.projects.locks import lock_project

CODING_ROLES = (Membership.Role.CODER, Membership.Role.ADJUDICATOR)


@transaction.atomic
def add_member(project: Project, user: User, role: str) -> Membership:
    """Give the user the role in the project, replacing any other role.

    Raise ValidationError for an unknown role, if a coder with work in the project would get to see the work of others,
    and if no manager would remain.
    """
    lock_project(project.pk)
    membership = Membership.objects.filter(project=project, user=user).first() or Membership(project=project, user=user)
    if membership.pk and membership.role != role:
        _refuse_role_change(membership)
    if membership.pk is None and role in ROLES_SEEING_ALL_WORK and _has_coded(project, user):
        raise ValidationError(
            f"{user} has coded texts of this project and stays blind: only the role of coder is free."
        )
    membership.role = role
    membership.full_clean()
    membership.save()
    return membership


@transaction.atomic
def remove_membership(membership: Membership) -> None:
    """Remove a member: access ends with the next request, codings stay.

    Raise ValidationError for the only manager.
    """
    lock_project(membership.project_id)  # otherwise two managers could remove each other
    membership_now = Membership.objects.select_related("user").filter(pk=membership.pk).first()
    if membership_now is None:  # removed since it was read
        return
    membership = membership_now
    others = Membership.objects.filter(project=membership.project_id, role=Membership.Role.MANAGER)
    if membership.role == Membership.Role.MANAGER and not others.exclude(pk=membership.pk).exists():
        raise ValidationError(f"{membership.user} is the only manager; make somebody else manager first.")
    membership.delete()


def _has_coded(project: Project, user: User) -> bool:
    return Coding.objects.filter(text__project=project, coder=user).exists()


def _refuse_role_change(membership: Membership) -> None:
    """Raise ValidationError if the member's role cannot change."""
    project, user = membership.project, membership.user
    if membership.role == Membership.Role.CODER and _has_coded(project, user):
        raise ValidationError(f"{user} codes texts of this project and stays blind: the role cannot change.")
    managers = Membership.objects.filter(project=project, role=Membership.Role.MANAGER)
    if membership.role == Membership.Role.MANAGER and not managers.exclude(pk=membership.pk).exists():
        raise ValidationError(f"{user} is the only manager; make somebody else manager first.")


def get_or_create_coder(project: Project, username: str, *, create: bool) -> User:
    """Return the member who codes under that name. With `create`, create a missing user and membership.

    A user created here has no usable password. Raise ValidationError if the user or membership is missing or the role
    is another one.
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
    if membership.role not in CODING_ROLES:
        raise ValidationError(f"{user} is {membership.role} of {project.slug} and does not code.")
    return user


def members_in_roles(project: Project, roles: Iterable[str]) -> Any:
    """Return the members in those roles, by name."""
    return User.objects.filter(memberships__project=project, memberships__role__in=roles).order_by("username")
