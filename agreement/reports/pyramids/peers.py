"""How reliable it is what coders find in peer summaries that they hold against one pyramid (Passonneau et al. 2005)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agreement.data.pyramids.pyramids import Peer, PeerMarks, Pyramids
from agreement.measures import (
    Interval,
    ReliabilityData,
    cohen_kappa,
    contributions,
    count_alpha,
    count_dice,
    fleiss_kappa,
    interval,
)
from agreement.reports.pyramids.scores import check_docset

type Unit = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class PeerItem:
    """An SCU of the pyramid in one peer: how often each coder found it, and its share of the observed disagreement."""

    peer: Peer
    scu: str
    label: str
    weight: int
    counts: dict[str, int | None]
    share: float

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        fields = {"docset": self.peer.docset.slug, "peer": self.peer.slug, "scu": self.scu, "label": self.label}
        return fields | {"weight": self.weight, "counts": self.counts, "share": self.share}


@dataclass(frozen=True, slots=True)
class PeerReliability:
    """Agreement over some docsets: kappa of whether a peer expresses an SCU, alpha of how often, with Dice.

    `cohen` is None unless there are two coders. `docset` is empty for all together.
    """

    docset: str
    n_peers: int
    coders: tuple[str, ...]
    kappa: Interval
    cohen: Interval | None
    dice: Interval

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        fields: dict[str, Any] = {"docset": self.docset, "n_peers": self.n_peers, "coders": list(self.coders)}
        for name, one in (("kappa", self.kappa), ("cohen_kappa", self.cohen), ("alpha_dice", self.dice)):
            fields[name] = one and {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "observed": one.result.observed,
                "expected": one.result.expected,
                "n_units": one.result.n_units,
                "note": one.result.note,
            }
        return fields


@dataclass(frozen=True, slots=True)
class PeersReport:
    """Over all and docset by docset, and the items by their share, the largest first.

    `n_alone` peers have one coder; `n_open` codings are begun and not submitted, and count nowhere.
    """

    docset: str
    coders: tuple[str, ...]
    overall: PeerReliability
    docsets: tuple[PeerReliability, ...]
    items: tuple[PeerItem, ...]
    n_alone: int
    n_orphaned: int
    n_open: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "docset": self.docset,
            "coders": list(self.coders),
            "overall": self.overall.as_dict(),
            "docsets": [one.as_dict() for one in self.docsets],
            "items": [one.as_dict() for one in self.items],
            "n_alone": self.n_alone,
            "n_astray": self.n_orphaned,
            "n_open": self.n_open,
        }


def report_peers(pyramids: Pyramids, docset: str = "") -> PeersReport:
    """Return what several coders found in the same peers against the agreed pyramid. Raises InvalidParameter.

    Units are pairs of a peer and an SCU that has a contributor or was found by somebody, documents are peers: intervals
    are over peers. A coder who has not submitted a peer has no value there; one who has, and did not find an SCU, has
    0.
    """
    check_docset(pyramids, docset)
    of: dict[tuple[str, str], list[PeerMarks]] = defaultdict(list)
    for one in pyramids.peer_marks:
        if one.agreed and one.submitted and one.reference is not None:
            of[one.peer.docset.slug, one.peer.slug].append(one)
    several = [marks for marks in of.values() if len(marks) > 1]
    by_docset: dict[str, list[list[PeerMarks]]] = defaultdict(list)
    for marks in several:
        by_docset[marks[0].peer.docset.slug].append(marks)
    return PeersReport(
        docset=docset,
        coders=_list_coders(several),
        overall=_compute_reliability("", several),
        docsets=tuple(_compute_reliability(slug, marks) for slug, marks in by_docset.items()),
        items=tuple(_list_items(several)),
        n_alone=len(of) - len(several),
        n_orphaned=sum(one.n_orphaned for marks in several for one in marks),
        n_open=sum(one.agreed and one.started and not one.submitted for one in pyramids.peer_marks),
    )


def _list_coders(several: Sequence[Sequence[PeerMarks]]) -> tuple[str, ...]:
    return tuple(sorted({one.coder for marks in several for one in marks}))


def _count_data(several: Sequence[Sequence[PeerMarks]], *, present: bool) -> ReliabilityData:
    """Return the counts, or whether there is any, of (docset, peer, SCU) by coder."""
    coders = _list_coders(several)
    units: list[Unit] = []
    rows: list[list[int | str | None]] = []
    for marks in several:
        peer, of = marks[0].peer, {one.coder: one for one in marks}
        for scu, weight in marks[0].reference.pyramid.weights.items() if marks[0].reference else ():
            counts = [of[coder].counts.get(str(scu), 0) if coder in of else None for coder in coders]
            if not weight and not any(counts):
                continue  # only described: nobody could find it
            units.append((peer.docset.slug, peer.slug, str(scu)))
            rows.append([None if n is None else ("present" if n else "absent") if present else n for n in counts])
    return ReliabilityData.from_values(units, coders, rows, [unit[:2] for unit in units])


def _compute_reliability(docset: str, several: Sequence[Sequence[PeerMarks]]) -> PeerReliability:
    presence, counts = _count_data(several, present=True), _count_data(several, present=False)
    return PeerReliability(
        docset=docset,
        n_peers=len(several),
        coders=_list_coders(several),
        kappa=interval(presence, fleiss_kappa),
        cohen=interval(presence, cohen_kappa) if len(presence.coders) == 2 else None,
        dice=interval(counts, count_alpha),
    )


def _list_items(several: Sequence[Sequence[PeerMarks]]) -> list[PeerItem]:
    """Return what coders differ in, the largest share of the disagreement of alpha (Dice) first, then in text order."""
    data = _count_data(several, present=False)
    rows = {unit: row for row, unit in enumerate(data.units)}
    peers = {(marks[0].peer.docset.slug, marks[0].peer.slug): marks[0] for marks in several}
    items = []
    for one in contributions(data, count_dice):
        _, _, scu = unit = tuple(map(str, one.unit))  # type: ignore[call-overload]
        marks = peers[unit[0], unit[1]]
        values = [None if code < 0 else int(str(data.value(code))) for code in data.codes[rows[unit]].tolist()]
        if marks.reference is not None:
            weight = marks.reference.pyramid.weights[scu]
            counts = dict(zip(map(str, data.coders), values, strict=True))
            items.append(PeerItem(marks.peer, scu, marks.reference.labels[scu], weight, counts, one.share))
    return sorted(items, key=lambda item: -item.share)
