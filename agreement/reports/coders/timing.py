"""How long judgements take, and how many are made on which day, by coder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from django.utils import timezone

from agreement.data.documents import Document
from agreement.data.judgements import MAX_TEXTS_IN_QUERY
from agreement.data.project_answers import NO_ROUND, ProjectAnswers
from agreement.reports.request.basis import cached, pick_texts, remembered
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve
from annotations.coding.active_time import Activity, JudgementTime, ProjectWork, read_work
from annotations.models import Project
from annotations.planning.work.pace import Pace, estimate_pace_of
from annotations.planning.work.remaining import Remaining

MOST_POINTS = 24  # of what is shown as texts are finished

type Times = Mapping[tuple[int, str], Sequence[JudgementTime]]


@dataclass(frozen=True, slots=True)
class CoderTimes:
    """The active seconds of a coder's judgements: how many have a time, their median and quartiles."""

    coder: str
    n: int
    first_quartile: float
    median: float
    third_quartile: float


@dataclass(frozen=True, slots=True)
class CoderDays:
    """How many markables each coder judged for the first time on each day on which somebody did, the earliest first."""

    days: tuple[date, ...]
    coders: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class RoundPace:
    """What is left of a round, or of the project where `name` is None, and the pace; None where nothing can be said."""

    name: str | None
    left: Remaining
    pace: Pace | None


def read_project_work(project: Project, answers: ProjectAnswers) -> ProjectWork:
    """Return what the log says of the work on a project, all of whose answers these are: by document and coder."""

    def read() -> ProjectWork:
        keys = {text.text_pk for text in answers.texts}
        found = read_work(project, keys if len(keys) <= MAX_TEXTS_IN_QUERY else None)
        rows = zip(answers.texts, answers.rows_by_text(), strict=True)
        text_of = {coding: text.pk for text, of_text in rows for _, coding in of_text}

        def by_text[T](of_codings: Mapping[tuple[int, str], T]) -> dict[tuple[int, str], T]:
            return {(text_of[coding], name): one for (coding, name), one in of_codings.items() if coding in text_of}

        return ProjectWork(by_text(found.activities), by_text(found.judgement_times))

    return cached(answers, ("work",), read)


def summarize_times(answers: ProjectAnswers, parameters: Parameters, times: Times) -> list[CoderTimes]:
    """Return the times of each coder's judgements in the chosen texts, where any has one. Raises InvalidParameter."""
    answers, parameters = resolve(answers, parameters)
    texts = {text.pk for text in pick_texts(answers, parameters)}
    seconds: dict[str, list[float]] = {coder: [] for coder in answers.coders}
    for (text, coder), judgements in times.items():
        if text in texts and coder in seconds:
            seconds[coder] += [one.seconds for one in judgements if one.seconds is not None]
    return [
        CoderTimes(coder, len(own), *np.quantile(own, [0.25, 0.5, 0.75]).tolist())
        for coder, own in seconds.items()
        if own
    ]


def count_by_day(extract: ProjectAnswers, parameters: Parameters, times: Times) -> CoderDays:
    """Return the judgements of each day in the chosen texts, also of codings that do not count."""
    extract, parameters = resolve(extract, parameters)
    texts, chosen = {text.pk for text in pick_texts(extract, parameters)}, parameters.selection("coders")
    counts: dict[str, Counter[date]] = {}
    for (text, coder), judgements in sorted(times.items(), key=lambda item: item[0][1]):
        if text in texts and (not chosen or coder in chosen):
            counts.setdefault(coder, Counter()).update(one.day for one in judgements)
    days = tuple(sorted(set().union(*counts.values())))
    return CoderDays(days, {coder: tuple(of_coder[day] for day in days) for coder, of_coder in counts.items()})


def estimate_paces(
    rounds: Mapping[str, Mapping[date, int]], remaining: Mapping[str, Remaining], today: date
) -> list[RoundPace]:
    """Return the pace of the whole project, then of each round that has something left, where there are several rounds.

    `rounds` has the judgements of each day in each round, in their order; `remaining` says what is left in each. A
    round's pace is that of its own texts, and of the markables that are known.
    """
    days = Counter[date]()
    for of_round in rounds.values():
        days.update(of_round)
    left = sum(remaining.values(), Remaining())
    whole = RoundPace(None, left, estimate_pace_of(days, left.markables, today))
    if len(rounds) < 2:
        return [whole]
    parts = [(name, remaining[name], of_round) for name, of_round in rounds.items() if name in remaining]
    return [whole, *(RoundPace(name, one, estimate_pace_of(of, one.markables, today)) for name, one, of in parts)]


@dataclass(frozen=True, slots=True)
class DayCounts:
    """The judgements of each day in each round, and of each coder, without practice."""

    rounds: dict[str, Counter[date]]
    coders: dict[str, Counter[date]]


def count_days(project: Project, extract: ProjectAnswers) -> DayCounts:
    """Return how many markables were judged on each day. `extract` has all answers of the project."""

    def count() -> DayCounts:
        places = zip(extract.texts, extract.round_places.tolist(), strict=True)
        round_of = {text.pk: extract.rounds[place] for text, place in places if place != NO_ROUND}
        rounds: dict[str, Counter[date]] = {name: Counter() for name in extract.rounds}
        coders: dict[str, Counter[date]] = {}
        for (text, coder), judgements in sorted(read_project_work(project, extract).judgement_times.items()):
            if text in round_of and judgements:
                days = Counter(one.day for one in judgements)
                rounds[round_of[text]].update(days)
                coders.setdefault(coder, Counter()).update(days)
        return DayCounts(rounds, dict(sorted(coders.items())))

    return remembered(extract, ("judged days", timezone.get_current_timezone_name()), count)


def order_by_time(texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]) -> tuple[Document, ...]:
    """Return the texts in the order in which they were finished; of one time, or without, the oldest first."""
    finished = find_last(work)
    by_age = sorted(texts, key=lambda text: text.pk)
    timed = sorted((text for text in by_age if text.pk in finished), key=lambda text: finished[text.pk])
    return *(text for text in by_age if text.pk not in finished), *timed


def find_last(work: Mapping[tuple[int, str], Activity]) -> dict[int, datetime]:
    finished: dict[int, datetime] = {}
    for (pk, _), activity in work.items():
        finished[pk] = max(activity.last, finished.get(pk, activity.last))
    return finished


def divide_evenly(n_texts: int) -> list[int]:
    """Return after how many texts there is a point: of `MOST_POINTS` at most, as far from each other as can be."""
    n_points = min(n_texts, MOST_POINTS)
    return [n_texts * number // n_points for number in range(1, n_points + 1)]


def seconds_per_judgement(
    answers: ProjectAnswers, texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]
) -> dict[str, float | None]:
    """Return each coder's time at work in these texts over the judgements there, where the log has any time."""
    chosen = answers.restrict(texts)
    judgements = chosen.sum_by_coder(chosen.columns.n_judgements)
    seconds = np.zeros_like(judgements)
    for row, text in enumerate(texts):
        for column, coder in enumerate(answers.coders):
            if (one := work.get((text.pk, coder))) is not None:
                seconds[row, column] = one.seconds
    totals, numbers = seconds.sum(axis=0).tolist(), np.where(seconds > 0, judgements, 0).sum(axis=0).tolist()
    return {
        coder: total / number if number else None
        for coder, total, number in zip(answers.coders, totals, numbers, strict=True)
    }
