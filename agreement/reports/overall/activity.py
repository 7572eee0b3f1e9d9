"""What happens in a project: how far it is, what was done last, and how much on which day."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, TextField
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from annotations.models import Coding, Operation, PlanText, Project, Round, Text
from annotations.models.coding import INDEPENDENT_KINDS

LATEST = 5
EVENT_VERBS = {"submit": "submitted", "reopen": "reopened", "import": "imported"}


class CodingProgress(NamedTuple):
    """How far the codings of a project are.

    n_assigned: texts that anybody codes in any round. n_in_pools: texts that coders may take, and nobody has taken.
    n_codings, n_submitted: codings without practice and repeats.
    """

    n_texts: int
    n_assigned: int
    n_in_pools: int
    n_codings: int
    n_submitted: int


class Event(NamedTuple):
    """What somebody did with a coding of a text."""

    user: str
    action: str
    text: str
    coder: str
    moment: datetime


class Day(NamedTuple):
    """How many operations there were on a day, and that as a share of the busiest."""

    day: date
    operations: int
    height: float

    @property
    def top(self) -> float:
        """Where its bar begins, from above."""
        return 100 - self.height


class ProjectActivity(NamedTuple):
    latest: tuple[Event, ...]
    days: tuple[Day, ...]

    @property
    def operations(self) -> int:
        return sum(day.operations for day in self.days)


def read_progress(project: Project) -> CodingProgress:
    """Return how far those codings are that agreement is computed of, without practice and repeats. Two queries."""
    plans = PlanText.objects.filter(text=OuterRef("pk"), plan__pool=True, plan__round__closed_at=None)
    coded = Coding.objects.filter(text=OuterRef("pk"), kind__in=INDEPENDENT_KINDS)
    texts = project.texts.exclude(role=Text.Role.PEER).aggregate(
        n_texts=Count("pk"),
        n_assigned=Count("pk", filter=Exists(coded)),
        n_in_pools=Count("pk", filter=~Exists(coded) & Exists(plans)),
    )
    codings = Coding.objects.filter(text__project=project, kind__in=INDEPENDENT_KINDS, occasion=1)
    codings = codings.exclude(round__kind__in=(Round.Kind.TRAINING, Round.Kind.RECHECK))
    submitted = Q(status=Coding.Status.SUBMITTED)
    numbers = codings.aggregate(n_codings=Count("pk"), n_submitted=Count("pk", filter=submitted))
    return CodingProgress(**texts, **numbers)


def read_activity(project: Project, since: date, days: int) -> ProjectActivity:
    """Return what was submitted, reopened and imported last, and the operations of each day. Two queries."""
    operations = Operation.objects.filter(coding__text__project=project, coding__by_model=False)
    operations = operations.exclude(coding__kind=Coding.Kind.GOLD).exclude(kind__in=Operation.MANAGING_KINDS)
    columns = ("user__username", "kind", "coding__text__title", "coding__coder__username", "applied_at")
    latest = operations.filter(kind__in=EVENT_VERBS).order_by("-applied_at", "-pk").values_list(*columns)[:LATEST]
    # By minutes in UTC: SQLite has no time zones, and asks Python for the day of each row.
    minute = Substr(Cast("applied_at", TextField()), 1, len("2000-01-31 12:30"))
    recent = operations.filter(applied_at__gte=timezone.make_aware(datetime.combine(since, time.min))).order_by()
    of_day = Counter[date]()
    for moment, number in recent.annotate(minute=minute).values_list("minute").annotate(number=Count("pk")):
        of_day[timezone.localdate(datetime.fromisoformat(moment).replace(tzinfo=UTC))] += number
    shown = [since + timedelta(days=number) for number in range(days)]
    maximum = max(of_day[day] for day in shown) or 1
    return ProjectActivity(
        tuple(Event(user, EVENT_VERBS[kind], *rest) for user, kind, *rest in latest),
        tuple(Day(day, of_day[day], round(100 * of_day[day] / maximum, 1)) for day in shown),
    )
