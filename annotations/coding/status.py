"""Submission and reopening of codings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import uuid4

from django.db import transaction
from django.dispatch import Signal
from django.urls import reverse

from annotations.coding.decisions import OperationRejected
from annotations.coding.gold import was_gold_shown
from annotations.coding.operations import (
    STATUS_KINDS,
    Change,
    append_to_log,
    begin_round_of,
    lock_coding,
    refuse_closed_round,
    refuse_other_coder,
)
from annotations.coding.required_answers import refuse_empty_gold, refuse_holes, refuse_missing_answers
from annotations.core.database.locks import sqlite_write_lock
from annotations.mail.queue import notify
from annotations.models import Coding, Operation, Project, User
from annotations.models.coding import AGREED_KINDS, DECIDED_KINDS, REASON_LENGTH
from annotations.projects.viewing import is_viewed

GOLD_SHOWN = "The gold of this text has been shown to its coder: it is not reopened."
# Sent with the primary keys of project and coding after a submission is committed; receivers must be fast.
coding_submitted = Signal()


def set_status(
    coding: Coding,
    user: User,
    status: Coding.Status,
    *,
    reason: str = "",
    check: Callable[[Coding], None] | None = None,
) -> int:
    """Set the status of the coding, log it with the reason, and return the version. An equal status changes nothing."""
    # `check` may reject the change, with the coding locked; only the current coder submits it.
    with sqlite_write_lock(), transaction.atomic():
        coding = lock_coding(coding)
        if status == Coding.Status.SUBMITTED:
            refuse_other_coder(coding, user)
        if coding.status != status:
            refuse_closed_round(coding)
            if check is not None:
                check(coding)
            kind = Operation.Kind.SUBMIT if status == Coding.Status.SUBMITTED else Operation.Kind.REOPEN
            change = Change(uuid4(), kind, {"reason": reason} if reason else {})
            coding.status, coding.viewed_at, coding.reopen_request = status, None, ""
            coding.save(update_fields=["status", "viewed_at", "reopen_request"])
            begin_round_of(coding, coding.text.project.scheme_version)
            append_to_log(coding, user, [change], coding.text.project.scheme_version)
        return coding.version


def submit_coding(coding: Coding, user: User) -> int:
    """Submit the coding; from then on `Project.unmarked` applies to markables without a judgement.

    Raise AnswersMissing if it lacks required answers, or if gold lacks any answer that the scheme asks for. Raise
    OperationRejected for empty gold.
    """
    version = set_status(coding, user, Coding.Status.SUBMITTED, check=_refuse_incomplete)
    project = coding.text.project_id
    transaction.on_commit(lambda: coding_submitted.send(Coding, project=project, coding=coding.pk), robust=True)
    return version


def _refuse_incomplete(coding: Coding) -> None:
    refuse_empty_gold(coding)
    refuse_missing_answers(coding)
    if coding.kind in DECIDED_KINDS:
        refuse_holes(coding)


def has_nothing_to_code(coding: Coding) -> bool:
    """Return whether a coder's text has no markable to judge, and the coder may mark none."""
    project = coding.text.project
    if coding.kind != Coding.Kind.TEXT or project.answers == Project.Answers.SCUS:
        return False
    to_judge = coding.text.markables.filter(predefined=True, level__coded=True)
    may_mark = project.levels.filter(coders_mark=True)
    return not (to_judge.exists() or may_mark.exists() or coding.judgements.exists())


def reopen_coding(coding: Coding, user: User, reason: str = "") -> int:
    """Reopen the coding for its coder, who sees the reason, as a manager. Raise OperationRejected."""
    # Not after the gold was shown, nor if the coder has the text again, as this coding would not be found.
    later = Coding.objects.of_coders().filter(text=coding.text_id, coder=coding.coder_id, round=coding.round_id)
    if later.filter(occasion__gt=coding.occasion).exists():
        raise OperationRejected("repeated", f"{coding.coder} is shown the text again, and no longer sees this coding.")
    version = set_status(coding, user, Coding.Status.OPEN, reason=_checked(reason), check=_refuse_after_gold)
    notify(coding.coder, "reopened", coding.text.project, [coding.text])
    return version


