"""Estimate the active time of coders from the times of their operations."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from typing import cast

from django.db.models import F, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Least
from django.utils import timezone

from annotations.coding.markables.corrections import Edit, map_key, parse_correction
from annotations.models import Coding, Operation, Project, Round, User
from annotations.models.coding import INDEPENDENT_KINDS

IDLE_THRESHOLD = timedelta(minutes=5)
READ_AT_ONCE = 5_000
# The time of an operation by the clock of its user; a clock that is ahead is not trusted.
MADE_AT = Least(Coalesce("made_at", "applied_at"), "applied_at")
# Only the most recent operations tell the current pace of coders.
MAX_RECENT = 20_000


def active_time(times: Iterable[datetime]) -> timedelta:
    """Return the sum of the gaps between changes, in any order; gaps longer than `IDLE_THRESHOLD` are pauses."""
    gaps = (later - earlier for earlier, later in pairwise(sorted(times)))
    return sum((gap for gap in gaps if gap <= IDLE_THRESHOLD), timedelta())


def active_seconds_by_day(times: Iterable[datetime]) -> dict[date, float]:
    """Return the seconds of `active_time` by day in the time zone of the site. A gap belongs to the day on which it
    ends.

    Days with operations are included even if they took no time.
    """
    days: dict[date, float] = {}
    day = previous = midnight = None
    for moment in sorted(times):
        if day is None or midnight is None or moment >= midnight:
            day = timezone.localdate(moment)
            midnight = timezone.make_aware(datetime.combine(day + timedelta(days=1), time.min))
            days[day] = 0.0
        if previous is not None and moment - previous <= IDLE_THRESHOLD:
            days[day] += (moment - previous).total_seconds()
        previous = moment
    return days


def add_active_time(coding: Coding, times: Sequence[datetime]) -> None:
    """Add the time of new changes, which the log already has, to the active time. The caller saves the coding.

    If a clock went back, the time is counted again from the whole log.
    """
    if coding.last_active is not None:
        times = [coding.last_active, *times]
        if min(times) < coding.last_active:
            times = dict(_times_of_coders(coding.operations.all()))[coding.pk]
            coding.active_time = timedelta()
    coding.active_time += active_time(times)
    coding.last_active = max(times)


def hand_over(coding: Coding, to: User | None) -> None:
    """Give the coding to another owner. Its active time becomes the time that the new owner has worked on it."""
    coding.coder = to  # type: ignore[assignment]
    coding.save(update_fields=["coder"])
    count_active_time(Coding.objects.filter(pk=coding.pk))
    coding.refresh_from_db(fields=["active_time", "last_active"], from_queryset=Coding.objects.all())


def count_active_time(codings: QuerySet[Coding]) -> None:
    """Recompute the active time of the codings from their logs."""
    codings.update(active_time=timedelta(), last_active=None)
    counted = [
        Coding(pk=coding, active_time=active_time(times), last_active=max(times))
        for coding, times in _times_of_coders(Operation.objects.filter(coding__in=codings.order_by().values("pk")))
    ]
    Coding.objects.bulk_update(counted, ["active_time", "last_active"], batch_size=1000)


def _times_of_coders(operations: QuerySet[Operation]) -> Iterator[tuple[int, list[datetime]]]:
    """Yield each coding with the times of its own coder's operations, without imports.

    The log is read in chunks, one coding at a time.
    """
    operations = operations.exclude(kind__in=(*Operation.MANAGING_KINDS, Operation.Kind.IMPORT))
    # Compare users in Python: with that condition, SQLite would search everything a coder has ever done, per coding.
    columns = ("coding_id", "time", "user_id", "coding__coder_id")
    rows = operations.annotate(time=MADE_AT).order_by("coding_id").values_list(*columns)
    for coding, coding_rows in groupby(rows.iterator(chunk_size=READ_AT_ONCE), key=itemgetter(0)):
        if times := [moment for _, moment, user, coder in coding_rows if user == coder]:
            yield coding, times


@dataclass(frozen=True, slots=True)
class Activity:
    """A coder's `active_time` on a text, number of operations, and first and last time by the server's clock."""

    seconds: float
    operations: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class JudgementTime:
    """The day of a coder's first answer for a markable, and the active seconds before all changes of its judgement."""

    # seconds: None where each change followed a pause or was the coder's first change of the coding.

    day: date
    seconds: float | None


