"""What the pages on pyramids show: scores, the study, peers. Reports -> tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agreement.figures import Chart, Dot, Point, dots, said, scatter, strip
from agreement.measures.intervals import Interval
from agreement.parts.part import Parts
from agreement.reports import peers as of_peers
from agreement.reports import scores as of_scores
from agreement.reports import study as of_study
from agreement.tables import Cell, Column, Linked, Table, shown

NAMES = {"original": "Original", "modified": "Modified", "comprehensive": "Comprehensive"}
AGAINST = {False: "own", True: "agreed"}
# More rows are no picture any more: the table has them.
MOST_DOTS = 60
STRIP = 200

COVERAGE = (
    "Original: the weight found over the best weight with as many SCUs as the peer has, those outside the pyramid"
    " included. Modified, which others call coverage: over the best weight with the mean number of SCUs of the model"
    " summaries: a peer that has more SCUs than that may reach more than 1. Comprehensive: their harmonic mean."
)


def scores(report: of_scores.Report, score: str) -> Parts:
    """Every peer and every system; `score` is what the charts show."""
    rows = [_scored(one) for one in report.peers]
    columns = [
        Column("peer", "Peer"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("coder", "Coder"),
        Column("against", "Pyramid"),
        *(Column(name, label, "figure") for name, label in NAMES.items()),
        Column("found", "Weight found", "count"),
        Column("best_original", "Best with as many SCUs", "count"),
        Column("best_modified", "Best with the mean number", "figure" if report.mean == "interpolate" else "count"),
        Column("scus", "SCUs", "count"),
        Column("outside", "Of these outside", "count"),
        Column("state", "State"),
        Column("note", "To mind"),
    ]
    peers = Table("scores", "Every peer, as each coder marked it", columns, rows, COVERAGE)
    points = [Dot(_name(one), one.value(score)) for one in report.peers]
    there = [point for point in points if point.value is not None]
    charts = [_systems_chart(report, score)] if report.systems else []
    if 0 < len(there) <= MOST_DOTS:
        title = f"{NAMES[score]} score of each peer"
        charts.append(Chart("scores", title, dots(points, f"{score} score"), said(points), "scores"))
    return Parts([peers, _systems(report)], charts)


def _name(one: of_scores.Scored) -> str:
    return f"{one.held.peer.title}, {one.held.coder}{', agreed' if one.held.agreed else ''}"


def _scored(one: of_scores.Scored) -> list[Cell]:
    held = one.held
    best = [part.best if part else None for part in (one.original, one.modified)]
    return [
        held.peer.title,
        held.peer.docset.slug,
        held.peer.system,
        held.coder,
        AGAINST[held.agreed],
        *(one.value(score) for score in of_scores.SCORES),
        one.found,
        *(value if value is None else _whole(value) for value in best),
        one.n_scus,
        held.outside,
        "handed in" if held.handed_in else "open" if held.begun else "not begun",
        one.note,
    ]


def _whole(value: float) -> float:
    """A number that is whole without its decimals."""
    return int(value) if value == int(value) else value


def _systems(report: of_scores.Report) -> Table:
    columns = [Column("system", "System"), Column("against", "Pyramid"), Column("peers", "Peers", "count")]
    for name, label in NAMES.items():
        columns += [
            Column(name, label, "figure"),
            Column(f"{name}_low", "from", "figure"),
            Column(f"{name}_high", "to", "figure"),
        ]
    rows: list[list[Cell]] = []
    for one in report.systems:
        row: list[Cell] = [one.system or "not named", AGAINST[one.agreed], one.n_peers]
        for found in (one.original, one.modified, one.comprehensive):
            row += [found.value, found.low, found.high]
        rows.append(row)
    note = (
        "The mean over peers, of each the mean of its coders, with a 95% bootstrap interval over peers where there are"
        " five or more."
    )
    return Table("systems", "Every system", columns, rows, note)


def _systems_chart(report: of_scores.Report, score: str) -> Chart:
    points = []
    for one in report.systems:
        found = getattr(one, score)
        name = f"{one.system or 'not named'}{', agreed' if one.agreed else ''}"
        points.append(Dot(name, found.value, found.low, found.high))
    title = f"{NAMES[score]} score of each system, mean of its peers"
    return Chart("systems", title, dots(points, f"{score} score"), said(points), "systems")


def study(
    report: of_study.Report, pair: of_study.OfPair | None, score: str, address: Callable[[str, str], str]
) -> Parts:
    """Every pair of coders, and of one of them the peers with their ranks; `address` leads to a pair."""
    columns = [Column("coders", "Coders"), Column("score", "Score"), Column("peers", "Peers", "count")]
    for name in of_study.CORRELATIONS:
        columns += [
            Column(name, name.capitalize(), "figure"),
            Column(f"{name}_low", "from", "figure"),
            Column(f"{name}_high", "to", "figure"),
        ]
    rows: list[list[Cell]] = []
    for one in report.pairs:
        for kind, found in one.correlations.items():
            coders = Linked(f"{one.first} – {one.second}", address(one.first, one.second), one == pair)
            row: list[Cell] = [coders, kind, found.n]
            for interval in (found.pearson, found.spearman, found.kendall):
                row += [interval.value, interval.low, interval.high]
            rows.append([*row, found.pearson.note])
    note = (
        "Intervals are 95% bootstrap intervals over the peers, 2,000 samples; the three coefficients are of the same"
        " samples. With few peers they are wide, and still rather too narrow."
    )
    pairs = Table(
        "correlations", "How alike two pyramids score the same peers", [*columns, Column("note", "To mind")], rows, note
    )
    if pair is None:
        return Parts([pairs], [])
    return Parts([pairs, _ranks(pair, score)], _study_charts(pair, score))


def _ranks(pair: of_study.OfPair, score: str) -> Table:
    a, b = pair.first, pair.second
    rows: list[list[Cell]] = [
        [
            *(one.title, one.docset, one.system),
            *(one.first, one.second),
            *(_whole(rank) for rank in (one.rank_first, one.rank_second, one.change)),
        ]
        for one in sorted(pair.peers[score], key=lambda one: (one.rank_first, one.rank_second))
    ]
    columns = [
        Column("peer", "Peer"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("first", f"By {a}", "figure"),
        Column("second", f"By {b}", "figure"),
        Column("rank_first", f"Rank by {a}", "count"),
        Column("rank_second", f"Rank by {b}", "count"),
        Column("change", "Change", "count"),
    ]
    note = f"Rank 1 has the highest score; equal scores share a rank. Change: how many ranks {b} puts the peer higher."
    return Table("ranks", f"{NAMES[score]} scores and ranks by {a} and {b}", columns, rows, note)


def _study_charts(pair: of_study.OfPair, score: str) -> list[Chart]:
    peers = pair.peers[score]
    if not peers:
        return []
    points = [Point(one.title, one.first, one.second) for one in peers]
    few = "; ".join(
        f"{point.label}: {shown(point.x, 'figure')} by {pair.first}, {shown(point.y, 'figure')} by {pair.second}"
        for point in points[:12]
    )
    title = f"{NAMES[score]} scores of the same peers by {pair.first} and {pair.second}"
    words = f"{len(points)} peers. {few}{'; …' if len(points) > 12 else '.'}"
    figure = scatter(points, f"{score} score by {pair.first}", f"by {pair.second}")
    rows = [
        Dot(f"{name.capitalize()}, {kind}", one.value, one.low, one.high)
        for kind, found in pair.correlations.items()
        for name in of_study.CORRELATIONS
        for one in [getattr(found, name)]
    ]
    charts = [Chart("ranks", title, figure, words, "ranks")]
    if any(row.value is not None for row in rows):
        title = f"Correlations of the scores of {pair.first} and {pair.second}, with 95% intervals"
        charts.append(Chart("correlations", title, dots(rows, "correlation"), said(rows), "correlations"))
    return charts


def peers(report: of_peers.Report, items: Sequence[of_peers.Item]) -> Parts:
    """The reliability docset by docset and over all, and these of the items."""
    shares = [one.share for one in report.items if one.share][:STRIP]
    words = [f"{one.label} in {one.peer.title}" for one in report.items[: len(shares)]]
    charts = []
    if len(shares) > 1:
        words_said = f"{len(shares)} items differ; the first carries {shares[0]:.0%} of the disagreement."
        title = "Share of the observed disagreement in counts, item by item"
        charts.append(Chart("items", title, strip(words, shares, "share"), words_said, "items"))
    return Parts([_reliability(report), _items(report, items)], charts)


def _reliability(report: of_peers.Report) -> Table:
    found = [*report.docsets]
    rows: list[list[Cell]] = []
    if len(found) != 1:
        rows.append(_reliable("all docsets", report.overall))
    rows += [_reliable(one.docset, one) for one in found]
    if len(found) > 1:
        means: list[Cell] = [_mean([one.kappa for one in found]), None, None, _mean([one.cohen for one in found])]
        rows.append(["mean of the docsets", None, None, *means, _mean([one.dice for one in found]), None, None, ""])
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
        Column("note", "To mind"),
    ]
    note = (
        "A unit is an SCU of the agreed pyramid in a peer. The kappas are of whether the peer expresses it: K of Siegel"
        " and Castellan, and Cohen’s where there are two coders. Alpha is of how often, with the Dice distance"
        " 1 − 2 min(a, b)/(a + b) of two counts, 0 for two zeros (Passonneau et al. 2005). Intervals are over peers."
    )
    return Table("reliability", "Do coders find the same SCUs in the same peers?", columns, rows, note)


def _reliable(name: str, one: of_peers.Reliability) -> list[Cell]:
    notes = [*dict.fromkeys(filter(None, (one.kappa.result.note, one.dice.result.note)))]
    return [
        name,
        one.n_peers,
        one.kappa.result.n_units,
        *(one.kappa.value, one.kappa.low, one.kappa.high),
        one.cohen.value if one.cohen else None,
        *(one.dice.value, one.dice.low, one.dice.high),
        "; ".join(notes),
    ]


def _mean(intervals: Sequence[Interval | None]) -> float | None:
    values = [one.value for one in intervals if one and one.value is not None]
    return sum(values) / len(values) if values else None


def _items(report: of_peers.Report, items: Sequence[of_peers.Item]) -> Table:
    columns = [
        Column("scu", "SCU"),
        Column("peer", "Peer"),
        Column("docset", "Docset"),
        Column("weight", "Weight", "count"),
        *(Column(name, name, "count") for name in report.coders),
        Column("share", "Share", "percent"),
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
