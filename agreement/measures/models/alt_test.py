"""The alternative annotator test: may a candidate, such as a language model, code in the place of a human?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, inf

import numpy as np

from ..coefficients.alpha import compare_pairs
from ..data.cells import MISSING
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData, check_known_coders
from ..data.subsets import select_coders, select_units
from ..options import Options
from ..results import Figure, Point, format_defined, format_value, nonzero_counts, pluralize
from ..sums.overlaps import PairableUnits
from ..sums.pairs import sum_groups
from ..sums.tables import as_numbers
from ..values import Bools, Distance, Floats, Ints

# Scores, and shares of the terms of a sum, that differ by no more are equal, whatever the rounding.
_TIE = 1e-9
# Up to so many texts all signs are tried: 16,384 of them.
MAX_EXACT = 14
# Random signs are drawn in blocks of so many numbers.
_BLOCK = 1 << 22
# The normal distribution on which the published test rests takes so many units (Calderon et al. 2025).
_MIN_UNITS = 30
# The candidate passes if it wins against so many of the humans.
_PASSING = 0.5


@dataclass(frozen=True)
class LeftOutHuman:
    """The candidate in place of one human, both compared with the other humans on the units that both coded.

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
        """Whether the candidate may replace half of the humans or more; None if unknown."""
        return None if self.winning_rate is None else self.winning_rate >= _PASSING

    @property
    def published_passed(self) -> bool | None:
        """`passed` by the published test."""
        return None if self.published_winning_rate is None else self.published_winning_rate >= _PASSING

    def to_dict(self) -> dict[str, object]:
        """Return the fields, the rows as dictionaries, and whether the candidate passed."""
        rows = [dict(vars(row)) for row in self.rows]
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
            p = "" if row.adjusted is None else f"{format_value(row.difference)}, p {format_value(row.adjusted)}"
            rows[f"in the place of {row.human}"] = p
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
    compared = [row.won for row in rows if row.adjusted is not None]
    published = [row.published_won for row in rows if row.published_adjusted is not None]
    probabilities = [row.advantage_probability for row in rows if row.advantage_probability is not None]
    n_texts = len(np.unique(advantages.documents))
    return AltTest(
        candidate=candidate,
        rows=rows,
        winning_rate=sum(compared) / len(compared) if compared else None,
        published_winning_rate=sum(published) / len(published) if published else None,
        advantage_probability=sum(probabilities) / len(probabilities) if probabilities else None,
        epsilon=float(epsilon),
        q=float(q),
        n_units=len(advantages.documents),
        n_texts=n_texts,
        exact=all(row.n_texts <= MAX_EXACT for row in rows),
        resamples=resamples,
        seed=seed,
        left_out=advantages.left_out,
        parameters=options.parameters(),
        note=_note(rows, n_texts, q, resamples),
    )


def _find_columns(data: ReliabilityData, candidate: Hashable, humans: Sequence[Hashable] | None) -> list[int]:
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
    by_unit = advantages.candidate - advantages.human
    units = [by_unit[advantages.compared[:, number], number] for number in range(len(humans))]
    p_values = [sign_flip_p_value(own + epsilon, resamples, seed) if len(own) > 1 else None for own in by_text]
    published = [
        student_p_value(epsilon - ((own <= _TIE).astype(float) - (own >= -_TIE))) if len(own) > 1 else None
        for own in units
    ]
    adjusted, published_adjusted = _adjust(p_values), _adjust(published)
    rows = []
    for number, (human, advantages_of) in enumerate(zip(humans, units, strict=True)):
        n_texts = len(by_text[number])
        means = [fsum(row) / n_texts for row in scores[number].tolist()] if n_texts else [None, None]
        own, p = adjusted[number], published_adjusted[number]
        row = LeftOutHuman(
            human=human,
            n_units=len(advantages_of),
            n_texts=n_texts,
            candidate_score=means[0],
            human_score=means[1],
            difference=fsum(by_text[number].tolist()) / n_texts if n_texts else None,
            p_value=p_values[number],
            adjusted=own,
            won=own is not None and own <= q,
            advantage_probability=float((advantages_of >= -_TIE).mean()) if len(advantages_of) else None,
            published_p_value=published[number],
            published_adjusted=p,
            published_won=p is not None and p <= q,
        )
        rows.append(row)
    return tuple(rows)


