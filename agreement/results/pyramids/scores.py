"""Scores of peer summaries, by peer and by system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agreement.data.pyramids.pyramids import Pyramids
from agreement.reports.pyramids import scores as of_scores
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts, paginate
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot
from agreement.results.pyramids.common import (
    MEAN_CHOICES,
    SCORE_CHOICES,
    SCORE_LABELS,
    PyramidPage,
    docset_field,
    drop_zero_decimals,
    read_chosen,
)
from agreement.results.tables import Cell, Column, Table, with_ends

PAGE_SIZE = 100

PYRAMID_OWNERS = {False: "own", True: "agreed"}


# More rows are no picture any more: the table has them.
MOST_DOTS = 60


COVERAGE = (
    "Original: the weight found over the best weight with as many SCUs as the peer has, those outside the pyramid"
    " included. Modified, which others call coverage: over the best weight with the mean number of SCUs of the model"
    " summaries: a peer that has more SCUs than that may reach more than 1. Comprehensive: their harmonic mean."
)


@register
class Scores(PyramidPage[of_scores.ScoresReport]):
    """The scores of every peer by every coder, and of every system."""

    name, title = "scores", "Scores"
    template = "agreement/pyramids/scores.html"
    position, tab = 200, 160
    options = ("docset", "mean", "score")
    api = "The scores of peer summaries by the pyramids that coders held them against. `peers` come in pages."
    api_options = ("docset", "mean")
    rows = "peers"

    def compute(self, request: AnalysisRequest) -> of_scores.ScoresReport:
        return _report(request, read_chosen(request))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        return build_content(self.compute(request), "modified").tables

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the scores of every peer by every coder, and of every system."""
        pyramids, score = read_chosen(request), of_scores.check_score(request.options.get("score", ""))
        report = _report(request, pyramids)
        content = build_content(report, score)
        shown, rows = paginate(request, range(len(report.peers)), PAGE_SIZE)
        tables = [
            replace(table, rows=[table.rows[row] for row in rows]) if table.key == "scores" else table
            for table in content.tables
        ]
        fields = {
            "docset": docset_field(pyramids),
            "score": ("Score of the charts", SCORE_CHOICES),
            "mean": ("Mean number of SCUs", MEAN_CHOICES),
        }
        return self.arrange(request, pyramids, replace(content, tables=tables), fields, shown=shown, report=report)


def _report(request: AnalysisRequest, pyramids: Pyramids) -> of_scores.ScoresReport:
    return of_scores.report_scores(pyramids, request.options.get("docset", ""), request.options.get("mean") or "round")


def build_content(report: of_scores.ScoresReport, score: str) -> TablesAndCharts:
    """Return every peer and every system; `score` is what the charts show."""
    rows = [_score_row(one) for one in report.peers]
    columns = [
        Column("peer", "Peer"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("coder", "Coder"),
        Column("against", "Pyramid"),
        *(Column(name, label, "figure") for name, label in SCORE_LABELS.items()),
        Column("found", "Weight found", "count"),
        Column("best_original", "Best with as many SCUs", "count"),
        Column("best_modified", "Best with the mean number", "figure" if report.mean == "interpolate" else "count"),
        Column("scus", "SCUs", "count"),
        Column("outside", "Of these outside", "count"),
        Column("state", "State"),
        Column("note", "Notes"),
    ]
    peers = Table("scores", "Every peer, as each coder marked it", columns, rows, COVERAGE)
    points = [Dot(_peer_name(one), one.value(score)) for one in report.peers]
    defined = [point for point in points if point.value is not None]
    charts = [_systems_chart(report, score)] if report.systems else []
    if 0 < len(defined) <= MOST_DOTS:
        charts.append(dots_chart("scores", f"{SCORE_LABELS[score]} score of each peer", points, f"{score} score"))
    return TablesAndCharts([peers, _systems_table(report)], charts)


def _peer_name(one: of_scores.PeerScores) -> str:
    return f"{one.marks.peer.title}, {one.marks.coder}{', agreed' if one.marks.agreed else ''}"


def _score_row(one: of_scores.PeerScores) -> list[Cell]:
    marks = one.marks
    best = [part.best if part else None for part in (one.original, one.modified)]
    return [
        marks.peer.title,
        marks.peer.docset.slug,
        marks.peer.system,
        marks.coder,
        PYRAMID_OWNERS[marks.agreed],
        *(one.value(score) for score in of_scores.SCORES),
        one.found,
        *(value if value is None else drop_zero_decimals(value) for value in best),
        one.n_scus,
        marks.n_outside,
        "submitted" if marks.submitted else "open" if marks.started else "not started",
        one.note,
    ]


def _systems_table(report: of_scores.ScoresReport) -> Table:
    columns = [Column("system", "System"), Column("against", "Pyramid"), Column("peers", "Peers", "count")]
    for name, label in SCORE_LABELS.items():
        columns += [
            Column(name, label, "figure"),
            Column(f"{name}_low", "from", "figure"),
            Column(f"{name}_high", "to", "figure"),
        ]
    columns.append(Column("note", "Notes"))
    rows: list[list[Cell]] = []
    for one in report.systems:
        row: list[Cell] = [one.system or "not named", PYRAMID_OWNERS[one.agreed], one.n_peers]
        for interval in (one.original, one.modified, one.comprehensive):
            row += with_ends(interval)
        rows.append([*row, one.note])
    note = (
        "The mean over peers, of each the mean of its coders, with Student’s 95% interval over peers, on the logit,"
        " where there are five or more."
    )
    return Table("systems", "Every system", columns, rows, note)


def _systems_chart(report: of_scores.ScoresReport, score: str) -> Chart:
    points = []
    for one in report.systems:
        interval = getattr(one, score)
        name = f"{one.system or 'not named'}{', agreed' if one.agreed else ''}"
        points.append(Dot(name, *with_ends(interval)))
    title = f"{SCORE_LABELS[score]} score of each system, mean of its peers"
    return dots_chart("systems", title, points, f"{score} score")
