"""May a coder, such as a language model, code in the place of the others? The alternative annotator test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from agreement.data.documents import original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import ScoreInterval, alt_test, mean_interval, share_interval
from agreement.measures.data.components import merge_documents
from agreement.measures.models.alt_test import find_advantages
from agreement.measures.values import Floats
from agreement.reports.fields import Flat, LeftOut, OtherVersions, PageOnly, copy_fields
from agreement.reports.request.basis import comparison, count_left_out, count_other_versions, select_data
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.resolved import cached_report
from annotations.core.text import pluralize

EPSILON, Q = 0.1, 0.05
# Scores that differ by no more are equal, whatever the rounding.
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class LeftOutHuman:
    """The model in the place of one person."""

    human: str
    n_units: int
    n_texts: int
    candidate_score: float | None
    human_score: float | None
    difference: Annotated[float | None, "of the scores, the mean over texts"]
    p_value: Annotated[float | None, "over texts"]
    adjusted: Annotated[float | None, "for several people"]
    won: bool
    advantage_probability: float | None
    published_p_value: Annotated[float | None, "of the published test, over items"]
    published_adjusted: float | None
    published_won: bool
    low: Annotated[float | None, "of its 95% interval over texts"]
    high: float | None
    advantage_low: Annotated[float | None, "of its 95% interval over texts"]
    advantage_high: float | None
    note: PageOnly[str]


@dataclass(frozen=True, slots=True)
class AltTestFigures:
    """The alternative annotator test over texts, and the published one of items."""

    rows: tuple[LeftOutHuman, ...]
    winning_rate: Annotated[float | None, "the share of people it may replace"]
    published_winning_rate: float | None
    advantage_probability: float | None
    epsilon: float
    q: float
    n_units: int
    n_texts: int
    exact: Annotated[bool, "whether all signs were tried"]
    resamples: int
    seed: int
    left_out: Annotated[Mapping[str, int], "items, by reason"]
    note: str
    passed: Annotated[bool | None, "whether that is a half or more"]
    published_passed: bool | None


@dataclass(frozen=True, slots=True)
class AltTestReport:
    """The test of a candidate against each of the other coders who are chosen, with an interval for each of them.

    A winning rate is a share of tests, each of which has its p-value, and has no interval.
    """

    parameters: Parameters
    candidate: str
    test: Flat[AltTestFigures]
    codings_left_out: LeftOut
    judgements_of_other_versions: OtherVersions = None

    def describe(self, *, rates: bool = True) -> str:
        """Return what the test is of and what limits it, in a line, which begins with its rates."""
        test = self.test
        named = {
            "winning rate": test.winning_rate,
            "winning rate of the published test": test.published_winning_rate,
            "advantage probability": test.advantage_probability,
        }
        known = [f"{name} {rate:.4f}" for name, rate in named.items() if rates and rate is not None]
        used = f"{pluralize(test.n_units, 'unit')} of {pluralize(test.n_texts, 'text')}"
        left_out = [f"{number} {reason}" for reason, number in test.left_out.items()]
        levels = f"epsilon {test.epsilon:g}, q {test.q:g}"
        return f"{'; '.join(filter(None, [', '.join(known), used, *left_out, levels, test.note]))}."


@cached_report
def compute_alt_test(
    extract: ProjectAnswers, parameters: Parameters, candidate: str, epsilon: str, q: str
) -> AltTestReport:
    """Return the test of a candidate by the distance of the parameters, the other chosen coders being the humans.

    epsilon and q are numbers as they were typed; nothing is the default.
    """
    levels = read_levels(epsilon, q)
    if candidate not in extract.coders:
        known = ", ".join(extract.coders) or "nobody"
        raise InvalidParameter("candidate", f"name one of those who are compared and have answers: {known}.")
    if len(extract.coders) < 3:
        raise InvalidParameter(
            "candidate", "it takes two other coders at least, better three, and there are not so many."
        )
    options, data = comparison(parameters), merge_documents(select_data(extract, parameters), original_of)
    test = alt_test(data, candidate, epsilon=levels[0], q=levels[1], **vars(options))
    coders = list(data.coders)
    humans = [place for place, name in enumerate(coders) if name != candidate]
    advantages, rows = find_advantages(data, coders.index(candidate), humans, options), []
    for number, row in enumerate(test.rows):
        own, others = advantages.scores_by_text(number)
        apart = difference_interval(own - others)
        compared = advantages.compared[:, number]
        better = (advantages.candidate - advantages.human)[compared, number] >= -TIE
        _, text = np.unique(advantages.documents[compared], return_inverse=True)
        total = np.bincount(text)
        wins = np.bincount(text[better], minlength=len(total))
        won = share_interval(wins.tolist(), total.tolist())
        ends: dict[str, Any] = {
            "low": apart.low,
            "high": apart.high,
            "advantage_low": won.low,
            "advantage_high": won.high,
        }
        rows.append(LeftOutHuman(**vars(row), **ends, note=apart.note or won.note))
    left_out = count_left_out(extract, parameters), count_other_versions(extract, parameters)
    return AltTestReport(parameters, candidate, copy_fields(AltTestFigures, test, rows=tuple(rows)), *left_out)


def read_levels(epsilon: str, q: str) -> tuple[float, float]:
    """Return epsilon and q as numbers, of what was typed; nothing is the default. Raises InvalidParameter."""
    return _read_number("epsilon", epsilon, EPSILON), _read_number("q", q, Q)


def _read_number(name: str, typed: str, default: float) -> float:
    try:
        number = float(typed) if typed else default
    except ValueError:
        number = -1.0
    if not 0 <= number < 1 or (name == "q" and not number):
        least = "above 0" if name == "q" else "from 0"
        raise InvalidParameter(name, f"{typed!r} is not a number {least} and below 1, such as {default:g}.")
    return number


def difference_interval(differences: Floats) -> ScoreInterval:
    """Return the mean of differences of scores in each text, from -1 to 1, with the interval of `mean_interval`."""
    if len(differences) > 1 and float(np.ptp(differences)) <= TIE:
        value = float(differences.mean())
        return ScoreInterval(value, None, None, len(differences), note="no interval: it is the same in each text")
    scaled = mean_interval(((differences + 1) / 2).tolist())
    ends = {name: getattr(scaled, name) for name in ("value", "low", "high")}
    ends = {name: None if one is None else 2 * one - 1 for name, one in ends.items()}
    return replace(scaled, **ends, note=scaled.note.replace("peer", "text"))
