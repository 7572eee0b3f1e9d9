"""How many markables each coder first judged on each day."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date

from django.utils import timezone

from agreement.data.project_answers import NO_ROUND, ProjectAnswers
from agreement.reports.coders.timing import read_project_work
from agreement.reports.request.basis import remembered
from annotations.models import Project


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The judgements of each day in each round, and of each coder, without practice."""

    rounds: dict[str, Counter[date]]
    coders: dict[str, Counter[date]]


def count_days(project: Project, extract: ProjectAnswers) -> DayCounts:
    """Return how many markables were judged on each day. `extract` has all answers of the project."""
    return remembered(extract, ("judged days", timezone.get_current_timezone_name()), lambda: _count(project, extract))


def _count(project: Project, answers: ProjectAnswers) -> DayCounts:
    round_of = {
        text.pk: answers.rounds[place]
        for text, place in zip(answers.texts, answers.round_places.tolist(), strict=True)
        if place != NO_ROUND
    }
    rounds: dict[str, Counter[date]] = {name: Counter() for name in answers.rounds}
    coders: dict[str, Counter[date]] = {}
    for (text, coder), judgements in sorted(read_project_work(project, answers).judgement_times.items()):
        if text in round_of and judgements:
            days = Counter(one.day for one in judgements)
            rounds[round_of[text]].update(days)
            coders.setdefault(coder, Counter()).update(days)
    return DayCounts(rounds, dict(sorted(coders.items())))
