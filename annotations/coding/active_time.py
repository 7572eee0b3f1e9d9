"""How long coders work: from the times at which they changed something."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import IntegerField, QuerySet, TextField
from django.db.models.functions import Cast, Coalesce

from annotations.models import Coding, Operation, Project
from annotations.models.coding import CODED
from annotations.prepared import prepared

LONGEST_THOUGHT = timedelta(minutes=5)


def time_at_work(moments: Iterable[datetime]) -> timedelta:
    """The time between changes that follow each other within five minutes; what is longer was a pause."""
    gaps = (later - earlier for earlier, later in pairwise(sorted(moments)))
    return sum((gap for gap in gaps if gap <= LONGEST_THOUGHT), timedelta())


def seconds_at_work(coding: Coding) -> int:
    """The time its coder has spent on the coding. Times are those of the coder's machine where it told them."""
    return round(time_at_work(map(datetime.fromisoformat, _moments(coding.pk, coding.coder_id))).total_seconds())


@prepared(IntegerField(), IntegerField())
def _moments(coding: int, user: int) -> QuerySet[Operation, str]:
    """When the user changed the coding. As text: to make datetimes of it takes Django three times as long as Python."""
    own = Operation.objects.filter(coding=coding, user=user).order_by()
    return own.annotate(moment=Cast(Coalesce("made_at", "applied_at"), TextField())).values_list("moment", flat=True)


@dataclass(frozen=True, slots=True)
class Work:
    """What the log says of a coder's work on a text: its time, its number of operations, when it began and ended."""

    seconds: float
    operations: int
    first: datetime
    last: datetime


def work_of(project: Project) -> dict[tuple[int, str], Work]:
    """The work on each text by each coder, by the text's key and the coder's name, where there is any. One query.

    Agreed pyramids and peers are other work, and left out. What was imported, and at most handed in or given back here,
    was worked on elsewhere. Moments are those of `seconds_at_work`, but begin and end are by the clock of this machine.
    """
    moments: dict[tuple[int, str], list[tuple[datetime, datetime]]] = defaultdict(list)
    here = (
        Operation.objects.filter(coding__text__project=project, coding__kind__in=CODED)
        .exclude(kind=Operation.Kind.IMPORT)
        .order_by()
    )
    # whose operation it is, is compared here: SQLite would look for the coder's before the coding's
    answered = set()
    for user, coder, name, text, kind, made, applied in here.values_list(
        "user_id", "coding__coder_id", "coding__coder__username", "coding__text_id", "kind", "made_at", "applied_at"
    ):
        if user == coder:
            moments[text, name].append((made or applied, applied))
            if kind not in (Operation.Kind.SUBMIT, Operation.Kind.REOPEN):
                answered.add((text, name))
    found = {}
    for key in answered:
        of_coding = moments[key]
        applied_at = [one for _, one in of_coding]
        seconds = time_at_work(made for made, _ in of_coding).total_seconds()
        found[key] = Work(seconds, len(of_coding), min(applied_at), max(applied_at))
    return found
