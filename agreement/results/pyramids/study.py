"""The study of two coders whose pyramids score the same peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Annotated, ClassVar

from rest_framework.serializers import ChoiceField

from agreement.data.pyramids.pyramids import Pyramids
from agreement.measures import score_correlation_interval
from agreement.measures.pyramids import MEANS
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import PageSections, register
from agreement.results.figures.charts import Chart, Dot, Point, dots_chart, scatter_plot
from agreement.results.pyramids import common
from agreement.results.pyramids.scores import SCORES, PeerScore, check_score, report_scores
from agreement.results.tables import Cell, Column, Linked, Table, format_value, with_ends

CORRELATIONS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A peer that both pyramids score: its scores and ranks, 1 for the best, and how far it falls from first to second.

    Equal scores share the mean of their ranks.
    """

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
    peers: tuple[Ranked, ...]


@dataclass(frozen=True, slots=True)
class StudyPair:
    """Two coders; n_submitted: peers of which both have submitted all."""

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
    pairs: tuple[StudyPair, ...]

    def pair(self, first: str = "", second: str = "") -> StudyPair | None:
        """Return the pair of these coders; of several, the one with most submitted peers in common."""
        pairs = [one for one in self.pairs if first in ("", one.first) and second in ("", one.second)]
        return max(pairs, key=lambda one: (one.n_submitted, len(one.of_score("modified").peers)), default=None)


def report_study(
    pyramids: Pyramids, docset: str = "", mean: str = "", first: str = "", second: str = ""
) -> StudyReport:
    """Return the study of all pairs of coders, or of those with the one or two that are named, these in their order.

    Pairs without a peer that both have submitted come last. Raises InvalidParameter.
    """
    report = report_scores(pyramids, docset, mean)
    own: dict[str, dict[tuple[str, str], PeerScore]] = {}
    for one in report.peers:
        if not one.marks.agreed and one.modified is not None:
            own.setdefault(one.coder, {})[one.docset, one.peer] = one
    coders = sorted(own)
    common.check_pair(first, second, coders, "annotated no peer with a pyramid of their own")
    studied = []
    for a, b in permutations(coders, 2) if first or second else combinations(coders, 2):
        both = [(own[a][peer], own[b][peer]) for peer in own[a] if peer in own[b]]
        if first in ("", a) and second in ("", b) and (both or (first and second)):
            n_open = [sum(not side.is_submitted for side in sides) for sides in both]
            scores = tuple(_correlate(score, both) for score in SCORES)
            studied.append(StudyPair(a, b, sum(n_open), scores, n_open.count(0)))
    studied.sort(key=lambda one: not one.n_submitted)
    return StudyReport(docset, report.mean, tuple(coders), tuple(studied))


def _correlate(score: str, both: Sequence[tuple[PeerScore, PeerScore]]) -> Correlations:
    values = [(x, x.value(score), y.value(score)) for x, y in both]
    scored = [(x, float(a), float(b)) for x, a, b in values if a is not None and b is not None]
    first, second = [a for _, a, _ in scored], [b for *_, b in scored]
    peers = tuple(
        Ranked(x.docset, x.peer, x.marks.peer.title, x.system, a, b, rank_a, rank_b, rank_a - rank_b)
        for (x, a, b), rank_a, rank_b in zip(scored, _rank_values(first), _rank_values(second), strict=True)
    )
    found = score_correlation_interval(first, second)
    correlations = {name: copy_fields(Correlation, getattr(found, name)) for name in CORRELATIONS}
    return Correlations(score=score, n=found.n, **correlations, peers=peers)


def _rank_values(values: Sequence[float]) -> list[float]:
    """Return the ranks, 1 for the largest; equal values share the mean of their ranks."""
    return [sum(better > value for better in values) + (values.count(value) + 1) / 2 for value in values]


