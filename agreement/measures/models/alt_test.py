"""The alternative annotator test: may a candidate, such as a language model, code in the place of a human?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, inf

import numpy as np

from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData, check_known_coders
from ..options import Options
from ..results import Figure, Point, format_defined, format_value, pluralize
from ..values import Distance
from .advantages import Advantages, find_advantages
from .significance import MOST_EXACT, adjust_p_values, least_p_value, sign_flip_p_value, student_p_value

# Scores that differ by no more are equal, whatever the rounding.
_TIE = 1e-9
# The normal distribution on which the published test rests takes so many units (Calderon et al. 2025).
_LEAST_UNITS = 30
# The candidate passes if it wins against so many of the humans.
_PASSING = 0.5


@dataclass(frozen=True)
class LeftOutHuman:
    """The candidate in the place of one human, both compared with the other humans, on what both coded.

    `candidate_score` and `human_score` are means over texts of the mean of 1 - distance, and `difference` is the first
    less the second. `p_value` tests it over texts by flips of its sign, `adjusted` is for several humans (Benjamini &
    Yekutieli 2001), and `won` says that it is not above q. `advantage_probability` is the share of units on which the
    candidate's score is at least the human's; `published_p_value`, `published_adjusted` and `published_won` are of the
    published test, Student's t of units. p-values are None, and nothing is won, where there are fewer than two texts
    (in the published test two units), and the other figures where there is no unit.
    """

    human: Hashable
    n_units: int
    n_texts: int
    candidate_score: float | None
    human_score: float | None
    difference: float | None
    p_value: float | None
    adjusted: float | None
    won: bool
    advantage_probability: float | None
    published_p_value: float | None
    published_adjusted: float | None
    published_won: bool


@dataclass(frozen=True, repr=False)
class AltTest(Figure):
    """The test of a candidate against each of the humans, `rows`, in their order.

    `winning_rate` is the share of humans whom the candidate may replace, by the test over texts;
    `published_winning_rate` that by the published test of units. `advantage_probability` is the mean of theirs over
    humans: how often the candidate is at least as near to the others as the human is. The first is of the humans who
    coded units of two texts with the candidate, the second of those who coded two units, the third of those who coded
    one; None where there are no such. `exact` says that all signs were tried.
    """

    candidate: Hashable
    rows: tuple[LeftOutHuman, ...]
    winning_rate: float | None
    published_winning_rate: float | None
    advantage_probability: float | None
    epsilon: float
    q: float
    n_units: int
    n_texts: int
    exact: bool
    resamples: int
    seed: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    axis = "score less that of the human"

    @property
    def value(self) -> float | None:
        """The winning rate."""
        return self.winning_rate

    @property
    def passed(self) -> bool | None:
        """May the candidate replace half of the humans or more? None where that is not known."""
        return None if self.winning_rate is None else self.winning_rate >= _PASSING

    @property
    def published_passed(self) -> bool | None:
        """The same by the published test."""
        return None if self.published_winning_rate is None else self.published_winning_rate >= _PASSING

    def to_dict(self) -> dict[str, object]:
        """Return the fields, the rows as dictionaries, and whether the candidate passed."""
        rows = [{name: getattr(row, name) for name in row.__dataclass_fields__} for row in self.rows]
        return {**super().to_dict(), "rows": rows, "passed": self.passed, "published_passed": self.published_passed}

    def __repr__(self) -> str:
        won = sum(row.won for row in self.rows)
        text = f"alt-test of {self.candidate}: wins against {won} of {pluralize(len(self.rows), 'human')}"
        text += f", advantage probability {format_defined(self.advantage_probability)}"
        text += f" ({pluralize(self.n_units, 'unit')} of {pluralize(self.n_texts, 'text')}, epsilon {self.epsilon:g})"
        for reason, count in self.left_out.items():
            text += f"; {count} {reason}"
        return f"<{text}{f'; {self.note}' if self.note else ''}>"

    def _rows(self) -> Mapping[str, object]:
        rows: dict[str, object] = {
            "winning rate": format_defined(self.winning_rate),
            "winning rate, published test": format_defined(self.published_winning_rate),
            "advantage probability": format_defined(self.advantage_probability),
            "epsilon": f"{self.epsilon:g}",
            "used": f"{pluralize(self.n_units, 'unit')}, {pluralize(self.n_texts, 'text')}",
        }
        for row in self.rows:
            reached = (
                f"{format_value(row.difference)}, p {format_value(row.adjusted)}" if row.adjusted is not None else ""
            )
            rows[f"in the place of {row.human}"] = reached
        return {
            **rows,
            **{f"units {reason}": count for reason, count in self.left_out.items()},
            **self.parameters,
            "note": self.note,
        }

    def _points(self) -> Sequence[Point]:
        return [Point(f"in the place of {row.human}", row.difference) for row in self.rows]


def alt_test(
    data: Data,
    candidate: Hashable,
    *,
    humans: Sequence[Hashable] | None = None,
    distance: str | Distance = "nominal",
    epsilon: float = 0.1,
    q: float = 0.05,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
    resamples: int = 10_000,
    seed: int = 0,
) -> AltTest:
    """Test whether a candidate may code in the place of humans: the alternative annotator test (Calderon et al. 2025).

    Each human is left out in turn. On each unit that the candidate, this human and at least one other coded, the
    candidate's score is the mean of 1 - distance from the others, and so is the human's. `humans` are all coders but
    the candidate, unless given. `distance`, `exclude_unit`, `empty` and `thirds` are those of `alpha`.

    Over texts: the differences of the scores, candidate less human, are averaged in each text. Tested is that their
    mean is above -epsilon, by flips of the sign of difference + epsilon: exactly up to 14 texts, else by `resamples`
    random ones. A candidate that is as good as the human wins by chance alone in a share of at most `q` where epsilon
    is 0; epsilon is how much worse, in the score, it may be, because it costs less.

    The published test, beside it: on each unit the candidate has an advantage if its score is at least the human's, and
    the human has one the other way round; by Student's t over units, the share of the human's advantages less that of
    the candidate's is tested to be below epsilon. It takes answers in one text for independent.

    p-values are adjusted for the number of humans by Benjamini & Yekutieli 2001, and the candidate wins where they are
    not above `q`. It passes if it wins against half of the humans.

    Raises ValueError for an unknown coder, a candidate among the humans, fewer than two humans, counts, an epsilon
    below 0, a q that is not between 0 and 1, and as `alpha` does.

    >>> rows = [*[["a", "a", "a", "b"]] * 5, *[["a", "a", "b", "a"], ["b", "a", "a", "a"], ["c"] * 4]] * 6
    >>> texts = [number // 8 for number in range(48)]
    >>> data = ReliabilityData.from_values(range(48), ["model", "Ann", "Bob", "Cid"], rows, texts)
    >>> test = alt_test(data, "model")
    >>> test
    <alt-test of model: wins against 2 of 3 humans, advantage probability 0.8750 (48 units of 6 texts, epsilon 0.1)>
    >>> [(row.human, round(row.difference, 3), round(row.adjusted, 3), row.won) for row in test.rows]
    [('Ann', -0.125, 1.0, False), ('Bob', 0.0, 0.043, True), ('Cid', 0.5, 0.043, True)]
    """
    data = as_data(data)
    options = Options(distance, exclude_unit, empty, thirds)
    columns = _find_columns(data, candidate, humans)
    _check_numbers(epsilon, q, resamples)
    advantages = find_advantages(data, columns[0], columns[1:], options)
    rows = _test_humans(advantages, [data.coders[column] for column in columns[1:]], epsilon, q, resamples, seed)
    compared = [row for row in rows if row.adjusted is not None]
    published = [row for row in rows if row.published_adjusted is not None]
    probabilities = [row.advantage_probability for row in rows if row.advantage_probability is not None]
    n_texts = len(np.unique(advantages.documents))
    return AltTest(
        candidate=candidate,
        rows=rows,
        winning_rate=sum(row.won for row in compared) / len(compared) if compared else None,
        published_winning_rate=sum(row.published_won for row in published) / len(published) if published else None,
        advantage_probability=sum(probabilities) / len(probabilities) if probabilities else None,
        epsilon=float(epsilon),
        q=float(q),
        n_units=len(advantages.documents),
        n_texts=n_texts,
        exact=all(row.n_texts <= MOST_EXACT for row in rows),
        resamples=resamples,
        seed=seed,
        left_out=advantages.left_out,
        parameters=options.parameters(),
        note=_note(rows, n_texts, q, resamples),
    )


def _find_columns(data: ReliabilityData, candidate: Hashable, humans: Sequence[Hashable] | None) -> list[int]:
    """Return the columns of the candidate and of the humans."""
    check_known_coders(data)
    coders = list(data.coders)
    if isinstance(humans, str):
        raise ValueError(f"humans is a string, {humans!r}: name coders in a list")
    if humans is None:
        humans = [coder for coder in coders if coder != candidate]
    for coder in (candidate, *humans):
        if coder not in coders:
            raise ValueError(f"there is no coder {coder!r} among {coders}")
    if candidate in humans:
        raise ValueError(f"{candidate!r} is the candidate, and among the humans: leave it out of `humans`")
    if len(set(humans)) < len(humans):
        raise ValueError("a human is named twice")
    if len(humans) < 2:
        raise ValueError(
            f"it takes two humans, better three, and there {'is' if len(humans) == 1 else 'are'} {len(humans)}: one is"
            " left out, and compared with the others"
        )
    return [coders.index(coder) for coder in (candidate, *humans)]


def _check_numbers(epsilon: float, q: float, resamples: int) -> None:
    if not 0 <= epsilon < inf:
        raise ValueError(f"epsilon is {epsilon}: it is how much worse the candidate may be, a number from 0")
    if not 0 < q < 1:
        raise ValueError(f"q is {q}: it is a level between 0 and 1, such as 0.05")
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}: at least one is needed")


def _test_humans(
    advantages: Advantages, humans: Sequence[Hashable], epsilon: float, q: float, resamples: int, seed: int
) -> tuple[LeftOutHuman, ...]:
    scores = [advantages.scores_by_text(number) for number in range(len(humans))]
    by_text = [candidate - human for candidate, human in scores]
    units = [
        (advantages.candidate - advantages.human)[advantages.compared[:, number], number]
        for number in range(len(humans))
    ]
    p_values = [sign_flip_p_value(one + epsilon, resamples, seed) if len(one) > 1 else None for one in by_text]
    published = [
        student_p_value(epsilon - ((one <= _TIE).astype(float) - (one >= -_TIE))) if len(one) > 1 else None
        for one in units
    ]
    adjusted, published_adjusted = _adjust(p_values), _adjust(published)
    rows = []
    for number, human in enumerate(humans):
        n_texts = len(by_text[number])
        means = [fsum(row) / n_texts for row in scores[number].tolist()] if n_texts else [None, None]
        own, p = adjusted[number], published_adjusted[number]
        rows.append(
            LeftOutHuman(
                human=human,
                n_units=len(units[number]),
                n_texts=n_texts,
                candidate_score=means[0],
                human_score=means[1],
                difference=fsum(by_text[number].tolist()) / n_texts if n_texts else None,
                p_value=p_values[number],
                adjusted=own,
                won=own is not None and own <= q,
                advantage_probability=float((units[number] >= -_TIE).mean()) if len(units[number]) else None,
                published_p_value=published[number],
                published_adjusted=p,
                published_won=p is not None and p <= q,
            )
        )
    return tuple(rows)


def _adjust(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the adjusted p-values, of the tests that could be made."""
    adjusted = iter(adjust_p_values(np.array([p for p in p_values if p is not None], dtype=np.float64)).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def _note(rows: Sequence[LeftOutHuman], n_texts: int, q: float, resamples: int) -> str:
    """Return what limits the test, or nothing."""
    notes = []
    tested = [row for row in rows if row.p_value is not None]
    if not tested:
        return "no test over texts: it takes two texts that the candidate and two humans coded"
    if len(tested) < len(rows):
        names = ", ".join(str(row.human) for row in rows if row.p_value is None)
        notes.append(f"not compared with {names}: fewer than two texts in common")
    harmonic = sum(1 / rank for rank in range(1, len(tested) + 1))
    most = max(row.n_texts for row in tested)
    if harmonic * least_p_value(most, resamples) > q:
        few = pluralize(n_texts, "text") if most <= MOST_EXACT else pluralize(resamples, "resample")
        notes.append(f"{few} are too few for any p-value up to {q:g}")
    if len(rows) == 2:
        notes.append("two humans: each is compared with one other only; three or more say what humans agree on")
    if any(row.n_units < _LEAST_UNITS for row in rows):
        notes.append(f"the published test takes {_LEAST_UNITS} units of each human")
    return "; ".join(notes)
