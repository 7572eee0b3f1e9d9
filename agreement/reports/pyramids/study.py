"""The paradigmatic reliability study: do two coders' pyramids give the same peers the same scores (Passonneau 2006)?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from agreement.data.pyramids.pyramids import Pyramids
from agreement.measures import CorrelationInterval, score_correlation_interval
from agreement.reports.pyramids.scores import SCORES, PeerScores
from agreement.reports.pyramids.scores import report_scores as scores
from agreement.reports.request.parameters import InvalidParameter

CORRELATIONS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True, slots=True)
class RankedPeer:
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
        """Return the fields that the API and the command give."""
        names = ("docset", "peer", "system", "first", "second", "rank_first", "rank_second", "change")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class PairStudy:
    """Two coders: how their scores of the same peers go together, score by score, and how many are not submitted.

    n_submitted: peers of which both have submitted all.
    """

    first: str
    second: str
    correlations: dict[str, CorrelationInterval]
    peers: dict[str, tuple[RankedPeer, ...]]
    n_open: int
    n_submitted: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "first": self.first,
            "second": self.second,
            "n_open": self.n_open,
            "scores": [
                {
                    "score": score,
                    "n": found.n,
                    **{
                        name: {
                            "value": one.value,
                            "low": one.low,
                            "high": one.high,
                            "p_value": one.p_value,
                            "note": one.note,
                        }
                        for name in CORRELATIONS
                        for one in [getattr(found, name)]
                    },
                    "peers": [one.as_dict() for one in self.peers[score]],
                }
                for score, found in self.correlations.items()
            ],
        }


@dataclass(frozen=True, slots=True)
class StudyReport:
    """Every two coders who marks the same peers against their own pyramids; those asked for, where two are."""

    docset: str
    mean: str
    coders: tuple[str, ...]
    pairs: tuple[PairStudy, ...]

    def pair(self, first: str = "", second: str = "") -> PairStudy | None:
        """Return the pair of these coders; of several, the one with most submitted peers in common."""
        pairs = [one for one in self.pairs if first in ("", one.first) and second in ("", one.second)]
        return max(pairs, key=lambda one: (one.n_submitted, len(one.peers["modified"])), default=None)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        pairs = [one.as_dict() for one in self.pairs]
        return {"docset": self.docset, "mean": self.mean, "coders": list(self.coders), "pairs": pairs}


def report_study(
    pyramids: Pyramids, docset: str = "", mean: str = "round", first: str = "", second: str = ""
) -> StudyReport:
    """Return the study of all pairs of coders, or of those with the one or two that are named, these in their order.

    Pairs without a peer that both have submitted come last. Raises InvalidParameter.
    """
    report = scores(pyramids, docset, mean)
    own: dict[str, dict[tuple[str, str], PeerScores]] = {}
    for one in report.peers:
        if not one.marks.agreed and one.value("modified") is not None:
            own.setdefault(one.marks.coder, {})[one.marks.peer.docset.slug, one.marks.peer.slug] = one
    coders = sorted(own)
    pairs: list[tuple[str, str]] = list(combinations(coders, 2))
    if first or second:
        for field, name in (("first", first), ("second", second)):
            if name and name not in own:
                raise InvalidParameter(field, f"{name!r} has annotated no peer with a pyramid of their own.")
        if first == second:
            raise InvalidParameter("second", "select two coders.")
        pairs = [(a, b) for a in coders for b in coders if a != b and first in ("", a) and second in ("", b)]
    studied = [_study_pair(a, b, own[a], own[b]) for a, b in pairs]
    studied.sort(key=lambda one: not one.n_submitted)
    return StudyReport(
        docset, mean, tuple(coders), tuple(one for one in studied if one.peers["modified"] or (first and second))
    )


def _study_pair(
    first: str, second: str, a: dict[tuple[str, str], PeerScores], b: dict[tuple[str, str], PeerScores]
) -> PairStudy:
    both = [(a[peer], b[peer]) for peer in a if peer in b]
    peers = {
        score: _rank_peers([(x, y) for x, y in both if None not in (x.value(score), y.value(score))], score)
        for score in SCORES
    }
    correlations = {
        score: score_correlation_interval(
            {(one.docset, one.peer): one.first for one in found}, {(one.docset, one.peer): one.second for one in found}
        )
        for score, found in peers.items()
    }
    n_open = [sum(not _is_submitted(side) for side in pair) for pair in both]
    return PairStudy(first, second, correlations, peers, sum(n_open), n_open.count(0))


def _is_submitted(peer: PeerScores) -> bool:
    marks = peer.marks
    return marks.submitted and marks.reference is not None and marks.reference.submitted


def _rank_peers(both: Sequence[tuple[PeerScores, PeerScores]], score: str) -> tuple[RankedPeer, ...]:
    values = [[float(side.value(score) or 0) for side in sides] for sides in zip(*both, strict=True)] or [[], []]
    ranks = [_rank_values(of) for of in values]
    return tuple(
        RankedPeer(x.marks.peer.docset.slug, x.marks.peer.slug, x.marks.peer.title, x.marks.peer.system, *figures)
        for (x, _), *figures in zip(both, *values, *ranks, strict=True)
    )


def _rank_values(values: Sequence[float]) -> list[float]:
    """Return the ranks, 1 for the largest; equal values share the mean of their ranks."""
    return [sum(other > value for other in values) + (values.count(value) + 1) / 2 for value in values]
