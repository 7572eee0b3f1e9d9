"""The study of two coders whose pyramids score the same peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agreement.data.pyramids.pyramids import Pyramids
from agreement.reports.pyramids import scores as of_scores
from agreement.reports.pyramids import study as of_study
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot, Point, scatter_plot
from agreement.results.pyramids.common import (
    MEAN_CHOICES,
    SCORE_CHOICES,
    SCORE_LABELS,
    Fields,
    PyramidPage,
    docset_field,
    drop_zero_decimals,
    read_chosen,
)
from agreement.results.tables import Cell, Column, Linked, Table, format_value, with_ends


@register
class Study(PyramidPage[of_study.StudyReport]):
    """The paradigmatic reliability study: scores of the same peers by the own pyramids of two coders."""

    name, title = "study", "Study"
    template = "agreement/pyramids/study.html"
    position, tab = 210, 170
    options = ("docset", "mean", "score", "first", "second")
    api = "How alike the own pyramids of two coders score the same peers."
    api_options = ("docset", "mean", "first", "second")

    def compute(self, request: AnalysisRequest) -> of_study.StudyReport:
        return _report(request, read_chosen(request), *_two(request))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        return build_content(report, report.pair(*_two(request)), "modified", lambda *_: "").tables

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the study of all pairs of coders, and the ranks that the pyramids of one pair give."""
        pyramids, two = read_chosen(request), _two(request)
        score = of_scores.check_score(request.options.get("score", ""))
        report = _report(request, pyramids)
        pair = (_report(request, pyramids, *two) if any(two) else report).pair(*two)
        content = build_content(
            report, pair, score, lambda first, second: request.address_with(first=first, second=second)
        )
        fields: Fields = {
            "docset": docset_field(pyramids),
            "score": ("Score of the ranks", SCORE_CHOICES),
            "mean": ("Mean number of SCUs", MEAN_CHOICES),
        }
        if len(report.coders) > 2:
            names = [("", "first pair"), *((name, name) for name in report.coders)]
            fields = {**fields, "first": ("First coder", names), "second": ("Second coder", names)}
        return self.arrange(
            request,
            pyramids,
            content,
            fields,
            report=report,
            pair=pair,
            several=not request.options.get("docset") and len(pyramids.docsets) > 1,
            coders=report.coders,
        )


def _two(request: AnalysisRequest) -> tuple[str, str]:
    return request.options.get("first", ""), request.options.get("second", "")


def _report(request: AnalysisRequest, pyramids: Pyramids, first: str = "", second: str = "") -> of_study.StudyReport:
    docset, mean = request.options.get("docset", ""), request.options.get("mean") or "round"
    return of_study.report_study(pyramids, docset, mean, first, second)


def build_content(
    report: of_study.StudyReport, pair: of_study.PairStudy | None, score: str, address: Callable[[str, str], str]
) -> TablesAndCharts:
    """Return every pair of coders, and of one of them the peers with their ranks; `address` leads to a pair."""
    columns = [Column("coders", "Coders"), Column("score", "Score"), Column("peers", "Peers", "count")]
    for name in of_study.CORRELATIONS:
        columns += [
            Column(name, name.capitalize(), "figure"),
            Column(f"{name}_low", "from", "figure"),
            Column(f"{name}_high", "to", "figure"),
            Column(f"{name}_p", "p", "probability", explanation="correlation_p_value"),
        ]
    rows: list[list[Cell]] = []
    for one in report.pairs:
        for kind, correlation in one.correlations.items():
            coders = Linked(f"{one.first} – {one.second}", address(one.first, one.second), one == pair)
            row: list[Cell] = [coders, kind, correlation.n]
            for interval in (correlation.pearson, correlation.spearman, correlation.kendall):
                row += [*with_ends(interval), interval.p_value]
            rows.append([*row, correlation.pearson.note])
    note = "95% CI over peers by Fisher’s z; wide with few peers. p: two-sided, against no correlation."
    pairs = Table(
        "correlations", "Correlation of the scores by two pyramids", [*columns, Column("note", "Notes")], rows, note
    )
    if pair is None:
        return TablesAndCharts([pairs], [])
    return TablesAndCharts([pairs, _ranks_table(pair, score)], _study_charts(pair, score))


def _ranks_table(pair: of_study.PairStudy, score: str) -> Table:
    a, b = pair.first, pair.second
    rows: list[list[Cell]] = [
        [
            *(one.title, one.docset, one.system),
            *(one.first, one.second),
            *(drop_zero_decimals(rank) for rank in (one.rank_first, one.rank_second, one.change)),
        ]
        for one in sorted(pair.peers[score], key=lambda one: (one.rank_first, one.rank_second))
    ]
    columns = [
        Column("peer", "Peer"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("first", f"By {a}", "figure", explanation="score_of"),
        Column("second", f"By {b}", "figure", explanation="score_of"),
        Column("rank_first", f"Rank by {a}", "count", explanation="rank"),
        Column("rank_second", f"Rank by {b}", "count", explanation="rank"),
        Column("change", "Change", "count", explanation="rank_change"),
    ]
    note = f"Rank 1 has the highest score; equal scores share a rank. Change: how many ranks {b} puts the peer higher."
    return Table("ranks", f"{SCORE_LABELS[score]} scores and ranks by {a} and {b}", columns, rows, note)


def _study_charts(pair: of_study.PairStudy, score: str) -> list[Chart]:
    peers = pair.peers[score]
    if not peers:
        return []
    points = [Point(one.title, one.first, one.second) for one in peers]
    few = "; ".join(
        f"{point.label}: {format_value(point.x, 'figure')} by {pair.first},"
        f" {format_value(point.y, 'figure')} by {pair.second}"
        for point in points[:12]
    )
    title = f"{SCORE_LABELS[score]} scores of the same peers by {pair.first} and {pair.second}"
    words = f"{len(points)} peers. {few}{'; …' if len(points) > 12 else '.'}"
    figure = scatter_plot(points, f"{score} score by {pair.first}", f"by {pair.second}")
    rows = [
        Dot(f"{name.capitalize()}, {kind}", *with_ends(one))
        for kind, found in pair.correlations.items()
        for name in of_study.CORRELATIONS
        for one in [getattr(found, name)]
    ]
    charts = [Chart("ranks", title, figure, words, "ranks")]
    if any(row.value is not None for row in rows):
        title = f"Correlations of the scores of {pair.first} and {pair.second}, with 95% intervals"
        charts.append(dots_chart("correlations", title, rows, "correlation"))
    return charts
