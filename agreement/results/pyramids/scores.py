"""Scores of peer summaries, by peer and by system, and the study of two coders whose pyramids score the same peers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Annotated

from rest_framework.serializers import ChoiceField

from agreement.data.pyramids import PeerMarks, Pyramids
from agreement.measures import comprehensive, mean_interval, modified, original, score_correlation_interval
from agreement.measures.pyramids import MEANS
from agreement.measures.results import pluralize
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.parameters import check_choice
from agreement.reports.request import AnalysisRequest
from agreement.results.computations import PageSections, paginate, register
from agreement.results.figures.charts import Chart, Dot, dots_chart, scatter_plot
from agreement.results.pyramids import common
from agreement.results.pyramids.common import SCORE_LABELS, mean_of, whole_column
from agreement.results.tables import Cell, Column, Linked, Table, columns_of, figure_columns, format_value, with_ends

# Original rewards precision, modified (also called coverage) recall; comprehensive is their harmonic mean.
SCORES = ("original", "modified", "comprehensive")
CORRELATIONS = ("pearson", "spearman", "kendall")
PYRAMID_OWNERS = {False: "own", True: "agreed"}
PAGE_SIZE = 100
# A chart of more rows is unreadable; the table has them.
MAX_DOTS = 60
COVERAGE = (
    "Original: the weight found over the best weight with as many SCUs as the peer has, those outside the pyramid"
    " included. Modified, which others call coverage: over the best weight with the mean number of SCUs of the model"
    " summaries: a peer that has more SCUs than that may reach more than 1. Comprehensive: their harmonic mean."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerScore:
    """The scores of a peer by one coder; null if undefined, for the reason in `note`."""

    docset: str
    peer: str
    system: str
    coder: str
    against: Annotated[str, ChoiceField(["own", "agreed"], help_text="whose pyramid")]
    handed_in: bool
    original: float | None = None
    modified: float | None = None
    coverage: Annotated[float | None, "another name of the modified score"] = None
    comprehensive: float | None = None
    found: Annotated[float | None, "the weight of the SCUs that the peer expresses"] = None
    best_original: Annotated[float | None, "with as many SCUs as the peer has"] = None
    best_modified: Annotated[float | None, "with the mean number of SCUs of the models"] = None
    n_scus: int
    outside: Annotated[int, "of these not in the pyramid"]
    astray: Annotated[int, "marks of no SCU that the pyramid has: not counted"]
    note: str
    marks: PageOnly[PeerMarks]

    @property
    def state(self) -> str:
        return "submitted" if self.handed_in else "open" if self.marks.started else "not started"

    @property
    def is_submitted(self) -> bool:
        """Whether the peer and its pyramid are submitted."""
        return self.handed_in and self.marks.reference is not None and self.marks.reference.submitted


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over peers with its interval."""

    value: float | None
    low: Annotated[float | None, "of the 95% interval over peers"]
    high: float | None
    n: Annotated[int, "of how many peers, those that have the score"]
    note: str


@dataclass(frozen=True, slots=True)
class System:
    """The mean of each score over the peers of a system; the score of a peer is the mean of its coders.

    Only submitted peers count, against submitted pyramids.
    """

    system: str
    against: Annotated[str, ChoiceField(["own", "agreed"])]
    n_peers: int
    original: Estimate
    modified: Estimate
    comprehensive: Estimate

    @property
    def note(self) -> str:
        """The reason for no interval, and the scores with fewer peers: an empty peer has no original score."""
        fewer = {name: n for name in SCORES if (n := getattr(self, name).n) < self.n_peers}
        means = ", ".join(f"{name} of {n} of {pluralize(self.n_peers, 'peer')}" for name, n in fewer.items())
        return "; ".join(filter(None, [self.modified.note or self.original.note, means]))


@dataclass(frozen=True, slots=True)
class ScoresReport:
    """The scores of every peer, in the order of docsets, peers and coders, and of every system."""

    docset: str
    mean: Annotated[str, ChoiceField(MEANS)]
    peers: tuple[PeerScore, ...]
    systems: tuple[System, ...]


def report_scores(pyramids: Pyramids, docset: str = "", mean: str = "") -> ScoresReport:
    """Return the scores of peers; `pyramids` are limited to the docset if one is given. Raises InvalidParameter."""
    mean = mean or "round"
    common.check_docset(pyramids, docset)
    check_choice("mean", mean, MEANS)
    peers = tuple(_score_peer(marks, mean) for marks in pyramids.peer_marks)
    return ScoresReport(docset, mean, peers, tuple(_score_systems(peers)))


