"""How far scores of peer summaries, and the similarity of two rankings of them, can be trusted.

Peers are what is drawn: with others of the same kind the figures would be others. Percentile bootstrap throughout, so
that Pearson, Spearman and Kendall have intervals of one kind; Fisher's z exists for the first only, and holds for
scores that are normal.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agreement.measures.pyramids import Correlation, score_correlation, scores_by_peer
from agreement.measures.results import format_equality
from agreement.measures.uncertainty.resampling import draw_counts, percentile_bounds
from agreement.measures.values import Bools, Floats, Ints

# Of fewer peers there are hardly different samples, and an interval would seem surer than it is.
MIN_PEERS = 5
TOO_FEW = f"no interval: there are fewer than {MIN_PEERS} peers"


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """A figure of some peers and its percentile interval; both ends are None where there is none, as `note` says.

    `n` is the number of peers; `undefined` of the replicates had no value and are left out.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: int = 0
    note: str = ""

    def __repr__(self) -> str:
        reach = "" if self.low is None else f", interval {self.low:.4f} to {self.high:.4f}"
        return f"<value {format_equality(self.value)}{reach}, {self.n} peers{f'; {self.note}' if self.note else ''}>"


@dataclass(frozen=True, slots=True)
class CorrelationInterval:
    """`score_correlation` of two pyramids with an interval around each of its figures."""

    pearson: ScoreInterval
    spearman: ScoreInterval
    kendall: ScoreInterval
    n: int
    note: str = ""


def mean_interval(scores: Sequence[float], *, n: int = 2000, seed: int = 0, level: float = 0.95) -> ScoreInterval:
    """Return the mean of the scores of some peers, and its percentile interval over n random samples of them.

    A sample has as many peers, drawn with replacement; the same `seed` makes the same draws (Efron & Tibshirani 1993,
    chapter 13). No interval for fewer than ENOUGH_PEERS scores, None for none.

    >>> mean_interval([0.2, 0.4, 0.5, 0.7, 0.9])
    <value = 0.5400, interval 0.3400 to 0.7600, 5 peers>
    """
    values = np.array(scores, dtype=np.float64)
    if not len(values):
        return ScoreInterval(None, None, None, 0, note="there are no scores")
    value = float(values.mean())
    if len(values) < MIN_PEERS:
        return ScoreInterval(value, None, None, len(values), note=TOO_FEW)
    return _percentile_interval(value, _draw_samples(len(values), n, seed) @ values / len(values), level, len(values))


def score_correlation_interval(
    first: Mapping[Hashable, float] | Sequence[float],
    second: Mapping[Hashable, float] | Sequence[float],
    *,
    n: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> CorrelationInterval:
    """Return `score_correlation` with percentile intervals over n random samples of the peers, with replacement.

    A peer that is drawn c times counts as c peers with equal scores: Pearson's r is that of the moments weighted by c,
    Spearman's of the mid-ranks among the drawn, weighted so too, and Kendall's tau-b the sum of c_i c_j
    sign(x_i - x_j) sign(y_i - y_j) over the root of the product of the sums of c_i c_j |sign| of each side. The three
    are of the same draws. Samples in which one side has a single score have no value and are left out. No interval for
    fewer than ENOUGH_PEERS peers. Errors and None as in `score_correlation`.

    >>> score_correlation_interval([0.1, 0.4, 0.5, 0.7, 0.9], [0.2, 0.3, 0.6, 0.5, 0.8]).kendall
    <value = 0.8000, interval 0.0000 to 1.0000, 5 peers>
    """
    correlation = score_correlation(first, second)
    named = {"pearson": correlation.pearson, "spearman": correlation.spearman, "kendall": correlation.kendall}
    if correlation.pearson is None or correlation.n < MIN_PEERS:
        note = correlation.note or TOO_FEW
        return _build_interval(
            {name: ScoreInterval(value, None, None, correlation.n, note=note) for name, value in named.items()},
            correlation,
        )
    a, b = scores_by_peer(first), scores_by_peer(second)
    x, y = np.array([a[peer] for peer in a], dtype=np.float64), np.array([b[peer] for peer in a], dtype=np.float64)
    counts = _draw_samples(len(x), n, seed)
    drawn = {
        "pearson": _weighted_pearson(counts, np.broadcast_to(x, counts.shape), np.broadcast_to(y, counts.shape)),
        "spearman": _weighted_pearson(counts, _weighted_ranks(counts, x), _weighted_ranks(counts, y)),
        "kendall": _tau_b(counts, x, y),
    }
    return _build_interval(
        {name: _percentile_interval(named[name], drawn[name], level, correlation.n) for name in named}, correlation
    )


def _build_interval(named: Mapping[str, ScoreInterval], correlation: Correlation) -> CorrelationInterval:
    return CorrelationInterval(named["pearson"], named["spearman"], named["kendall"], correlation.n, correlation.note)


def _percentile_interval(value: float | None, replicates: Floats, level: float, n: int) -> ScoreInterval:
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2:
        return ScoreInterval(value, None, None, n, len(replicates) - len(defined), "no interval: no sample has a value")
    low, high = percentile_bounds(defined, level)
    return ScoreInterval(value, low, high, n, len(replicates) - len(defined))


@lru_cache(maxsize=8)
def _draw_samples(peers: int, n: int, seed: int) -> Ints:
    """Return how often each peer is in each sample, (samples, peers). All systems of a project ask for the same."""
    random = np.random.default_rng(seed)
    counts = np.stack([draw_counts(random, peers) for _ in range(n)])
    counts.flags.writeable = False
    return counts


def _weighted_ranks(counts: Ints, scores: Floats) -> Floats:
    """Return the mid-rank of each peer among those drawn: how many are below, and half of those level and one."""
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
    """Return which samples hold two different scores; of others rounding may leave a variance that is not 0."""
    drawn = counts > 0
    varies: Bools = np.where(drawn, scores, -np.inf).max(axis=1) > np.where(drawn, scores, np.inf).min(axis=1)
    return varies


def _tau_b(counts: Ints, x: Floats, y: Floats) -> Floats:
    signs = [np.sign(one[:, None] - one[None, :]) for one in (x, y)]

    def total(of_pairs: Floats) -> Floats:
        return ((counts @ of_pairs) * counts).sum(axis=1)

    with np.errstate(invalid="ignore", divide="ignore"):
        tau: Floats = total(signs[0] * signs[1]) / np.sqrt(total(np.abs(signs[0])) * total(np.abs(signs[1])))
    return tau
