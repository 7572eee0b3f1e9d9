"""How agreement and work went over time: by round, by week, or in the order in which texts were finished."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from agreement.extract import Extract, Place
from agreement.measures import pairwise
from agreement.measures.intervals import Interval
from agreement.parameters import Parameters, WrongParameter
from agreement.reports.basis import (
    coders_of,
    coefficient_of,
    data_of,
    effective,
    interval_of,
    kept,
    texts_of,
)
from annotations.timing import Work

BY = ("round", "week", "operations")
BINS = 8


@dataclass(frozen=True, slots=True)
class Stage:
    """Some texts of about one time: the coefficient in them, each coder against the others, and the time it took.

    `seconds` has by coder the time at work per judgement, where the log has any.
    """

    label: str
    texts: tuple[Place, ...]
    interval: Interval
    against_rest: Mapping[str, float | None]
    seconds: Mapping[str, float | None]


def stages(extract: Extract, parameters: Parameters, by: str, work: Mapping[tuple[int, str], Work]) -> list[Stage]:
    """The stages of the project, the earliest first. Raises WrongParameter.

    `work` gives by text and coder what the operation log says. A text belongs to the week in which the last of
    its coders last changed something. "operations": texts in the order in which they were finished, in up to eight
    groups of about equally many operations; the label is the number of operations until the group's end. Texts that
    nobody worked on here, such as imported ones, have no time and are left out, except by round.
    """
    if by not in BY:
        raise WrongParameter("by", f"{by!r} is not one of {', '.join(BY)}.")
    parameters = effective(extract, parameters)
    groups = _groups(texts_of(extract, parameters), by, work)
    return [_stage(extract, parameters, label, tuple(texts), work) for label, texts in groups]


def _groups(texts: Sequence[Place], by: str, work: Mapping[tuple[int, str], Work]) -> list[tuple[str, list[Place]]]:
    done: dict[int, list[Work]] = defaultdict(list)
    for (pk, _), one in work.items():
        done[pk].append(one)
    finished = {pk: max(one.last for one in of_text) for pk, of_text in done.items()}
    timed = sorted((text for text in texts if text.pk in finished), key=lambda text: finished[text.pk])
    if by == "operations":
        return _bins(timed, {pk: sum(one.operations for one in of_text) for pk, of_text in done.items()})
    found: dict[str, list[Place]] = defaultdict(list)
    if by == "week":
        for text in timed:
            found[_week(finished[text.pk])].append(text)
        return list(found.items())
    for text in texts:
        found[text.round or "no round"].append(text)
    # rounds in the order of their first work, those without any last
    never = datetime.max
    first = {
        label: min((finished[text.pk].replace(tzinfo=None) for text in group if text.pk in finished), default=never)
        for label, group in found.items()
    }
    return sorted(found.items(), key=lambda item: (first[item[0]], item[0]))


def _bins(texts: Sequence[Place], operations: Mapping[int, int]) -> list[tuple[str, list[Place]]]:
    total = sum(operations[text.pk] for text in texts)
    found: dict[int, list[Place]] = defaultdict(list)
    until: dict[int, int] = {}
    done = 0
    for text in texts:
        number = done * BINS // max(total, 1)
        done += operations[text.pk]
        found[number].append(text)
        until[number] = done
    return [(f"{until[number]:,} operations", group) for number, group in found.items()]


def _week(moment: datetime) -> str:
    year, week, _ = timezone.localtime(moment).isocalendar()
    return f"{year}, week {week}"


def _stage(
    extract: Extract, parameters: Parameters, label: str, texts: tuple[Place, ...], work: Mapping[tuple[int, str], Work]
) -> Stage:
    coders = coders_of(extract, parameters)
    names = tuple(text.pk for text in texts)
    pairs = kept(
        extract,
        ("pairs", parameters, names),
        lambda: pairwise(data_of(extract, parameters, texts), coefficient_of(parameters)).results,
    )
    against = {}
    for coder in coders:
        values = [result.value for pair, result in pairs.items() if coder in pair and result.value is not None]
        against[coder] = sum(values) / len(values) if values else None
    return Stage(
        label,
        texts,
        interval_of(extract, parameters, texts),
        against,
        {coder: seconds_a_judgement(texts, coder, work) for coder in coders},
    )


def seconds_a_judgement(texts: Sequence[Place], coder: str, work: Mapping[tuple[int, str], Work]) -> float | None:
    """The coder's time at work in these texts over the judgements there, where the log has any time."""
    seconds = judgements = 0.0
    for text in texts:
        one = work.get((text.pk, coder))
        if one is not None and one.seconds:
            seconds += one.seconds
            judgements += sum(len(of.unit) for of in text.answers.work if of.coder == coder)
    return seconds / judgements if judgements else None