def _score_peer(marks: PeerMarks, mean: str) -> PeerScore:
    reference = marks.reference
    scores: dict[str, float | None] = {}
    if not marks.started or reference is None:
        notes = ["nothing is marked yet" if reference else "no pyramid to annotate it with"]
    else:
        pyramid, scus, outside = reference.pyramid, list(marks.counts), marks.n_outside
        by_size, by_mean = original(pyramid, scus, outside), modified(pyramid, scus, mean=mean)
        scores = {
            "original": by_size.value,
            "modified": by_mean.value,
            "coverage": by_mean.value,
            "comprehensive": comprehensive(pyramid, scus, outside, mean=mean).value,
            "found": by_size.found,
            "best_original": by_size.best,
            "best_modified": by_mean.best,
        }
        pending = "not submitted" if not marks.submitted else "its pyramid is not submitted"
        notes = [] if marks.submitted and reference.submitted else [pending]
        notes += dict.fromkeys(score.note for score in (by_size, by_mean) if score.note)
        if marks.n_orphaned:
            notes.append(f"{pluralize(marks.n_orphaned, 'mark')} without an SCU in the pyramid: not counted")
    return PeerScore(
        docset=marks.peer.docset.slug,
        peer=marks.peer.slug,
        system=marks.peer.system,
        coder=marks.coder,
        against=PYRAMID_OWNERS[marks.agreed],
        handed_in=marks.submitted,
        n_scus=len(marks.counts) + marks.n_outside,
        outside=marks.n_outside,
        astray=marks.n_orphaned,
        note="; ".join(notes),
        marks=marks,
        **scores,
    )


def _score_systems(peers: Sequence[PeerScore]) -> Iterator[System]:
    of: dict[tuple[bool, str], dict[tuple[str, str], list[PeerScore]]] = defaultdict(lambda: defaultdict(list))
    for peer in peers:
        if peer.is_submitted:
            of[peer.marks.agreed, peer.system][peer.docset, peer.peer].append(peer)
    for (agreed, system), of_peers in sorted(of.items()):
        means = []
        for score in SCORES:
            of_coders = ([getattr(peer, score) for peer in several] for several in of_peers.values())
            scored = [mean for values in of_coders if (mean := mean_of(values)) is not None]
            means.append(copy_fields(Estimate, mean_interval(scored)))
        yield System(system, PYRAMID_OWNERS[agreed], max(mean.n for mean in means), *means)


@register
class Scores(common.PyramidPage[ScoresReport]):
    """The scores of every peer by every coder, and of every system."""

    name, title = "scores", "Scores"
    template = "agreement/pyramids/scores.html"
    position, tab = 200, 160
    options = ("docset", "mean", "score")
    gives = ScoresReport
    takes = {**common.DOCSET, **common.MEAN}
    api = "The scores of peer summaries by the pyramids that coders held them against. `peers` come in pages."
    rows = "peers"

    def compute(self, request: AnalysisRequest) -> ScoresReport:
        return report_scores(common.read_chosen(request), *request.asked("docset", "mean"))

    def show(self, request: AnalysisRequest) -> PageSections:
        docset, mean, score = request.asked("docset", "mean", "score")
        pyramids, score = common.read_chosen(request), score or "modified"
        check_choice("score", score, SCORES)
        report = report_scores(pyramids, docset, mean)
        shown, peers = paginate(request, report.peers, PAGE_SIZE)
        fields: common.Fields = {
            "docset": common.docset_field(pyramids),
            "score": ("Score of the charts", common.SCORE_CHOICES),
            "mean": ("Mean number of SCUs", common.MEAN_CHOICES),
        }
        sections = PageSections(_build_tables(report, peers), [*_build_charts(report, score)])
        return self.arrange(request, pyramids, fields, sections, shown=shown, report=report)


