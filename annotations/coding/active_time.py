"""Estimate the active time of coders from the times of their operations."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.core.cache import caches
from django.db.models import IntegerField, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Least
from django.utils import timezone

from annotations.coding.corrections import Edit, map_key, parse_correction
from annotations.core.compiled_queries import compiled_query
from annotations.models import Coding, Operation, Project
from annotations.models.coding import INDEPENDENT_KINDS

IDLE_THRESHOLD = timedelta(minutes=5)


def active_time(times: Iterable[datetime]) -> timedelta:
    """Return the sum of the gaps between changes, in any order; gaps longer than `IDLE_THRESHOLD` are pauses."""
    gaps = (later - earlier for earlier, later in pairwise(sorted(times)))
    return sum((gap for gap in gaps if gap <= IDLE_THRESHOLD), timedelta())


@dataclass(frozen=True, slots=True)
class ActiveTime:
    """The active time of a user on a coding up to the operation `version`, which has this uuid.

    `latest` is the time of the user's last change.
    """

    user: int
    version: int = 0
    uuid: UUID | None = None
    seconds: float = 0.0
    latest: datetime | None = None

    def extend(self, changes: Sequence[tuple[int, UUID, int, str]]) -> ActiveTime | None:
        """Return the active time with further changes, of which the first is that of `version`.

        Return None where they do not follow: the log is another one, or a clock went back.
        """
        if self.version and not (changes and changes[0][1] == self.uuid):
            return None
        further = changes[1:] if self.version else changes
        times = [datetime.fromisoformat(time) for _, _, user, time in further if user == self.user]
        if not further:
            return self
        if self.latest is not None:
            if min(times, default=self.latest) < self.latest:
                return None
            times.append(self.latest)
        version, uuid, *_ = further[-1]
        seconds = self.seconds + active_time(times).total_seconds()
        return ActiveTime(self.user, version, uuid, seconds, max(times, default=None))


def active_seconds(coding: Coding) -> int:
    """Return the seconds that the coder has spent on the coding, by the coder's own clock unless it is ahead.

    Each process reads an operation of a coding once, and remembers the sum.
    """
    key = f"active-time:{coding.pk}:{coding.coder_id}"
    known = caches["process"].get(key) or ActiveTime(coding.coder_id)
    now = known.extend(_changes_from(coding.pk, known.version))
    if now is None:
        now = ActiveTime(coding.coder_id).extend(_changes_from(coding.pk, 0))
    caches["process"].set(key, now, timeout=None)
    return round(now.seconds) if now else 0


@compiled_query(IntegerField(), IntegerField())
def _changes_from(coding: int, version: int) -> QuerySet[Operation, Any]:
    """Select the operations from a version on, times as text: Python parses them three times as fast as Django."""
    operations = Operation.objects.filter(coding=coding, sequence__gte=version).exclude(kind=Operation.Kind.CORRECT)
    times = operations.annotate(time=Cast(Least(Coalesce("made_at", "applied_at"), "applied_at"), TextField()))
    return times.order_by("sequence").values_list("sequence", "uuid", "user", "time")


@dataclass(frozen=True, slots=True)
class Activity:
    """A coder's activity on a text, by the log: active seconds, number of operations, first and last time."""

    seconds: float
    operations: int
    first: datetime
    last: datetime


