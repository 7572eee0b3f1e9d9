"""Submit a coding, and reopen it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db import transaction
from django.db.models import Q
from django.dispatch import Signal
from django.urls import reverse

from annotations.coding import operations
from annotations.coding.chains import chains_of, members_of
from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.gold import was_gold_shown
from annotations.coding.holes import refuse_holes
from annotations.coding.judgements import decisions_of
from annotations.coding.rules import given_answers
from annotations.core.text import pluralize
from annotations.formats.model.keys import split_key
from annotations.mail.queue import notify
from annotations.models import Attribute, Coding, Operation, Project, User
from annotations.models.coding import AGREED_KINDS, DECIDED_KINDS, REASON_LENGTH
from annotations.projects.viewing import is_viewed
from annotations.schemes.constraints import (
    AttributeConstraints,
    GivenAnswers,
    categories_on,
    is_asked,
    missing_attributes,
    required_of_entities,
)
from annotations.schemes.project_scheme import read_scheme

# Sent with the primary key of the project, once a submission is written; what it sets off must not take long.
coding_submitted = Signal()


def submit_coding(coding: Coding, user: User) -> int:
    """Submit the coding; from then on markables without a judgement count as `Project.unmarked` says.

    Raise OperationRejected if a judgement, or a chain, lacks an attribute that is required, and for gold of nothing or
    with a hole.
    """
    version = operations.set_status(coding, user, Coding.Status.SUBMITTED, check=_refuse_incomplete)
    project = coding.text.project_id
    transaction.on_commit(lambda: coding_submitted.send(Coding, project=project), robust=True)
    return version


def _refuse_incomplete(coding: Coding) -> None:
    answered = Q(category__isnull=False) | Q(answers__isnull=False)
    if coding.kind == Coding.Kind.GOLD and not coding.judgements.filter(answered).exists():
        raise OperationRejected("no_gold", "Nothing is decided yet: coders would be compared with nothing.")
    _refuse_missing_attributes(coding)
    if coding.kind in DECIDED_KINDS:
        refuse_holes(coding)


def _refuse_missing_attributes(coding: Coding) -> None:
    """Raise OperationRejected with an attribute and the first markable, or chain, in the text that lacks it."""
    if not Attribute.objects.filter(project=coding.text.project_id, required=True).exists():
        return
    constraints = read_scheme(coding.text.project_id).constraints
    levels = dict(coding.judgements.values_list("markable__key", "markable__level__key"))
    decisions = {decision.markable: decision for decision in decisions_of(coding)}
    answers = {key: given_answers(constraints, levels[key], decision) for key, decision in decisions.items()}
    judged = {
        key: given
        for key, given in answers.items()
        if given.category is not None or (given.attributes and not categories_on(constraints, given.level))
    }
    missing: dict[str, list[str]] = {}
    for key, given in judged.items():
        for attribute in missing_attributes(constraints, given):
            missing.setdefault(attribute, []).append(key)
    for attribute, markables in missing.items():
        label = constraints["attributes"][attribute]["label"]
        message = f"{label} ({attribute}) has no answer at {_first_of(markables, 'markable')}."
        raise OperationRejected("missing_attribute", message)
    required = required_of_entities(constraints)
    members = _members_of_chains(coding, decisions) if required else []
    for attribute in required:
        chains = _chains_without(attribute, constraints["attributes"][attribute], members, decisions, judged)
        if chains:
            label = constraints["attributes"][attribute]["label"]
            message = f"{label} ({attribute}) has no answer in the chain of {_first_of(chains, 'chain')}."
            raise OperationRejected("missing_attribute", message)


def _first_of(keys: Sequence[str], noun: str) -> str:
    others = f" and {pluralize(len(keys) - 1, f'other {noun}')}" if len(keys) > 1 else ""
    return f"{keys[0]}{others}"


def _members_of_chains(coding: Coding, decisions: Mapping[str, Decision]) -> list[list[str]]:
    """Return the members of each chain. A markable that no index or pointer joins to others is a chain of its own."""
    order = sorted({*decisions, *(target for one in decisions.values() for target in one.targets())}, key=_text_order)
    chains = {one: names or (one,) for one, names in chains_of(coding.text.project.answers, order, decisions).items()}
    return list(members_of(chains).values())


def _chains_without(
    key: str,
    attribute: AttributeConstraints,
    chains: Iterable[Sequence[str]],
    decisions: Mapping[str, Decision],
    judged: Mapping[str, GivenAnswers],
) -> list[str]:
    """Return the first members of the chains of which the attribute is asked at some member and answered at none."""
    asked = {one for one, given in judged.items() if given.level in attribute["levels"] and is_asked(attribute, given)}
    answered = {one for one, decision in decisions.items() if key in dict(decision.attributes)}
    return [members[0] for members in chains if not asked.isdisjoint(members) and answered.isdisjoint(members)]


def _text_order(key: str) -> tuple[int, int, str]:
    place = split_key(key)
    assert place is not None, f"{key!r} is no key of a markable"
    return place.parts[0][0], -place.parts[-1][1], key


def reopen_coding(coding: Coding, user: User, reason: str = "") -> int:
    """Reopen the coding for its coder, who reads the reason, as a manager.

    Raise OperationRejected once the coder has the gold beside it, and where the coder is shown the text again, and
    would not find it.
    """
    later = Coding.with_models.filter(text=coding.text_id, coder=coding.coder_id, round=coding.round_id)
    if later.filter(occasion__gt=coding.occasion).exists():
        raise OperationRejected("repeated", f"{coding.coder} is shown the text again, and no longer sees this coding.")
    version = operations.set_status(coding, user, Coding.Status.OPEN, reason=_checked(reason), check=_refuse_after_gold)
    notify(coding.coder, "reopened", coding.text.project, [coding.text])
    return version


def reopen_own_coding(coding: Coding, user: User) -> int:
    """Reopen the user's own submission. Raise OperationRejected("viewed") once somebody has looked at it."""

    def check(locked: Coding) -> None:
        if locked.coder_id != user.pk:
            raise OperationRejected("handed_on", "This coding was reassigned to somebody else.")
        if not may_reopen_own(locked):
            _refuse_after_gold(locked)
            raise OperationRejected("viewed", "Somebody has viewed this submission: ask a manager to reopen it.")

    return operations.set_status(coding, user, Coding.Status.OPEN, check=check)


def may_reopen_own(coding: Coding) -> bool:
    """Return whether the coder may reopen the submission alone.

    An agreed pyramid is what others score peers against: it is viewed as soon as it is submitted.
    """
    if coding.kind == Coding.Kind.GOLD:
        return True
    return coding.kind != Coding.Kind.AGREED and not is_viewed(coding) and not was_gold_shown(coding)


def _refuse_after_gold(coding: Coding) -> None:
    """Raise OperationRejected if the coder has been shown the gold of the text."""
    if was_gold_shown(coding):
        raise OperationRejected("gold_shown", "The gold of this text has been shown to its coder: code another text.")


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
    """Return why a manager reopened the coding, if it was not submitted since; "" without a reason."""
    last = coding.operations.filter(kind__in=operations.STATUS_KINDS).order_by("-sequence").first()
    return str(last.payload.get("reason", "")) if last is not None and last.kind == Operation.Kind.REOPEN else ""


def _checked(reason: str) -> str:
    reason = reason.strip()
    if len(reason) > REASON_LENGTH:
        raise OperationRejected("reason_too_long", f"A reason has at most {REASON_LENGTH} characters.")
    return reason
