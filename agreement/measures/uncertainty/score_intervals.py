"""Intervals of scores: of texts, of peer summaries, and of the correlation of two rankings of peers.

Texts and peers are what is drawn: with others of the same kind the figures would be others.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import atanh, exp, log, sqrt, tanh
from statistics import NormalDist
from typing import Any

import numpy as np

from ..coreference.matching import Side
from ..coreference.scores import Score, TextCounts, conll_average, count_texts
from ..distances import LARGEST
from ..options import check_option
from ..pyramids import check_scores, score_correlation, scores_by_peer
from ..results import Display, Figure, Point, format_defined, format_equality, pluralize
from ..values import Bools, Floats, Ints
from .jackknife import LEAST, NO_SPREAD, jackknife_error, student_quantile, why_too_few
from .resampling import check_level, draw_counts, percentile_bounds

# Of fewer peers there are hardly different samples, and an interval would seem surer than it is.
MIN_PEERS = 5
OTHER_PARTS = "no interval: without some text a part of the mean has nothing to count"
TOO_FEW = f"no interval: there are fewer than {MIN_PEERS} peers"
MEAN_METHODS = ("jackknife", "percentile")
CORRELATION_METHODS = ("fisher-z", "percentile")


@dataclass(frozen=True, slots=True)
class ScoreInterval(Figure):
    """A figure of texts or peers and its interval; both ends are None without one, with the reason in `note`.

    `n` is the number of texts or peers (`by`); `undefined` of the replicates had no value and are left out, where there
    are such. `p_value` is of a correlation: the probability of one as far from 0 if there were none. `method` is
    "jackknife-logit", "jackknife", "fisher-z" or "percentile".
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: int = 0
    note: str = ""
    p_value: float | None = None
    method: str = "percentile"
    by: str = "peer"

    def __repr__(self) -> str:
        reach = "" if self.low is None else f", interval {self.low:z.4f} to {self.high:z.4f}"
        reach += "" if self.p_value is None else f", p = {self.p_value:.4f}"
        note = f"; {self.note}" if self.note else ""
        return f"<value {format_equality(self.value)}{reach}, {pluralize(self.n, self.by)}{note}>"

    def describe(self) -> str:
        """Return the value and its interval as text for a table."""
        reach = "" if self.low is None or self.high is None else f" [{self.low:z.4f}, {self.high:z.4f}]"
        return f"{format_defined(self.value)}{reach}"

    def _rows(self) -> Mapping[str, object]:
        return {"value": self.describe(), "n": pluralize(self.n, self.by), "method": self.method, "note": self.note}

    def _points(self) -> Sequence[Point]:
        return [Point("value", self.value, self.low, self.high)]


class _ScoreIntervals(Display):
    """Several figures of the same texts or peers, each with its interval."""

    def _shown(self) -> dict[str, ScoreInterval]:
        raise NotImplementedError

    def _described(self) -> dict[str, str]:
        return {name: interval.describe() for name, interval in self._shown().items()}

    def _points(self) -> Sequence[Point]:
        return [Point(name, interval.value, interval.low, interval.high) for name, interval in self._shown().items()]


@dataclass(frozen=True, slots=True)
class ScoreIntervals(_ScoreIntervals):
    """Recall, precision and F1 of a coreference score, each with its interval over texts."""

    recall: ScoreInterval
    precision: ScoreInterval
    f1: ScoreInterval

    def to_dict(self) -> dict[str, object]:
        """Return the three as dictionaries, by name."""
        return {name.lower(): interval.to_dict() for name, interval in self._shown().items()}

    def __repr__(self) -> str:
        return f"<{', '.join(f'{name} {text}' for name, text in self._described().items())} ({self._over()})>"

    def _shown(self) -> dict[str, ScoreInterval]:
        return {"recall": self.recall, "precision": self.precision, "F1": self.f1}

    def _over(self) -> str:
        return f"jackknife, logit scale, over {pluralize(self.f1.n, self.f1.by)}"

    def _rows(self) -> Mapping[str, object]:
        return self._described() | {"method": self._over(), "note": self.f1.note}


@dataclass(frozen=True, slots=True)
class CorrelationInterval(_ScoreIntervals):
    """`score_correlation` of two pyramids with an interval around each of its figures."""

    pearson: ScoreInterval
    spearman: ScoreInterval
    kendall: ScoreInterval
    n: int
    note: str = ""

    def _shown(self) -> dict[str, ScoreInterval]:
        return {"Pearson": self.pearson, "Spearman": self.spearman, "Kendall": self.kendall}

    def _rows(self) -> Mapping[str, object]:
        return self._described() | {"n": self.n, "note": self.note}


