"""Show coders some of their own texts again within a round, unmarked: how far each agrees with themself."""

from __future__ import annotations

import logging
from collections import defaultdict
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
from annotations.planning.plans.changes import MOST_DAYS
from annotations.planning.plans.designs.draws import draw, share_of
from annotations.planning.plans.plans import BATCH
from annotations.projects.locks import ProjectArchived, lock_project
from annotations.projects.people.members import BLIND_ROLES, members_in_roles
from annotations.projects.rounds import COUNTED_KINDS, find_round, open_round, refuse_closed

logger = logging.getLogger(__name__)

# So many days lie between the two occasions, unless somebody says otherwise.
DAYS = 7
MOST_REPEATED = 10_000


@dataclass(frozen=True, slots=True)
class RepeatRequest:
    """What somebody asks to be shown again: of each coder a share of the submitted texts, or a number of them.

    days: since the last change of a text, before which it is not shown again. coders: by name; empty: all who code
    blind to each other. Without a round it is the one that is open. automatic: what becomes due later is shown again
    without being asked for (`draw_due_repeats`).
    """

    share: float | None = None
    number: int | None = None
    days: int = DAYS
    seed: int = 0
    round_name: str = ""
    coders: tuple[str, ...] = ()
    automatic: bool = True


@dataclass(frozen=True, slots=True)
class CoderRepeats:
    """A coder's texts: how many are submitted, which are shown again already, and which are to be.

    `eligible` counts the submitted texts that may be shown again or are already, and `other_open_texts` the others that
    the coder has to code, among which they stand: with none they stand alone.
    """

    coder: str
    submitted: int
    eligible: int
    repeated_before: tuple[str, ...]
    submitted_again: int
    new: tuple[str, ...]
    other_open_texts: int


@dataclass(frozen=True, slots=True)
class RepeatView:
    """What a request comes to."""

    request: RepeatRequest
    round_: Round
    coders: tuple[CoderRepeats, ...]

    @property
    def n_new(self) -> int:
        return sum(len(one.new) for one in self.coders)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        asked = {name: getattr(self.request, name) for name in ("share", "number", "days", "seed", "automatic")}
        coders = [
            {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(coder).items()}
            for coder in self.coders
        ]
        return {"round": self.round_.name, **asked, "coders": coders}


def view_repeats(project: Project, request: RepeatRequest) -> RepeatView:
    """Return what the request comes to, and write nothing. Raise ValidationError with what is wrong, and the way out.

    A coder's texts are drawn by the seed, each as likely as any other that may be shown again. Those shown again
    already count among them, so that the same request comes to nothing more.
    """
    _refuse_project(project)
    _check(request)
    round_ = find_round(project, request.round_name) if request.round_name else open_round(project)
    if round_.pk is None:
        raise ValidationError("Nothing is coded yet.")
    refuse_repeats(project, round_)
    members = _members(project, request)
    rows = _submitted(round_, members)
    eligible: dict[int, list[str]] = defaultdict(list)
    submitted: dict[int, int] = defaultdict(int)
    before = timezone.now() - timedelta(days=request.days)
    earlier: dict[int, dict[str, bool]] = defaultdict(dict)
    again = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT, occasion__gt=1).order_by()
    for coder, text, status in again.values_list("coder", "text__slug", "status"):
        earlier[coder][text] = status == Coding.Status.SUBMITTED
    for coder, text, may_repeat, last in rows:
        submitted[coder] += 1
        if text in earlier[coder] or (may_repeat and last <= before):
            eligible[coder].append(text)
    open_texts = _open_codings(round_, members)
    coders = []
    for pk, name in sorted(((user.pk, name) for name, user in members.items()), key=lambda one: one[1]):
        texts, known = eligible[pk], earlier[pk]
        target = share_of(len(texts), request.share) if request.share is not None else request.number or 0
        free = sorted(set(texts) - set(known), key=lambda text: (draw(request.seed, "repeat", name, text), text))
        new = free[: max(target - len(known), 0)]
        others = sum(occasion == 1 for _, occasion in open_texts.get(pk, ()))
        coders.append(
            CoderRepeats(name, submitted[pk], len(texts), tuple(sorted(known)), sum(known.values()), tuple(new), others)
        )
    return RepeatView(request, round_, tuple(coders))


def refuse_repeats(project: Project, round_: Round) -> None:
    """Raise ValidationError, with the way out, for a round of the project in which nothing can be shown again."""
    _refuse_project(project)
    refuse_closed(round_)
    if round_.kind not in COUNTED_KINDS:
        kind = round_.get_kind_display()
        raise ValidationError(
            f"The round {round_} is a {kind} round, where nothing counts: choose a pilot or main round."
        )


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
    if request.number is not None and not 0 < request.number <= MOST_REPEATED:
        raise ValidationError(f"Choose from 1 to {MOST_REPEATED} texts.")
    if not 0 <= request.days <= MOST_DAYS:
        raise ValidationError(f"Choose from 0 to {MOST_DAYS} days.")


def _members(project: Project, request: RepeatRequest) -> Mapping[str, User]:
    """Return those who are chosen, by name. Raise ValidationError for a name of nobody who codes blind to others."""
    members = {user.get_username(): user for user in members_in_roles(project, BLIND_ROLES)}
    if unknown := sorted(set(request.coders) - set(members)):
        raise ValidationError(f"There are no coders of these names in the project: {', '.join(unknown)}.")
    return {name: user for name, user in members.items() if name in (request.coders or members)}


