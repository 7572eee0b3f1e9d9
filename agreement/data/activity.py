"""What happens in a project: how far it is, what was done last, and how much on which day."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import batched
from threading import Lock
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet, TextField
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from agreement.data.answers.reading import MAX_TEXTS_IN_QUERY
from agreement.data.codings.documents import row_key
from agreement.data.codings.state import MOST_READ, NO_KEY, KnownCodings
from agreement.data.codings.table import CodingTable
from agreement.data.extract.reading import read_current_codings
from annotations.coding.required_answers import count_lacking
from annotations.models import Coding, Operation, PlanText, Project, Round, Text
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.planning.work.remaining import Remaining, texts_to_mark

LATEST = 5
# Of so many projects a process remembers what their logs say.
MOST_SUMMARIES = 32
EVENT_VERBS = {"submit": "submitted", "reopen": "reopened", "import": "imported"}


@dataclass(frozen=True, slots=True)
class CodingProgress:
    """How far the codings of a project are.

    n_assigned: texts that anybody codes in any round. n_in_pools: texts that coders may take, and nobody has taken.
    n_codings, n_submitted: codings without practice and repeats.
    """

    n_texts: int
    n_assigned: int
    n_in_pools: int
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


def read_progress(project: Project, known: KnownCodings | None = None) -> CodingProgress:
    """Return how far those codings are that agreement is computed of, without practice and repeats.

    `known` are the codings as they are now, where they were read. One query besides what reads them.
    """
    plans = PlanText.objects.filter(text=OuterRef("pk"), plan__pool=True, plan__round__closed_at=None)
    coded = Coding.objects.filter(text=OuterRef("pk"), kind__in=INDEPENDENT_KINDS)
    texts = project.texts.exclude(role=Text.Role.PEER).aggregate(
        n_texts=Count("pk"),
        n_assigned=Count("pk", filter=Exists(coded)),
        n_in_pools=Count("pk", filter=~Exists(coded) & Exists(plans)),
    )
    _, n_codings, n_submitted = (known or read_current_codings(project)).table.progress
    return CodingProgress(**texts, n_codings=n_codings, n_submitted=n_submitted)


def count_remaining(project: Project, known: KnownCodings | None = None) -> dict[str, Remaining]:
    """Return by round what coders have yet to do in codings that are not submitted; nothing of rounds without any.

    In a closed round nobody decides anything, and practice and repeats are no part of the work. Three queries, and
    another for the codings that have changed since the last look.
    """
    table = (known or read_current_codings(project)).table
    with _lock:
        before = _undecided.get(project.pk)
    changed = table.changed_since(before.table) if before else None
    if before is None or changed is None:
        documents = _read_undecided(project, table, table.headings)
    else:
        kept = {key: one for key, one in before.documents.items() if key not in changed}
        documents = kept | _read_undecided(project, table, changed)
    with _lock:
        _store(_undecided, project.pk, _Undecided(table.number, documents))
    to_mark = texts_to_mark(project)
    rounds = project.rounds.filter(closed_at=None).exclude(kind=Round.Kind.TRAINING).order_by()
    found = {name: Remaining() for name in rounds.values_list("name", flat=True)}
    for document, (markables, codings) in documents.items():
        if (name := table.headings[document].round) in found:
            words = to_mark.get(row_key(document))
            marked = (0, 0) if words is None else (codings, codings * words)
            found[name] += Remaining(markables, codings, *marked)
    return {name: one for name, one in found.items() if one.codings}


@dataclass(frozen=True, slots=True)
class _Undecided:
    """How many markables are to be decided in each document, and in how many open codings, as of a table."""

    table: int
    documents: dict[int, tuple[int, int]]


def _read_undecided(project: Project, table: CodingTable, documents: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return by document how many markables are to be decided, and how many codings are not submitted."""
    open_rows = table.find_open(documents)
    found: dict[int, tuple[int, int]] = {}
    if not open_rows:
        return found
    chosen = {"pk__in": open_rows} if len(open_rows) <= MAX_TEXTS_IN_QUERY else {"text__project": project}
    open_codings = Coding.objects.filter(**chosen, kind=Coding.Kind.TEXT, occasion=1, status=Coding.Status.OPEN)
    counted: QuerySet[Any, Any] = open_codings.order_by().with_progress()
    rows = [row for row in counted.values_list("pk", "to_decide", "decided") if row[0] in open_rows]
    lacking = count_lacking(project, [pk for pk, _, decided in rows if decided])
    for pk, to_decide, decided in rows:
        markables, codings = found.get(open_rows[pk], (0, 0))
        found[open_rows[pk]] = markables + max(to_decide - decided + lacking.get(pk, 0), 0), codings + 1
    return found


@dataclass(frozen=True, slots=True)
class _LogSummary:
    """What the log of a project says up to an operation: how many there were since a day, and which events were last.

    `quarters` counts operations by quarters of an hour, of which each day of any time zone consists; `latest` are the
    moments and keys of the latest events.
    """

    line: object
    operation: int
    since: date
    quarters: Counter[datetime]
    latest: list[tuple[datetime, int]]

    def with_operations(self, operations: Iterable[_LoggedOperation], operation: int) -> _LogSummary:
        """Return the summary up to a later operation, with these that came since."""
        quarters, latest = self.quarters.copy(), list(self.latest)
        for one in operations:
            quarters[_quarter_of(one.applied_at)] += 1
            if one.kind in EVENT_VERBS:
                latest.append((one.applied_at, one.pk))
        return _LogSummary(self.line, operation, self.since, quarters, sorted(latest, reverse=True)[:LATEST])