def _build_tables(report: ScoresReport, shown: Sequence[PeerScore]) -> list[Table]:
    is_interpolated = report.mean == "interpolate"
    of_peers = [
        Column("peer", "Peer", cell="marks.peer.title"),
        *columns_of("text", docset="Docset", system="System", coder="Coder", against="Pyramid"),
        *(Column(name, label, "figure") for name, label in SCORE_LABELS.items()),
        Column("found", "Weight found", "count"),
        whole_column("best_original", "Best with as many SCUs"),
        whole_column("best_modified", "Best with the mean number", "figure" if is_interpolated else "count"),
        *columns_of("count", scus="SCUs", outside="Of these outside"),
        Column("state", "State"),
        Column("note", "Notes"),
    ]
    of_systems = [
        Column("system", "System", cell=lambda row: row.system or "not named"),
        Column("against", "Pyramid"),
        Column("peers", "Peers", "count"),
        *(
            column
            for name, label in SCORE_LABELS.items()
            for column in figure_columns(Column(name, label, "figure"), name, f"{name}_")
        ),
        Column("note", "Notes"),
    ]
    note = (
        "The mean over peers, of each the mean of its coders, with Student’s 95% interval over peers, on the logit,"
        " where there are five or more."
    )
    return [
        Table.of("scores", "Every peer, as each coder marked it", of_peers, shown, COVERAGE),
        Table.of("systems", "Every system", of_systems, report.systems, note),
    ]


def _build_charts(report: ScoresReport, score: str) -> Iterator[Chart]:
    label, unit = f"{SCORE_LABELS[score]} score", f"{score} score"

    def dot(name: str, against: str, *figures: float | None) -> Dot:
        return Dot(f"{name}, agreed" if against == "agreed" else name, *figures)

    if report.systems:
        dots = [dot(row.system or "not named", row.against, *with_ends(getattr(row, score))) for row in report.systems]
        yield dots_chart("systems", f"{label} of each system, mean of its peers", dots, unit)
    dots = [dot(f"{peer.marks.peer.title}, {peer.coder}", peer.against, getattr(peer, score)) for peer in report.peers]
    if 0 < sum(row.value is not None for row in dots) <= MAX_DOTS:
        yield dots_chart("scores", f"{label} of each peer", dots, unit)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A peer scored by both pyramids: scores, ranks from 1 for the best, and the ranks gained from first to second.

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
    """The correlations of the scores of the same peers by two pyramids."""

    score: str
    n: int
    pearson: Correlation
    spearman: Correlation
    kendall: Correlation
    peers: tuple[Ranked, ...]