type CodingAndCoder = tuple[int, str]


@dataclass(frozen=True, slots=True)
class ProjectWork:
    """The work on a project according to its log; `judgement_times` has one entry for each markable."""

    activities: dict[CodingAndCoder, Activity]
    judgement_times: dict[CodingAndCoder, list[JudgementTime]]


@dataclass(frozen=True, slots=True)
class _Change:
    """An operation of a coder: `made_at` by their own clock unless it is ahead, `applied_at` by the server's clock."""

    made_at: datetime
    applied_at: datetime
    sequence: int
    kind: str
    markable: str
    has_answer: bool


def read_work(project: Project, texts: Collection[int] | None = None) -> ProjectWork:
    """Return the work of each coder on each independent coding of the project, or of the given texts. One query."""
    # Only operations of the own coder count: no import, and no correction, which changes the keys of markables.
    # A coding that was only imported, submitted or reopened has no activity: it was coded elsewhere.
    chosen = Q(coding__text__project=project) if texts is None else Q(coding__text__in=texts)
    operations = (
        Operation.objects.filter(chosen, coding__kind__in=INDEPENDENT_KINDS, coding__by_model=False)
        .exclude(kind=Operation.Kind.IMPORT)
        .annotate(has_answer=_has_answer())
        .order_by()
    )
    changes: dict[CodingAndCoder, list[_Change]] = defaultdict(list)
    corrections: dict[CodingAndCoder, list[tuple[int, Sequence[Edit]]]] = defaultdict(list)
    # Compare users in Python: with that condition, SQLite would search by coder before coding.
    columns = (
        "user_id",
        "coding__coder_id",
        "coding__coder__username",
        "coding_id",
        "made_at",
        "applied_at",
        "sequence",
        "kind",
        KeyTextTransform("markable", "payload"),
        KeyTextTransform("edits", "payload"),
        "has_answer",
    )
    rows = operations.values_list(*columns)
    for user, coder, name, coding, made_at, applied_at, sequence, kind, markable, edits, judged in rows:
        if kind == Operation.Kind.CORRECT:
            corrections[coding, name].append((sequence, parse_correction({"edits": json.loads(edits)})))
        elif user == coder and kind not in Operation.MANAGING_KINDS:
            made_at = min(made_at or applied_at, applied_at)
            changes[coding, name].append(_Change(made_at, applied_at, sequence, kind, markable, judged))
    for coding_and_coder, key_corrections in corrections.items():
        key_corrections.sort(key=itemgetter(0))
        changes[coding_and_coder] = [_with_key_now(change, key_corrections) for change in changes[coding_and_coder]]
    return ProjectWork(
        {key: activity for key, coder_changes in changes.items() if (activity := _sum_up(coder_changes))},
        {key: times for key, coder_changes in changes.items() if (times := _times_of_markables(coder_changes))},
    )


def _has_answer() -> Q:
    """Return the condition that an operation gives an answer: more than a mark or a note."""
    # None is JSON's null. Where a level has no categories, attributes alone are the answer.
    category = Q(payload__category__isnull=False) & ~Q(payload__category=None)
    return category | Q(payload__attributes__isnull=False)


@dataclass(frozen=True, slots=True)
class RecentWork:
    """A coder's recent work: active seconds, and the day of the first judgement of each markable in that period."""

    seconds: float
    judged_on: Sequence[date]


