"""How reliable it is what coders find in peer summaries that they hold against one pyramid (Passonneau et al. 2005)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agreement.measures import (
    ReliabilityData,
    bootstrap,
    cohen_kappa,
    contributions,
    count_alpha,
    count_dice,
    fleiss_kappa,
)
from agreement.measures.intervals import Interval
from agreement.pyramids import Held, Peer, Pyramids
from agreement.reports.basis import REPLICATES
from agreement.reports.scores import check_docset

type Unit = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """An SCU of the pyramid in one peer: how often each coder found it, and its share of the observed disagreement."""

    peer: Peer
    scu: str
    label: str
    weight: int
    counts: dict[str, int | None]
    share: float

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        found = {"docset": self.peer.docset.slug, "peer": self.peer.slug, "scu": self.scu, "label": self.label}
        return found | {"weight": self.weight, "counts": self.counts, "share": self.share}


@dataclass(frozen=True, slots=True)
class Reliability:
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
        """As the API and the command give it."""
        found: dict[str, Any] = {"docset": self.docset, "n_peers": self.n_peers, "coders": list(self.coders)}
        for name, one in (("kappa", self.kappa), ("cohen_kappa", self.cohen), ("alpha_dice", self.dice)):
            found[name] = one and {
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "observed": one.result.observed,
                "expected": one.result.expected,
                "n_units": one.result.n_units,
                "note": one.result.note,
            }
        return found


@dataclass(frozen=True, slots=True)
class Report:
    """Over all and docset by docset, and the items by their share, the largest first.

    `n_alone` peers have one coder; `n_open` codings are begun and not handed in, and count nowhere.
    """

    docset: str
    coders: tuple[str, ...]
    overall: Reliability
    docsets: tuple[Reliability, ...]
    items: tuple[Item, ...]
    n_alone: int
    n_astray: int
    n_open: int

    def as_dict(self) -> dict[str, Any]:
        """As the API and the command give it."""
        return {
            "docset": self.docset,
            "coders": list(self.coders),
            "overall": self.overall.as_dict(),
            "docsets": [one.as_dict() for one in self.docsets],
            "items": [one.as_dict() for one in self.items],
            "n_alone": self.n_alone,
            "n_astray": self.n_astray,
            "n_open": self.n_open,
        }


def report(pyramids: Pyramids, docset: str = "") -> Report:
    """What several coders found in the same peers against the agreed pyramid. Raises WrongParameter.

    Units are pairs of a peer and an SCU that has a contributor or was found by somebody, documents are peers: intervals
    are over peers. A coder who has not handed a peer in has no value there; one who has, and did not find an SCU, has
    0.
    """
    check_docset(pyramids, docset)
    of: dict[tuple[str, str], list[Held]] = defaultdict(list)
    for one in pyramids.held:
        if one.agreed and one.handed_in and one.against is not None:
            of[one.peer.docset.slug, one.peer.slug].append(one)
    several = [held for held in of.values() if len(held) > 1]
    by_docset: dict[str, list[list[Held]]] = defaultdict(list)
    for held in several:
        by_docset[held[0].peer.docset.slug].append(held)
    return Report(
        docset=docset,
        coders=_coders(several),
        overall=_reliability("", several),
        docsets=tuple(_reliability(slug, held) for slug, held in by_docset.items()),
        items=tuple(_items(several)),
        n_alone=len(of) - len(several),
        n_astray=sum(one.astray for held in several for one in held),
        n_open=sum(one.agreed and one.begun and not one.handed_in for one in pyramids.held),
    )


def _coders(several: Sequence[Sequence[Held]]) -> tuple[str, ...]:
    return tuple(sorted({one.coder for held in several for one in held}))


def _data(several: Sequence[Sequence[Held]], *, present: bool) -> ReliabilityData:
    """The counts, or whether there is any, of (docset, peer, SCU) by coder."""
    coders = _coders(several)
    units: list[Unit] = []
    rows: list[list[int | str | None]] = []
    for held in several:
        peer, of = held[0].peer, {one.coder: one for one in held}
        for scu, weight in held[0].against.pyramid.weights.items() if held[0].against else ():
            counts = [of[coder].counts.get(str(scu), 0) if coder in of else None for coder in coders]
            if not weight and not any(counts):
                continue  # only described: nobody could find it
            units.append((peer.docset.slug, peer.slug, str(scu)))
            rows.append([None if n is None else ("present" if n else "absent") if present else n for n in counts])
    return ReliabilityData.from_values(units, coders, rows, [unit[:2] for unit in units])


def _reliability(docset: str, several: Sequence[Sequence[Held]]) -> Reliability:
    there, counts = _data(several, present=True), _data(several, present=False)
    return Reliability(
        docset=docset,
        n_peers=len(several),
        coders=_coders(several),
        kappa=bootstrap(there, fleiss_kappa, n=REPLICATES),
        cohen=bootstrap(there, cohen_kappa, n=REPLICATES) if len(there.coders) == 2 else None,
        dice=bootstrap(counts, count_alpha, n=REPLICATES),
    )


def _items(several: Sequence[Sequence[Held]]) -> list[Item]:
    """What coders differ in, the largest share of the disagreement of alpha with Dice first, then in text order."""
    data = _data(several, present=False)
    rows = {unit: row for row, unit in enumerate(data.units)}
    peers = {(held[0].peer.docset.slug, held[0].peer.slug): held[0] for held in several}
    found = []
    for one in contributions(data, count_dice):
        _, _, scu = unit = tuple(map(str, one.unit))  # type: ignore[call-overload]
        held = peers[unit[0], unit[1]]
        values = [None if code < 0 else int(str(data.value(code))) for code in data.codes[rows[unit]].tolist()]
        if held.against is not None:
            weight = held.against.pyramid.weights[scu]
            counts = dict(zip(map(str, data.coders), values, strict=True))
            found.append(Item(held.peer, scu, held.against.labels[scu], weight, counts, one.share))
    return sorted(found, key=lambda item: -item.share)
