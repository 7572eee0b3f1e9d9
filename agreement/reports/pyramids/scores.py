"""Scores of peer summaries by the pyramids that coders held them against, peer by peer and system by system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.measures import PeerScore, ScoreInterval, comprehensive, mean_interval, modified, original
from agreement.measures.pyramids import MEANS
from agreement.measures.results import counted_as
from agreement.parameters import WrongParameter
from agreement.pyramids import Held, Pyramids

# Original rewards precision; modified, which others call coverage, recall; comprehensive is their harmonic mean.
SCORES = ("original", "modified", "comprehensive")
AGAINST = {False: "own", True: "agreed"}


@dataclass(frozen=True, slots=True)
class Scored:
    """One coder's peer summary with its scores; None where there are none, as `note` says. `max` is its best weight."""

    held: Held
    original: PeerScore | None
    modified: PeerScore | None
    comprehensive: PeerScore | None
    note: str

    def value(self, score: str) -> float | None:
        """The value of one of SCORES."""
        found: PeerScore | None = getattr(self, score)
        return found.value if found else None

    @property
    def found(self) -> float | None:
        """The weight of the SCUs that the peer expresses, each counted once."""
        return self.original.found if self.original else None

    @property
    def n_scus(self) -> int:
        """How many different SCUs the peer has, those outside the pyramid included."""
        return len(self.held.counts) + self.held.outside

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        held = self.held
        return {
            "docset": held.peer.docset.slug,
            "peer": held.peer.slug,
            "system": held.peer.system,
            "coder": held.coder,
            "against": AGAINST[held.agreed],
            "handed_in": held.handed_in,
            "original": self.value("original"),
            "modified": self.value("modified"),
            "coverage": self.value("modified"),
            "comprehensive": self.value("comprehensive"),
            "found": self.found,
            "best_original": self.original.best if self.original else None,
            "best_modified": self.modified.best if self.modified else None,
            "n_scus": self.n_scus,
            "outside": held.outside,
            "astray": held.astray,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class OfSystem:
    """The mean of each score over the peers of a system; the score of a peer is the mean of its coders.

    Only work that is handed in counts, against a pyramid that is.
    """

    system: str
    agreed: bool
    n_peers: int
    original: ScoreInterval
    modified: ScoreInterval
    comprehensive: ScoreInterval

    @property
    def note(self) -> str:
        return self.modified.note or self.original.note

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        found: dict[str, Any] = {"system": self.system, "against": AGAINST[self.agreed], "n_peers": self.n_peers}
        for score in SCORES:
            one: ScoreInterval = getattr(self, score)
            found[score] = {"value": one.value, "low": one.low, "high": one.high, "note": one.note}
        return found


@dataclass(frozen=True, slots=True)
class Report:
    """Every peer that was held against a pyramid, in the order of docsets, peers and coders, and every system."""

    docset: str
    mean: str
    peers: tuple[Scored, ...]
    systems: tuple[OfSystem, ...]

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        return {
            "docset": self.docset,
            "mean": self.mean,
            "peers": [one.as_dict() for one in self.peers],
            "systems": [one.as_dict() for one in self.systems],
        }


def report(pyramids: Pyramids, docset: str = "", mean: str = "round") -> Report:
    """The scores of a docset's peers, or of all. `pyramids` are those of the docset. Raises WrongParameter."""
    check_docset(pyramids, docset)
    if mean not in MEANS:
        raise WrongParameter("mean", f"{mean!r} is not one of {', '.join(MEANS)}.")
    peers = tuple(scored(held, mean) for held in pyramids.held)
    return Report(docset, mean, peers, tuple(_systems(peers)))


def check_docset(pyramids: Pyramids, docset: str) -> None:
    """Raise WrongParameter for a docset that is not there."""
    if docset and docset not in {one.slug for one in pyramids.docsets}:
        raise WrongParameter("docset", f"there is no docset {docset!r} in this project.")


def check_score(score: str) -> str:
    """The score, or the modified where none is named. Raises WrongParameter."""
    if score and score not in SCORES:
        raise WrongParameter("score", f"{score!r} is not one of {', '.join(SCORES)}.")
    return score or "modified"


def scored(held: Held, mean: str) -> Scored:
    """The scores of one peer by one coder."""
    if not held.begun or held.against is None:
        note = "nothing is marked yet" if held.against else "there is no pyramid to hold it against"
        return Scored(held, None, None, None, note)
    pyramid, scus = held.against.pyramid, list(held.counts)
    found = original(pyramid, scus, held.outside)
    mod, both = modified(pyramid, scus, mean=mean), comprehensive(pyramid, scus, held.outside, mean=mean)
    if not held.handed_in:
        waiting = ["not handed in"]
    elif not held.against.handed_in:
        waiting = ["its pyramid is not handed in"]
    else:
        waiting = []
    notes = [*waiting, *dict.fromkeys(one.note for one in (found, mod) if one.note)]
    if held.astray:
        notes.append(f"{counted_as(held.astray, 'mark')} without an SCU of the pyramid: not counted")
    return Scored(held, found, mod, both, "; ".join(notes))


def _systems(peers: Sequence[Scored]) -> Iterable[OfSystem]:
    of: dict[tuple[bool, str], dict[tuple[str, str], list[Scored]]] = defaultdict(lambda: defaultdict(list))
    for one in peers:
        if not one.held.handed_in or one.held.against is None or not one.held.against.handed_in:
            continue
        of[one.held.agreed, one.held.peer.system][one.held.peer.docset.slug, one.held.peer.slug].append(one)
    for (agreed, system), of_peers in sorted(of.items()):
        means = {score: mean_interval(_means(of_peers.values(), score)) for score in SCORES}
        yield OfSystem(system, agreed, means["modified"].n, **means)


def _means(of_peers: Iterable[Sequence[Scored]], score: str) -> list[float]:
    """The mean over its coders of each peer that has the score."""
    found = []
    for several in of_peers:
        values = [value for one in several if (value := one.value(score)) is not None]
        if values:
            found.append(sum(values) / len(values))
    return found