def read_recent_work(project: Project, since: datetime, round_: Round | None = None) -> dict[str, RecentWork]:
    """Return the work of each coder on texts of the project since a time, or in a round. One query."""
    # Only the last MAX_RECENT operations are read. A markable that was judged earlier, too, counts on the day of its
    # new judgement; repeated texts do not count.
    operations = Operation.objects.filter(
        coding__text__project=project,
        coding__kind=Coding.Kind.TEXT,
        coding__by_model=False,
        coding__occasion=1,
        user=F("coding__coder"),
        applied_at__gte=since,
    ).exclude(kind__in=(*Operation.MANAGING_KINDS, Operation.Kind.IMPORT))
    operations = operations if round_ is None else operations.filter(coding__round=round_)
    rows = operations.annotate(time=MADE_AT, has_answer=_has_answer()).order_by("-applied_at", "-pk")
    columns = ("coding_id", "coding__coder__username", "time", "kind", "has_answer")
    times: dict[tuple[str, int], list[datetime]] = defaultdict(list)
    judged: dict[tuple[str, int, str], datetime] = {}
    for coding, coder, moment, kind, has_answer, markable in rows.values_list(
        *columns, KeyTextTransform("markable", "payload")
    )[:MAX_RECENT]:
        times[coder, coding].append(moment)
        if kind == Operation.Kind.JUDGE and has_answer:
            key = coder, coding, markable
            judged[key] = min(moment, judged.get(key, moment))
    seconds: dict[str, float] = defaultdict(float)
    for (coder, _), moments in times.items():
        seconds[coder] += active_time(moments).total_seconds()
    days: dict[str, list[date]] = defaultdict(list)
    for (coder, *_), moment in judged.items():
        days[coder].append(timezone.localdate(moment))
    return {coder: RecentWork(number, days[coder]) for coder, number in seconds.items()}


@dataclass(frozen=True, slots=True)
class WorkedDay:
    """The active seconds of a coder on a text in a round, on a day in the time zone of the site."""

    coder: str
    round: str
    text: str
    day: date
    seconds: float


def read_worked_days(project: Project, round_: Round | None = None) -> list[WorkedDay]:
    """Return the active time of coders by day on all codings of the project, or of a round. Two queries.

    Gold is left out. The occasions of a text within a round are added up. Gaps count as in `active_time`.
    """
    operations = Operation.objects.filter(coding__text__project=project)
    operations = operations.exclude(coding__kind=Coding.Kind.GOLD).exclude(coding__by_model=True)
    if round_ is not None:
        operations = operations.filter(coding__round=round_)
    seconds = {coding: active_seconds_by_day(times) for coding, times in _times_of_coders(operations)}
    codings = Coding.objects.of_people().filter(text__project=project)
    codings = codings if round_ is None else codings.filter(round=round_)
    names = codings.order_by().values_list(
        *("pk", "coder__username", "round__position", "round__name", "text__position", "text__slug")
    )
    worked: dict[tuple[tuple[str, int, str, int, str], date], float] = defaultdict(float)
    for coding, *name in names:
        for day, number in seconds.get(coding, {}).items():
            worked[cast(tuple[str, int, str, int, str], tuple(name)), day] += number
    return [WorkedDay(coder, name, text, day, n) for ((coder, _, name, _, text), day), n in sorted(worked.items())]


def _with_key_now(change: _Change, corrections: Iterable[tuple[int, Sequence[Edit]]]) -> _Change:
    """Return the change with the current key of its markable; the last key if a correction removed its words."""
    key = change.markable
    for sequence, edits in corrections:
        if key and sequence > change.sequence:
            key = map_key(key, edits) or key
    return replace(change, markable=key)


def _sum_up(changes: list[_Change]) -> Activity | None:
    if all(change.kind in (Operation.Kind.SUBMIT, Operation.Kind.REOPEN) for change in changes):
        return None
    applied = [change.applied_at for change in changes]
    seconds = active_time(change.made_at for change in changes).total_seconds()
    return Activity(seconds, len(changes), min(applied), max(applied))


def _times_of_markables(changes: list[_Change]) -> list[JudgementTime]:
    """Return the times of judgements: a gap of at most `IDLE_THRESHOLD` counts for the change that ends it."""
    judged: dict[str, datetime] = {}
    seconds: dict[str, float] = {}
    before: datetime | None = None
    for change in sorted(changes, key=lambda change: (change.made_at, change.sequence)):
        gap = change.made_at - before if before else None
        before = change.made_at
        if change.kind != Operation.Kind.JUDGE:
            continue
        if gap is not None and gap <= IDLE_THRESHOLD:
            seconds[change.markable] = seconds.get(change.markable, 0.0) + gap.total_seconds()
        if change.has_answer:  # otherwise it only marks, or adds a note
            judged[change.markable] = min(change.applied_at, judged.get(change.markable, change.applied_at))
    return [JudgementTime(timezone.localtime(moment).date(), seconds.get(key)) for key, moment in judged.items()]
