"""Results of intervals and tests, and the exact interval of a share of independent cases."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..results import Figure, Point, Result, format_bounds, format_defined, format_equality, format_value, pluralize
from ..values import Floats
from .resampling import check_level

# What each method is, in the words of a methods section.
METHODS = {
    "jackknife-log": "jackknife, log scale",
    "percentile": "percentile bootstrap",
    "bootstrap-t": "bootstrap-t",
    "jackknife": "jackknife",
}
# Of more the distribution cannot be computed.
MAX_TRIALS = 10**15


@dataclass(frozen=True, repr=False)
class Interval(Figure):
    """A coefficient with its interval; `low` and `high` are None without one, with the reason in `note`.

    `method` is "jackknife-log" (`interval`), "percentile" or "bootstrap-t" (`bootstrap`), or "jackknife". `by` says
    what is taken for a sample: documents, connected components or units; "coder", or "both" documents (or components)
    and coders. `n_groups` is the number of them, of "both" that of documents or components. The bootstrap drew `n`
    replicates, of which `n_undefined` had no value and are left out; n is 0 where nothing was drawn.
    """

    result: Result
    low: float | None
    high: float | None
    level: float
    standard_error: float | None
    by: str
    n_groups: int
    n: int = 0
    n_undefined: int = 0
    seed: int = 0
    method: str = "jackknife-log"
    note: str = ""
    replicates: Floats = field(default_factory=lambda: np.zeros(0), compare=False)

    @property
    def value(self) -> float | None:
        """The coefficient of the data as they are."""
        return self.result.value

    @property
    def axis(self) -> str:
        """The label of the axis of a chart."""
        return f"value, {self.level:.0%} interval"

    def to_dict(self) -> dict[str, object]:
        """Return all fields of the interval and of its result as a dictionary, without the replicates."""
        own = super().to_dict()
        del own["result"], own["replicates"]
        return {**self.result.to_dict(), **own}

    def __repr__(self) -> str:
        text = f"{self.result.coefficient} {format_equality(self.value)}"
        if self.low is not None:
            text += f", {self.level:.0%} interval {format_bounds(self.low, self.high)}"
        return f"<{text} ({self.describe_method()}){f'; {self.note}' if self.note else ''}>"

    def describe_method(self) -> str:
        """Return the method of the interval in a few words: "jackknife, log scale, over 8 documents"."""
        name = METHODS[self.method]
        if self.n:
            undefined = f", {self.n_undefined} undefined" if self.n_undefined else ""
            return f"{name}, {self.n} replicates of {pluralize(self.n_groups, self.by)}{undefined}"
        if self.by == "both":
            return f"{name}, over {self.n_groups} groups of units and {pluralize(self.result.n_coders, 'coder')}"
        return f"{name}, over {pluralize(self.n_groups, self.by)}"

    def _rows(self) -> Mapping[str, object]:
        return {
            self.result.coefficient: format_defined(self.value),
            f"{self.level:.0%} interval": format_bounds(self.low, self.high),
            "standard error": format_value(self.standard_error),
            "method": self.describe_method(),
            **self._more_rows(),
            **self.result.parameters,
            "note": self.note or self.result.note,
        }

    def _more_rows(self) -> Mapping[str, object]:
        return {}

    def _points(self) -> Sequence[Point]:
        return [Point(self.result.coefficient, self.value, self.low, self.high)]


@dataclass(frozen=True, repr=False)
class Jackknife(Interval):
    """A coefficient, and its values without each document or unit in turn.

    `values` has the coefficient without each of `groups` (None where undefined). `bias` is how far the coefficient is
    off by the size of the sample, `low` and `high` the normal interval of `level` around it.
    """

    groups: tuple[Hashable, ...] = ()
    values: tuple[float | None, ...] = ()
    bias: float | None = None

    def _more_rows(self) -> Mapping[str, object]:
        return {"bias": format_value(self.bias)}


@dataclass(frozen=True, repr=False)
class _Contrast(Figure):
    """Two coefficients and their difference, first − second."""

    first: Result
    second: Result
    difference: float | None

    @property
    def value(self) -> float | None:
        """The difference."""
        return self.difference

    def _describe_values(self) -> str:
        return f"{self.first.coefficient} {format_equality(self.first.value)} and {format_defined(self.second.value)}"


@dataclass(frozen=True, repr=False)
class Difference(_Contrast):
    """The coefficients of two rounds, groups or projects, and their difference, first − second, with its interval.

    `low`, `high` and `p_value` are None where there are none, and `note` says why. `paired`: both are of the same
    documents, each of which was left out of both at once. `by` says what was left out, `n_groups` how many there were
    (of the first and of the second, where they are not paired).
    """

    low: float | None
    high: float | None
    level: float
    standard_error: float | None
    p_value: float | None
    paired: bool
    by: str
    n_groups: int | tuple[int, int]
    note: str = ""

    def __repr__(self) -> str:
        text = self._describe_values()
        if self.difference is not None:
            text += f", difference {format_value(self.difference)}"
        if self.low is not None:
            bounds = format_bounds(self.low, self.high)
            text += f", {self.level:.0%} interval {bounds}, p = {format_value(self.p_value)}"
        return f"<{text} ({self._describe_groups()}){f'; {self.note}' if self.note else ''}>"

    def _describe_groups(self) -> str:
        if isinstance(self.n_groups, int):
            return f"paired, {pluralize(self.n_groups, self.by)}"
        return f"not paired, {self.n_groups[0]} and {pluralize(self.n_groups[1], self.by)}"

    def _rows(self) -> Mapping[str, object]:
        return {
            f"{self.first.coefficient}, first": format_defined(self.first.value),
            f"{self.second.coefficient}, second": format_defined(self.second.value),
            "difference": format_value(self.difference),
            f"{self.level:.0%} interval": format_bounds(self.low, self.high),
            "standard error": format_value(self.standard_error),
            "p": format_value(self.p_value),
            "left out in turn": self._describe_groups(),
            "note": self.note,
        }

    @property
    def axis(self) -> str:
        """The label of the axis of a chart."""
        return f"difference, {self.level:.0%} interval"

    def _points(self) -> Sequence[Point]:
        return [Point("difference", self.value, self.low, self.high)]


@dataclass(frozen=True, repr=False)
class Comparison(_Contrast):
    """The difference of the coefficients of two rounds or conditions, first − second, and its p-value.

    `p_value` is the share of `n` random assignments (and the one at hand) whose difference is as far from 0.
    """

    p_value: float | None
    paired: bool
    by: str
    n: int
    n_undefined: int
    seed: int
    note: str = ""

    def __repr__(self) -> str:
        text = self._describe_values()
        if self.p_value is not None:
            how = "paired" if self.paired else "unpaired"
            text += f", difference {format_value(self.difference)}, p = {format_value(self.p_value)}"
            text += f" ({self.n} {how} permutations of {self.by}s)"
        return f"<{text}{f'; {self.note}' if self.note else ''}>"

    def _rows(self) -> Mapping[str, object]:
        return {
            f"{self.first.coefficient}, first": format_value(self.first.value),
            f"{self.second.coefficient}, second": format_value(self.second.value),
            "difference": format_value(self.difference),
            "p": format_value(self.p_value),
            "permutations": f"{self.n}, {'paired' if self.paired else 'unpaired'}, of {self.by}s",
            "note": self.note,
        }

    def _points(self) -> Sequence[Point]:
        return [Point("first", self.first.value), Point("second", self.second.value)]


@dataclass(frozen=True)
class BinomialInterval(Figure):
    """The share of `hits` among `trials`, with an interval; both are None without trials, with the reason in `note`."""

    hits: float
    trials: float
    low: float | None
    high: float | None
    level: float = 0.95

    @property
    def value(self) -> float | None:
        """The share."""
        return self.hits / self.trials if self.trials else None

    @property
    def note(self) -> str:
        """The reason for a missing share."""
        return "" if self.trials else "nothing was tried"

    @property
    def axis(self) -> str:
        """The label of the axis of a chart."""
        return f"share, {self.level:.0%} interval"

    def to_dict(self) -> dict[str, object]:
        """Return the fields, the share and the note as a dictionary."""
        return {**super().to_dict(), "value": self.value, "note": self.note}

    def _rows(self) -> Mapping[str, object]:
        reach = format_bounds(self.low, self.high)
        return {"share": format_defined(self.value), f"{self.level:.0%} interval": reach, "note": self.note}

    def _points(self) -> Sequence[Point]:
        return [Point("share", self.value, self.low, self.high)]


def binomial_interval(hits: float, trials: float, level: float = 0.95) -> BinomialInterval:
    """Return the exact interval of a share of independent cases.

    Parameters
    ----------
    hits, trials : float
        Numbers of cases. Those that are not whole are of cases that a weighted sample is worth (Korn & Graubard 1998).
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    BinomialInterval
        Without a trial there is neither a share nor an interval, and the note says why.

    Raises
    ------
    ValueError
        Unless 0 <= hits <= trials and 0 < level < 1.

    Notes
    -----
    The ends are the shares under which as few hits as these, or as many, come about with a probability of
    (1 - level) / 2, so that the interval has the true share at least as often as the level says, however few the trials
    are (Clopper & Pearson 1934).

    Examples
    --------
    >>> found = binomial_interval(0, 10)
    >>> found.low, round(found.high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    check_level(level)
    if not 0 <= hits <= trials <= MAX_TRIALS:
        raise ValueError(f"{hits} hits of {trials} trials are not possible")
    if not trials:
        return BinomialInterval(hits, trials, None, None, level)
    tail = (1 - level) / 2
    misses = trials - hits
    low = float(betaincinv(hits, misses + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, misses, 1 - tail)) if misses else 1.0
    return BinomialInterval(hits, trials, low, high, level)
