"""The pool of a round: coders take the next free text themselves."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations.core.database.locks import sqlite_write_lock
from annotations.core.text import pluralize
from annotations.models import Coding, Membership, Plan, PlanCoder, PlanText, Project, Round, User
from annotations.planning.training import has_passed
from annotations.projects.locks import lock_project, refuse_archived
from annotations.projects.people.members import CODING_ROLES

RESERVED_FOR = timedelta(days=2)  # a taken text returns to the pool after this time without work
MAX_RESERVED = 20  # texts that a coder may take without beginning them


@dataclass(frozen=True, slots=True)
class PoolState:
    """The state of a pool for a coder: the round, whether a text is free, and the training still to pass."""

    round_: Round
    is_free: bool
    waits_for: Round | None = None


def pools_of(project: Project, user: User) -> list[PoolState]:
    """Return the pools of the user. Two queries, and some for each round that requires training."""
    plans: Any = Plan.objects.filter(
        round__project=project, pool=True, round__closed_at=None, coders__coder=user, round__project__archived_at=None
    ).select_related("round__required_round__project")
    plans = plans.annotate(is_free=Exists(_free_texts(user, timezone.now()).filter(plan=OuterRef("pk"))))
    pools = []
    for plan in plans.order_by("round__position"):
        required = plan.round.required_round
        waits_for = None if required is None or has_passed(required, user) else required
        pools.append(PoolState(plan.round, plan.is_free and waits_for is None, waits_for))
    return pools


def take_next_text(project: Project, user: User, round_name: str = "") -> Coding:
    """Give the user the next free text of a pool. Raise ValidationError."""
    # Concurrent requests cannot exceed the planned coders of a text: each locks the text's row and counts again.
    with sqlite_write_lock(), transaction.atomic():
        refuse_archived(Project.objects.get(pk=project.pk))
        _release_expired(project, timezone.now())
        plan, part = _part_of(project, user, round_name)
        if plan.round.required_round is not None and not has_passed(plan.round.required_round, user):
            raise ValidationError(
                f"Texts of the round {plan.round} are for who has passed {plan.round.required_round}."
            )
        _refuse_hoarding(plan, part, user)
        now, own = timezone.now(), Coding.objects.of_people().filter(round=plan.round, coder=user)
        full: list[int] = []
        # Skip rows locked by others while there are unlocked ones; then wait for them.
        for skip_locked in (True, False):
            while (row := _lock_next(plan, user, now, full, skip_locked=skip_locked)) is not None:
                codings = Coding.objects.first_occasions(plan.round).filter(text_id=row.text_id)
                taken = codings.filter(released_at=None).count()
                if taken < row.coders and not codings.filter(coder=user).exists():
                    return Coding.objects.create(
                        text_id=row.text_id,
                        coder=user,
                        round=plan.round,
                        place=(own.aggregate(last=Max("place"))["last"] or 0) + 1,
                        reserved_until=now + RESERVED_FOR,
                    )
                full.append(row.pk)
        raise ValidationError(f"No text of the round {plan.round} is left for you.")


def _part_of(project: Project, user: User, round_name: str) -> tuple[Plan, PlanCoder]:
    """Return the plan of the pool and the user's part in it, locked: concurrent requests of a user wait."""
    parts = PlanCoder.objects.filter(coder=user, plan__pool=True, plan__round__project=project)
    parts = parts.filter(plan__round__closed_at=None).select_related("plan__round").select_for_update(of=("self",))
    if round_name:
        parts = parts.filter(plan__round__name=round_name)
    is_coder = Membership.objects.filter(project=project, user=user, role__in=CODING_ROLES, model=None).exists()
    part = parts.order_by("plan__round__position").first()
    if part is None or not is_coder:
        raise ValidationError("There is no pool from which you can take texts.")
    return part.plan, part


def _refuse_hoarding(plan: Plan, part: PlanCoder, user: User) -> None:
    own = Coding.objects.first_occasions(plan.round).filter(coder=user)
    if part.maximum is not None and own.count() >= part.maximum:
        raise ValidationError(f"You have your {pluralize(part.maximum, 'text')} of the round {plan.round}: no more.")
    if own.not_begun().filter(reserved_until__gt=timezone.now()).count() >= MAX_RESERVED:
        raise ValidationError(f"You have {MAX_RESERVED} texts that you have not begun. Begin them first.")


def _release_expired(project: Project, now: datetime) -> None:
    """Delete texts taken from pools and not begun in time; the project is locked before rows of plans."""
    unbegun = Coding.objects.of_people().not_begun().filter(kind=Coding.Kind.TEXT, status=Coding.Status.OPEN)
    expired = unbegun.filter(round__project=project, round__plan__pool=True, reserved_until__lte=now)
    if not expired.order_by().exists():
        return
    lock_project(project.pk)
    keys = list(expired.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
    Coding.objects.of_people().filter(pk__in=keys).delete()


def _free_texts(user: User, now: datetime) -> QuerySet[PlanText]:
    """Return the texts of plans with a free place, without the user's own."""
    codings = Coding.objects.first_occasions(OuterRef("plan__round")).filter(text=OuterRef("text")).order_by()
    lasting = codings.filter(released_at=None).exclude(
        version=F("corrections"), status=Coding.Status.OPEN, reserved_until__lte=now
    )
    taken = lasting.values("round").annotate(number=Count("pk")).values("number")
    free = PlanText.objects.annotate(taken=Coalesce(Subquery(taken), Value(0)))
    return free.filter(Q(taken__lt=F("coders")) & ~Exists(codings.filter(coder=user.pk)))


def _lock_next(plan: Plan, user: User, now: datetime, full: list[int], *, skip_locked: bool) -> PlanText | None:
    """Return the first text that seems to have a free place, locked until the transaction ends."""
    rows = _free_texts(user, now).filter(plan=plan).exclude(pk__in=full).order_by("position", "pk")
    can_skip = connection.features.has_select_for_update_skip_locked
    return rows.select_for_update(of=("self",), skip_locked=skip_locked and can_skip).first()