def score_interval(
    key: Side, response: Side, score: Callable[..., Score] = conll_average, *, level: float = 0.95, **options: Any
) -> ScoreIntervals:
    """Return a coreference score with an interval around recall, precision and F1: the jackknife over texts.

    With p the figure of all texts and se its standard error from leaving out each of g texts (Tukey 1958), the
    interval is that of the logit, log(p/(1 - p)) -+ t se/(p(1 - p)), with t of Student's distribution with g - 1
    degrees of freedom, so that it stays between 0 and 1. `score` is one of `muc`, `b_cubed`, `ceaf_m`, `ceaf_e`,
    `lea`, `blanc` and `conll_average`, whose options and errors hold here. Texts without a cluster on either side are
    not counted.

    There is no interval, and the note says why, for fewer than three texts, for a figure that is 0 or 1, for one that
    is the same without each text, and for a mean that without some text is of other parts (`Score.note`). Raises
    ValueError also for another score and for a level outside 0 to 1.

    >>> key = {"a": ["AB", "CD"], "b": ["EFG"], "c": ["HI", "J"], "d": ["KLM"]}
    >>> score_interval(key, key | {"b": ["EF", "G"], "d": ["KL", "M"]}, b_cubed).f1
    <value = 0.8857, interval 0.3778 to 0.9900, 4 texts>
    """
    return score_intervals_of_counts(count_texts(score, key, response, **options), level)


def score_intervals_of_counts(texts: TextCounts, level: float = 0.95) -> ScoreIntervals:
    """Return `score_interval` from the counts of each text."""
    check_level(level)
    used = texts.counts.any(axis=1)
    counts, whole, total = texts.counts[used], texts.score, texts.counts.sum(axis=0)
    empty = [not (total - own).any() for own in counts]
    without = [texts.finish(total - own) for own in counts]
    note = OTHER_PARTS if len({score.note for score in (whole, *without)}) > 1 else ""
    named = {
        name: _text_interval(getattr(whole, name), [getattr(score, name) for score in without], empty, level, note=note)
        for name in ("recall", "precision", "f1")
    }
    return ScoreIntervals(**named)


def share_interval(
    found: Sequence[int], total: Sequence[int], *, level: float = 0.95, by: str = "text"
) -> ScoreInterval:
    """Return the share found / total over some texts, with its interval: the jackknife over texts.

    `found` and `total` are counts, one of each text: of all that is counted there, and of what of it is found. The
    share is the sum of the one over the sum of the other, and its interval that of `score_interval`: answers in one
    text are not independent of each other, as a binomial interval would have them. Texts without anything that is
    counted are left out. No interval where `score_interval` has none, and no value where nothing is counted; the note
    says why. `by` is what a text is called there, such as "docset". Raises ValueError for counts of different numbers
    of texts, and where more is found than there is.

    >>> share_interval([8, 6, 9, 4], [10, 10, 10, 10])
    <value = 0.6750, interval 0.2937 to 0.9121, 4 texts>
    """
    check_level(level)
    counts = np.array([found, total], dtype=np.float64)
    wrong = np.flatnonzero(~((counts[0] >= 0) & (counts[0] <= counts[1]) & (counts[1] < LARGEST)))
    if len(wrong):
        of = counts[:, wrong[0]]
        raise ValueError(f"{by} {wrong[0]}: {of[0]:g} found of {of[1]:g} is not possible")
    counts = counts[:, counts[1] > 0]
    sums = counts.sum(axis=1)
    if not sums[1]:
        return ScoreInterval(None, None, None, 0, note="nothing is counted", method="jackknife-logit", by=by)
    rest = sums[:, None] - counts
    empty = (rest[1] == 0).tolist()
    without = np.divide(rest[0], rest[1], out=np.zeros_like(rest[0]), where=rest[1] > 0)
    return _text_interval(float(sums[0] / sums[1]), without.tolist(), empty, level, "share", by)


def _text_interval(
    value: float,
    without: Sequence[float],
    empty: Sequence[bool],
    level: float,
    noun: str = "score",
    by: str = "text",
    note: str = "",
) -> ScoreInterval:
    """Return a figure of texts with its interval, from the figures without each text; without an interval a note."""
    values = np.array(without, dtype=np.float64)
    low = high = None
    too_few = why_too_few(len(values), LEAST["document"], by)
    if too_few or any(empty):
        note = too_few or f"no interval: all that is counted is in one {by}"
    elif not 0 < value < 1:
        note = f"no interval: the {noun} is {value:g}"
    elif not note and jackknife_error(values) <= NO_SPREAD:
        note = f"no interval: the {noun} is the same without each {by}"
    if not note:
        low, high = _logit_bounds(value, values, level)
    return ScoreInterval(value, low, high, len(values), note=note, method="jackknife-logit", by=by)