class _LoggedOperation(NamedTuple):
    pk: int
    coding: int
    kind: str
    applied_at: datetime


# Of the projects that were looked at last.
_summaries: OrderedDict[int, _LogSummary] = OrderedDict()
_undecided: OrderedDict[int, _Undecided] = OrderedDict()
_lock = Lock()


def _store[V](memory: OrderedDict[int, V], project: int, value: V) -> None:
    memory[project] = value
    memory.move_to_end(project)
    while len(memory) > MOST_SUMMARIES:
        memory.popitem(last=False)


def read_activity(project: Project, since: date, days: int, known: KnownCodings | None = None) -> ProjectActivity:
    """Return what was submitted, reopened and imported last, and the operations of each day.

    The log is read once: after that, what has come since. Two queries where nothing has.
    """
    known = known or read_current_codings(project)
    summary = _summarize_log(project, known, since)
    columns = ("pk", "user__username", "kind", "coding__text__title", "coding__coder__username", "applied_at")
    rows = {
        pk: (user, EVENT_VERBS[kind], text, coder, moment)
        for pk, user, kind, text, coder, moment in Operation.objects.filter(pk__in=[pk for _, pk in summary.latest])
        .order_by()
        .values_list(*columns)
    }
    of_day: Counter[date] = Counter()
    for moment, number in summary.quarters.items():
        of_day[timezone.localdate(moment)] += number
    counts = [(since + timedelta(days=number), of_day[since + timedelta(days=number)]) for number in range(days)]
    maximum = max((count for _, count in counts), default=0) or 1
    return ProjectActivity(
        tuple(Event(*rows[pk]) for _, pk in summary.latest if pk in rows),
        tuple(Day(day, count, round(100 * count / maximum, 1)) for day, count in counts),
    )


def _summarize_log(project: Project, known: KnownCodings, since: date) -> _LogSummary:
    with _lock:
        summary = _summaries.get(project.pk)
    settled = known.settled.operation if known.settled else NO_KEY
    if summary is None or summary.line is not known.line or not summary.since <= since:
        summary = _read_log(project, known.line, settled, since)
    # where all of the log is settled that there was at the look, nothing is behind that
    is_up_to_date = known.settled is not None and known.mark is None and summary.operation == settled
    later = [] if is_up_to_date else _read_later(project, summary.operation)
    if later is None:
        summary = _read_log(project, known.line, settled, since)
        later = _read_later(project, settled)
    if later is None:  # while somebody writes for long: all is read, and nothing is kept
        return _read_log(project, known.line, None, since)
    kept = summary.with_operations([one for one in later if one.pk <= settled], max(settled, summary.operation))
    with _lock:
        _store(_summaries, project.pk, kept)
    return kept.with_operations([one for one in later if one.pk > settled], settled)


def _operations_of(project: Project) -> QuerySet[Operation]:
    operations = (
        Operation.objects.filter(coding__text__project=project)
        .exclude(coding__kind="gold")
        .exclude(coding__by_model=True)
    )
    return operations.exclude(kind__in=Operation.MANAGING_KINDS)


def _read_log(project: Project, line: object, operation: int | None, since: date) -> _LogSummary:
    """Return the summary of all operations, or up to one. Two queries, which read all of the log."""
    operations = _operations_of(project)
    if operation is not None:
        operations = operations.filter(pk__lte=operation)
    events = operations.filter(kind__in=EVENT_VERBS).order_by("-applied_at", "-pk").values_list("applied_at", "pk")
    # By minutes in UTC: SQLite has no time zones, and asks Python for the day of each row.
    minute = Substr(Cast("applied_at", TextField()), 1, len("2000-01-31 12:30"))
    of_minutes = (
        operations.filter(applied_at__gte=timezone.make_aware(datetime.combine(since, time.min)))
        .annotate(minute=minute)
        .order_by()
        .values_list("minute")
        .annotate(number=Count("pk"))
    )
    quarters: Counter[datetime] = Counter()
    for moment, number in of_minutes:
        quarters[_quarter_of(datetime.fromisoformat(moment).replace(tzinfo=UTC))] += number
    return _LogSummary(line, operation or NO_KEY, since, quarters, list(events[:LATEST]))


def _read_later(project: Project, operation: int) -> list[_LoggedOperation] | None:
    """Return the operations of the project after one; None where there are many. One query where there is none."""
    later = Operation.objects.filter(pk__gt=operation).order_by("pk")
    rows = [
        _LoggedOperation(*row) for row in later.values_list("pk", "coding_id", "kind", "applied_at")[: MOST_READ + 1]
    ]
    if not rows or len(rows) > MOST_READ:
        return None if rows else []
    own = set[int]()
    for batch in batched({one.coding for one in rows}, MAX_TEXTS_IN_QUERY):
        own.update(Coding.objects.filter(pk__in=batch, text__project=project).order_by().values_list("pk", flat=True))
    return [one for one in rows if one.coding in own and one.kind not in Operation.MANAGING_KINDS]


def _quarter_of(moment: datetime) -> datetime:
    return moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)
