"""Show coders some of their own texts again within a round, unmarked, to measure their consistency."""

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations.models import Coding, Operation, Project, Question, RepeatPlan, Round, User
from annotations.planning.plans.designs.draws import draw, share_of
from annotations.planning.plans.plans import BATCH, users_by_name
from annotations.planning.work.assignments import MAX_DAYS
from annotations.projects.locks import ProjectArchived, lock_project
from annotations.projects.people.members import BLIND_ROLES, members_in_roles
from annotations.projects.rounds import COUNTED_KINDS, find_round, open_round, refuse_closed

logger = logging.getLogger(__name__)

DAYS = 7  # default days between the two occasions
MAX_REPEATED = 10_000
# The fields that a request, its record and its response share.
TERMS = ("share", "number", "days", "seed", "automatic")


@dataclass(frozen=True, slots=True)
class RepeatRequest:
    """The request for repeats: a share of each coder's submitted texts, or a number of them."""

    share: float | None = None
    number: int | None = None
    days: int = DAYS  # since the last change of a text
    seed: int = 0
    round_name: str = ""  # empty: the open round
    coders: tuple[str, ...] = ()  # by name; empty: all coders who are blind to others
    automatic: bool = True  # later texts are repeated automatically once they are due


@dataclass(frozen=True, slots=True)
class CoderRepeats:
    """A coder's numbers of texts: submitted, eligible or already repeated, and to be repeated now."""

    coder: str
    submitted: int
    eligible: int
    repeated_before: tuple[str, ...]
    submitted_again: int
    new: tuple[str, ...]
    other_open_texts: int  # the texts that hide the repeats; with none the repeats are evident


@dataclass(frozen=True, slots=True)
class RepeatView:
    """The result of a request."""

    request: RepeatRequest
    round_: Round
    coders: tuple[CoderRepeats, ...]

    @property
    def n_new(self) -> int:
        return sum(len(coder.new) for coder in self.coders)

    def as_dict(self) -> dict[str, Any]:
        asked = {name: getattr(self.request, name) for name in TERMS}
        coders = [
            {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(coder).items()}
            for coder in self.coders
        ]
        return {"round": self.round_.name, **asked, "coders": coders}


def view_repeats(project: Project, request: RepeatRequest) -> RepeatView:
    """Return the result of the request without writing. Raise ValidationError."""
    # Texts are drawn by the seed, and earlier repeats count, so an equal request adds nothing.
    _refuse_project(project)
    _check(request)
    round_ = find_round(project, request.round_name) if request.round_name else open_round(project)
    if round_.pk is None:
        raise ValidationError("Nothing is coded yet.")
    refuse_repeats(project, round_)
    members = _members(project, request)
    eligible: dict[str, list[str]] = defaultdict(list)
    submitted = Counter[str]()
    before = timezone.now() - timedelta(days=request.days)
    earlier: dict[str, dict[str, bool]] = defaultdict(dict)
    again = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT, occasion__gt=1).order_by()
    for coder, text, status in again.values_list("coder__username", "text__slug", "status"):
        earlier[coder][text] = status == Coding.Status.SUBMITTED
    for coder, text, may_repeat, last in _submitted(round_, members):
        submitted[coder] += 1
        if text in earlier[coder] or (may_repeat and last <= before):
            eligible[coder].append(text)
    open_texts = _open_codings(round_, members)
    coders = []
    for name in sorted(members):
        texts, known = eligible[name], earlier[name]
        target = share_of(len(texts), request.share) if request.share is not None else request.number or 0
        free = sorted(set(texts) - set(known), key=lambda text: (draw(request.seed, "repeat", name, text), text))
        new = free[: max(target - len(known), 0)]
        others = sum(occasion == 1 for _, occasion in open_texts.get(name, ()))
        done = tuple(sorted(known)), sum(known.values())
        coders.append(CoderRepeats(name, submitted[name], len(texts), *done, tuple(new), others))
    return RepeatView(request, round_, tuple(coders))


def refuse_repeats(project: Project, round_: Round) -> None:
    """Raise ValidationError, with the way out, if the round of the project allows no repeats."""
    _refuse_project(project)
    refuse_closed(round_)
    if round_.kind not in COUNTED_KINDS:
        what = f"The round {round_} is a {round_.get_kind_display()} round"
        raise ValidationError(f"{what}, where nothing counts: choose a pilot or main round.")


def _refuse_project(project: Project) -> None:
    if project.answers == Project.Answers.SCUS:
        raise ValidationError("Summaries are not shown again: their coders know the SCUs that they made.")
    if project.results_open:
        raise ValidationError(
            "The results are open to coders, who would see their first answers. Close the results first, in Settings."
        )


def _check(request: RepeatRequest) -> None:
    if (request.share is None) == (request.number is None):
        raise ValidationError("Say which share of their texts each coder codes again, or how many: one of the two.")
    if request.share is not None and not 0 < request.share <= 1:
        raise ValidationError("A share is above 0 and at most 1.")
    if request.number is not None and not 0 < request.number <= MAX_REPEATED:
        raise ValidationError(f"Choose from 1 to {MAX_REPEATED} texts.")
    if not 0 <= request.days <= MAX_DAYS:
        raise ValidationError(f"Choose from 0 to {MAX_DAYS} days.")


def _members(project: Project, request: RepeatRequest) -> Mapping[str, User]:
    """Return the chosen coders by name. Raise ValidationError for names of no blind coder."""
    members = users_by_name(members_in_roles(project, BLIND_ROLES), request.coders)
    return {name: user for name, user in members.items() if name in (request.coders or members)}


