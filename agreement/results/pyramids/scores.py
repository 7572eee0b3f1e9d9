"""Scores of peer summaries, by peer and by system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar

from rest_framework.serializers import ChoiceField

from agreement.data.pyramids.pyramids import PeerMarks, Pyramids
from agreement.measures import comprehensive, mean_interval, modified, original
from agreement.measures.pyramids import MEANS
from agreement.measures.results import pluralize
from agreement.reports.fields import PageOnly
from agreement.reports.pyramids.scus import check_docset
from agreement.reports.request.parameters import check_choice
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts, paginate
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.plots import Dot
from agreement.results.pyramids.common import (
    DOCSET,
    MEAN,
    MEAN_CHOICES,
    SCORE_CHOICES,
    SCORE_LABELS,
    PyramidPage,
    docset_field,
    drop_zero_decimals,
    read_chosen,
)
from agreement.results.tables import Column, Table, with_ends

# Original rewards precision; modified, which others call coverage, recall; comprehensive is their harmonic mean.
SCORES = ("original", "modified", "comprehensive")
PYRAMID_OWNERS = {False: "own", True: "agreed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerScores:
    """One coder's peer summary with its scores; null where there are none, as `note` says."""

    component: ClassVar = "PeerScore"

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

    def value(self, score: str) -> float | None:
        """Return the value of one of SCORES."""
        value: float | None = getattr(self, score)
        return value

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
class SystemScores:
    """The mean of each score over the peers of a system; the score of a peer is the mean of its coders.

    Only work that is submitted counts, against a pyramid that is.
    """

    component: ClassVar = "System"

    system: str
    against: Annotated[str, ChoiceField(["own", "agreed"])]
    n_peers: int
    original: Estimate
    modified: Estimate
    comprehensive: Estimate

    @property
    def note(self) -> str:
        return "; ".join(filter(None, [self.modified.note or self.original.note, self._describe_fewer()]))

    def _describe_fewer(self) -> str:
        """Return which means are of fewer peers: the original score of a peer that says nothing is not defined."""
        fewer = {name: n for name in SCORES if (n := getattr(self, name).n) < self.n_peers}
        return ", ".join(f"{name} of {n} of {pluralize(self.n_peers, 'peer')}" for name, n in fewer.items())


@dataclass(frozen=True, slots=True)
class ScoresReport:
    """Every peer that was held against a pyramid, in the order of docsets, peers and coders, and every system."""

    component: ClassVar = "Scores"

    docset: str
    mean: Annotated[str, ChoiceField(MEANS)]
    peers: tuple[PeerScores, ...]
    systems: tuple[SystemScores, ...]


def report_scores(pyramids: Pyramids, docset: str = "", mean: str = "round") -> ScoresReport:
    """Return the scores of a docset's peers, or of all. `pyramids` are those of the docset. Raises InvalidParameter."""
    check_docset(pyramids, docset)
    check_choice("mean", mean, MEANS)
    peers = tuple(score_peer(marks, mean) for marks in pyramids.peer_marks)
    return ScoresReport(docset, mean, peers, tuple(_score_systems(peers)))


def check_score(score: str) -> str:
    """Return the score, or the modified where none is named. Raises InvalidParameter."""
    check_choice("score", score or "modified", SCORES)
    return score or "modified"


def score_peer(marks: PeerMarks, mean: str) -> PeerScores:
    """Return the scores of one peer by one coder."""
    described = partial(
        PeerScores,
        docset=marks.peer.docset.slug,
        peer=marks.peer.slug,
        system=marks.peer.system,
        coder=marks.coder,
        against=PYRAMID_OWNERS[marks.agreed],
        handed_in=marks.submitted,
        n_scus=len(marks.counts) + marks.n_outside,
        outside=marks.n_outside,
        astray=marks.n_orphaned,
        marks=marks,
    )
    if not marks.started or marks.reference is None:
        note = "nothing is marked yet" if marks.reference else "no pyramid to annotate it with"
        return described(note=note)
    pyramid, scus = marks.reference.pyramid, list(marks.counts)
    original_score = original(pyramid, scus, marks.n_outside)
    modified_score, comprehensive_score = (
        modified(pyramid, scus, mean=mean),
        comprehensive(pyramid, scus, marks.n_outside, mean=mean),
    )
    if not marks.submitted:
        pending = ["not submitted"]
    elif not marks.reference.submitted:
        pending = ["its pyramid is not submitted"]
    else:
        pending = []
    notes = [*pending, *dict.fromkeys(one.note for one in (original_score, modified_score) if one.note)]
    if marks.n_orphaned:
        notes.append(f"{pluralize(marks.n_orphaned, 'mark')} without an SCU in the pyramid: not counted")
    return described(
        original=original_score.value,
        modified=modified_score.value,
        coverage=modified_score.value,
        comprehensive=comprehensive_score.value,
        found=original_score.found,
        best_original=original_score.best,
        best_modified=modified_score.best,
        note="; ".join(notes),
    )