def _logit_bounds(value: float, without: Floats, level: float) -> tuple[float, float]:
    """Return the ends of the jackknife's interval on the logit."""
    reach = student_quantile(level, len(without) - 1) * jackknife_error(without) / (value * (1 - value))
    center = log(value / (1 - value))
    return 1 / (1 + exp(min(reach - center, 700.0))), 1 / (1 + exp(-reach - center))


def mean_interval(
    scores: Sequence[float], *, method: str = "jackknife", n: int = 2000, seed: int = 0, level: float = 0.95
) -> ScoreInterval:
    """Return the mean of the scores of some peers, and its interval over peers.

    Parameters
    ----------
    scores : sequence of float
        A score of each peer.
    method : {"jackknife", "percentile"}
        "jackknife": the mean's standard error, which is that of leaving out each peer, with Student's distribution on
        the logit as in `score_interval`; the logit is left where a score is outside 0 to 1. "percentile": n random
        samples of as many peers, drawn with replacement (Efron & Tibshirani 1993, chapter 13).
    n, seed : int
        The number of samples; the same seed makes the same draws.
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    ScoreInterval
        Without an interval, and with a note that says why, for fewer than MIN_PEERS scores and for equal ones; without
        a value for none.

    Raises
    ------
    ValueError
        For a score that is no number, naming its place, and for an unknown option.

    Examples
    --------
    >>> mean_interval([0.2, 0.4, 0.5, 0.7, 0.9])
    <value = 0.5400, interval 0.2332 to 0.8192, 5 peers>
    """
    check_option("method", method, MEAN_METHODS)
    check_level(level)
    values = check_scores(scores_by_peer(scores))
    peers = len(values)
    if not peers:
        return ScoreInterval(None, None, None, 0, note="there are no scores", method=method)
    value, without = float(values.mean()), (values.sum() - values) / max(peers - 1, 1)
    note = TOO_FEW if peers < MIN_PEERS else ""
    if not note and (np.ptp(values) == 0 or jackknife_error(without) <= NO_SPREAD):
        note = "no interval: the mean is the same without each peer"
    if note:
        return ScoreInterval(value, None, None, peers, note=note, method=method)
    if method == "percentile":
        return _percentile_interval(value, _draw_samples(peers, n, seed) @ values / peers, level, peers)
    if 0 < value < 1 and values.min() >= 0 and values.max() <= 1:
        return ScoreInterval(value, *_logit_bounds(value, without, level), peers, method="jackknife-logit")
    reach = student_quantile(level, peers - 1) * jackknife_error(without)
    return ScoreInterval(value, value - reach, value + reach, peers, method="jackknife")


