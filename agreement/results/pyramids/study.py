"""The study of two coders whose pyramids score the same peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Annotated, ClassVar

from rest_framework.serializers import ChoiceField

from agreement.data.pyramids.pyramids import Pyramids
from agreement.measures import score_correlation_interval
from agreement.measures.pyramids import MEANS
from agreement.reports.fields import PageOnly
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot, Point, scatter_plot
from agreement.results.pyramids.common import (
    DOCSET,
    MEAN,
    MEAN_CHOICES,
    PAIR,
    SCORE_CHOICES,
    SCORE_LABELS,
    Fields,
    PyramidPage,
    docset_field,
    drop_zero_decimals,
    read_chosen,
)
from agreement.results.pyramids.scores import SCORES, PeerScores, check_score, report_scores
from agreement.results.tables import Cell, Column, Linked, Table, format_value, with_ends

CORRELATIONS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True, slots=True)
class RankedPeer:
    """A peer that both pyramids score: its scores and ranks, 1 for the best, and how far it falls from first to second.

    Equal scores share the mean of their ranks.
    """

    component: ClassVar = "Ranked"

    docset: str
    peer: str
    title: PageOnly[str]
    system: str
    first: float
    second: float
    rank_first: float
    rank_second: float
    change: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation over peers with its interval."""

    value: float | None
    low: Annotated[float | None, "of the 95% interval over peers"]
    high: float | None
    p_value: Annotated[float | None, "two-sided, against no correlation"]
    note: str


@dataclass(frozen=True, slots=True)
class Correlations:
    """How the scores of the same peers by two pyramids go together."""

    score: str
    n: int
    pearson: Correlation
    spearman: Correlation
    kendall: Correlation
    peers: tuple[RankedPeer, ...]


@dataclass(frozen=True, slots=True)
class PairStudy:
    """Two coders; n_submitted: peers of which both have submitted all."""

    component: ClassVar = "StudyPair"

    first: str
    second: str
    n_open: Annotated[int, "of their pyramids and peers, how many are not submitted"]
    scores: tuple[Correlations, ...]
    n_submitted: PageOnly[int]

    def of_score(self, score: str) -> Correlations:
        """Return what is said of one of SCORES."""
        return self.scores[SCORES.index(score)]


@dataclass(frozen=True, slots=True)
class StudyReport:
    """Every two coders who marks the same peers against their own pyramids; those asked for, where two are."""

    component: ClassVar = "Study"

    docset: str
    mean: Annotated[str, ChoiceField(MEANS)]
    coders: tuple[str, ...]
    pairs: tuple[PairStudy, ...]

    def pair(self, first: str = "", second: str = "") -> PairStudy | None:
        """Return the pair of these coders; of several, the one with most submitted peers in common."""
        pairs = [one for one in self.pairs if first in ("", one.first) and second in ("", one.second)]
        return max(pairs, key=lambda one: (one.n_submitted, len(one.of_score("modified").peers)), default=None)


def report_study(
    pyramids: Pyramids, docset: str = "", mean: str = "round", first: str = "", second: str = ""
) -> StudyReport:
    """Return the study of all pairs of coders, or of those with the one or two that are named, these in their order.

    Pairs without a peer that both have submitted come last. Raises InvalidParameter.
    """
    report = report_scores(pyramids, docset, mean)
    own: dict[str, dict[tuple[str, str], PeerScores]] = {}
    for one in report.peers:
        if not one.marks.agreed and one.value("modified") is not None:
            own.setdefault(one.coder, {})[one.docset, one.peer] = one
    coders = sorted(own)
    pairs: list[tuple[str, str]] = list(combinations(coders, 2))
    if first or second:
        for field, name in (("first", first), ("second", second)):
            if name and name not in own:
                raise InvalidParameter(field, f"{name!r} has annotated no peer with a pyramid of their own.")
        if first == second:
            raise InvalidParameter("second", "select two coders.")
        pairs = [(a, b) for a in coders for b in coders if a != b and first in ("", a) and second in ("", b)]
    studied = [_study_pair(a, b, own[a], own[b]) for a, b in pairs]
    studied.sort(key=lambda one: not one.n_submitted)
    return StudyReport(
        docset,
        mean,
        tuple(coders),
        tuple(one for one in studied if one.of_score("modified").peers or (first and second)),
    )


def _study_pair(
    first: str, second: str, a: dict[tuple[str, str], PeerScores], b: dict[tuple[str, str], PeerScores]
) -> PairStudy:
    both = [(a[peer], b[peer]) for peer in a if peer in b]
    n_open = [sum(not side.is_submitted for side in pair) for pair in both]
    return PairStudy(first, second, sum(n_open), tuple(_correlate(score, both) for score in SCORES), n_open.count(0))


