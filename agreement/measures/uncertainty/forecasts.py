"""How many documents are enough: the interval of a coefficient with more documents, and its power.

The variance of a figure over documents falls with their number. What a document adds to it is known from the interval
of those that there are, so that the interval of any other number follows, on the scale of the interval itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import exp, expm1, inf, log, log1p
from typing import Any

import numpy as np

from ..data.cells import MISSING
from ..data.components import find_pairable_documents
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..options import check_option
from ..results import Figure, format_defined, format_value, pluralize
from ..values import Floats
from .intervals import Interval
from .jackknife import LEAST, interval, student_quantile
from .resampling import Coefficient, check_level
from .score_intervals import ScoreInterval

SAMPLES = ("groups", "both")
FEWEST, MIN_CODERS = LEAST["document"], LEAST["coder"]
# No number of documents beyond is looked at: nobody codes as many, and what holds of so many is not known from a few.
MOST = 10_000
NUMBERS = np.arange(FEWEST, MOST + 1, dtype=np.float64)
ONE_DOCUMENT = "no forecast: all is in one document, whose parts say nothing about other documents"
INCOMPLETE = "no forecast of coders: {coder!r} has not coded {document!r}; it takes coders who have coded all documents"

# the powers that tests of so many documents have; None where they are not known
type Powers = Callable[[Floats], Floats | None]


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale on which an interval is symmetric: its function of the figure, the inverse, and the slope at a figure."""

    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]


# By the method of an interval; all rise with the figure.
SCALES = {
    "jackknife-log": Scale(lambda v: -log1p(-v), lambda x: -expm1(min(-x, 700.0)), lambda v: 1 / (1 - v)),
    "jackknife-logit": Scale(
        lambda v: log(v / (1 - v)), lambda x: 1 / (1 + exp(min(-x, 700.0))), lambda v: 1 / (v * (1 - v))
    ),
    "jackknife": Scale(lambda v: v, lambda x: x, lambda _: 1.0),
}