def activity_by_text_and_coder(project: Project) -> dict[tuple[int, str], Activity]:
    """Return the activity of each coder on each text, by the text's primary key and the coder's username. One query.

    Only independent codings count, not agreed pyramids and peers. A coding that was only imported, submitted or
    reopened is left out: the work on it was done elsewhere. `seconds` is computed as by `active_seconds`; `first` and
    `last` are by the clock of the server.
    """
    times: dict[tuple[int, str], list[tuple[datetime, datetime]]] = defaultdict(list)
    operations = (
        Operation.objects.filter(coding__text__project=project, coding__kind__in=INDEPENDENT_KINDS)
        .exclude(kind__in=(Operation.Kind.IMPORT, Operation.Kind.CORRECT))
        .order_by()
    )
    # The user is compared with the coder in Python: with the condition, SQLite would search by coder before coding.
    coded = set()
    for user, coder, name, text, kind, made_at, applied_at in operations.values_list(
        "user_id", "coding__coder_id", "coding__coder__username", "coding__text_id", "kind", "made_at", "applied_at"
    ):
        if user == coder:
            times[text, name].append((min(made_at or applied_at, applied_at), applied_at))
            if kind not in (Operation.Kind.SUBMIT, Operation.Kind.REOPEN):
                coded.add((text, name))
    activities = {}
    for key in coded:
        coding_times = times[key]
        applied = [applied_at for _, applied_at in coding_times]
        seconds = active_time(made_at for made_at, _ in coding_times).total_seconds()
        activities[key] = Activity(seconds, len(coding_times), min(applied), max(applied))
    return activities


@dataclass(frozen=True, slots=True)
class JudgementTime:
    """When a coder first judged a markable, and the active seconds before that and later judgements of it.

    `seconds` is None where each of them followed a pause, or was the coder's first change of the coding.
    """

    day: date
    seconds: float | None


def judgement_times(project: Project) -> dict[tuple[int, str], list[JudgementTime]]:
    """Return the times of each coder's judgements in each text, one a markable, by text and username. One query.

    A gap of at most `IDLE_THRESHOLD` counts for the change that ends it: those of judgements add up to the active time
    without that of other changes. Only independent codings count, and what their coders did. Days are by the clock of
    the server. After a correction of the text a markable is the same, under another key.
    """
    operations = (
        Operation.objects.filter(coding__text__project=project, coding__kind__in=INDEPENDENT_KINDS)
        .exclude(kind=Operation.Kind.IMPORT)
        .order_by()
    )
    changes: dict[tuple[int, str], list[tuple[datetime, int, datetime, str]]] = defaultdict(list)
    corrections: dict[tuple[int, str], list[tuple[int, Sequence[Edit]]]] = defaultdict(list)
    for user, coder, name, text, sequence, kind, markable, edits, made_at, applied_at in operations.values_list(
        "user_id",
        "coding__coder_id",
        "coding__coder__username",
        "coding__text_id",
        "sequence",
        "kind",
        KeyTextTransform("markable", "payload"),
        KeyTextTransform("edits", "payload"),
        "made_at",
        "applied_at",
    ):
        if kind == Operation.Kind.CORRECT:
            corrections[text, name].append((sequence, parse_correction({"edits": json.loads(edits)})))
        elif user == coder:
            judged = markable if kind == Operation.Kind.JUDGE else ""
            changes[text, name].append((min(made_at or applied_at, applied_at), sequence, applied_at, judged))
    for coding, found in corrections.items():
        found.sort(key=itemgetter(0))
        changes[coding] = [
            (made_at, sequence, applied_at, _key_now(markable, [edits for later, edits in found if later > sequence]))
            for made_at, sequence, applied_at, markable in changes[coding]
        ]
    return {key: times for key, of_coding in changes.items() if (times := _times_of_markables(of_coding))}


def _key_now(key: str, corrections: Iterable[Sequence[Edit]]) -> str:
    """Return the key of a markable after corrections of its text; its last one where its words are gone."""
    for edits in corrections:
        key = map_key(key, edits) or key
    return key


def _times_of_markables(changes: list[tuple[datetime, int, datetime, str]]) -> list[JudgementTime]:
    days: dict[str, datetime] = {}
    seconds: dict[str, float] = {}
    before: datetime | None = None
    for made_at, _, applied_at, markable in sorted(changes):
        gap = made_at - before if before else None
        before = made_at
        if not markable:
            continue
        days[markable] = min(applied_at, days.get(markable, applied_at))
        if gap is not None and gap <= IDLE_THRESHOLD:
            seconds[markable] = seconds.get(markable, 0.0) + gap.total_seconds()
    return [JudgementTime(timezone.localtime(day).date(), seconds.get(markable)) for markable, day in days.items()]