def _submitted(round_: Round, members: Mapping[str, User]) -> list[tuple[int, str, bool, datetime]]:
    """Return the submitted codings of the first occasion: coder, text, whether it may be shown again, last change.

    Not where the coder has the text in another round, too, which would be in sight; has a question about it that waits
    or an answer to read, which would go out of sight; or asks to reopen it.
    """
    last = Operation.objects.filter(coding=OuterRef("pk")).order_by("-sequence").values("applied_at")[:1]
    elsewhere = (
        Coding.objects.of_people()
        .filter(text=OuterRef("text"), coder=OuterRef("coder"))
        .exclude(round=round_)
        .order_by()
    )
    asked = Question.objects.filter(text=OuterRef("text"), coder=OuterRef("coder")).order_by()
    asked = asked.filter(Q(resolved_at=None) | Q(has_news=True))
    may_repeat = ~Exists(elsewhere) & ~Exists(asked) & Q(reopen_request="")
    found = _first_occasions(round_).filter(coder__in=members.values(), status=Coding.Status.SUBMITTED)
    found = found.annotate(may_repeat=may_repeat, last=Coalesce(Subquery(last), F("created_at")))
    return list(found.order_by("text__slug").values_list("coder", "text__slug", "may_repeat", "last"))


def _first_occasions(round_: Round) -> QuerySet[Coding]:
    codings: QuerySet[Coding] = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT, occasion=1)
    return codings


def _open_codings(round_: Round, members: Mapping[str, User]) -> Mapping[int, Sequence[tuple[int, int]]]:
    """Return the places and occasions of what each coder has to code in the round, in the order of their list."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT, status=Coding.Status.OPEN)
    rows = rows.filter(coder__in=members.values()).order_by("place", "text__position", "text__slug")
    for coder, place, occasion in rows.values_list("coder", "place", "occasion"):
        found[coder].append((place, occasion))
    return found


@transaction.atomic
def apply_repeats(project: Project, request: RepeatRequest) -> RepeatView:
    """Show the texts again and record what was asked for. Return what was done; applied again it changes nothing.

    Nobody gets a mail: one that names these texts would tell them from all others. Raise ValidationError as
    `view_repeats` does, and ProjectArchived.
    """
    lock_project(project.pk)
    project.refresh_from_db(fields=["results_open"])
    view = view_repeats(project, request)
    members = _members(project, request)
    places = _open_codings(view.round_, members)
    wanted = {(members[one.coder].pk, text) for one in view.coders for text in one.new}
    firsts = _first_occasions(view.round_).filter(coder__in=members.values())
    # Who reopens a coding at this moment keeps it.
    submitted = firsts.filter(status=Coding.Status.SUBMITTED, text__slug__in={text for _, text in wanted})
    locked = submitted.select_for_update(of=("self",)).select_related("text").defer("text__content").order_by("pk")
    rows = [one for one in locked if (one.coder_id, one.text.slug) in wanted]
    last = dict(firsts.order_by().values_list("coder").annotate(last=Max("place")))
    names = {user.pk: name for name, user in members.items()}
    drawn = sorted(
        (draw(request.seed, "place", names[coder], one.text.slug), one.pk, coder, one)
        for one in rows
        if (coder := one.coder_id) is not None
    )
    new = []
    for number, _, coder, coding in drawn:
        others = places.get(coder, ())
        if others:  # beside one of them; those of one place are in the order of texts
            place = others[number % len(others)][0]
        else:
            place = last[coder] = last.get(coder, 0) + 1
        new.append(Coding(text=coding.text, coder_id=coder, round=view.round_, occasion=2, place=place))
    Coding.objects.bulk_create(new, batch_size=BATCH)
    plan, _ = RepeatPlan.objects.update_or_create(
        round=view.round_,
        defaults={
            "share": request.share,
            "number": request.number,
            "days": request.days,
            "seed": request.seed,
            "automatic": request.automatic,
            "applied_at": timezone.now(),
        },
    )
    plan.coders.set([members[name] for name in request.coders])
    return view


def request_of(plan: RepeatPlan) -> RepeatRequest | None:
    """Return what was asked for, of those of its coders who still code; None where none of them does."""
    asked = {user.get_username() for user in plan.coders.all()}
    coders = members_in_roles(plan.round.project, BLIND_ROLES).filter(username__in=asked)
    still = tuple(sorted(coders.values_list("username", flat=True))) if asked else ()
    if asked and not still:
        return None
    return RepeatRequest(
        plan.share, plan.number, plan.days, plan.seed, plan.round.name, still, automatic=plan.automatic
    )


def draw_due_repeats() -> int:
    """Show the texts again that have become due since they were asked for; return how many. The worker does it hourly.

    Each round is a transaction of its own. One that is closed, or whose project is archived or has open results, waits.
    """
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
        except (ValidationError, ProjectArchived) as error:  # it was changed since it was read
            logger.info("Nothing of the round %s is shown again: %s", plan.round_id, error)
    return n_new


@transaction.atomic
def withdraw_repeats(project: Project, round_: Round) -> int:
    """Take away what coders are shown again in the round and have not begun; return how many texts these are.

    No more is shown again until it is asked for.
    """
    lock_project(project.pk)
    refuse_closed(Round.objects.get(pk=round_.pk))
    rows = Coding.objects.of_people().not_begun().filter(round=round_, occasion__gt=1, status=Coding.Status.OPEN)
    keys = list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))
    Coding.objects.of_people().filter(pk__in=keys).delete()
    RepeatPlan.objects.filter(round=round_).update(automatic=False)
    return len(keys)
