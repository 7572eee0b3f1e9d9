"""What happens in a project: how far it is, what was done last, and how much on which day."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.utils import timezone

from annotations.models import Coding, Operation, Project, Round, Text
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.projects.rounds import COUNTED_KINDS

LATEST = 5
EVENT_VERBS = {"submit": "submitted", "reopen": "reopened", "import": "imported"}


@dataclass(frozen=True, slots=True)
class CodingProgress:
    """How far the codings of a project are."""

    n_texts: int
    n_assigned: int
    n_codings: int
    n_submitted: int


@dataclass(frozen=True, slots=True)
class Event:
    """What somebody did with a coding of a text."""

    user: str
    action: str
    text: str
    coder: str
    moment: datetime


@dataclass(frozen=True, slots=True)
class Day:
    """How many operations there were on a day, and that as a share of the busiest."""

    day: date
    operations: int
    height: float

    @property
    def top(self) -> float:
        """Where its bar begins, from above."""
        return 100 - self.height


@dataclass(frozen=True, slots=True)
class ProjectActivity:
    latest: tuple[Event, ...]
    days: tuple[Day, ...]

    @property
    def operations(self) -> int:
        return sum(day.operations for day in self.days)


def read_progress(project: Project) -> CodingProgress:
    """Return how far those codings are that agreement is computed of, without practice and repeats. Two queries."""
    codings = list(
        Coding.objects.filter(text__project=project, kind__in=INDEPENDENT_KINDS, occasion=1)
        .filter(round__kind__in=COUNTED_KINDS)
        .order_by()
        .values_list("text_id", "status")
    )
    return CodingProgress(
        n_texts=project.texts.exclude(role=Text.Role.PEER).count(),
        n_assigned=len({text for text, _ in codings}),
        n_codings=len(codings),
        n_submitted=sum(status == Coding.Status.SUBMITTED for _, status in codings),
    )


def count_remaining(project: Project) -> dict[str, int]:
    """Return by round how many markables coders still have to decide in codings that are not submitted. One query.

    In a closed round nobody decides anything, and practice and repeats are no part of the work.
    """
    remaining: Counter[str] = Counter()
    open_codings = Coding.objects.filter(text__project=project, kind=Coding.Kind.TEXT, occasion=1)
    open_codings = open_codings.filter(status=Coding.Status.OPEN, round__closed_at=None).select_related("round")
    open_codings = open_codings.exclude(round__kind=Round.Kind.TRAINING)
    codings: list[Any] = list(open_codings.order_by().with_progress())
    for coding in codings:
        remaining[coding.round.name] += max(coding.to_decide - coding.decided, 0)
    return dict(remaining)


def read_activity(project: Project, since: date, days: int) -> ProjectActivity:
    """Return what was submitted, reopened and imported last, and the operations of each day. Two queries."""
    operations = (
        Operation.objects.filter(coding__text__project=project)
        .exclude(coding__kind="gold")
        .exclude(kind__in=Operation.MANAGING_KINDS)
    )
    events = (
        operations.filter(kind__in=EVENT_VERBS)
        .order_by("-applied_at", "-pk")
        .values_list("user__username", "kind", "coding__text__title", "coding__coder__username", "applied_at")[:LATEST]
    )
    of_day = dict(
        operations.filter(applied_at__gte=timezone.make_aware(datetime.combine(since, time.min)))
        .annotate(day=TruncDate("applied_at"))
        .order_by()
        .values_list("day")
        .annotate(number=Count("pk"))
    )
    counts = [(since + timedelta(days=number), of_day.get(since + timedelta(days=number), 0)) for number in range(days)]
    maximum = max((count for _, count in counts), default=0) or 1
    return ProjectActivity(
        tuple(Event(user, EVENT_VERBS[kind], text, coder, moment) for user, kind, text, coder, moment in events),
        tuple(Day(day, count, round(100 * count / maximum, 1)) for day, count in counts),
    )
