"""Profiles of coders, their distances from each other in each text, and their working times and days."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import chain
from typing import NamedTuple

import numpy as np
from django.utils import timezone

from agreement.data.documents import Document
from agreement.data.judgements import MAX_TEXTS_IN_QUERY
from agreement.data.project_answers import ProjectAnswers
from agreement.data.reliability import given_categories
from agreement.measures.data.arrays import distinct_rows
from agreement.measures.sums.pairs import pair_distances
from agreement.measures.values import Bools, Ints
from agreement.reports import basis
from agreement.reports.parameters import Parameters
from agreement.reports.request import remembered_report, resolve
from annotations.coding.active_time import Activity, JudgementTime, ProjectWork, read_work
from annotations.models import Project
from annotations.planning.work.pace import Pace, estimate_pace
from annotations.planning.work.remaining import Remaining


class Profile(NamedTuple):
    """The profile of a coder: judgements by category, chains by length, and links by distance in units."""

    coder: str
    n_judgements: int
    categories: Mapping[str, int]
    chain_lengths: Mapping[int, int]
    link_distances: Mapping[int, int]
    n_ambiguous: int

    @property
    def mean_chain(self) -> float | None:
        return _mean(self.chain_lengths)

    @property
    def mean_link(self) -> float | None:
        return _mean(self.link_distances)


@remembered_report
def compute_profiles(answers: ProjectAnswers, parameters: Parameters) -> list[Profile]:
    """Return the profile of each coder."""
    chosen = answers.restrict(basis.pick_texts(answers, parameters))
    columns, n_coders = chosen.columns, len(answers.coders)
    coder = chosen.column_of_coding[columns.coding_of_mark]
    is_counted = columns.is_judgement & (coder >= 0)
    is_ambiguous = is_counted & (columns.n_readings > 1)
    judgements, ambiguous = (np.bincount(coder[row], minlength=n_coders).tolist() for row in (is_counted, is_ambiguous))
    marks, given = given_categories(chosen)
    categories = np.zeros((n_coders, len(answers.categories)), dtype=np.int64)
    np.add.at(categories, (coder[marks], given), 1)
    names = answers.categories if answers.countable else ()
    named = [dict(zip(names, row, strict=False)) for row in categories.tolist()]
    lengths, distances = _chain_lengths(answers, parameters, chosen, is_ambiguous), _link_distances(chosen)
    return list(map(Profile, answers.coders, judgements, named, lengths, distances, ambiguous))


def _link_distances(answers: ProjectAnswers) -> list[dict[int, int]]:
    columns = answers.columns
    if answers.kind != "pointers":
        return [{} for _ in answers.coders]
    coder, unit = answers.column_of_coding[columns.coding_of_link], columns.marks["unit"][columns.mark_of_link]
    units = columns.documents["units"][columns.document_of_coding[columns.coding_of_link]]
    inside = (columns.links["to"] < units) & (coder >= 0)
    return _count_by_coder(answers, coder[inside], (unit - columns.links["to"])[inside])


def _chain_lengths(
    answers: ProjectAnswers, parameters: Parameters, chosen: ProjectAnswers, is_ambiguous: Bools
) -> list[dict[int, int]]:
    """Return each coder's number of chains by length, without the unions of ambiguous judgements."""
    if not answers.has_chains:
        return [{} for _ in answers.coders]
    columns = chosen.columns
    coder_of_mark = chosen.column_of_coding[columns.coding_of_mark]
    width = len(answers.coders) + 1
    ambiguous = columns.units["key"][columns.unit_of_mark[is_ambiguous]] * width + coder_of_mark[is_ambiguous]
    # whole chains as in scores of clusters, whatever the parameters
    whole = replace(parameters, chains="full", top="chain")
    data = basis.select_data(answers, whole, basis.pick_texts(answers, parameters))
    units = np.array(data.units, dtype=np.int64)
    unit, coder = np.nonzero(data.codes >= len(data.labels))
    kept = ~np.isin(units[unit] * width + coder, ambiguous)
    unit, coder = unit[kept], coder[kept]
    sizes = np.diff(data.cells.starts)
    found, _ = distinct_rows(data.document_of_unit[unit], coder, data.codes[unit, coder])
    return _count_by_coder(answers, found[1], sizes[found[2] - len(data.labels)])


