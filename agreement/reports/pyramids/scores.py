"""Scores of peer summaries by the pyramids that coders marked them by, peer by peer and system by system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.data.pyramids.pyramids import PeerMarks, Pyramids
from agreement.measures import PeerScore, ScoreInterval, comprehensive, mean_interval, modified, original
from agreement.measures.pyramids import MEANS
from agreement.measures.results import pluralize
from agreement.reports.request.parameters import InvalidParameter

# Original rewards precision; modified, which others call coverage, recall; comprehensive is their harmonic mean.
SCORES = ("original", "modified", "comprehensive")
PYRAMID_OWNERS = {False: "own", True: "agreed"}


@dataclass(frozen=True, slots=True)
class PeerScores:
    """One coder's peer summary with its scores; None where there are none, as `note` says. `max` is its best weight."""

    marks: PeerMarks
    original: PeerScore | None
    modified: PeerScore | None
    comprehensive: PeerScore | None
    note: str

    def value(self, score: str) -> float | None:
        """Return the value of one of SCORES."""
        peer_score: PeerScore | None = getattr(self, score)
        return peer_score.value if peer_score else None

    @property
    def found(self) -> float | None:
        """The weight of the SCUs that the peer expresses, each counted once."""
        return self.original.found if self.original else None

    @property
    def n_scus(self) -> int:
        """How many different SCUs the peer has, those outside the pyramid included."""
        return len(self.marks.counts) + self.marks.n_outside

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        marks = self.marks
        return {
            "docset": marks.peer.docset.slug,
            "peer": marks.peer.slug,
            "system": marks.peer.system,
            "coder": marks.coder,
            "against": PYRAMID_OWNERS[marks.agreed],
            "handed_in": marks.submitted,
            "original": self.value("original"),
            "modified": self.value("modified"),
            "coverage": self.value("modified"),
            "comprehensive": self.value("comprehensive"),
            "found": self.found,
            "best_original": self.original.best if self.original else None,
            "best_modified": self.modified.best if self.modified else None,
            "n_scus": self.n_scus,
            "outside": marks.n_outside,
            "astray": marks.n_orphaned,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The mean of each score over the peers of a system; the score of a peer is the mean of its coders.

    Only work that is submitted counts, against a pyramid that is.
    """

    system: str
    agreed: bool
    n_peers: int
    original: ScoreInterval
    modified: ScoreInterval
    comprehensive: ScoreInterval

    @property
    def note(self) -> str:
        return "; ".join(filter(None, [self.modified.note or self.original.note, self._describe_fewer()]))

    def _describe_fewer(self) -> str:
        """Return which means are of fewer peers: the original score of a peer that says nothing is not defined."""
        fewer = {name: n for name in SCORES if (n := getattr(self, name).n) < self.n_peers}
        return ", ".join(f"{name} of {n} of {pluralize(self.n_peers, 'peer')}" for name, n in fewer.items())

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        fields: dict[str, Any] = {
            "system": self.system,
            "against": PYRAMID_OWNERS[self.agreed],
            "n_peers": self.n_peers,
        }
        for score in SCORES:
            one: ScoreInterval = getattr(self, score)
            fields[score] = {"value": one.value, "low": one.low, "high": one.high, "n": one.n, "note": one.note}
        return fields


@dataclass(frozen=True, slots=True)
class ScoresReport:
    """Every peer that was held against a pyramid, in the order of docsets, peers and coders, and every system."""

    docset: str
    mean: str
    peers: tuple[PeerScores, ...]
    systems: tuple[SystemScores, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "docset": self.docset,
            "mean": self.mean,
            "peers": [one.as_dict() for one in self.peers],
            "systems": [one.as_dict() for one in self.systems],
        }


def report_scores(pyramids: Pyramids, docset: str = "", mean: str = "round") -> ScoresReport:
    """Return the scores of a docset's peers, or of all. `pyramids` are those of the docset. Raises InvalidParameter."""
    check_docset(pyramids, docset)
    if mean not in MEANS:
        raise InvalidParameter("mean", f"{mean!r} is not one of {', '.join(MEANS)}.")
    peers = tuple(score_peer(marks, mean) for marks in pyramids.peer_marks)
    return ScoresReport(docset, mean, peers, tuple(_score_systems(peers)))


def check_docset(pyramids: Pyramids, docset: str) -> None:
    """Raise InvalidParameter for a docset that is not there."""
    if docset and docset not in {one.slug for one in pyramids.docsets}:
        raise InvalidParameter("docset", f"there is no docset {docset!r} in this project.")


def check_score(score: str) -> str:
    """Return the score, or the modified where none is named. Raises InvalidParameter."""
    if score and score not in SCORES:
        raise InvalidParameter("score", f"{score!r} is not one of {', '.join(SCORES)}.")
    return score or "modified"


def score_peer(marks: PeerMarks, mean: str) -> PeerScores:
    """Return the scores of one peer by one coder."""
    if not marks.started or marks.reference is None:
        note = "nothing is marked yet" if marks.reference else "no pyramid to annotate it with"
        return PeerScores(marks, None, None, None, note)
    pyramid, scus = marks.reference.pyramid, list(marks.counts)
    original_score = original(pyramid, scus, marks.n_outside)
    modified_score, comprehensive_score = (
        modified(pyramid, scus, mean=mean),
        comprehensive(pyramid, scus, marks.n_outside, mean=mean),
    )
    if not marks.submitted:
        pending = ["not submitted"]
    elif not marks.reference.submitted:
        pending = ["its pyramid is not submitted"]
    else:
        pending = []
    notes = [*pending, *dict.fromkeys(one.note for one in (original_score, modified_score) if one.note)]
    if marks.n_orphaned:
        notes.append(f"{pluralize(marks.n_orphaned, 'mark')} without an SCU in the pyramid: not counted")
    return PeerScores(marks, original_score, modified_score, comprehensive_score, "; ".join(notes))


def _score_systems(peers: Sequence[PeerScores]) -> Iterable[SystemScores]:
    of: dict[tuple[bool, str], dict[tuple[str, str], list[PeerScores]]] = defaultdict(lambda: defaultdict(list))
    for one in peers:
        if not one.marks.submitted or one.marks.reference is None or not one.marks.reference.submitted:
            continue
        of[one.marks.agreed, one.marks.peer.system][one.marks.peer.docset.slug, one.marks.peer.slug].append(one)
    for (agreed, system), of_peers in sorted(of.items()):
        means = {score: mean_interval(_mean_by_peer(of_peers.values(), score)) for score in SCORES}
        yield SystemScores(system, agreed, max(one.n for one in means.values()), **means)


def _mean_by_peer(of_peers: Iterable[Sequence[PeerScores]], score: str) -> list[float]:
    """Return the mean over its coders of each peer that has the score."""
    means = []
    for several in of_peers:
        values = [value for one in several if (value := one.value(score)) is not None]
        if values:
            means.append(sum(values) / len(values))
    return means
