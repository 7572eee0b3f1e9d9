"""How fast the work goes, and when it is done at that pace."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import ceil

from django.utils import timezone

from annotations.coding.active_time import read_recent_work, read_work
from annotations.models import Coding, Project, Round
from annotations.models.coding import INDEPENDENT_KINDS

# The pace is that of the last days on which somebody judged anything, and of no day before the window.
WORKED_DAYS = 7
WINDOW = timedelta(days=28)
FEWEST_WORKED_DAYS = 2  # with fewer there is no pace
FARTHEST = timedelta(days=3650)  # farther ahead a date says nothing
TIMED_TEXTS = 12  # from so many texts it is found how long the work takes
LEAST_SECONDS = 60.0  # of less work nothing is said by the hour


@dataclass(frozen=True, slots=True)
class Pace:
    """The judgements from `since` until today, the days without work among them, and when `left` more are made."""

    judgements: int
    since: date
    days: int
    left: int
    finish: date

    @property
    def per_day(self) -> float:
        """How many judgements a day of the calendar has on the average."""
        return self.judgements / self.days


def estimate_pace(judged_on: Iterable[date] | Mapping[date, int], left: int, today: date) -> Pace | None:
    """Return the pace of judgements made on these days, with `left` to make; None where it says nothing."""
    recent = {day: number for day, number in Counter(judged_on).items() if today - WINDOW < day <= today}
    worked = sorted(recent)[-WORKED_DAYS:]
    if left <= 0 or len(worked) < FEWEST_WORKED_DAYS:
        return None
    since = worked[0]
    judgements, days = sum(recent[day] for day in worked), (today - since).days + 1
    remaining = timedelta(days=ceil(left * days / judgements))
    return Pace(judgements, since, days, left, today + remaining) if remaining <= FARTHEST else None


@dataclass(frozen=True, slots=True)
class CoderPace:
    """A coder's items an hour of active time, of late, and the pace by days; None where nothing can be said."""

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
            per_hour = len(work.judged_on) * 3600 / work.seconds if work.seconds >= LEAST_SECONDS else None
            paces[coder] = CoderPace(per_hour, estimate_pace(work.judged_on, number, today))
    return paces


def seconds_of_work(project: Project, work: Mapping[int, int]) -> float | None:
    """Return the active seconds that a markable or word has taken; None where nobody has submitted anything.

    `work` has the markables or words of texts; those are timed whose codings were submitted last, without practice.
    """
    done = Coding.objects.of_people().filter(
        text__project=project, kind__in=INDEPENDENT_KINDS, occasion=1, status=Coding.Status.SUBMITTED, text__in=work
    )
    done = done.exclude(round__kind=Round.Kind.TRAINING).order_by("-pk")
    latest = dict(done.values_list("pk", "text")[:TIMED_TEXTS])
    activities = read_work(project, set(latest.values())).activities if latest else {}
    timed = [(one.seconds, work[latest[coding]]) for (coding, _), one in activities.items() if coding in latest]
    units = sum(number for _, number in timed)
    seconds = sum(number for number, _ in timed)
    return seconds / units if units and seconds else None
