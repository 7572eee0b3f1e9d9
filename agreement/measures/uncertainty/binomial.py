"""The exact interval of a share of independent cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..displays import Point
from ..results import Figure, format_bounds, format_defined
from .calls import check_level

# Of more the distribution cannot be computed.
MAX_TRIALS = 10**15


@dataclass(frozen=True)
class BinomialInterval(Figure):
    """The share of `hits` among `trials`, with an interval; without a trial there is neither, as `note` says."""

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
        """Why there is no share, where there is none."""
        return "" if self.trials else "nothing was tried"

    @property
    def axis(self) -> str:
        """What the axis of a chart is of."""
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
