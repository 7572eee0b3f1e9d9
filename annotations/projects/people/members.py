"""Members of projects and their roles."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from annotations.core.text import pluralize
from annotations.models import AccountOrigin, Coding, Membership, ModelCoder, Operation, Project, Token, User
from annotations.models.people.rights import MANAGING_ROLES, ROLES_SEEING_ALL_WORK, Right, rights_of
from annotations.models.project import may_see_models
from annotations.projects.locks import lock_project
from annotations.projects.people.tokens import digest_of

CODING_ROLES = (Membership.Role.CODER, Membership.Role.ADJUDICATOR, Membership.Role.MANAGER_CODER)
BLIND_ROLES = (Membership.Role.CODER, Membership.Role.MANAGER_CODER)


@dataclass(frozen=True, slots=True)
class Activity:
    """The time of a coder's last operation in the project, and the numbers of assigned and submitted codings."""

    last: datetime | None
    assigned: int
    submitted: int


def activity_of_members(project: Project) -> dict[int, Activity]:
    """Return the activity of each user with codings in the project, for readers who see all work."""
    codings = Coding.objects.of_coders().filter(text__project=project).order_by()
    # The last operation by the coding's own coder: others reopen, import, correct and merge.
    work = Operation.objects.filter(coding=OuterRef("pk"), user=OuterRef("coder")).exclude(
        kind__in=Operation.MANAGING_KINDS
    )
    last = Subquery(work.order_by("-sequence").values("applied_at")[:1])
    rows = (
        codings.annotate(last=last)
        .values_list("coder")
        .annotate(
            latest=Max("last"),
            assigned=Count("pk", filter=Q(occasion=1)),
            submitted=Count("pk", filter=Q(occasion=1, status=Coding.Status.SUBMITTED)),
        )
    )
    return {coder: Activity(*activity) for coder, *activity in rows}


@transaction.atomic
def add_member(project: Project, user: User, role: str, *, archived: bool = False) -> Membership:
    """Give the user the role in the project, replacing any other role.

    Raise ValidationError if a coder with work would see the work of others, if no manager would remain, and for models
    and unknown roles; ProjectArchived as in `lock_project`.
    """
    lock_project(project.pk, archived=archived)
    membership = Membership.objects.filter(project=project, user=user).first() or Membership(project=project, user=user)
    if role != Membership.Role.CODER and is_model(user):
        raise ValidationError(f"{user} is a model: it codes, and does nothing else.")
    if membership.pk and membership.role != role:
        _refuse_role_change(membership, role)
    if membership.pk is None and is_model(user):
        raise ValidationError(f"{user} is a model of another project: add it here under a name of its own.")
    if membership.pk is None and Coding.objects.filter(text__project=project, coder=user, by_model=True).exists():
        raise ValidationError(f"{user} was a model in this project, whose codings are kept as that.")
    if role == Membership.Role.MANAGER_CODER and project.answers == Project.Answers.SCUS:
        raise ValidationError("Coders of peers do not know their names: who manages a project of pyramids cannot code.")
    if membership.pk is None and role in ROLES_SEEING_ALL_WORK and _has_coded(project, user):
        raise ValidationError(
            f"{user} has coded texts of this project and must stay blind to the others: only coder is possible, "
            "or manager and coder."
        )
    membership.role = role
    membership.full_clean()
    membership.save()
    return membership


@transaction.atomic
def set_group(project: Project, members: Iterable[int], group: str) -> int:
    """Set the group of members of the project, given by primary keys of memberships; empty: no group.

    Return the number of members. Raise ValidationError for an invalid name, and ProjectArchived as in `lock_project`.
    """
    lock_project(project.pk)
    Membership._meta.get_field("group").run_validators(group)
    return Membership.objects.filter(project=project, pk__in=list(members)).update(group=group)


@transaction.atomic
def remove_membership(membership: Membership, *, archived: bool = False) -> None:
    """Remove a member; codings stay. Raise ValidationError for the only manager, and ProjectArchived."""
    # otherwise two managers could remove each other
    lock_project(membership.project_id, archived=archived)
    current = Membership.objects.select_related("user").filter(pk=membership.pk).first()
    if current is None:  # removed since it was read
        return
    _refuse_last_manager(current)
    if ModelCoder.objects.filter(membership=current).exists():
        if _has_coded(current.project, current.user):
            raise ValidationError(
                f"{current.user} is a model with codings, and stays as what says of which: withdraw its key."
            )
        Token.objects.filter(user=current.user).delete()
    current.delete()


def _has_coded(project: Project, user: User) -> bool:
    return Coding.objects.of_coders().filter(text__project=project, coder=user).exists()


def is_model(user: User) -> bool:
    """Return whether the account belongs to a model that codes."""
    return ModelCoder.objects.filter(membership__user=user).exists()


