"""What happens in a project: how far it is, what was done last, and how much on which day."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from annotations.coding.required_answers import count_lacking
from annotations.models import Coding, Operation, PlanText, Project, Round, Text
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.planning.work.remaining import Remaining, texts_to_mark

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


def count_remaining(project: Project) -> dict[str, Remaining]:
    """Return by round what coders have yet to do in codings that are not submitted; nothing of rounds without any.

    In a closed round nobody decides anything, and practice and repeats are no part of the work. Four queries.
    """
    rounds = project.rounds.filter(closed_at=None).exclude(kind=Round.Kind.TRAINING).order_by()
    codings = Coding.objects.filter(text__project=project, round__in=rounds, kind=Coding.Kind.TEXT, occasion=1)
    is_open: QuerySet[Any, Any] = codings.filter(status=Coding.Status.OPEN).order_by().with_progress()
    rows = list(is_open.values_list("pk", "text_id", "round__name", "to_decide", "decided"))
    lacking = count_lacking(project, [pk for pk, *_, decided in rows if decided])
    to_mark = texts_to_mark(project)
    found: dict[str, Remaining] = {}
    for pk, text, name, to_decide, decided in rows:
        words = to_mark.get(text)
        marked = (0, 0) if words is None else (1, words)
        markables = max(to_decide - decided + lacking.get(pk, 0), 0)
        found[name] = found.get(name, Remaining()) + Remaining(markables, 1, *marked)
    return found


def read_activity(project: Project, since: date, days: int) -> ProjectActivity:
    """Return what was submitted, reopened and imported last, and the operations of each day. Two queries."""
    operations = Operation.objects.filter(coding__text__project=project, coding__by_model=False)
    operations = operations.exclude(coding__kind=Coding.Kind.GOLD).exclude(kind__in=Operation.MANAGING_KINDS)
    columns = ("user__username", "kind", "coding__text__title", "coding__coder__username", "applied_at")
    latest = operations.filter(kind__in=EVENT_VERBS).order_by("-applied_at", "-pk").values_list(*columns)[:LATEST]
    # By minutes in UTC: SQLite has no time zones, and asks Python for the day of each row.
    minute = Substr(Cast("applied_at", TextField()), 1, len("2000-01-31 12:30"))
    recent = operations.filter(applied_at__gte=timezone.make_aware(datetime.combine(since, time.min))).order_by()
    of_day = Counter({since + timedelta(days=number): 0 for number in range(days)})
    for moment, number in recent.annotate(minute=minute).values_list("minute").annotate(number=Count("pk")):
        of_day[timezone.localdate(datetime.fromisoformat(moment).replace(tzinfo=UTC))] += number
    counts = list(of_day.items())[:days]
    maximum = max((count for _, count in counts), default=0) or 1
    return ProjectActivity(
        tuple(Event(user, EVENT_VERBS[kind], *rest) for user, kind, *rest in latest),
        tuple(Day(day, count, round(100 * count / maximum, 1)) for day, count in counts),
    )
