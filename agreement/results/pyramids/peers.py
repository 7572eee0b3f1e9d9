"""The agreement of coders on the SCUs of peers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated

from agreement import measures
from agreement.data.pyramids import PeerMarks, Pyramids
from agreement.measures import ReliabilityData, Result
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.request import AnalysisRequest
from agreement.results.computations import PageSections, paginate, register
from agreement.results.figures.charts import Chart, strip_plot
from agreement.results.pyramids import common
from agreement.results.tables import Cell, Column, Table, columns_of, figure_columns, with_ends

PAGE_SIZE = 100
STRIP = 200


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
    """A coefficient of agreement on the SCUs of peers, with its interval."""

    value: float | None
    low: float | None
    high: float | None
    observed: float | None
    expected: float | None
    n_units: int
    note: str


@dataclass(frozen=True, slots=True)
class PeerReliability:
    """Agreement on peers: kappa of the presence of an SCU in a peer, and alpha of its counts with the Dice distance.

    `docset` is empty for all docsets together.
    """

    docset: str
    n_peers: int
    coders: tuple[str, ...]
    kappa: PeerKappa
    cohen_kappa: Annotated[PeerKappa | None, "of two coders"]
    alpha_dice: PeerKappa


@dataclass(frozen=True, slots=True)
class PeersReport:
    """The agreement over all docsets and in each, and the items, the largest share of disagreement first."""

    docset: str
    coders: tuple[str, ...]
    overall: PeerReliability
    docsets: tuple[PeerReliability, ...]
    items: tuple[PeerItem, ...]
    n_alone: Annotated[int, "peers of one coder only"]
    n_astray: Annotated[int, "marks of no SCU that the pyramid has"]
    n_open: Annotated[int, "codings of peers that are begun and not submitted: they count nowhere"]


def report_peers(pyramids: Pyramids, docset: str = "") -> PeersReport:
    """Return the agreement on peers that several coders marked against the agreed pyramid. Raises InvalidParameter.

    Units are pairs of a peer and an SCU that has a contributor or that a coder found; documents are peers. A coder has
    no value in a peer that they have not submitted, and 0 for an SCU that they did not find.
    """
    common.check_docset(pyramids, docset)
    # in the order of docsets and peers
    counted = [mark for mark in pyramids.peer_marks if mark.agreed and mark.submitted and mark.reference is not None]
    of_peers = [list(marks) for _, marks in groupby(counted, lambda mark: (mark.peer.docset.slug, mark.peer.slug))]
    peers = [marks for marks in of_peers if len(marks) > 1]
    by_docset = groupby(peers, lambda marks: marks[0].peer.docset.slug)
    items = list(_list_items(peers))
    shares = measures.contributions(_as_data(items, _coders_of(peers), int), measures.count_dice)
    shared = [replace(item, share=dice.share) for item, dice in zip(items, shares, strict=True)]
    return PeersReport(
        docset=docset,
        coders=_coders_of(peers),
        overall=_compute_reliability("", peers),
        docsets=tuple(_compute_reliability(slug, list(of_docset)) for slug, of_docset in by_docset),
        items=tuple(sorted(shared, key=lambda item: -item.share)),
        n_alone=len(of_peers) - len(peers),
        n_astray=sum(mark.n_orphaned for marks in peers for mark in marks),
        n_open=sum(mark.agreed and mark.started and not mark.submitted for mark in pyramids.peer_marks),
    )


def _coders_of(peers: Sequence[Sequence[PeerMarks]]) -> tuple[str, ...]:
    return tuple(sorted({mark.coder for marks in peers for mark in marks}))


def _list_items(peers: Sequence[Sequence[PeerMarks]]) -> Iterator[PeerItem]:
    """Yield the SCUs of each peer; their shares are still 0."""
    coders = _coders_of(peers)
    for marks in peers:
        peer, pyramid, counts_of = marks[0].peer, marks[0].reference, {mark.coder: mark.counts for mark in marks}
        assert pyramid is not None
        for scu, label in pyramid.labels.items():
            counts = {coder: counts_of[coder].get(scu, 0) if coder in counts_of else None for coder in coders}
            weight = pyramid.pyramid.weights[scu]
            if weight or any(counts.values()):  # not an SCU without contributors that nobody found
                yield PeerItem(peer.docset.slug, peer.slug, scu, label, weight, counts, 0, peer.title)


def _as_data(items: Sequence[PeerItem], coders: Sequence[str], read: Callable[[int], object]) -> ReliabilityData:
    units = [(item.docset, item.peer, item.scu) for item in items]
    rows = [[None if (n := item.counts[coder]) is None else read(n) for coder in coders] for item in items]
    return ReliabilityData.from_values(units, coders, rows, [unit[:2] for unit in units])


def _compute_reliability(docset: str, peers: Sequence[Sequence[PeerMarks]]) -> PeerReliability:
    items, coders = list(_list_items(peers)), _coders_of(peers)
    presence = _as_data(items, coders, lambda count: "present" if count else "absent")

    def measure(data: ReliabilityData, coefficient: Callable[[ReliabilityData], Result]) -> PeerKappa:
        found = measures.interval(data, coefficient)
        return copy_fields(PeerKappa, found.result, found)

    return PeerReliability(
        docset=docset,
        n_peers=len(peers),
        coders=coders,
        kappa=measure(presence, measures.fleiss_kappa),
        cohen_kappa=measure(presence, measures.cohen_kappa) if len(coders) == 2 else None,
        alpha_dice=measure(_as_data(items, coders, int), measures.count_alpha),
    )


@register
class Peers(common.PyramidPage[PeersReport]):
    """The agreement on peers that several coders marked against the agreed pyramid, and the items where they differ."""

    name, title = "peers", "Peers"
    template = "agreement/pyramids/peers.html"
    position, tab = 230, 190
    gives = PeersReport
    takes = common.DOCSET
    api = "Whether coders found the same SCUs in the same peers against the agreed pyramid. `items` come in pages."
    rows = "items"

    def compute(self, request: AnalysisRequest) -> PeersReport:
        return report_peers(common.read_chosen(request), *request.asked("docset"))

    def show(self, request: AnalysisRequest) -> PageSections:
        pyramids = common.read_chosen(request)
        report = report_peers(pyramids, *request.asked("docset"))
        shown, items = paginate(request, report.items, PAGE_SIZE)
        return self.arrange(
            request,
            pyramids,
            {"docset": common.docset_field(pyramids)},
            PageSections([_reliability_table(report), _items_table(report, items)], _share_charts(report)),
            report=report,
            shown=shown,
            agreed=any(pyramid.agreed for pyramid in pyramids.annotations),
        )


def _share_charts(report: PeersReport) -> list[Chart]:
    shares = [item.share for item in report.items if item.share][:STRIP]
    if len(shares) < 2:
        return []
    figure = strip_plot([f"{item.label} in {item.title}" for item in report.items[: len(shares)]], shares, "share")
    words = f"{len(shares)} items differ; the first carries {shares[0]:.0%} of the disagreement."
    return [Chart("items", "Share of the observed disagreement in counts, by item", figure, words, "items")]


def _items_table(report: PeersReport, items: Sequence[PeerItem]) -> Table:
    def count_by(coder: str) -> Column:
        return Column(coder, coder, "count", explanation="times_found", cell=lambda row: row.counts[coder])

    columns = [
        Column("scu", "SCU", cell="label"),
        Column("peer", "Peer", cell="title"),
        Column("docset", "Docset"),
        Column("weight", "Weight", "count"),
        *map(count_by, report.coders),
        Column("share", "Share", "percent", explanation="share_of_disagreement"),
    ]
    note = "How often each coder found the SCU in the peer, and its share of the disagreement of alpha with Dice."
    return Table.of("items", "SCUs in peers by their share of the disagreement", columns, items, note)


def _reliability_table(report: PeersReport) -> Table:
    docsets = report.docsets
    named = [("all docsets", report.overall)] if len(docsets) != 1 else []
    rows: list[list[Cell]] = []
    for name, row in (*named, *((row.docset, row) for row in docsets)):
        cohen, notes = row.cohen_kappa.value if row.cohen_kappa else None, (row.kappa.note, row.alpha_dice.note)
        figures = (*with_ends(row.kappa), cohen, *with_ends(row.alpha_dice))
        rows.append([name, row.n_peers, row.kappa.n_units, *figures, "; ".join(dict.fromkeys(filter(None, notes)))])
    if len(docsets) > 1:
        of_each = zip(*((row.kappa, row.cohen_kappa, row.alpha_dice) for row in docsets), strict=True)
        kappa, cohen, alpha = (common.mean_of([figure.value for figure in several if figure]) for several in of_each)
        rows.append(["mean of the docsets", None, None, kappa, None, None, cohen, alpha, None, None, ""])
    columns = [
        Column("docset", "Docset"),
        *columns_of("count", peers="Peers", units="Units"),
        *figure_columns(Column("kappa", "K", "figure"), ends="kappa_"),
        Column("cohen", "Cohen’s kappa", "figure"),
        *figure_columns(Column("alpha_dice", "Alpha, Dice", "figure"), ends="alpha_"),
        Column("note", "Notes"),
    ]
    note = (
        "A unit is an SCU of the agreed pyramid in a peer. The kappas are of whether the peer expresses it: K of Siegel"
        " and Castellan, and Cohen’s where there are two coders. Alpha is of how often, with the Dice distance"
        " 1 − 2 min(a, b)/(a + b) of two counts, 0 for two zeros (Passonneau et al. 2005). Intervals are over peers."
    )
    return Table("reliability", "Agreement on the SCUs of peers", columns, rows, note)
