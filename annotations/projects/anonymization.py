"""Forget a person: delete the account or, if it has work, everything in it that identifies the person."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import chain, count

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, ProtectedError, Q
from django.dispatch import Signal
from django_tasks_db.models import DBTaskResult

from annotations.core.processes.progress import is_lost
from annotations.models import (
    AccountOrigin,
    Coding,
    IdempotencyRecord,
    ImportNames,
    Invitation,
    Mail,
    Membership,
    Operation,
    Project,
    Token,
    Transfer,
    User,
)
from annotations.projects.people.members import CODING_ROLES, add_member, is_model, remove_membership

# Sent with `user` before the name is deleted, so that other apps delete their copies.
forgetting_person = Signal()


@dataclass(frozen=True, slots=True)
class ForgottenPerson:
    """The result of forgetting a person: the pseudonym and the number of codings kept, or `deleted`."""

    pseudonym: str
    deleted: bool
    codings: int

    def __str__(self) -> str:
        if self.deleted:
            return "Account deleted; it had no work."
        return f"The account is now {self.pseudonym} and cannot sign in. {self.codings} codings and their log are kept."


@transaction.atomic
def forget_person(user: User) -> ForgottenPerson:
    """Delete name, mail, password, rights, keys, sessions, sign-in attempts, invitations and transfers of an account.

    The person's codings, remarks and log entries stay under a pseudonym; an account without any is deleted. Raise
    ValidationError if a project or the site would have no manager left.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    pseudonym = pseudonym_of(user)
    if user.is_superuser and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        raise ValidationError(f"{user} is the only superuser. Make somebody else a superuser first.")
    names = [re.escape(name) for name in (user.username, user.email, user.get_full_name()) if name]
    # not inside a longer word
    terms = re.compile(rf"(?<![^\W_])(?:{'|'.join(names)})(?![^\W_])", re.IGNORECASE)
    transfers = _transfers_naming(user, terms)
    forgetting_person.send(User, user=user)
    # In a fixed order, as each locks its project. Coders keep their role, which figures depend on.
    for membership in user.memberships.exclude(role__in=CODING_ROLES).select_related("user").order_by("project"):
        remove_membership(membership, archived=True)
    for membership in user.memberships.filter(role=Membership.Role.MANAGER_CODER).select_related("project"):
        add_member(membership.project, user, Membership.Role.CODER, archived=True)
    _delete_traces(user)
    for transfer in transfers:
        transfer.delete()
        transaction.on_commit(partial(transfer.file.delete, save=False))
    _delete_mentions(terms)
    _rename_in_admin_log(user, pseudonym)
    codings = Coding.objects.filter(coder=user).count()
    try:
        with transaction.atomic():
            user.delete()
    except ProtectedError:
        _anonymize(user, pseudonym)
        return ForgottenPerson(pseudonym, deleted=False, codings=codings)
    return ForgottenPerson(pseudonym, deleted=True, codings=0)


def pseudonym_of(user: User) -> str:
    """Return the name that keeps the work of the person or model: the same name each time."""
    first = f"{'model' if is_model(user) else 'person'}-{user.pk}"
    names = chain([first], (f"{first}-{number}" for number in count(2)))
    others = User.objects.exclude(pk=user.pk)
    return next(name for name in names if not others.filter(username__iexact=name).exists())


def _delete_traces(user: User) -> None:
    """Delete the rows that belong only to the account."""
    Token.objects.filter(user=user).delete()
    Mail.objects.filter(Q(user=user) | (Q(address__iexact=user.email) & ~Q(address=""))).delete()
    AccountOrigin.objects.filter(user=user).delete()
    IdempotencyRecord.objects.filter(user=user).delete()
    Invitation.objects.filter(Q(used_by=user) | Q(created_by=user, used_by=None)).delete()
    for attempts in (AccessAttempt, AccessFailureLog, AccessLog):
        attempts.objects.filter(username__iexact=user.username).delete()
    for session in Session.objects.iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()


def _transfers_naming(user: User, terms: re.Pattern[str]) -> list[Transfer]:
    """Return all transfers that name the person, or whose files may.

    Raise ValidationError while a worker runs one of them, as it would write the name afterwards.
    """
    own = Q(memberships__user=user) | Q(texts__codings__coder=user) | Q(texts__codings__operations__user=user)
    projects = set(Project.objects.filter(own).values_list("pk", flat=True))
    transfers = [
        transfer
        for transfer in Transfer.objects.iterator()
        if transfer.user_id == user.pk
        # An archive that is not restored yet may name anybody.
        or transfer.project_id in {None, *projects}
        or _mentions(terms, (transfer.choices, transfer.report, transfer.error))
    ]
    for transfer in transfers:
        if transfer.is_active and not transfer.is_queued and not is_lost(transfer.heartbeat_at):
            raise ValidationError(f"A worker is running the {transfer}: forget {user} once it has ended.")
    return transfers


def _mentions(terms: re.Pattern[str], values: Iterable[object]) -> bool:
    return any(terms.search(json.dumps(value, ensure_ascii=False, default=str)) for value in values)


def _delete_mentions(terms: re.Pattern[str]) -> None:
    """Delete temporary rows that name the person: responses, mails, names of files, finished tasks."""
    kept: dict[type[Model], tuple[str, ...]] = {
        IdempotencyRecord: ("body",),
        Mail: ("context",),
        ImportNames: ("names",),
        DBTaskResult: ("args_kwargs", "return_value", "traceback"),
    }
    for model, fields in kept.items():
        rows = model._base_manager.values_list("pk", *fields).iterator()
        named = [pk for pk, *values in rows if _mentions(terms, values)]
        model._base_manager.filter(pk__in=named).delete()


def _rename_in_admin_log(user: User, pseudonym: str) -> None:
    name = re.compile(rf"(?<![\w.@+-]){re.escape(user.username)}(?![\w.@+-])", re.IGNORECASE)
    entries = LogEntry.objects.filter(
        Q(object_repr__icontains=user.username) | Q(change_message__icontains=user.username)
    )
    for entry in entries:
        entry.object_repr = name.sub(pseudonym, entry.object_repr)
        entry.change_message = name.sub(pseudonym, entry.change_message)
        entry.save(update_fields=["object_repr", "change_message"])


def _anonymize(user: User, pseudonym: str) -> None:
    Operation.objects.filter(kind=Operation.Kind.ASSIGN, payload__to=user.username).update(payload={"to": pseudonym})
    user.username, user.first_name, user.last_name, user.email = pseudonym, "", "", ""
    user.email_confirmed_at, user.muted_mails = None, []
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    if user.has_usable_password():
        user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
