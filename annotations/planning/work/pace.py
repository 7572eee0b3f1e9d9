"""The pace of work, and when it will be done at that pace."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import ceil

from django.utils import timezone

from annotations.coding.active_time import read_recent_work, read_work
from annotations.models import Coding, Project, Round
from annotations.models.coding import INDEPENDENT_KINDS

# The pace covers the last days with judgements, within the window.
WORKED_DAYS = 7
WINDOW = timedelta(days=28)
MIN_WORKED_DAYS = 2  # with fewer days there is no pace
FARTHEST = timedelta(days=3650)  # later dates mean nothing
TIMED_TEXTS = 12  # the number of texts that the time for work is measured on
MIN_SECONDS = 60.0  # with less work there is no hourly figure


@dataclass(frozen=True, slots=True)
class Pace:
    """The number of judgements from `since` until today in `days` calendar days, and the date when `left` are made."""

    judgements: int
    since: date
    days: int
    left: int
    finish: date

    @property
    def per_day(self) -> float:
        """The average number of judgements a calendar day."""
        return self.judgements / self.days


def estimate_pace(judged_on: Iterable[date] | Mapping[date, int], left: int, today: date) -> Pace | None:
    """Return the pace of judgements by day, with `left` more to make; None without a meaningful one."""
    recent = {day: number for day, number in Counter(judged_on).items() if today - WINDOW < day <= today}
    worked = sorted(recent)[-WORKED_DAYS:]
    if left <= 0 or len(worked) < MIN_WORKED_DAYS:
        return None
    since = worked[0]
    judgements, days = sum(recent[day] for day in worked), (today - since).days + 1
    remaining = timedelta(days=ceil(left * days / judgements))
    return Pace(judgements, since, days, left, today + remaining) if remaining <= FARTHEST else None


@dataclass(frozen=True, slots=True)
class CoderPace:
    """A coder's recent items per active hour, and the pace by days; None where too little is known."""

    per_hour: float | None
    pace: Pace | None


def read_coder_paces(
    project: Project, left: Mapping[str, int], today: date, round_: Round | None = None
) -> dict[str, CoderPace]:
    """Return the pace of each coder with markables left, in the project or a round. One query."""
    since = timezone.make_aware(datetime.combine(today - WINDOW + timedelta(days=1), time.min))
    recent = read_recent_work(project, since, round_)
    paces = {}
    for coder, number in left.items():
        work = recent.get(coder)
        if work is not None:
            per_hour = len(work.judged_on) * 3600 / work.seconds if work.seconds >= MIN_SECONDS else None
            paces[coder] = CoderPace(per_hour, estimate_pace(work.judged_on, number, today))
    return paces


def seconds_of_work(project: Project, work: Mapping[int, int]) -> float | None:
    """Return the active seconds for a markable or word; None if nothing is submitted.

    `work` has the markables or words of texts. The last submitted codings are timed, without practice.
    """
    done = Coding.objects.of_people().filter(
        text__project=project, kind__in=INDEPENDENT_KINDS, occasion=1, status=Coding.Status.SUBMITTED, text__in=work
    )
    done = done.exclude(round__kind=Round.Kind.TRAINING).order_by("-pk")
    latest = dict(done.values_list("pk", "text")[:TIMED_TEXTS])
    activities = read_work(project, set(latest.values())).activities if latest else {}
    timed = [(spent.seconds, work[latest[coding]]) for (coding, _), spent in activities.items() if coding in latest]
    units = sum(number for _, number in timed)
    seconds = sum(number for number, _ in timed)
    return seconds / units if units and seconds else None