@dataclass(frozen=True, slots=True)
class StudyPair:
    """Two coders; `n_submitted` counts peers that both have submitted, with their pyramids."""

    first: str
    second: str
    n_open: Annotated[int, "of their pyramids and peers, how many are not submitted"]
    scores: tuple[Correlations, ...]
    n_submitted: PageOnly[int]

    def of_score(self, score: str) -> Correlations:
        """Return the correlations of one of SCORES."""
        return self.scores[SCORES.index(score)]


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The pairs of coders who marked the same peers against their own pyramids, or only pairs of named coders."""

    docset: str
    mean: Annotated[str, ChoiceField(MEANS)]
    coders: tuple[str, ...]
    pairs: tuple[StudyPair, ...]

    def pair(self, first: str = "", second: str = "") -> StudyPair | None:
        """Return the pair of these coders; of several, the one with most submitted peers in common; None if none."""
        pairs = [pair for pair in self.pairs if first in ("", pair.first) and second in ("", pair.second)]
        return max(pairs, key=lambda pair: (pair.n_submitted, len(pair.of_score("modified").peers)), default=None)


def report_study(
    pyramids: Pyramids, docset: str = "", mean: str = "", first: str = "", second: str = ""
) -> StudyReport:
    """Return the study of all pairs of coders, or of named ones in their order. Raises InvalidParameter."""
    report = report_scores(pyramids, docset, mean)
    own: dict[str, dict[tuple[str, str], PeerScore]] = {}
    for row in report.peers:
        if not row.marks.agreed and row.modified is not None:
            own.setdefault(row.coder, {})[row.docset, row.peer] = row
    coders = sorted(own)
    common.check_pair(first, second, coders, "annotated no peer with a pyramid of their own")
    studied = []
    for a, b in permutations(coders, 2) if first or second else combinations(coders, 2):
        both = [(own[a][peer], own[b][peer]) for peer in own[a] if peer in own[b]]
        if first in ("", a) and second in ("", b) and (both or (first and second)):
            n_open = [sum(not side.is_submitted for side in sides) for sides in both]
            scores = tuple(_correlate(score, both) for score in SCORES)
            studied.append(StudyPair(a, b, sum(n_open), scores, n_open.count(0)))
    studied.sort(key=lambda pair: not pair.n_submitted)
    return StudyReport(docset, report.mean, tuple(coders), tuple(studied))


def _correlate(score: str, both: Sequence[tuple[PeerScore, PeerScore]]) -> Correlations:
    values = [(x, getattr(x, score), getattr(y, score)) for x, y in both]
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
    """The paradigmatic reliability study: two coders score the same peers by their own pyramids."""

    name, title = "study", "Study"
    template = "agreement/pyramids/study.html"
    position, tab = 210, 170
    options = ("docset", "mean", "score", "first", "second")
    gives = StudyReport
    takes = {**common.DOCSET, **common.MEAN, **common.PAIR}
    api = "How alike the own pyramids of two coders score the same peers."

    def compute(self, request: AnalysisRequest) -> StudyReport:
        asked = request.asked("docset", "mean", "first", "second")
        return report_study(common.read_chosen(request), *asked)

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        return _study_tables(request, report, report.pair(*request.asked("first", "second")), "modified")

    def show(self, request: AnalysisRequest) -> PageSections:
        docset, mean, score, *two = request.asked("docset", "mean", "score", "first", "second")
        pyramids, score = common.read_chosen(request), score or "modified"
        check_choice("score", score, SCORES)
        report = report_study(pyramids, docset, mean)
        pair = (report_study(pyramids, docset, mean, *two) if any(two) else report).pair(*two)
        names = [("", "first pair"), *((name, name) for name in report.coders)] if len(report.coders) > 2 else []
        fields: common.Fields = {
            "docset": common.docset_field(pyramids),
            "score": ("Score of the ranks", common.SCORE_CHOICES),
            "mean": ("Mean number of SCUs", common.MEAN_CHOICES),
            **({"first": ("First coder", names), "second": ("Second coder", names)} if names else {}),
        }
        charts = _study_charts(pair, score) if pair else []
        sections = PageSections(_study_tables(request, report, pair, score), charts)
        return self.arrange(request, pyramids, fields, sections, report=report, pair=pair)


def _study_tables(request: AnalysisRequest, report: StudyReport, pair: StudyPair | None, score: str) -> list[Table]:
    columns = [Column("coders", "Coders"), Column("score", "Score"), Column("peers", "Peers", "count")]
    for name in CORRELATIONS:
        p = Column(f"{name}_p", "p", "probability", explanation="correlation_p_value")
        columns += [*figure_columns(Column(name, name.capitalize(), "figure"), ends=f"{name}_"), p]
    rows: list[list[Cell]] = []
    for row in report.pairs:
        address = request.address_with(first=row.first, second=row.second)
        coders = Linked(f"{row.first} – {row.second}", address, row == pair)
        for found in row.scores:
            of_each = (getattr(found, name) for name in CORRELATIONS)
            figures = [cell for interval in of_each for cell in (*with_ends(interval), interval.p_value)]
            rows.append([coders, found.score, found.n, *figures, found.pearson.note])
    note = "95% CI over peers by Fisher’s z; wide with few peers. p: two-sided, against no correlation."
    title = "Correlation of the scores by two pyramids"
    pairs = Table("correlations", title, [*columns, Column("note", "Notes")], rows, note)
    return [pairs, _ranks_table(pair, score)] if pair else [pairs]


def _ranks_table(pair: StudyPair, score: str) -> Table:
    a, b = pair.first, pair.second
    columns = [
        Column("peer", "Peer", cell="title"),
        *columns_of("text", docset="Docset", system="System"),
        *columns_of("figure", first=(f"By {a}", "score_of"), second=(f"By {b}", "score_of")),
        whole_column("rank_first", f"Rank by {a}", explanation="rank"),
        whole_column("rank_second", f"Rank by {b}", explanation="rank"),
        whole_column("change", "Change", explanation="rank_change"),
    ]
    peers = sorted(pair.of_score(score).peers, key=lambda peer: (peer.rank_first, peer.rank_second))
    note = f"Rank 1 has the highest score; equal scores share a rank. Change: how many ranks {b} puts the peer higher."
    return Table.of("ranks", f"{SCORE_LABELS[score]} scores and ranks by {a} and {b}", columns, peers, note)


def _study_charts(pair: StudyPair, score: str) -> list[Chart]:
    a, b = pair.first, pair.second
    points = [(peer.title, peer.first, peer.second) for peer in pair.of_score(score).peers]
    if not points:
        return []
    few = "; ".join(
        f"{title}: {format_value(first, 'figure')} by {a}, {format_value(second, 'figure')} by {b}"
        for title, first, second in points[:12]
    )
    title = f"{SCORE_LABELS[score]} scores of the same peers by {a} and {b}"
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