def _score_systems(peers: Sequence[PeerScores]) -> Iterable[SystemScores]:
    of: dict[tuple[bool, str], dict[tuple[str, str], list[PeerScores]]] = defaultdict(lambda: defaultdict(list))
    for one in peers:
        if one.is_submitted:
            of[one.marks.agreed, one.system][one.docset, one.peer].append(one)
    for (agreed, system), of_peers in sorted(of.items()):
        found = [mean_interval(_mean_by_peer(of_peers.values(), score)) for score in SCORES]
        means = [Estimate(one.value, one.low, one.high, one.n, one.note) for one in found]
        yield SystemScores(system, PYRAMID_OWNERS[agreed], max(one.n for one in means), *means)


def _mean_by_peer(of_peers: Iterable[Sequence[PeerScores]], score: str) -> list[float]:
    """Return the mean over its coders of each peer that has the score."""
    means = []
    for several in of_peers:
        values = [value for one in several if (value := one.value(score)) is not None]
        if values:
            means.append(sum(values) / len(values))
    return means


PAGE_SIZE = 100

# More rows are no picture any more: the table has them.
MOST_DOTS = 60


COVERAGE = (
    "Original: the weight found over the best weight with as many SCUs as the peer has, those outside the pyramid"
    " included. Modified, which others call coverage: over the best weight with the mean number of SCUs of the model"
    " summaries: a peer that has more SCUs than that may reach more than 1. Comprehensive: their harmonic mean."
)


@register
class Scores(PyramidPage[ScoresReport]):
    """The scores of every peer by every coder, and of every system."""

    name, title = "scores", "Scores"
    template = "agreement/pyramids/scores.html"
    position, tab = 200, 160
    options = ("docset", "mean", "score")
    gives = ScoresReport
    takes = {**DOCSET, **MEAN}
    api = "The scores of peer summaries by the pyramids that coders held them against. `peers` come in pages."
    rows = "peers"

    def compute(self, request: AnalysisRequest) -> ScoresReport:
        return _report(request, read_chosen(request))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        return build_content(self.compute(request), "modified").tables

    def show(self, request: AnalysisRequest) -> PageSections:
        pyramids, score = read_chosen(request), check_score(request.options.get("score", ""))
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


def _report(request: AnalysisRequest, pyramids: Pyramids) -> ScoresReport:
    return report_scores(pyramids, request.options.get("docset", ""), request.options.get("mean") or "round")


def build_content(report: ScoresReport, score: str) -> TablesAndCharts:
    """Return every peer and every system; `score` is what the charts show."""
    columns = [
        Column("peer", "Peer", cell="marks.peer.title"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("coder", "Coder"),
        Column("against", "Pyramid"),
        *(Column(name, label, "figure") for name, label in SCORE_LABELS.items()),
        Column("found", "Weight found", "count"),
        Column("best_original", "Best with as many SCUs", "count", cell=lambda row: _shorten(row.best_original)),
        Column(
            "best_modified",
            "Best with the mean number",
            "figure" if report.mean == "interpolate" else "count",
            cell=lambda row: _shorten(row.best_modified),
        ),
        Column("scus", "SCUs", "count", cell="n_scus"),
        Column("outside", "Of these outside", "count"),
        Column("state", "State", cell=_name_state),
        Column("note", "Notes"),
    ]
    peers = Table.of("scores", "Every peer, as each coder marked it", columns, report.peers, COVERAGE)
    points = [Dot(_peer_name(one), one.value(score)) for one in report.peers]
    defined = [point for point in points if point.value is not None]
    charts = [_systems_chart(report, score)] if report.systems else []
    if 0 < len(defined) <= MOST_DOTS:
        charts.append(dots_chart("scores", f"{SCORE_LABELS[score]} score of each peer", points, f"{score} score"))
    return TablesAndCharts([peers, _systems_table(report)], charts)


def _peer_name(one: PeerScores) -> str:
    return f"{one.marks.peer.title}, {one.coder}{', agreed' if one.marks.agreed else ''}"


def _shorten(best: float | None) -> float | None:
    return None if best is None else drop_zero_decimals(best)


def _name_state(one: PeerScores) -> str:
    return "submitted" if one.handed_in else "open" if one.marks.started else "not started"


def _systems_table(report: ScoresReport) -> Table:
    columns = [
        Column("system", "System", cell=lambda row: row.system or "not named"),
        Column("against", "Pyramid"),
        Column("peers", "Peers", "count", cell="n_peers"),
    ]
    for name, label in SCORE_LABELS.items():
        columns += [
            Column(name, label, "figure", cell=f"{name}.value"),
            Column(f"{name}_low", "from", "figure", cell=f"{name}.low"),
            Column(f"{name}_high", "to", "figure", cell=f"{name}.high"),
        ]
    columns.append(Column("note", "Notes"))
    note = (
        "The mean over peers, of each the mean of its coders, with Student’s 95% interval over peers, on the logit,"
        " where there are five or more."
    )
    return Table.of("systems", "Every system", columns, report.systems, note)


def _systems_chart(report: ScoresReport, score: str) -> Chart:
    points = []
    for one in report.systems:
        interval = getattr(one, score)
        name = f"{one.system or 'not named'}{', agreed' if one.against == 'agreed' else ''}"
        points.append(Dot(name, *with_ends(interval)))
    title = f"{SCORE_LABELS[score]} score of each system, mean of its peers"
    return dots_chart("systems", title, points, f"{score} score")