@register
class Study(common.PyramidPage[StudyReport]):
    """The paradigmatic reliability study: scores of the same peers by the own pyramids of two coders."""

    name, title = "study", "Study"
    template = "agreement/pyramids/study.html"
    position, tab = 210, 170
    options = ("docset", "mean", "score", "first", "second")
    gives = StudyReport
    takes = {**common.DOCSET, **common.MEAN, **common.PAIR}
    api = "How alike the own pyramids of two coders score the same peers."

    def compute(self, request: AnalysisRequest) -> StudyReport:
        asked = common.asked_of(request, "docset", "mean", "first", "second")
        return report_study(common.read_chosen(request), *asked)

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        return _build_tables(report, report.pair(*common.asked_of(request, "first", "second")), "modified")

    def show(self, request: AnalysisRequest) -> PageSections:
        docset, mean, score, *two = common.asked_of(request, "docset", "mean", "score", "first", "second")
        pyramids, score = common.read_chosen(request), check_score(score)
        report = report_study(pyramids, docset, mean)
        pair = (report_study(pyramids, docset, mean, *two) if any(two) else report).pair(*two)
        names = [("", "first pair"), *((name, name) for name in report.coders)] if len(report.coders) > 2 else []
        fields: common.Fields = {
            "docset": common.docset_field(pyramids),
            "score": ("Score of the ranks", common.SCORE_CHOICES),
            "mean": ("Mean number of SCUs", common.MEAN_CHOICES),
            **({"first": ("First coder", names), "second": ("Second coder", names)} if names else {}),
        }
        return self.arrange(
            request,
            pyramids,
            fields,
            _build_tables(report, pair, score, lambda first, second: request.address_with(first=first, second=second)),
            _build_charts(pair, score) if pair else [],
            report=report,
            pair=pair,
            several=not docset and len(pyramids.docsets) > 1,
            coders=report.coders,
        )


def _build_tables(
    report: StudyReport, pair: StudyPair | None, score: str, address: Callable[[str, str], str] = lambda *_: ""
) -> list[Table]:
    columns = [Column("coders", "Coders"), Column("score", "Score"), Column("peers", "Peers", "count")]
    for name in CORRELATIONS:
        p = Column(f"{name}_p", "p", "probability", explanation="correlation_p_value")
        columns += [*common.columns_with_ends(name, name.capitalize()), p]
    rows: list[list[Cell]] = []
    for one in report.pairs:
        coders = Linked(f"{one.first} – {one.second}", address(one.first, one.second), one == pair)
        for found in one.scores:
            of_each = (getattr(found, name) for name in CORRELATIONS)
            figures = [cell for each in of_each for cell in (*with_ends(each), each.p_value)]
            rows.append([coders, found.score, found.n, *figures, found.pearson.note])
    note = "95% CI over peers by Fisher’s z; wide with few peers. p: two-sided, against no correlation."
    title = "Correlation of the scores by two pyramids"
    pairs = Table("correlations", title, [*columns, Column("note", "Notes")], rows, note)
    return [pairs, _ranks_table(pair, score)] if pair else [pairs]


def _ranks_table(pair: StudyPair, score: str) -> Table:
    a, b = pair.first, pair.second
    columns = [
        Column("peer", "Peer", cell="title"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("first", f"By {a}", "figure", explanation="score_of"),
        Column("second", f"By {b}", "figure", explanation="score_of"),
        common.whole_column("rank_first", f"Rank by {a}", explanation="rank"),
        common.whole_column("rank_second", f"Rank by {b}", explanation="rank"),
        common.whole_column("change", "Change", explanation="rank_change"),
    ]
    peers = sorted(pair.of_score(score).peers, key=lambda one: (one.rank_first, one.rank_second))
    note = f"Rank 1 has the highest score; equal scores share a rank. Change: how many ranks {b} puts the peer higher."
    return Table.of("ranks", f"{common.SCORE_LABELS[score]} scores and ranks by {a} and {b}", columns, peers, note)


def _build_charts(pair: StudyPair, score: str) -> list[Chart]:
    a, b = pair.first, pair.second
    points = [Point(one.title, one.first, one.second) for one in pair.of_score(score).peers]
    if not points:
        return []
    few = "; ".join(
        f"{point.label}: {format_value(point.x, 'figure')} by {a}, {format_value(point.y, 'figure')} by {b}"
        for point in points[:12]
    )
    title = f"{common.SCORE_LABELS[score]} scores of the same peers by {a} and {b}"
    words = f"{len(points)} peers. {few}{'; …' if len(points) > 12 else '.'}"
    figure = scatter_plot(points, f"{score} score by {a}", f"by {b}")
    rows = [
        Dot(f"{name.capitalize()}, {found.score}", *with_ends(getattr(found, name)))
        for found in pair.scores
        for name in CORRELATIONS
    ]
    charts = [Chart("ranks", title, figure, words, "ranks")]
    if any(row.value is not None for row in rows):
        title = f"Correlations of the scores of {a} and {b}, with 95% intervals"
        charts.append(dots_chart("correlations", title, rows, "correlation"))
    return charts