def _adjust(p_values: Sequence[float | None]) -> list[float | None]:
    adjusted = iter(adjust_p_values(np.array([p for p in p_values if p is not None], dtype=np.float64)).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def _note(rows: Sequence[LeftOutHuman], n_texts: int, q: float, resamples: int) -> str:
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
        few = pluralize(n_texts, "text") if most <= MAX_EXACT else pluralize(resamples, "resample")
        notes.append(f"{few} are too few for any p-value up to {q:g}")
    if len(rows) == 2:
        notes.append("two humans: each is compared with one other only; three or more say what humans agree on")
    if any(row.n_units < _MIN_UNITS for row in rows):
        notes.append(f"the published test takes {_MIN_UNITS} units of each human")
    return "; ".join(notes)


@dataclass(frozen=True, eq=False)
class Advantages:
    """The scores of the candidate and of each human left out, (units, humans), and the document of each unit.

    A score is the mean, over the other humans, of 1 - distance. It is NaN of a human who did not code the unit.
    """

    candidate: Floats
    human: Floats
    documents: Ints
    left_out: dict[str, int]

    @property
    def compared(self) -> Bools:
        """A mask (units, humans) of the comparisons."""
        compared: Bools = ~np.isnan(self.human)
        return compared

    def scores_by_text(self, human: int) -> Floats:
        """Return the mean scores of the candidate and of a human in each text that has units of both, (2, texts)."""
        compared = self.compared[:, human]
        texts, text = np.unique(self.documents[compared], return_inverse=True)
        scores = self.candidate[compared, human], self.human[compared, human]
        sums = [sum_groups(text, of_units, len(texts)) for of_units in scores]
        return np.array(sums).reshape(2, -1) / np.bincount(text)


def find_advantages(data: ReliabilityData, candidate: int, humans: list[int], options: Options) -> Advantages:
    """Return the scores of all units that the candidate and at least two humans coded; coders are column numbers."""
    chosen = select_coders(data, [candidate, *humans])
    given = chosen.codes != MISSING
    by_candidate, enough = given[:, 0], given[:, 1:].sum(axis=1) >= 2
    left_out = {
        "not coded by the candidate": int((~by_candidate).sum()),
        "coded by fewer than two humans": int((by_candidate & ~enough).sum()),
    }
    used = select_units(chosen, by_candidate & enough)
    from_candidate, from_humans = _sum_distances(as_numbers(used, options), options)
    human = used.codes[:, 1:] != MISSING
    others = (human.sum(axis=1) - 1)[:, None]
    missing = np.where(human, 0.0, np.nan)
    of_candidate = 1 - (from_candidate.sum(axis=1)[:, None] - from_candidate) / others + missing
    of_human = 1 - from_humans / others + missing
    return Advantages(of_candidate, of_human, used.document_of_unit, nonzero_counts(left_out))


def _sum_distances(data: ReliabilityData, options: Options) -> tuple[Floats, Floats]:
    """Return for each unit and human the distance to the candidate, the first coder, and the sum over other humans."""
    pairable = PairableUnits.from_data(data)
    units, left, right, distances = compare_pairs(pairable, options)
    rows = pairable.rows[units]
    table = np.zeros((2, *data.codes.shape))
    by_candidate = left == 0
    np.add.at(table[0], (rows[by_candidate], right[by_candidate]), distances[by_candidate])
    for columns in (left, right):
        np.add.at(table[1], (rows[~by_candidate], columns[~by_candidate]), distances[~by_candidate])
    return table[0, :, 1:], table[1, :, 1:]


def sign_flip_p_value(differences: Floats, resamples: int, seed: int) -> float:
    """Return the one-sided p-value of a mean above 0, where each difference could have the other sign.

    Up to MAX_EXACT differences it is the share of all signs whose sum is at least that at hand. Of more, `resamples`
    random signs are drawn, and the data at hand count as one of them, so that it is never 0. The order of differences
    does not matter.
    """
    differences = np.sort(differences)
    at_hand = float(differences.sum())
    least = at_hand - _TIE * float(np.abs(differences).sum())
    n = len(differences)
    if n <= MAX_EXACT:
        sums = np.zeros(1)
        for difference in differences.tolist():
            sums = np.concatenate((sums + difference, sums - difference))
        return float((sums >= least).mean())
    random = np.random.default_rng(seed)
    reached, left = 1, resamples
    while left:
        rows = min(left, max(_BLOCK // n, 1))
        # the sum at hand less twice what has changed its sign
        flipped = random.integers(0, 2, (rows, n), dtype=np.int8) @ differences
        reached += int((at_hand - 2 * flipped >= least).sum())
        left -= rows
    return reached / (resamples + 1)


def least_p_value(n: int, resamples: int) -> float:
    """Return the smallest p-value that `sign_flip_p_value` can give of n differences."""
    return 2.0**-n if n <= MAX_EXACT else 1 / (resamples + 1)


def student_p_value(differences: Floats) -> float:
    """Return the one-sided p-value of Student's t of a mean above 0; without any spread it is 0 or 1."""
    from scipy.special import stdtr

    differences = np.sort(differences)  # so that their order does not matter
    n, mean = len(differences), float(differences.mean())
    error = float(differences.std(ddof=1)) / n**0.5
    if error <= _TIE:
        return 0.0 if mean > _TIE else 1.0
    return float(stdtr(n - 1, -mean / error))


def adjust_p_values(p_values: Floats) -> Floats:
    """Return the adjusted p-values of Benjamini & Yekutieli 2001, which bound the false discovery rate.

    It holds however the tests depend on each other, as those of coders who judged the same texts do.

    >>> adjust_p_values(np.array([0.01, 0.2, 0.04])).round(3).tolist()
    [0.055, 0.367, 0.11]
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    ranks = np.arange(1, n + 1)
    scaled = p_values[order] * n * (1 / ranks).sum() / ranks
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return adjusted