def score_correlation_interval(
    first: Mapping[Hashable, float] | Sequence[float],
    second: Mapping[Hashable, float] | Sequence[float],
    *,
    method: str = "fisher-z",
    n: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> CorrelationInterval:
    """Return `score_correlation` with an interval around each coefficient, and its p-value.

    `method` is "fisher-z": with n peers and z = artanh(r) the standard error of z is 1/sqrt(n - 3) for Pearson (Fisher
    1921), sqrt((1 + r^2/2)/(n - 3)) for Spearman (Bonett & Wright 2000) and sqrt(.437/(n - 4)) for Kendall (Fieller,
    Hartley & Pearson 1957). A coefficient of 1 or -1 has no interval.

    "percentile" takes n random samples of the peers, with replacement. A peer that is drawn c times counts as c peers
    with equal scores: Pearson's r is that of the moments weighted by c, Spearman's of the mid-ranks among the drawn,
    weighted so too, and Kendall's tau-b the sum of c_i c_j sign(x_i - x_j) sign(y_i - y_j) over the root of the product
    of the sums of c_i c_j |sign| of each side. The three are of the same draws. Samples in which one side has a single
    score have no value and are left out.

    No interval for fewer than MIN_PEERS peers. Errors, None and p-values as in `score_correlation`.

    >>> score_correlation_interval([0.1, 0.4, 0.5, 0.7, 0.9], [0.2, 0.3, 0.6, 0.5, 0.8]).pearson
    <value = 0.9045, interval 0.1101 to 0.9937, p = 0.0349, 5 peers>
    """
    check_option("method", method, CORRELATION_METHODS)
    check_level(level)
    correlation = score_correlation(first, second)
    named = {"pearson": correlation.pearson, "spearman": correlation.spearman, "kendall": correlation.kendall}
    note = correlation.note or (TOO_FEW if correlation.n < MIN_PEERS else "")
    if note:
        found = {name: ScoreInterval(value, None, None, correlation.n, note=note) for name, value in named.items()}
    elif method == "fisher-z":
        found = {name: _fisher_interval(name, value, level, correlation.n) for name, value in named.items()}
    else:
        found = _draw_correlations(named, first, second, n, seed, level)
    found = {
        name: replace(value, p_value=getattr(correlation, f"{name}_p"), method=method) for name, value in found.items()
    }
    return CorrelationInterval(found["pearson"], found["spearman"], found["kendall"], correlation.n, correlation.note)


def _fisher_interval(name: str, value: float | None, level: float, n: int) -> ScoreInterval:
    if value is None or abs(value) > 1 - 1e-12:
        return ScoreInterval(value, None, None, n, note="no interval: the two sides are wholly alike or opposite")
    variance = {"pearson": 1 / (n - 3), "spearman": (1 + value**2 / 2) / (n - 3), "kendall": 0.437 / (n - 4)}[name]
    reach = NormalDist().inv_cdf((1 + level) / 2) * sqrt(variance)
    return ScoreInterval(value, tanh(atanh(value) - reach), tanh(atanh(value) + reach), n)


def _draw_correlations(
    named: Mapping[str, float | None],
    first: Mapping[Hashable, float] | Sequence[float],
    second: Mapping[Hashable, float] | Sequence[float],
    n: int,
    seed: int,
    level: float,
) -> dict[str, ScoreInterval]:
    """Return the percentile intervals of the three coefficients, all of the same draws."""
    a, b = scores_by_peer(first), scores_by_peer(second)
    x, y = np.array([a[peer] for peer in a], dtype=np.float64), np.array([b[peer] for peer in a], dtype=np.float64)
    counts = _draw_samples(len(x), n, seed)
    drawn = {
        "pearson": _weighted_pearson(counts, np.broadcast_to(x, counts.shape), np.broadcast_to(y, counts.shape)),
        "spearman": _weighted_pearson(counts, _weighted_ranks(counts, x), _weighted_ranks(counts, y)),
        "kendall": _tau_b(counts, x, y),
    }
    return {name: _percentile_interval(value, drawn[name], level, len(x)) for name, value in named.items()}


def _percentile_interval(value: float | None, replicates: Floats, level: float, n: int) -> ScoreInterval:
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2:
        return ScoreInterval(value, None, None, n, len(replicates) - len(defined), "no interval: no sample has a value")
    low, high = percentile_bounds(defined, level)
    return ScoreInterval(value, low, high, n, len(replicates) - len(defined))


@lru_cache(maxsize=8)
def _draw_samples(peers: int, n: int, seed: int) -> Ints:
    """Return the count of each peer in each sample, (samples, peers), the same for all systems of a project."""
    random = np.random.default_rng(seed)
    counts = np.stack([draw_counts(random, peers) for _ in range(n)])
    counts.flags.writeable = False
    return counts


def _weighted_ranks(counts: Ints, scores: Floats) -> Floats:
    """Return the midrank of each peer among the drawn peers."""
    below, level = (scores[:, None] > scores[None, :]), (scores[:, None] == scores[None, :])
    ranks: Floats = counts @ below.T + (counts @ level.T + 1) / 2
    return ranks


def _weighted_pearson(counts: Ints, x: Floats, y: Floats) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    dx = x - (counts * x).sum(axis=1, keepdims=True) / total
    dy = y - (counts * y).sum(axis=1, keepdims=True) / total
    varied = _has_variation(counts, x) & _has_variation(counts, y)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = (counts * dx * dy).sum(axis=1) / np.sqrt(
            (counts * dx**2).sum(axis=1) * (counts * dy**2).sum(axis=1)
        )
    return np.where(varied, np.clip(correlation, -1, 1), np.nan)


def _has_variation(counts: Ints, scores: Floats) -> Bools:
    """Return which samples have two different scores; rounding may leave the variance of others above 0."""
    drawn = counts > 0
    varies: Bools = np.where(drawn, scores, -np.inf).max(axis=1) > np.where(drawn, scores, np.inf).min(axis=1)
    return varies


def _tau_b(counts: Ints, x: Floats, y: Floats) -> Floats:
    signs = [np.sign(values[:, None] - values[None, :]) for values in (x, y)]

    def total(of_pairs: Floats) -> Floats:
        return ((counts @ of_pairs) * counts).sum(axis=1)

    with np.errstate(invalid="ignore", divide="ignore"):
        tau: Floats = total(signs[0] * signs[1]) / np.sqrt(total(np.abs(signs[0])) * total(np.abs(signs[1])))
    return tau
