"""The paradigmatic reliability study: do two coders' pyramids give the same peers the same scores (Passonneau 2006)?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from agreement.measures import CorrelationInterval, score_correlation_interval
from agreement.parameters import WrongParameter
from agreement.pyramids import Pyramids
from agreement.reports.scores import SCORES, Scored
from agreement.reports.scores import report as scores

CORRELATIONS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A peer that both pyramids score: its scores and ranks, 1 for the best, and how far it falls from first to second.

    Equal scores share the mean of their ranks.
    """

    docset: str
    peer: str
    title: str
    system: str
    first: float
    second: float
    rank_first: float
    rank_second: float

    @property
    def change(self) -> float:
        return self.rank_first - self.rank_second

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        names = ("docset", "peer", "system", "first", "second", "rank_first", "rank_second", "change")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class OfPair:
    """Two coders: how their scores of the same peers go together, score by score, and how many are not handed in."""

    first: str
    second: str
    correlations: dict[str, CorrelationInterval]
    peers: dict[str, tuple[Ranked, ...]]
    n_open: int

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        return {
            "first": self.first,
            "second": self.second,
            "n_open": self.n_open,
            "scores": [
                {
                    "score": score,
                    "n": found.n,
                    **{
                        name: {"value": one.value, "low": one.low, "high": one.high, "note": one.note}
                        for name in CORRELATIONS
                        for one in [getattr(found, name)]
                    },
                    "peers": [one.as_dict() for one in self.peers[score]],
                }
                for score, found in self.correlations.items()
            ],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Every two coders who held the same peers against their own pyramids; those asked for, where two are."""

    docset: str
    mean: str
    coders: tuple[str, ...]
    pairs: tuple[OfPair, ...]

    def pair(self, first: str = "", second: str = "") -> OfPair | None:
        """The pair asked for; of several the first of those with most peers in common."""
        asked = [one for one in self.pairs if first in ("", one.first) and second in ("", one.second)]
        return max(asked, key=lambda one: len(one.peers["modified"]), default=None)

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        pairs = [one.as_dict() for one in self.pairs]
        return {"docset": self.docset, "mean": self.mean, "coders": list(self.coders), "pairs": pairs}


def report(pyramids: Pyramids, docset: str = "", mean: str = "round", first: str = "", second: str = "") -> Report:
    """The study of all pairs of coders, or of those with the one or two that are named, these in their order.

    Raises WrongParameter.
    """
    found = scores(pyramids, docset, mean)
    own: dict[str, dict[tuple[str, str], Scored]] = {}
    for one in found.peers:
        if not one.held.agreed and one.value("modified") is not None:
            own.setdefault(one.held.coder, {})[one.held.peer.docset.slug, one.held.peer.slug] = one
    coders = sorted(own)
    pairs: list[tuple[str, str]] = list(combinations(coders, 2))
    if first or second:
        for field, name in (("first", first), ("second", second)):
            if name and name not in own:
                raise WrongParameter(field, f"{name!r} has held no peer against a pyramid of their own.")
        if first == second:
            raise WrongParameter("second", "it takes two coders.")
        pairs = [(a, b) for a in coders for b in coders if a != b and first in ("", a) and second in ("", b)]
    studied = [_pair(a, b, own[a], own[b]) for a, b in pairs]
    return Report(
        docset, mean, tuple(coders), tuple(one for one in studied if one.peers["modified"] or (first and second))
    )


def _pair(first: str, second: str, a: dict[tuple[str, str], Scored], b: dict[tuple[str, str], Scored]) -> OfPair:
    both = [(a[peer], b[peer]) for peer in a if peer in b]
    peers = {
        score: _ranked([(x, y) for x, y in both if None not in (x.value(score), y.value(score))], score)
        for score in SCORES
    }
    correlations = {
        score: score_correlation_interval(
            {(one.docset, one.peer): one.first for one in found}, {(one.docset, one.peer): one.second for one in found}
        )
        for score, found in peers.items()
    }
    n_open = sum(
        not (side.held.handed_in and side.held.against and side.held.against.handed_in)
        for pair in both
        for side in pair
    )
    return OfPair(first, second, correlations, peers, n_open)


def _ranked(both: Sequence[tuple[Scored, Scored]], score: str) -> tuple[Ranked, ...]:
    values = [[float(side.value(score) or 0) for side in sides] for sides in zip(*both, strict=True)] or [[], []]
    ranks = [_ranks(of) for of in values]
    return tuple(
        Ranked(x.held.peer.docset.slug, x.held.peer.slug, x.held.peer.title, x.held.peer.system, *figures)
        for (x, _), *figures in zip(both, *values, *ranks, strict=True)
    )


def _ranks(values: Sequence[float]) -> list[float]:
    """1 for the largest; equal values share the mean of their ranks."""
    return [sum(other > value for other in values) + (values.count(value) + 1) / 2 for value in values]
