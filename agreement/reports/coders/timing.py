"""How long judgements take, and how many are made on which day, by coder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import attrgetter

import numpy as np

from agreement.data.answers.contents import TextEntry
from agreement.data.answers.reading import MAX_TEXTS_IN_QUERY
from agreement.data.extract.extract import Extract
from agreement.data.storage.records import TextRecords
from agreement.reports.request.basis import cached, cached_by_text, pick_texts
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve
from annotations.coding.active_time import JudgementTime, ProjectWork, read_work
from annotations.models import Project
from annotations.planning.work.pace import Pace, estimate_pace_of
from annotations.planning.work.remaining import Remaining

# The key of a document: of very many texts it is faster than what asks each of them in Python.
_KEY = attrgetter("content.pk")

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


def read_project_work(project: Project, extract: Extract) -> ProjectWork:
    """Return what the log says of the work on a project, all of whose answers these are: by document and coder.

    It is read once for the answers in a text: after somebody has changed one, the log of one text is read again.
    """

    def merge() -> ProjectWork:
        whole = ProjectWork({}, {})
        for of_text in cached_by_text(extract.texts, ("work",), lambda missing: _read_work(project, missing)):
            whole.activities.update(of_text.activities)
            whole.judgement_times.update(of_text.judgement_times)
        return whole

    return cached(extract, ("work",), merge)


def read_work_of(project: Project, extract: Extract, texts: Sequence[TextEntry]) -> list[ProjectWork]:
    """Return the work on some texts. Of answers to a question nothing is stored: what was read stays with them."""
    if extract.question or all(("work",) in text.content.cache for text in texts):
        return cached_by_text(texts, ("work",), lambda missing: _read_work(project, missing))
    return _read_work(project, texts)


def read_times(project: Project, extract: Extract) -> TextRecords:
    """Return the seconds of each coder's work in each text: `is_judgement` of a judgement that has a time, else of all.

    `extract` has all answers of the project, and of each text the log is read once for its answers.
    """

    def compute(texts: Sequence[TextEntry]) -> TextRecords:
        return _collect_times(texts, read_work_of(project, extract, texts))

    return extract.read_records(("times",), compute)


def _collect_times(texts: Sequence[TextEntry], works: Sequence[ProjectWork]) -> TextRecords:
    coders: dict[str, int] = {}
    rows: list[tuple[int, float, bool]] = []
    sizes = []
    for work in works:
        before = len(rows)
        for (_, coder), activity in work.activities.items():
            rows.append((coders.setdefault(coder, len(coders)), activity.seconds, False))
        for (_, coder), times in work.judgement_times.items():
            place = coders.setdefault(coder, len(coders))
            rows.extend((place, one.seconds, True) for one in times if one.seconds is not None)
        sizes.append(len(rows) - before)
    name, seconds, is_judgement = zip(*rows, strict=True) if rows else ((), (), ())
    return TextRecords.of(
        [text.pk for text in texts],
        np.array(sizes, dtype=np.int64),
        tuple(coders),
        name=np.array(name, dtype=np.int64),
        seconds=np.array(seconds, dtype=np.float64),
        is_judgement=np.array(is_judgement, dtype=np.bool_),
    )


def select_times(times: TextRecords, texts: Sequence[TextEntry]) -> TextRecords:
    """Return the times in some texts, all of which `read_times` has, in their order."""
    keys = list(map(_KEY, texts))
    if keys == list(times.documents):
        return times
    place = {key: row for row, key in enumerate(times.documents)}
    return times.select(np.array([place[key] for key in keys], dtype=np.int64))


def _read_work(project: Project, texts: Sequence[TextEntry]) -> list[ProjectWork]:
    keys = {text.text_pk for text in texts}
    found = read_work(project, keys if len(keys) <= MAX_TEXTS_IN_QUERY else None)
    text_of = {one.coding: text.pk for text in texts for one in text.content.codings}
    by_text = {text.pk: ProjectWork({}, {}) for text in texts}
    for (coding, coder), activity in found.activities.items():
        if (text := text_of.get(coding)) is not None:
            by_text[text].activities[text, coder] = activity
    for (coding, coder), times in found.judgement_times.items():
        if (text := text_of.get(coding)) is not None:
            by_text[text].judgement_times[text, coder] = times
    return list(by_text.values())


def summarize_times(extract: Extract, parameters: Parameters, times: TextRecords) -> list[CoderTimes]:
    """Return the times of each coder's judgements in the chosen texts, where any has one. Raises InvalidParameter.

    times: as `read_times` returns them of the project.
    """
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("times", parameters), lambda: _summarize_times(extract, parameters, times))


def _summarize_times(extract: Extract, parameters: Parameters, times: TextRecords) -> list[CoderTimes]:
    found = select_times(times, pick_texts(extract, parameters))
    summaries = []
    for coder in extract.coders:
        if coder in found.names:
            of_coder = found["name"] == list(found.names).index(coder)
            seconds = found["seconds"][of_coder & found["is_judgement"]]
            if len(seconds):
                quartiles = np.quantile(seconds, [0.25, 0.5, 0.75]).tolist()
                summaries.append(CoderTimes(coder, len(seconds), *quartiles))
    return summaries


def count_by_day(extract: Extract, parameters: Parameters, times: Times) -> CoderDays:
    """Return the judgements of each day in the chosen texts, also of codings that do not count.

    Raises InvalidParameter.
    """
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