def _submitted(round_: Round, members: Mapping[str, User]) -> list[tuple[str, str, bool, datetime]]:
    """Return the submitted codings of the first occasion: coder, text, whether repeatable, time of the last change."""
    # Not if the coder has the text in another round, asks to reopen it, or has a question that is open or has news.
    last = Operation.objects.filter(coding=OuterRef("pk")).order_by("-sequence").values("applied_at")[:1]
    elsewhere = Coding.objects.of_people().filter(text=OuterRef("text"), coder=OuterRef("coder")).exclude(round=round_)
    asked = Question.objects.filter(text=OuterRef("text"), coder=OuterRef("coder")).order_by()
    asked = asked.filter(Q(resolved_at=None) | Q(has_news=True))
    may_repeat = ~Exists(elsewhere.order_by()) & ~Exists(asked) & Q(reopen_request="")
    codings: QuerySet[Any, Any] = Coding.objects.first_occasions(round_).filter(
        coder__in=members.values(), status=Coding.Status.SUBMITTED
    )
    codings = codings.annotate(may_repeat=may_repeat, last=Coalesce(Subquery(last), F("created_at")))
    return list(codings.order_by("text__slug").values_list("coder__username", "text__slug", "may_repeat", "last"))


def _open_codings(round_: Round, members: Mapping[str, User]) -> Mapping[str, Sequence[tuple[int, int]]]:
    """Return the places and occasions of each coder's open codings in the round, in list order."""
    by_coder: dict[str, list[tuple[int, int]]] = defaultdict(list)
    rows = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT, status=Coding.Status.OPEN)
    rows = rows.filter(coder__in=members.values()).order_by("place", "text__position", "text__slug")
    for coder, place, occasion in rows.values_list("coder__username", "place", "occasion"):
        by_coder[coder].append((place, occasion))
    return by_coder


@transaction.atomic
def apply_repeats(project: Project, request: RepeatRequest) -> RepeatView:
    """Repeat the texts and record the request; a second time adds nothing. Raise as `view_repeats`."""
    # No mail is sent: it would disclose which texts are repeats.
    lock_project(project.pk)
    project.refresh_from_db(fields=["results_open"])
    view = view_repeats(project, request)
    members = _members(project, request)
    places = _open_codings(view.round_, members)
    wanted = {(coder.coder, text) for coder in view.coders for text in coder.new}
    firsts = Coding.objects.first_occasions(view.round_).filter(coder__in=members.values())
    # A coding that is just being reopened stays open.
    submitted = firsts.filter(status=Coding.Status.SUBMITTED, text__slug__in={text for _, text in wanted})
    locked = submitted.select_for_update(of=("self",)).select_related("text", "coder").defer("text__content")
    last = dict(firsts.order_by().values_list("coder__username").annotate(last=Max("place")))
    drawn = sorted(
        (draw(request.seed, "place", coder, coding.text.slug), coding.pk, coder, coding)
        for coding in locked.order_by("pk")
        if ((coder := coding.coder.get_username()), coding.text.slug) in wanted
    )
    new = []
    for number, _, coder, coding in drawn:
        neighbours = places.get(coder, ())
        if neighbours:  # next to an open text; repeats of one place are in the order of texts
            place = neighbours[number % len(neighbours)][0]
        else:
            place = last[coder] = last.get(coder, 0) + 1
        new.append(Coding(text=coding.text, coder=coding.coder, round=view.round_, occasion=2, place=place))
    Coding.objects.bulk_create(new, batch_size=BATCH)
    plan, _ = RepeatPlan.objects.update_or_create(
        round=view.round_, defaults={name: getattr(request, name) for name in TERMS} | {"applied_at": timezone.now()}
    )
    plan.coders.set([members[name] for name in request.coders])
    return view


def request_of(plan: RepeatPlan) -> RepeatRequest | None:
    """Return the request of the plan for the coders who still code; None if there are none."""
    asked = {user.get_username() for user in plan.coders.all()}
    coders = members_in_roles(plan.round.project, BLIND_ROLES).filter(username__in=asked)
    still = tuple(sorted(coders.values_list("username", flat=True))) if asked else ()
    if asked and not still:
        return None
    return RepeatRequest(**{name: getattr(plan, name) for name in TERMS}, round_name=plan.round.name, coders=still)


def draw_due_repeats() -> int:
    """Repeat the texts that have become due, and return their number. Each round is a separate transaction."""
    plans = RepeatPlan.objects.filter(
        automatic=True,
        round__closed_at=None,
        round__kind__in=COUNTED_KINDS,
        round__project__archived_at=None,
        round__project__results_open=False,
    )
    n_new = 0
    for plan in plans.select_related("round__project").prefetch_related("coders").order_by("pk"):
        request = request_of(plan)
        if request is None:
            continue
        try:
            if view_repeats(plan.round.project, request).n_new:
                n_new += apply_repeats(plan.round.project, request).n_new
        except (ValidationError, ProjectArchived) as error:  # the round or project was changed meanwhile
            logger.info("Nothing of the round %s is shown again: %s", plan.round_id, error)
    return n_new


@transaction.atomic
def withdraw_repeats(project: Project, round_: Round) -> int:
    """Unassign repeats that have not begun, stop automatic ones, and return the number of texts."""
    lock_project(project.pk)
    refuse_closed(Round.objects.get(pk=round_.pk))
    rows = Coding.objects.of_people().not_begun().filter(round=round_, occasion__gt=1, status=Coding.Status.OPEN)
    keys = list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))
    Coding.objects.of_people().filter(pk__in=keys).delete()
    RepeatPlan.objects.filter(round=round_).update(automatic=False)
    return len(keys)
