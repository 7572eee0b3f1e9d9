"""How many markables each coder first judged on each day, of which a table keeps the counts of each text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from django.utils import timezone

from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import NO_ROUND, Extract
from agreement.data.storage.records import TextRecords
from agreement.measures.values import Ints
from agreement.reports.coders.timing import read_work_of
from agreement.reports.request.basis import cached
from annotations.models import Project


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The judgements of each day in each round, and of each coder, without practice."""

    rounds: dict[str, Counter[date]]
    coders: dict[str, Counter[date]]


def count_days(project: Project, extract: Extract) -> DayCounts:
    """Return how many markables were judged on each day. `extract` has all answers of the project."""
    return cached(extract, ("judged days", timezone.get_current_timezone_name()), lambda: _count(project, extract))


def _count(project: Project, extract: Extract) -> DayCounts:
    if not extract.texts:
        return DayCounts({}, {})

    def compute(some: Sequence[TextEntry]) -> TextRecords:
        return _count_by_coder_and_day(project, extract, some)

    days = extract.read_records(("judged days", timezone.get_current_timezone_name()), compute)
    rounds = extract.round_places[days.text]
    of_rounds = _sum_by_day(days, rounds)
    of_coders = _sum_by_day(days, np.where(rounds == NO_ROUND, NO_ROUND, days["name"]))
    return DayCounts(
        {name: of_rounds.get(place, Counter()) for place, name in enumerate(extract.rounds)},
        {str(days.names[place]): of_coder for place, of_coder in sorted(of_coders.items())},
    )


def _count_by_coder_and_day(project: Project, extract: Extract, texts: Sequence[TextEntry]) -> TextRecords:
    """Return the judgements of each coder and day in each text: `day` is the ordinal of a date."""
    counts = [
        Counter((coder, one.day.toordinal()) for (_, coder), times in work.judgement_times.items() for one in times)
        for work in read_work_of(project, extract, texts)
    ]
    coders = {coder: place for place, coder in enumerate(sorted({coder for one in counts for coder, _ in one}))}
    rows = [(coders[coder], day, n) for one in counts for (coder, day), n in sorted(one.items())]
    name, day, number = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return TextRecords.of(
        [text.pk for text in texts],
        [len(one) for one in counts],
        tuple(coders),
        name=name,
        day=day,
        number=number,
    )


def _sum_by_day(days: TextRecords, group: Ints) -> dict[int, Counter[date]]:
    """Return how many judgements there are on each day, by the group of each record."""
    grouped = group != NO_ROUND
    group, day_of_record = group[grouped], days["day"][grouped]
    found: dict[int, Counter[date]] = {}
    if not len(group):
        return found
    first, last = int(day_of_record.min()), int(day_of_record.max())
    width = last - first + 1
    counts = np.bincount(group * width + (day_of_record - first), weights=days["number"][grouped])
    for key in np.flatnonzero(counts).tolist():
        of_group, day = divmod(key, width)
        found.setdefault(of_group, Counter())[date.fromordinal(first + day)] = int(counts[key])
    return found
