"""Ownership of gold: open, take over, reassign."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from annotations.adjudication.readiness import GoldIsEarly, find_early
from annotations.coding.active_time import hand_over
from annotations.coding.operations import log_assignment
from annotations.models import Coding, Membership, Project, Round, Text, User
from annotations.projects.letters import sees_names
from annotations.projects.locks import lock_project
from annotations.projects.people.members import find_adjudicator
from annotations.projects.permissions import LATEST, CodingChoice
from annotations.projects.rounds import find_round, refuse_closed


class GoldOfOther(Http404):
    """The gold has another owner or none. A request is refused, but its content may be sent again by a new owner."""

    code = "handed_on"

    def __init__(self, gold: Coding) -> None:
        who = f"{gold.coder} has" if gold.coder_id is not None else "Nobody has"
        super().__init__(
            f"{who} the gold of “{gold.text}” now: take it over on the page of the round {gold.round} to go on."
        )
        self.gold = gold


def gold_coding(user: User, project: Project, text_slug: str, *, choice: CodingChoice = LATEST) -> Coding:
    """Return the user's gold of a text. Raise Http404, or GoldOfOther if it has another owner or none."""
    gold = Coding.objects.filter(kind=Coding.Kind.GOLD, text__project=project, text__slug=text_slug)
    rows = list(gold.latest_first().select_related("text__docset", "coder", "round"))
    own = [coding for coding in rows if coding.coder_id == user.pk]
    for coding in own:
        coding.is_alone = len(own) == 1  # type: ignore[attr-defined]
        if choice.admits(coding):
            return coding
    for coding in rows:
        if choice.admits(coding):
            raise GoldOfOther(coding)
    raise Http404("There is no such gold of this text: make it on the page of its round.")


def codings_to_gold(project: Project, round_: Round, user: User) -> QuerySet[Coding]:
    """Return the submitted codings of adjudicators that the user may make gold: a manager all, others their own."""
    adjudicators = project.memberships.filter(role=Membership.Role.ADJUDICATOR).values("user")
    codings = Coding.objects.first_occasions(round_).filter(coder__in=adjudicators, status=Coding.Status.SUBMITTED)
    codings = codings.select_related("text", "coder", "round")
    return codings if sees_names(project) else codings.filter(coder=user)


@transaction.atomic
def open_gold(project: Project, text: Text, round_name: str, user: User, *, early: bool = True) -> Coding:
    """Return the gold of a text in a round, made or taken over for the user. Raise ValidationError or GoldIsEarly."""
    lock_project(project.pk)
    round_ = _open_round(project, round_name)
    if text.docset_id is not None:
        raise ValidationError("What is decided about summaries is the agreed pyramid of their docset.")
    if not round_.texts.filter(pk=text.pk).exists():
        raise ValidationError(f"“{text}” is not in the round {round_}.")
    gold = _locked_gold(text, round_)
    if gold is None:
        if not early and (texts := find_early(project, [(text, round_)])):
            raise GoldIsEarly(texts)
        return Coding.objects.create(text=text, round=round_, kind=Coding.Kind.GOLD, coder=user)
    if gold.coder_id != user.pk:
        # Opening gold without an owner is not logged: later operations name the user.
        _give(gold, user, user if gold.coder_id is not None else None)
    return gold


@transaction.atomic
def reassign_gold(project: Project, text: Text, round_name: str, by: User, to: str) -> Coding:
    """Give the gold of a text to an adjudicator, or to the first user to open it, and log it. Raise ValidationError."""
    lock_project(project.pk)
    round_ = _open_round(project, round_name)
    user = find_adjudicator(project, to) if to else None
    gold = _locked_gold(text, round_)
    if gold is None:
        raise ValidationError(f"“{text}” has no gold in the round {round_} yet: make it first.")
    if gold.coder_id != (user.pk if user is not None else None):
        _give(gold, user, by)
    return gold


def _open_round(project: Project, name: str) -> Round:
    round_ = find_round(project, name)
    refuse_closed(round_)
    return round_


def _locked_gold(text: Text, round_: Round) -> Coding | None:
    codings = Coding.objects.filter(text=text, round=round_, kind=Coding.Kind.GOLD)
    return codings.select_for_update(of=("self",)).select_related("text__project", "round").first()


def _give(gold: Coding, to: User | None, by: User | None) -> None:
    """Change the owner of gold, and log it as an act of `by` unless that is None."""
    hand_over(gold, to)
    if by is not None:
        log_assignment(gold, by, to)