def _count_by_coder(answers: ProjectAnswers, coder: Ints, values: Ints) -> list[dict[int, int]]:
    counts: list[dict[int, int]] = [{} for _ in answers.coders]
    least = values.min(initial=0)
    [coders, above], numbers = distinct_rows(coder, values - least)
    for place, value, number in zip(coders.tolist(), (above + least).tolist(), numbers.tolist(), strict=True):
        counts[place][value] = number
    return counts


def _mean(counts: Mapping[int, int]) -> float | None:
    total = sum(counts.values())
    return sum(size * count for size, count in counts.items()) / total if total else None


class TextDistances(NamedTuple):
    """The mean distances in one text: of each coder from the other coders, and of all pairs of coders."""

    text: Document
    coders: tuple[float | None, ...]
    mean: float | None


@remembered_report
def compute_text_distances(answers: ProjectAnswers, parameters: Parameters) -> list[TextDistances]:
    """Return the mean distances in each chosen text, in the order of the project."""
    parts = basis.compute_by_parts(answers, parameters, "distances of texts", _average_distances)
    texts = basis.pick_texts(answers, parameters)
    return [TextDistances(text, *means) for text, means in zip(texts, chain(*parts), strict=True)]


def _average_distances(
    parameters: Parameters, answers: ProjectAnswers, texts: Sequence[Document]
) -> list[tuple[tuple[float | None, ...], float | None]]:
    """Return the mean distances of each coder, and of all pairs, in each text."""
    data = basis.select_data(answers, parameters, texts)
    pairable = basis.pairable_units(data, parameters)
    found = pair_distances(pairable, basis.comparison(parameters))
    documents, n_coders = pairable.documents[found.units], len(data.coders)
    totals, numbers = np.zeros((2, len(texts), n_coders))
    for columns in (found.first, found.second):
        places = documents * n_coders + columns
        totals += np.bincount(places, found.distances, totals.size).reshape(totals.shape)
        numbers += np.bincount(places, minlength=totals.size).reshape(totals.shape)
    means = []
    for total, number in zip(totals, numbers, strict=True):
        own = tuple(t / n if n else None for t, n in zip(total.tolist(), number.tolist(), strict=True))
        means.append((own, float(total.sum() / number.sum()) if number.any() else None))
    return means


MAX_POINTS = 24  # the most points in a course over finished texts

type Times = Mapping[tuple[int, str], Sequence[JudgementTime]]


class CoderTimes(NamedTuple):
    """The active seconds of a coder's judgements: the number of judgements with a time, median and quartiles."""

    coder: str
    n: int
    first_quartile: float
    median: float
    third_quartile: float


class CoderDays(NamedTuple):
    """The number of markables that each coder first judged, by day; only days with such markables, in order."""

    days: tuple[date, ...]
    coders: Mapping[str, tuple[int, ...]]


class RoundPace(NamedTuple):
    """The work left in a round, or in the project if `name` is None, and the pace; None if the pace is unknown."""

    name: str | None
    left: Remaining
    pace: Pace | None


def read_project_work(project: Project, answers: ProjectAnswers) -> ProjectWork:
    """Return the logged work in the texts of `answers`, by document and coder; these must be all answers there."""

    def read() -> ProjectWork:
        keys = {text.text_pk for text in answers.texts}
        found = read_work(project, keys if len(keys) <= MAX_TEXTS_IN_QUERY else None)
        rows = zip(answers.texts, answers.rows_by_text(), strict=True)
        text_of = {coding: text.pk for text, of_text in rows for _, coding in of_text}

        def by_text[T](of_codings: Mapping[tuple[int, str], T]) -> dict[tuple[int, str], T]:
            return {(text_of[coding], name): value for (coding, name), value in of_codings.items() if coding in text_of}

        return ProjectWork(by_text(found.activities), by_text(found.judgement_times))

    return basis.cached(answers, ("work",), read)


def summarize_times(answers: ProjectAnswers, parameters: Parameters, times: Times) -> list[CoderTimes]:
    """Return the times of judgements in the chosen texts, for each coder with any time. Raises InvalidParameter."""
    answers, parameters = resolve(answers, parameters)
    texts = {text.pk for text in basis.pick_texts(answers, parameters)}
    seconds: dict[str, list[float]] = {coder: [] for coder in answers.coders}
    for (text, coder), judgements in times.items():
        if text in texts and coder in seconds:
            seconds[coder] += [judgement.seconds for judgement in judgements if judgement.seconds is not None]
    return [
        CoderTimes(coder, len(own), *np.quantile(own, [0.25, 0.5, 0.75]).tolist())
        for coder, own in seconds.items()
        if own
    ]