def reopen_own_coding(coding: Coding, user: User) -> int:
    """Reopen the user's own submission. Raise OperationRejected("viewed") if it has been viewed."""

    def check(locked: Coding) -> None:
        refuse_other_coder(locked, user)
        if not may_reopen_own(locked):
            _refuse_after_gold(locked)
            raise OperationRejected("viewed", "Somebody has viewed this submission: ask a manager to reopen it.")

    return set_status(coding, user, Coding.Status.OPEN, check=check)


def may_reopen_own(coding: Coding) -> bool:
    """Return whether the coder may reopen the submission without a manager."""
    # An agreed pyramid counts as viewed once it is submitted, as others score peers with it.
    if coding.kind == Coding.Kind.GOLD:
        return True
    return coding.kind != Coding.Kind.AGREED and not is_viewed(coding) and not was_gold_shown(coding)


def _refuse_after_gold(coding: Coding) -> None:
    """Raise OperationRejected if the coder has been shown the gold of the text."""
    if was_gold_shown(coding):
        raise OperationRejected("gold_shown", GOLD_SHOWN)


def set_reopen_request(coding: Coding, user: User, reason: str) -> None:
    """Set the coder's reason for a request to reopen the submission; "" ends it. Raise OperationRejected."""
    with sqlite_write_lock(), transaction.atomic():
        coding = lock_coding(coding)
        if reason:
            refuse_other_coder(coding, user)
        if coding.status != Coding.Status.SUBMITTED:
            raise OperationRejected("not_submitted", "This coding is open.")
        coding.reopen_request = reason
        coding.save(update_fields=["reopen_request"])


def request_reopening(coding: Coding, user: User, reason: str) -> None:
    """Ask the managers to reopen the user's own submission. Raise OperationRejected without a reason."""
    reason = _checked(reason)
    if not reason:
        raise OperationRejected("no_reason", "Give a reason.")
    _refuse_after_gold(coding)
    set_reopen_request(coding, user, reason)


def decline_reopening(coding: Coding, user: User) -> None:
    """Decline the coder's request; the coding stays submitted."""
    set_reopen_request(coding, user, "")


@dataclass(frozen=True, slots=True)
class ReopenRequest:
    """A coder's request to reopen a submission, with the address where a manager answers it."""

    coder: str
    title: str
    reason: str
    address: str


def reopen_requests(project: Project) -> list[ReopenRequest]:
    """Return the open requests by text and coder, for managers. One query."""
    asking = (
        Coding.objects.of_people()
        .filter(text__project=project, status=Coding.Status.SUBMITTED)
        .exclude(reopen_request="")
    )
    rows = asking.values_list("coder__username", "text__title", "text__slug", "kind", "reopen_request", "round__name")
    return [
        ReopenRequest(
            coder,
            title,
            reason,
            reverse("reopen-agreed" if kind in AGREED_KINDS else "reopen", args=[project.slug, text, coder])
            + f"?{urlencode({'round': round_name})}",
        )
        for coder, title, text, kind, reason, round_name in rows
    ]


def reason_of_reopening(coding: Coding) -> str:
    """Return the reason of the last reopening by a manager; "" without a reason or after a new submission."""
    last = coding.operations.filter(kind__in=STATUS_KINDS).order_by("-sequence").first()
    return str(last.payload.get("reason", "")) if last is not None and last.kind == Operation.Kind.REOPEN else ""


def _checked(reason: str) -> str:
    reason = reason.strip()
    if len(reason) > REASON_LENGTH:
        raise OperationRejected("reason_too_long", f"A reason has at most {REASON_LENGTH} characters.")
    return reason
