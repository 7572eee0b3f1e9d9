"""Whether coders found the same SCUs in the same peers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

from agreement.data.pyramids.pyramids import PeerMarks, Pyramids
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
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.pyramids.scus import check_docset
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts, paginate
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import strip_plot
from agreement.results.pyramids.common import DOCSET, PyramidPage, docset_field, read_chosen
from agreement.results.tables import Cell, Column, Table, with_ends

type Unit = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class PeerItem:
    """An SCU of the pyramid in one peer."""

    docset: str
    peer: str
    scu: str
    label: str
    weight: int
    counts: Annotated[Mapping[str, int | None], "by coder"]
    share: Annotated[float, "of the observed disagreement"]
    title: PageOnly[str]


@dataclass(frozen=True, slots=True)
class PeerKappa:
    """A coefficient of what coders found, with its interval."""

    value: float | None
    low: float | None
    high: float | None
    observed: float | None
    expected: float | None
    n_units: int
    note: str


@dataclass(frozen=True, slots=True)
class PeerReliability:
    """Agreement over some docsets: kappa of whether a peer expresses an SCU, alpha of how often, with Dice.

    `docset` is empty for all together.
    """

    docset: str
    n_peers: int
    coders: tuple[str, ...]
    kappa: PeerKappa
    cohen_kappa: Annotated[PeerKappa | None, "of two coders"]
    alpha_dice: PeerKappa


@dataclass(frozen=True, slots=True)
class PeersReport:
    """Over all and docset by docset, and the items by their share, the largest first."""

    component: ClassVar = "Peers"

    docset: str
    coders: tuple[str, ...]
    overall: PeerReliability
    docsets: tuple[PeerReliability, ...]
    items: tuple[PeerItem, ...]
    n_alone: Annotated[int, "peers of one coder only"]
    n_astray: Annotated[int, "marks of no SCU that the pyramid has"]
    n_open: Annotated[int, "codings of peers that are begun and not submitted: they count nowhere"]


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
        n_astray=sum(one.n_orphaned for marks in several for one in marks),
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
        kappa=_describe_kappa(interval(presence, fleiss_kappa)),
        cohen_kappa=_describe_kappa(interval(presence, cohen_kappa)) if len(presence.coders) == 2 else None,
        alpha_dice=_describe_kappa(interval(counts, count_alpha)),
    )


def _describe_kappa(one: Interval) -> PeerKappa:
    return copy_fields(PeerKappa, one.result, one)


def _list_items(several: Sequence[Sequence[PeerMarks]]) -> list[PeerItem]:
    """Return what coders differ in, the largest share of the disagreement of alpha (Dice) first, then in text order."""
    data = _count_data(several, present=False)
    rows = {unit: row for row, unit in enumerate(data.units)}
    peers = {(marks[0].peer.docset.slug, marks[0].peer.slug): marks[0] for marks in several}
    items = []
    for one in contributions(data, count_dice):
        docset, peer, scu = unit = tuple(map(str, one.unit))  # type: ignore[call-overload]
        marks = peers[docset, peer]
        values = [None if code < 0 else int(str(data.value(code))) for code in data.codes[rows[unit]].tolist()]
        if marks.reference is not None:
            weight = marks.reference.pyramid.weights[scu]
            counts = dict(zip(map(str, data.coders), values, strict=True))
            label, title = marks.reference.labels[scu], marks.peer.title
            items.append(PeerItem(docset, peer, scu, label, weight, counts, one.share, title))
    return sorted(items, key=lambda item: -item.share)


PAGE_SIZE = 100

STRIP = 200


@register
class Peers(PyramidPage[PeersReport]):
    """What several coders found in the same peers against the agreed pyramid, and where they differ."""

    name, title = "peers", "Peers"
    template = "agreement/pyramids/peers.html"
    position, tab = 230, 190
    gives = PeersReport
    takes = DOCSET
    api = "Whether coders found the same SCUs in the same peers against the agreed pyramid. `items` come in pages."
    rows = "items"

    def compute(self, request: AnalysisRequest) -> PeersReport:
        return report_peers(read_chosen(request), request.options.get("docset", ""))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        return build_content(report, report.items).tables

    def show(self, request: AnalysisRequest) -> PageSections:
        pyramids = read_chosen(request)
        report = report_peers(pyramids, request.options.get("docset", ""))
        shown, items = paginate(request, report.items, PAGE_SIZE)
        return self.arrange(
            request,
            pyramids,
            build_content(report, items),
            {"docset": docset_field(pyramids)},
            report=report,
            shown=shown,
            agreed=any(one.agreed for one in pyramids.annotations),
        )


def build_content(report: PeersReport, items: Sequence[PeerItem]) -> TablesAndCharts:
    """Return the reliability docset by docset and over all, and these of the items."""
    shares = [one.share for one in report.items if one.share][:STRIP]
    words = [f"{one.label} in {one.title}" for one in report.items[: len(shares)]]
    charts = []
    if len(shares) > 1:
        words_said = f"{len(shares)} items differ; the first carries {shares[0]:.0%} of the disagreement."
        title = "Share of the observed disagreement in counts, by item"
        charts.append(Chart("items", title, strip_plot(words, shares, "share"), words_said, "items"))
    return TablesAndCharts([_reliability_table(report), _items_table(report, items)], charts)


def _reliability_table(report: PeersReport) -> Table:
    docsets = [*report.docsets]
    rows: list[list[Cell]] = []
    if len(docsets) != 1:
        rows.append(_reliability_row("all docsets", report.overall))
    rows += [_reliability_row(one.docset, one) for one in docsets]
    if len(docsets) > 1:
        means: list[Cell] = [
            _mean([one.kappa for one in docsets]),
            None,
            None,
            _mean([one.cohen_kappa for one in docsets]),
        ]
        rows.append(
            ["mean of the docsets", None, None, *means, _mean([one.alpha_dice for one in docsets]), None, None, ""]
        )
    columns = [
        Column("docset", "Docset"),
        Column("peers", "Peers", "count"),
        Column("units", "Units", "count"),
        Column("kappa", "K", "figure"),
        Column("kappa_low", "from", "figure"),
        Column("kappa_high", "to", "figure"),
        Column("cohen", "Cohen’s kappa", "figure"),
        Column("alpha_dice", "Alpha, Dice", "figure"),
        Column("alpha_low", "from", "figure"),
        Column("alpha_high", "to", "figure"),
        Column("note", "Notes"),
    ]
    note = (
        "A unit is an SCU of the agreed pyramid in a peer. The kappas are of whether the peer expresses it: K of Siegel"
        " and Castellan, and Cohen’s where there are two coders. Alpha is of how often, with the Dice distance"
        " 1 − 2 min(a, b)/(a + b) of two counts, 0 for two zeros (Passonneau et al. 2005). Intervals are over peers."
    )
    return Table("reliability", "Agreement on the SCUs of peers", columns, rows, note)


def _reliability_row(name: str, one: PeerReliability) -> list[Cell]:
    notes = [*dict.fromkeys(filter(None, (one.kappa.note, one.alpha_dice.note)))]
    return [
        name,
        one.n_peers,
        one.kappa.n_units,
        *with_ends(one.kappa),
        one.cohen_kappa.value if one.cohen_kappa else None,
        *with_ends(one.alpha_dice),
        "; ".join(notes),
    ]


def _mean(intervals: Sequence[PeerKappa | None]) -> float | None:
    values = [one.value for one in intervals if one and one.value is not None]
    return sum(values) / len(values) if values else None


def _count_of(coder: str, item: PeerItem) -> int | None:
    return item.counts[coder]


def _items_table(report: PeersReport, items: Sequence[PeerItem]) -> Table:
    columns = [
        Column("scu", "SCU", cell="label"),
        Column("peer", "Peer", cell="title"),
        Column("docset", "Docset"),
        Column("weight", "Weight", "count"),
        *(
            Column(name, name, "count", explanation="times_found", cell=partial(_count_of, name))
            for name in report.coders
        ),
        Column("share", "Share", "percent", explanation="share_of_disagreement"),
    ]
    note = "How often each coder found the SCU in the peer, and its share of the disagreement of alpha with Dice."
    return Table.of("items", "SCUs in peers by their share of the disagreement", columns, items, note)