@dataclass(frozen=True, repr=False)
class Forecast(Figure):
    """The expected interval of a figure for other numbers of documents and coders; see `forecast`.

    `low` and `high` are the interval of the documents (and coders) at hand, of which there are `n_documents` (and
    `n_coders`, 0 where coders are taken to be the ones that are meant). `document_variance` and `coder_variance` are on
    the scale of the interval and of one document or coder: with n and c of them the squared standard error is
    document_variance/n + coder_variance/c. All are None where there is no forecast, as `note` says.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    n_documents: int
    document_variance: float | None
    n_coders: int = 0
    coder_variance: float | None = None
    method: str = "jackknife-log"
    note: str = ""

    def bounds(self, n_documents: int, n_coders: int | None = None) -> tuple[float, float] | None:
        """Return the expected interval for these numbers of documents and, where coders are a sample, of coders.

        The figure is taken to stay as it is. Raises ValueError for fewer than three documents or coders.
        """
        self._check_numbers(n_documents, n_coders)
        if self.value is None or self.document_variance is None:
            return None
        reach, scale = float(self._reach(np.array([n_documents], dtype=np.float64), n_coders)[0]), SCALES[self.method]
        center = scale.to(self.value)
        return scale.back(center - reach), scale.back(center + reach)

    def margin(self, n_documents: int, n_coders: int | None = None) -> float | None:
        """Return half the width of the expected interval for this number of documents, the figure after ±."""
        bounds = self.bounds(n_documents, n_coders)
        return bounds and (bounds[1] - bounds[0]) / 2

    def documents_for_margin(self, margin: float, n_coders: int | None = None) -> int | None:
        """Return the smallest number of documents with at most this margin; None above MOST.

        Raises ValueError for a margin that is not above 0.
        """
        if not margin > 0:
            raise ValueError(f"margin is {margin!r}; it must be above 0")
        self._check_numbers(FEWEST, n_coders)
        if self.value is None or self.document_variance is None:
            return None
        scale = SCALES[self.method]
        center, reach = scale.to(self.value), self._reach(NUMBERS, n_coders)
        # the margin of a reach x grows with x, so that the largest x with this margin tells
        most = _largest(lambda x: (scale.back(center + x) - scale.back(center - x)) / 2 <= margin)
        return _first_number(reach <= most)

    def power_above(self, bound: float, n_documents: int) -> float | None:
        """Return the probability that the interval for this number of documents lies above a bound.

        The lower end is above where (g(v) - g(bound))/se exceeds the quantile of the interval, g being its scale; the
        ratio has the noncentral distribution of Student with n - 1 degrees of freedom (Johnson & Welch 1940). Of two
        sides at 95% that is a test at 2.5% of one side. None also where coders are a sample. Raises ValueError for a
        bound that the figure cannot have, and for fewer than three documents.
        """
        return self._power_of(partial(self._powers_above, bound), n_documents)

    def documents_above(self, bound: float, power: float = 0.8) -> int | None:
        """Return the smallest number of documents with this probability of lying above a bound; None above MOST."""
        return _fewest_documents(partial(self._powers_above, bound), power)

    def power_of_difference(self, difference: float, n_documents: int) -> float | None:
        """Return the power to detect this difference between two rounds of this number of documents each.

        The documents of the two are others, each with the variance that there is here, and the test is that of
        `difference`, on the plain scale with 2(n - 1) degrees of freedom and both sides: noncentral t. None where
        coders are a sample. Rounds of the same documents are told apart with fewer. Raises ValueError as `power_above`.
        """
        return self._power_of(partial(self._powers_of_difference, difference), n_documents)

    def documents_for_difference(self, difference: float, power: float = 0.8) -> int | None:
        """Return the smallest number of documents of each of two rounds for this power; None above MOST."""
        return _fewest_documents(partial(self._powers_of_difference, difference), power)

    def _power_of(self, powers: Powers, n_documents: int) -> float | None:
        self._check_numbers(n_documents, None)
        found = powers(np.array([n_documents], dtype=np.float64))
        return None if found is None else float(found[0])

    def _check_numbers(self, n_documents: int, n_coders: int | None) -> None:
        if n_documents < FEWEST:
            raise ValueError(f"n_documents is {n_documents}: an interval takes {FEWEST}")
        if n_coders is not None and n_coders < MIN_CODERS:
            raise ValueError(f"n_coders is {n_coders}: an interval over coders takes {MIN_CODERS}")
        if n_coders is not None and not self.n_coders:
            raise ValueError("n_coders is of forecasts in which coders are a sample: sample='both'")

    def _reach(self, n_documents: Floats, n_coders: int | None) -> Floats:
        """Return t times the standard error for each number of documents, on the scale of the interval."""
        variances, freedoms = [(self.document_variance or 0.0) / n_documents], [n_documents - 1.0]
        if self.coder_variance is not None:
            c = n_coders or self.n_coders
            variances.append(np.full(len(n_documents), self.coder_variance / c))
            freedoms.append(np.full(len(n_documents), c - 1.0))
        total = np.sum(variances, axis=0)
        freedom = total**2 / np.sum([v**2 / f for v, f in zip(variances, freedoms, strict=True)], axis=0)
        reach: Floats = _student_quantiles(self.level, freedom) * np.sqrt(total)
        return reach

    def _powers_above(self, bound: float, numbers: Floats) -> Floats | None:
        scale = SCALES[self.method]
        try:
            place = scale.to(bound)
        except ValueError as error:
            raise ValueError(f"bound is {bound!r}; the figure has to be able to lie above it") from error
        if self.value is None or self.document_variance is None or self.coder_variance is not None:
            return None
        shift = (scale.to(self.value) - place) / np.sqrt(self.document_variance / numbers)
        return _noncentral_tail(numbers - 1.0, shift, _student_quantiles(self.level, numbers - 1.0))

    def _powers_of_difference(self, difference: float, numbers: Floats) -> Floats | None:
        if not 0 < abs(difference) < inf:
            raise ValueError(f"difference is {difference!r}; it must be a number other than 0")
        if self.value is None or self.document_variance is None or self.coder_variance is not None:
            return None
        plain = self.document_variance / SCALES[self.method].slope(self.value) ** 2
        shift, freedom = abs(difference) / np.sqrt(2 * plain / numbers), 2.0 * (numbers - 1)
        quantiles = _student_quantiles(self.level, freedom)
        powers: Floats = _noncentral_tail(freedom, shift, quantiles) + _noncentral_tail(freedom, -shift, quantiles)
        return powers

    def __repr__(self) -> str:
        text = f"{self.level:.0%} interval of {format_defined(self.value)}"
        margin = None if self.note else self.margin(self.n_documents)
        if margin is not None:
            text += f": ±{margin:.4f} with {pluralize(self.n_documents, 'document')}"
            text += f" and {pluralize(self.n_coders, 'coder')}" if self.n_coders else ""
        return f"<{text}{f'; {self.note}' if self.note else ''}>"

    def _rows(self) -> Mapping[str, object]:
        numbers = [] if self.note else [self.n_documents * times for times in (1, 2, 4)]
        return {
            "value": format_defined(self.value),
            **{f"{self.level:.0%} interval, {n} documents": f"±{format_value(self.margin(n))}" for n in numbers},
            "note": self.note,
        }


def forecast(
    data: Data, coefficient: Coefficient, *arguments: Any, sample: str = "groups", level: float = 0.95, **options: Any
) -> Forecast:
    """Return the expected interval of a coefficient for other numbers of documents.

    Of the G documents at hand `interval` has the standard error se/a on its scale, the logarithm of disagreement. With
    n documents like these it is sqrt(G/n) se/a, with n - 1 degrees of freedom (precision for planning: Maxwell, Kelley
    & Rausch 2008), so that of G it is the interval itself. `sample="both"` adds the variance over coders, which falls
    with their number c, and degrees of freedom by Satterthwaite, as `interval` does; that over documents is the one of
    as many coders as there are, so that more coders are foretold to gain no more than they do.

    There is no forecast, and the note says why, where there is no interval, where all is in one document, and with
    "both" unless each coder has coded each document. Arguments and errors are those of `interval`.

    >>> data = [["x", "x"], ["x", "y"], ["y", "y"], ["x", "x"], ["y", "y"], ["y", "x"], ["y", "y"], ["x", "x"]]
    >>> found = forecast(ReliabilityData.from_values(range(8), "ab", data, [*"aabbccdd"]), alpha)
    >>> found, f"{found.margin(16):.4f}", found.documents_for_margin(0.1)
    (<95% interval of 0.5312: ±1.3014 with 4 documents>, '0.2898', 106)
    """
    data = as_data(data)
    check_option("sample", sample, SAMPLES)
    of_documents = interval(data, coefficient, *arguments, sample="groups", level=level, **options)
    if sample == "groups":
        return forecast_interval(of_documents)
    of_coders = interval(data, coefficient, *arguments, sample="coders", level=level, **options)
    return forecast_interval(of_documents, of_coders, why_no_coders=_why_incomplete(data))


def forecast_interval(
    found: Interval | ScoreInterval, coders: Interval | None = None, *, level: float = 0.95, why_no_coders: str = ""
) -> Forecast:
    """Return `forecast` from a computed interval over documents and, with "both", one over coders.

    `found` may also be a score's, of `score_interval` or `mean_interval`, which is on its logit; `level` is the one
    that it was made with. `why_no_coders` says that coders are no sample, if they are none. Raises ValueError for an
    interval of another method.

    >>> texts = {text: [*"abc"] for text in "pqrs"}
    >>> found = score_interval(texts, texts | {"q": ["ab", "c"], "r": ["ac", "b"]}, b_cubed)
    >>> f"{forecast_interval(found.f1).margin(4) - (found.f1.high - found.f1.low) / 2:.4f}"
    '0.0000'
    """
    if found.method not in SCALES:
        raise ValueError(f"there is no forecast from an interval by {found.method}: take that of interval")
    level = found.level if isinstance(found, Interval) else level
    n = found.n_groups if isinstance(found, Interval) else found.n
    note = found.note or (ONE_DOCUMENT if found.by == "component" else "")
    note = note or (coders.note or why_no_coders if coders else "")
    n_coders = coders.n_groups if coders else 0
    error = None if note else _scaled_error(found, n, level)
    if note or error is None:
        return Forecast(found.value, None, None, level, n, None, n_coders, None, found.method, note)
    coder_error = _scaled_error(coders, n_coders, level) if coders else None
    coder_variance = None if coder_error is None else coder_error**2 * n_coders
    whole = Forecast(found.value, found.low, found.high, level, n, error**2 * n, n_coders, coder_variance, found.method)
    if coders is None:
        return whole
    low, high = whole.bounds(n) or (None, None)
    return replace(whole, low=low, high=high)


def _scaled_error(found: Interval | ScoreInterval, n: int, level: float) -> float | None:
    """Return the standard error on the scale of an interval; for scores from the ends of the interval."""
    if found.low is None or found.high is None or found.value is None:
        return None
    scale = SCALES[found.method]
    if isinstance(found, Interval) and found.standard_error is not None:
        return found.standard_error * scale.slope(found.value)
    return (scale.to(found.high) - scale.to(found.low)) / 2 / student_quantile(level, n - 1)


def _why_incomplete(data: ReliabilityData) -> str:
    """Return a sentence that names a missing coding of a coder and document in use, or nothing."""
    used = find_pairable_documents(data)
    if not len(used):  # there is nothing to compare, which is another reason
        return ""
    codes = data.codes != MISSING
    coded = np.stack([codes[data.document_of_unit == document].any(axis=0) for document in used.tolist()])
    coders = np.flatnonzero(coded.any(axis=0))
    missing = np.argwhere(~coded[:, coders])
    if not len(missing):
        return ""
    document, coder = missing[0].tolist()
    return INCOMPLETE.format(coder=data.coders[coders[coder]], document=data.documents[int(used[document])])


def _student_quantiles(level: float, freedom: Floats) -> Floats:
    from scipy.special import stdtrit

    quantiles: Floats = stdtrit(freedom, (1 + level) / 2)
    return quantiles


def _noncentral_tail(freedom: Floats, shift: Floats, quantiles: Floats) -> Floats:
    """Return the probability above these quantiles in the noncentral Student distribution."""
    from scipy.special import nctdtr

    # beyond, the distribution cannot be computed and the tail is 0 or 1 in every digit
    tail: Floats = 1 - nctdtr(freedom, np.clip(shift, -37.0, 37.0), quantiles)
    return tail


def _fewest_documents(powers: Powers, power: float) -> int | None:
    """Return the fewest documents with this power, or None."""
    check_level(power, "power")
    found = powers(NUMBERS)
    return None if found is None else _first_number(found >= power)


def _first_number(enough: Any) -> int | None:
    """Return the smallest sufficient number of documents, or None."""
    place = int(np.argmax(enough))
    return int(NUMBERS[place]) if enough[place] else None


def _largest(fits: Callable[[float], bool]) -> float:
    """Return the largest number from 0 for which a condition holds that fails for all larger numbers."""
    low, high = 0.0, 1.0
    while fits(high) and high < 700:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