def count_by_day(extract: ProjectAnswers, parameters: Parameters, times: Times) -> CoderDays:
    """Return the numbers of judgements by day in the chosen texts, including codings that do not count."""
    extract, parameters = resolve(extract, parameters)
    texts, chosen = {text.pk for text in basis.pick_texts(extract, parameters)}, parameters.selection("coders")
    counts: dict[str, Counter[date]] = {}
    for (text, coder), judgements in sorted(times.items(), key=lambda item: item[0][1]):
        if text in texts and (not chosen or coder in chosen):
            counts.setdefault(coder, Counter()).update(judgement.day for judgement in judgements)
    days = tuple(sorted(set().union(*counts.values())))
    return CoderDays(days, {coder: tuple(of_coder[day] for day in days) for coder, of_coder in counts.items()})


def estimate_paces(
    rounds: Mapping[str, Mapping[date, int]], remaining: Mapping[str, Remaining], today: date
) -> list[RoundPace]:
    """Return the pace of the project and, if there are several rounds, of each round with work left."""
    days = sum(map(Counter, rounds.values()), Counter[date]())
    left = sum(remaining.values(), Remaining())
    whole = RoundPace(None, left, estimate_pace(days, left.markables, today))
    if len(rounds) < 2:
        return [whole]
    parts = [(name, remaining[name], of_round) for name, of_round in rounds.items() if name in remaining]
    return [whole, *(RoundPace(name, left, estimate_pace(of, left.markables, today)) for name, left, of in parts)]


class DayCounts(NamedTuple):
    """The numbers of judgements by day, of each round and of each coder, without practice."""

    rounds: dict[str, Counter[date]]
    coders: dict[str, Counter[date]]


def count_days(project: Project, extract: ProjectAnswers) -> DayCounts:
    """Return the number of markables judged on each day. `extract` has all answers of the project."""
    zone = timezone.get_current_timezone_name()

    def count(_: Parameters, part: ProjectAnswers, texts: Sequence[Document]) -> Counter[tuple[str, str, date]]:
        round_of = {text.pk: text.round for text in texts if text.reason != "practice"}
        times = read_project_work(project, part).judgement_times
        return Counter(
            (round_of[text], coder, judgement.day)
            for (text, coder), judgements in times.items()
            if text in round_of
            for judgement in judgements
        )

    def compute() -> DayCounts:
        rounds: dict[str, Counter[date]] = {name: Counter() for name in extract.rounds}
        coders = defaultdict[str, Counter[date]](Counter)
        for part in basis.compute_by_parts(extract, Parameters(), f"judged days in {zone}", count):
            for (round_, coder, day), number in part.items():
                rounds[round_][day] += number
                coders[coder][day] += number
        return DayCounts(rounds, dict(sorted(coders.items())))

    return basis.remembered(extract, ("judged days", zone), compute)


def order_by_time(texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]) -> tuple[Document, ...]:
    """Return the texts in order of their last work, texts without work first; ties by age."""
    finished = find_last(work)
    return tuple(sorted(texts, key=lambda text: (text.pk in finished, finished.get(text.pk), text.pk)))


def find_last(work: Mapping[tuple[int, str], Activity]) -> dict[int, datetime]:
    finished: dict[int, datetime] = {}
    for (pk, _), activity in work.items():
        finished[pk] = max(activity.last, finished.get(pk, activity.last))
    return finished


def divide_evenly(n_texts: int) -> list[int]:
    """Return the numbers of texts at evenly spaced points, at most `MAX_POINTS`."""
    n_points = min(n_texts, MAX_POINTS)
    return [n_texts * number // n_points for number in range(1, n_points + 1)]


def seconds_per_judgement(
    answers: ProjectAnswers, texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]
) -> dict[str, float | None]:
    """Return each coder's working seconds per judgement in these texts; None without logged time."""
    chosen = answers.restrict(texts)
    judgements = chosen.sum_by_coder(chosen.columns.n_judgements)
    seconds = np.zeros_like(judgements)
    for row, text in enumerate(texts):
        for column, coder in enumerate(answers.coders):
            if (activity := work.get((text.pk, coder))) is not None:
                seconds[row, column] = activity.seconds
    totals, numbers = seconds.sum(axis=0).tolist(), np.where(seconds > 0, judgements, 0).sum(axis=0).tolist()
    return {
        coder: total / number if number else None
        for coder, total, number in zip(answers.coders, totals, numbers, strict=True)
    }
