"""Submit a coding, and reopen it."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.judgements import decisions_of
from annotations.coding.rules import given_answers
from annotations.core.text import pluralize
from annotations.mail.queue import notify
from annotations.models import Attribute, Coding, Operation, Project, User
from annotations.models.coding import AGREED_KINDS, REASON_LENGTH
from annotations.projects.viewing import is_viewed
from annotations.schemes.constraints import categories_on, missing_attributes
from annotations.schemes.project_scheme import read_scheme


def submit_coding(coding: Coding, user: User) -> int:
    """Submit the coding; from then on markables without a judgement count as `Project.unmarked` says.

    Raise OperationRejected if a judgement lacks an attribute that is required.
    """
    return operations.set_status(coding, user, Coding.Status.SUBMITTED, check=_refuse_missing_attributes)


def _refuse_missing_attributes(coding: Coding) -> None:
    """Raise OperationRejected with the attribute and the first markable in the text whose judgement lacks it."""
    if not Attribute.objects.filter(project=coding.text.project_id, required=True).exists():
        return
    constraints = read_scheme(coding.text.project_id).constraints
    levels = dict(coding.judgements.values_list("markable__key", "markable__level__key"))
    missing: dict[str, list[str]] = {}
    for decision in decisions_of(coding):
        given = given_answers(constraints, levels[decision.markable], decision)
        if given.category is not None or (given.attributes and not categories_on(constraints, given.level)):
            for key in missing_attributes(constraints, given):
                missing.setdefault(key, []).append(decision.markable)
    for key, markables in missing.items():
        label = constraints["attributes"][key]["label"]
        others = f" and {pluralize(len(markables) - 1, 'other markable')}" if len(markables) > 1 else ""
        raise OperationRejected("missing_attribute", f"{label} ({key}) has no answer at {markables[0]}{others}.")


def reopen_coding(coding: Coding, user: User, reason: str = "") -> int:
    """Reopen the coding for its coder, who reads the reason. It is for managers."""
    version = operations.set_status(coding, user, Coding.Status.OPEN, reason=_checked(reason))
    notify(coding.coder, "reopened", coding.text.project, [coding.text])
    return version


def reopen_own_coding(coding: Coding, user: User) -> int:
    """Reopen the user's own submission. Raise OperationRejected("viewed") once somebody has looked at it."""

    def check(locked: Coding) -> None:
        if locked.coder_id != user.pk:
            raise OperationRejected("handed_on", "This coding was reassigned to somebody else.")
        if not may_reopen_own(locked):
            raise OperationRejected("viewed", "Somebody has viewed this submission: ask a manager to reopen it.")

    return operations.set_status(coding, user, Coding.Status.OPEN, check=check)


def may_reopen_own(coding: Coding) -> bool:
    """Return whether the coder may reopen the submission alone.

    An agreed pyramid is what others score peers against: it is viewed as soon as it is submitted.
    """
    return coding.kind != Coding.Kind.AGREED and not is_viewed(coding)


def request_reopening(coding: Coding, user: User, reason: str) -> None:
    """Ask the managers to reopen the user's own submission. Raise OperationRejected without a reason."""
    reason = _checked(reason)
    if not reason:
        raise OperationRejected("no_reason", "Give a reason.")
    operations.set_reopen_request(coding, user, reason)


def decline_reopening(coding: Coding, user: User) -> None:
    """End the coder's request; the coding stays submitted."""
    operations.set_reopen_request(coding, user, "")


@dataclass(frozen=True, slots=True)
class ReopenRequest:
    """A coder's request to reopen a submission, and where a manager answers it."""

    coder: str
    title: str
    reason: str
    address: str


def reopen_requests(project: Project) -> list[ReopenRequest]:
    """Return the requests that nobody has answered, by text and coder, for managers. One query."""
    asking = Coding.objects.filter(text__project=project, status=Coding.Status.SUBMITTED).exclude(reopen_request="")
    rows = asking.values_list("coder__username", "text__title", "text__slug", "kind", "reopen_request")
    return [
        ReopenRequest(
            coder,
            title,
            reason,
            reverse("reopen-agreed" if kind in AGREED_KINDS else "reopen", args=[project.slug, text, coder]),
        )
        for coder, title, text, kind, reason in rows
    ]


def reason_of_reopening(coding: Coding) -> str:
    """Return why a manager reopened the coding, if it was not submitted since; "" without a reason."""
    last = coding.operations.filter(kind__in=operations.STATUS_KINDS).order_by("-sequence").first()
    return str(last.payload.get("reason", "")) if last is not None and last.kind == Operation.Kind.REOPEN else ""


def _checked(reason: str) -> str:
    reason = reason.strip()
    if len(reason) > REASON_LENGTH:
        raise OperationRejected("reason_too_long", f"A reason has at most {REASON_LENGTH} characters.")
    return reason