def _correlate(score: str, both: Sequence[tuple[PeerScores, PeerScores]]) -> Correlations:
    peers = _rank_peers([(x, y) for x, y in both if None not in (x.value(score), y.value(score))], score)
    found = score_correlation_interval(
        {(one.docset, one.peer): one.first for one in peers}, {(one.docset, one.peer): one.second for one in peers}
    )
    correlations = {
        name: Correlation(one.value, one.low, one.high, one.p_value, one.note)
        for name in CORRELATIONS
        for one in [getattr(found, name)]
    }
    return Correlations(score=score, n=found.n, **correlations, peers=peers)


def _rank_peers(both: Sequence[tuple[PeerScores, PeerScores]], score: str) -> tuple[RankedPeer, ...]:
    values = [[float(side.value(score) or 0) for side in sides] for sides in zip(*both, strict=True)] or [[], []]
    ranks = [_rank_values(of) for of in values]
    return tuple(
        RankedPeer(x.docset, x.peer, x.marks.peer.title, x.system, first, second, rank_first, rank_second, change)
        for (x, _), first, second, rank_first, rank_second in zip(both, *values, *ranks, strict=True)
        for change in [rank_first - rank_second]
    )


def _rank_values(values: Sequence[float]) -> list[float]:
    """Return the ranks, 1 for the largest; equal values share the mean of their ranks."""
    return [sum(other > value for other in values) + (values.count(value) + 1) / 2 for value in values]


@register
class Study(PyramidPage[StudyReport]):
    """The paradigmatic reliability study: scores of the same peers by the own pyramids of two coders."""

    name, title = "study", "Study"
    template = "agreement/pyramids/study.html"
    position, tab = 210, 170
    options = ("docset", "mean", "score", "first", "second")
    gives = StudyReport
    takes = {**DOCSET, **MEAN, **PAIR}
    api = "How alike the own pyramids of two coders score the same peers."

    def compute(self, request: AnalysisRequest) -> StudyReport:
        return _report(request, read_chosen(request), *_two(request))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        return build_content(report, report.pair(*_two(request)), "modified", lambda *_: "").tables

    def show(self, request: AnalysisRequest) -> PageSections:
        pyramids, two = read_chosen(request), _two(request)
        score = check_score(request.options.get("score", ""))
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


def _report(request: AnalysisRequest, pyramids: Pyramids, first: str = "", second: str = "") -> StudyReport:
    docset, mean = request.options.get("docset", ""), request.options.get("mean") or "round"
    return report_study(pyramids, docset, mean, first, second)


def build_content(
    report: StudyReport, pair: PairStudy | None, score: str, address: Callable[[str, str], str]
) -> TablesAndCharts:
    """Return every pair of coders, and of one of them the peers with their ranks; `address` leads to a pair."""
    columns = [Column("coders", "Coders"), Column("score", "Score"), Column("peers", "Peers", "count")]
    for name in CORRELATIONS:
        columns += [
            Column(name, name.capitalize(), "figure"),
            Column(f"{name}_low", "from", "figure"),
            Column(f"{name}_high", "to", "figure"),
            Column(f"{name}_p", "p", "probability", explanation="correlation_p_value"),
        ]
    rows: list[list[Cell]] = []
    for one in report.pairs:
        for correlation in one.scores:
            coders = Linked(f"{one.first} – {one.second}", address(one.first, one.second), one == pair)
            row: list[Cell] = [coders, correlation.score, correlation.n]
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


def _read_rank(name: str, peer: RankedPeer) -> float:
    return drop_zero_decimals(getattr(peer, name))


def _ranks_table(pair: PairStudy, score: str) -> Table:
    a, b = pair.first, pair.second
    peers = sorted(pair.of_score(score).peers, key=lambda one: (one.rank_first, one.rank_second))
    columns = [
        Column("peer", "Peer", cell="title"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("first", f"By {a}", "figure", explanation="score_of"),
        Column("second", f"By {b}", "figure", explanation="score_of"),
        *(
            Column(name, label, "count", explanation=key, cell=partial(_read_rank, name))
            for name, label, key in (
                ("rank_first", f"Rank by {a}", "rank"),
                ("rank_second", f"Rank by {b}", "rank"),
                ("change", "Change", "rank_change"),
            )
        ),
    ]
    note = f"Rank 1 has the highest score; equal scores share a rank. Change: how many ranks {b} puts the peer higher."
    return Table.of("ranks", f"{SCORE_LABELS[score]} scores and ranks by {a} and {b}", columns, peers, note)


def _study_charts(pair: PairStudy, score: str) -> list[Chart]:
    peers = pair.of_score(score).peers
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
        Dot(f"{name.capitalize()}, {found.score}", *with_ends(getattr(found, name)))
        for found in pair.scores
        for name in CORRELATIONS
    ]
    charts = [Chart("ranks", title, figure, words, "ranks")]
    if any(row.value is not None for row in rows):
        title = f"Correlations of the scores of {pair.first} and {pair.second}, with 95% intervals"
        charts.append(dots_chart("correlations", title, rows, "correlation"))
    return charts
