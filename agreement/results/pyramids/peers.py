"""Whether coders found the same SCUs in the same peers."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.pyramids import peers as of_peers
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts, paginate
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import strip_plot
from agreement.results.pyramids.common import PyramidPage, docset_field, read_chosen
from agreement.results.tables import Cell, Column, Table, with_ends

PAGE_SIZE = 100

STRIP = 200


@register
class Peers(PyramidPage[of_peers.PeersReport]):
    """What several coders found in the same peers against the agreed pyramid, and where they differ."""

    name, title = "peers", "Peers"
    template = "agreement/pyramids/peers.html"
    position, tab = 230, 190
    options = ("docset",)
    api = "Whether coders found the same SCUs in the same peers against the agreed pyramid. `items` come in pages."
    rows = "items"

    def compute(self, request: AnalysisRequest) -> of_peers.PeersReport:
        return of_peers.report_peers(read_chosen(request), request.options.get("docset", ""))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        return build_content(report, report.items).tables

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return what several coders found in the same peers against the agreed pyramid, and where they differ."""
        pyramids = read_chosen(request)
        report = of_peers.report_peers(pyramids, request.options.get("docset", ""))
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


def build_content(report: of_peers.PeersReport, items: Sequence[of_peers.PeerItem]) -> TablesAndCharts:
    """Return the reliability docset by docset and over all, and these of the items."""
    shares = [one.share for one in report.items if one.share][:STRIP]
    words = [f"{one.label} in {one.peer.title}" for one in report.items[: len(shares)]]
    charts = []
    if len(shares) > 1:
        words_said = f"{len(shares)} items differ; the first carries {shares[0]:.0%} of the disagreement."
        title = "Share of the observed disagreement in counts, by item"
        charts.append(Chart("items", title, strip_plot(words, shares, "share"), words_said, "items"))
    return TablesAndCharts([_reliability_table(report), _items_table(report, items)], charts)


def _reliability_table(report: of_peers.PeersReport) -> Table:
    docsets = [*report.docsets]
    rows: list[list[Cell]] = []
    if len(docsets) != 1:
        rows.append(_reliability_row("all docsets", report.overall))
    rows += [_reliability_row(one.docset, one) for one in docsets]
    if len(docsets) > 1:
        means: list[Cell] = [_mean([one.kappa for one in docsets]), None, None, _mean([one.cohen for one in docsets])]
        rows.append(["mean of the docsets", None, None, *means, _mean([one.dice for one in docsets]), None, None, ""])
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


def _reliability_row(name: str, one: of_peers.PeerReliability) -> list[Cell]:
    notes = [*dict.fromkeys(filter(None, (one.kappa.result.note, one.dice.result.note)))]
    return [
        name,
        one.n_peers,
        one.kappa.result.n_units,
        *with_ends(one.kappa),
        one.cohen.value if one.cohen else None,
        *with_ends(one.dice),
        "; ".join(notes),
    ]


def _mean(intervals: Sequence[Interval | None]) -> float | None:
    values = [one.value for one in intervals if one and one.value is not None]
    return sum(values) / len(values) if values else None


def _items_table(report: of_peers.PeersReport, items: Sequence[of_peers.PeerItem]) -> Table:
    columns = [
        Column("scu", "SCU"),
        Column("peer", "Peer"),
        Column("docset", "Docset"),
        Column("weight", "Weight", "count"),
        *(Column(name, name, "count", explanation="times_found") for name in report.coders),
        Column("share", "Share", "percent", explanation="share_of_disagreement"),
    ]
    rows = [
        (
            one.label,
            one.peer.title,
            one.peer.docset.slug,
            one.weight,
            *(one.counts[name] for name in report.coders),
            one.share,
        )
        for one in items
    ]
    note = "How often each coder found the SCU in the peer, and its share of the disagreement of alpha with Dice."
    return Table("items", "SCUs in peers by their share of the disagreement", columns, rows, note)