def _refuse_role_change(membership: Membership, role: str) -> None:
    project, user = membership.project, membership.user
    if membership.role in BLIND_ROLES and role not in BLIND_ROLES and _has_coded(project, user):
        raise ValidationError(
            f"{user} codes texts of this project and must stay blind to the others: the role cannot change."
        )
    if role not in MANAGING_ROLES:
        _refuse_last_manager(membership)


def _refuse_last_manager(membership: Membership) -> None:
    managers = Membership.objects.filter(project=membership.project_id, role__in=MANAGING_ROLES)
    if membership.role in MANAGING_ROLES and not managers.exclude(pk=membership.pk).exists():
        raise ValidationError(f"{membership.user} is the only manager. Make somebody else a manager first.")


def get_or_create_coder(
    project: Project, username: str, *, create: bool, join: bool = False, trial: bool = False
) -> User:
    """Return the coding member with that name; `create` creates an account, `join` adds an existing one.

    Raise ValidationError if there is no such member, or it does not code; the message does not disclose accounts. A
    `trial` with `create` raises the same errors, and must be rolled back.
    """
    members = Q(user__username__iexact=username)
    if trial:
        members |= Q(user__username=_trial_username(username))
    membership = Membership.objects.select_related("user").filter(members, project=project).first()
    if membership is None and join and (user := User.objects.filter(username__iexact=username).first()):
        membership = add_member(project, user, Membership.Role.CODER)
    if membership is None:
        if not create:
            raise ValidationError(f"{username!r} is not a member of {project.slug}.")
        return _create_coder(project, username, trial=trial)
    user = membership.user
    if membership.role not in CODING_ROLES:
        raise ValidationError(f"{user} is {membership.role} of {project.slug} and does not code.")
    if trial and user.username == _trial_username(username):
        user.username = username
    return user


def find_person(username: str) -> User | None:
    """Return the account with that name if it belongs to a person: models are not disclosed by name."""
    accounts = User.objects.filter(username__iexact=username)
    return accounts.exclude(memberships__in=Membership.objects.filter(model__isnull=False)).first()


def adjudicators_of(project: Project) -> Any:
    """Return the members who may decide on gold, by name."""
    roles = [role for role in Membership.Role.values if Right.ADJUDICATE in rights_of(role, results_open=False)]
    return members_in_roles(project, roles)


def find_adjudicator(project: Project, username: str) -> User:
    """Return the member with that name who may decide on gold. Raise ValidationError."""
    member = Membership.objects.select_related("user").filter(project=project, user__username__iexact=username).first()
    if member is None:
        raise ValidationError({"adjudicator": f"{username!r} is not a member of {project.slug}."})
    if Right.ADJUDICATE not in rights_of(member.role, results_open=False):
        message = f"{member.user} is {member.role} of {project.slug}: gold is of managers and adjudicators."
        raise ValidationError({"adjudicator": message})
    return member.user


def refuse_accounts(number: int) -> str:
    """Return why a project cannot have this number of new accounts; "" if it can."""
    if number <= settings.ACCOUNTS_OF_PROJECT:
        return ""
    limit = pluralize(settings.ACCOUNTS_OF_PROJECT, "account")
    return f"At most {limit} can be made for a project. The server's administrator can raise ACCOUNTS_OF_PROJECT."


def _create_coder(project: Project, username: str, *, trial: bool) -> User:
    if refusal := refuse_accounts(AccountOrigin.objects.filter(project=project).count() + 1):
        raise ValidationError(refusal)
    user = User(username=username)
    user.set_unusable_password()
    user.clean_fields(exclude=["password"])
    if trial:
        user.username = _trial_username(username)
    elif User.objects.filter(username__iexact=username).exists():
        raise ValidationError(
            f"no account can be made with the name {username!r}: somebody has it who is not a member of "
            f"{project.slug}. Invite that person, or use another name."
        )
    user.save()
    AccountOrigin.objects.create(user=user, project=project)
    add_member(project, user, Membership.Role.CODER)
    user.username = username
    return user


def _trial_username(username: str) -> str:
    """Return a substitute for the name during a trial. It has a space, so no account has it."""
    return f"trial {digest_of(username.lower())}"


def members_in_roles(project: Project, roles: Iterable[str], *, models: bool = False) -> Any:
    """Return the members in the roles, by name: people, and with `models` coding models, too."""
    people = {} if models else {"memberships__model": None}
    return User.objects.filter(memberships__project=project, memberships__role__in=roles, **people).order_by("username")


def members_shown(project: Project) -> QuerySet[Membership]:
    """Return the members that the reader of the project is shown: coders are not shown models."""
    members = Membership.objects.filter(project=project).select_related("user", "model")
    return members if may_see_models(project) else members.filter(model=None)
