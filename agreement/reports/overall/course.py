"""How agreement and work went over time: by round, by week, or in the order in which texts were finished."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import accumulate, combinations

import numpy as np
from django.utils import timezone

from agreement.data.documents import Document, original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import interval_sums
from agreement.measures.options import ORDERED_DISTANCES
from agreement.measures.results import Result
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.request import basis
from agreement.reports.request.parameters import Parameters, check_choice
from agreement.reports.request.resolution import resolve
from annotations.coding.active_time import Activity
from annotations.core.processes.progress import Progress

GROUPINGS = ("round", "week", "operations")
BINS = 8
MOST_POINTS = 24  # of the running coefficient


@dataclass(frozen=True, slots=True)
class Stage:
    """Texts of one time: the coefficient, each coder against the others, and their seconds per judgement."""

    label: str
    texts: tuple[Document, ...]
    interval: Interval
    against_rest: Mapping[str, float | None]
    seconds: Mapping[str, float | None]


def compute_stages(
    extract: ProjectAnswers,
    parameters: Parameters,
    by: str,
    work: Mapping[tuple[int, str], Activity],
    progress: Progress | None = None,
) -> list[Stage]:
    """Return the stages of the project, the earliest first, by the work of each coder. Raises InvalidParameter.

    A text belongs to the week in which somebody last worked on it; "operations": texts as they were finished, in up to
    BINS groups of about equally many. Without any work, as of imported texts, it is left out, except by round.
    """
    check_choice("by", by, GROUPINGS)
    extract, parameters = resolve(extract, parameters)
    groups = _group_texts(basis.pick_texts(extract, parameters), by, work)
    stages = []
    for number, (label, texts) in enumerate(groups):
        report = partial(progress, number, len(groups)) if progress else None
        against_rest = _compare_coders(extract, parameters, texts, report)
        interval = basis.compute_interval(extract, parameters, texts)
        seconds = seconds_per_judgement(extract, texts, work)
        stages.append(Stage(label, tuple(texts), interval, against_rest, seconds))
    return stages


@dataclass(frozen=True, slots=True)
class RunningPoint:
    """The coefficient of the first `n_texts` texts, of which `last` came last; alpha has `low` and `high`."""

    n_texts: int
    last: Document
    result: Result
    low: float | None = None
    high: float | None = None


def compute_running(
    extract: ProjectAnswers, parameters: Parameters, work: Mapping[tuple[int, str], Activity]
) -> list[RunningPoint]:
    """Return the coefficient as texts are finished, at MOST_POINTS points at most. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    texts = order_by_time(basis.pick_texts(extract, parameters), work)
    sizes = divide_evenly(len(texts))
    key = ("running", parameters, tuple(text.pk for text in texts))
    return basis.cached(extract, key, lambda: _compute_running(extract, parameters, texts, sizes))


def order_by_time(texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]) -> tuple[Document, ...]:
    """Return the texts in the order in which they were finished; of one time, or without, the oldest first."""
    finished = _find_last(work)
    by_age = sorted(texts, key=lambda text: text.pk)
    timed = sorted((text for text in by_age if text.pk in finished), key=lambda text: finished[text.pk])
    return *(text for text in by_age if text.pk not in finished), *timed


def _find_last(work: Mapping[tuple[int, str], Activity]) -> dict[int, datetime]:
    finished: dict[int, datetime] = {}
    for (pk, _), activity in work.items():
        finished[pk] = max(activity.last, finished.get(pk, activity.last))
    return finished


def divide_evenly(n_texts: int) -> list[int]:
    """Return after how many texts there is a point: of `MOST_POINTS` at most, as far from each other as can be."""
    n_points = min(n_texts, MOST_POINTS)
    return [n_texts * number // n_points for number in range(1, n_points + 1)]


def _compute_running(
    extract: ProjectAnswers, parameters: Parameters, texts: Sequence[Document], sizes: Sequence[int]
) -> list[RunningPoint]:
    figures: list[tuple[Result, float | None, float | None]]
    if parameters.is_alpha:
        if parameters.distance in ORDERED_DISTANCES:  # of numbers nothing can be drawn from sums
            intervals = [basis.compute_interval(extract, parameters, texts[:size]) for size in sizes]
        else:
            sums = basis.compute_sums(extract, parameters, texts)[parameters.distance]
            intervals = [interval_sums(sums[:size], original=original_of) for size in sizes]
        figures = [(one.result, one.low, one.high) for one in intervals]
    else:
        figures = [(basis.compute_result(extract, parameters, texts[:size]), None, None) for size in sizes]
    return [
        RunningPoint(len({text.text_pk for text in texts[:size]}), texts[size - 1], *of_size)
        for size, of_size in zip(sizes, figures, strict=True)
    ]


def _group_texts(
    texts: Sequence[Document], by: str, work: Mapping[tuple[int, str], Activity]
) -> list[tuple[str, list[Document]]]:
    groups: dict[str, list[Document]] = defaultdict(list)
    if by == "round":
        for text in texts:
            groups[text.round].append(text)
        return sorted(groups.items(), key=lambda item: item[1][0].place)
    finished = _find_last(work)
    timed = [text for text in order_by_time(texts, work) if text.pk in finished]
    if by == "operations":
        return _group_by_operations(timed, work)
    for text in timed:
        year, week, _ = timezone.localtime(finished[text.pk]).isocalendar()
        groups[f"{year}, week {week}"].append(text)
    return list(groups.items())


def _group_by_operations(
    texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]
) -> list[tuple[str, list[Document]]]:
    operations: Counter[int] = Counter()
    for (pk, _), activity in work.items():
        operations[pk] += activity.operations
    ends = list(accumulate(operations[text.pk] for text in texts))
    groups: dict[int, list[tuple[Document, int]]] = defaultdict(list)
    for text, end in zip(texts, ends, strict=True):
        groups[(end - operations[text.pk]) * BINS // max(ends[-1], 1)].append((text, end))
    return [(f"{group[-1][1]:,} operations", [text for text, _ in group]) for group in groups.values()]


def _compare_coders(
    extract: ProjectAnswers, parameters: Parameters, texts: Sequence[Document], report: Callable[[], None] | None
) -> dict[str, float | None]:
    """Return the mean coefficient of each coder with those who coded a text in common."""
    key = ("pairs", parameters, tuple(text.pk for text in texts))
    pairs = basis.cached(extract, key, lambda: _compute_pairs(extract, parameters, texts, report))
    values: dict[str, list[float]] = {coder: [] for coder in extract.coders}
    for pair, value in pairs.items():
        if value is not None:
            for coder in pair:
                values[coder].append(value)
    return {coder: sum(of_coder) / len(of_coder) if of_coder else None for coder, of_coder in values.items()}


def _compute_pairs(
    extract: ProjectAnswers, parameters: Parameters, texts: Sequence[Document], report: Callable[[], None] | None
) -> dict[tuple[str, str], float | None]:
    """Return the coefficient of each two coders who coded a text in common: of many coders few do."""
    coefficient, data_of = basis.coefficient_function(parameters), basis.data_by_coders(extract, parameters, texts)
    number = {coder: place for place, coder in enumerate(extract.coders)}
    together: set[tuple[int, int]] = set()
    for rows in extract.rows_by_text(texts):
        together.update(combinations(sorted({number[coder] for coder, _ in rows if coder in number}), 2))
    pairs: dict[tuple[str, str], float | None] = {}
    for first, second in sorted(together):
        if report:
            report()
        pair = extract.coders[first], extract.coders[second]
        pairs[pair] = coefficient(data_of(pair)).value
    return pairs


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
