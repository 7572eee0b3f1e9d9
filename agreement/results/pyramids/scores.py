"""Scores of peer summaries, by peer and by system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from rest_framework.serializers import ChoiceField

from agreement.data.pyramids.pyramids import PeerMarks, Pyramids
from agreement.measures import comprehensive, mean_interval, modified, original
from agreement.measures.pyramids import MEANS
from agreement.measures.results import pluralize
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.request.parameters import check_choice
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import PageSections, paginate, register
from agreement.results.figures.charts import Chart, Dot, dots_chart
from agreement.results.pyramids import common
from agreement.results.pyramids.common import SCORE_LABELS, columns_with_ends, mean_of, whole_column
from agreement.results.tables import Column, Kind, Table, with_ends

# Original rewards precision; modified, which others call coverage, recall; comprehensive is their harmonic mean.
SCORES = ("original", "modified", "comprehensive")
PYRAMID_OWNERS = {False: "own", True: "agreed"}
PAGE_SIZE = 100
# More rows are no picture any more: the table has them.
MOST_DOTS = 60
COVERAGE = (
    "Original: the weight found over the best weight with as many SCUs as the peer has, those outside the pyramid"
    " included. Modified, which others call coverage: over the best weight with the mean number of SCUs of the model"
    " summaries: a peer that has more SCUs than that may reach more than 1. Comprehensive: their harmonic mean."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerScore:
    """One coder's peer summary with its scores; null where there are none, as `note` says."""

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
class System:
    """The mean of each score over the peers of a system; the score of a peer is the mean of its coders.

    Only work that is submitted counts, against a pyramid that is.
    """

    system: str
    against: Annotated[str, ChoiceField(["own", "agreed"])]
    n_peers: int
    original: Estimate
    modified: Estimate
    comprehensive: Estimate

    @property
    def note(self) -> str:
        """Why there is no interval, and which means are of fewer peers: a peer that says nothing has no original."""
        fewer = {name: n for name in SCORES if (n := getattr(self, name).n) < self.n_peers}
        means = ", ".join(f"{name} of {n} of {pluralize(self.n_peers, 'peer')}" for name, n in fewer.items())
        return "; ".join(filter(None, [self.modified.note or self.original.note, means]))


@dataclass(frozen=True, slots=True)
class ScoresReport:
    """Every peer that was held against a pyramid, in the order of docsets, peers and coders, and every system."""

    component: ClassVar = "Scores"

    docset: str
    mean: Annotated[str, ChoiceField(MEANS)]
    peers: tuple[PeerScore, ...]
    systems: tuple[System, ...]


def report_scores(pyramids: Pyramids, docset: str = "", mean: str = "") -> ScoresReport:
    """Return the scores of a docset's peers, or of all. `pyramids` are those of the docset. Raises InvalidParameter."""
    mean = mean or "round"
    common.check_docset(pyramids, docset)
    check_choice("mean", mean, MEANS)
    peers = tuple(_score_peer(marks, mean) for marks in pyramids.peer_marks)
    return ScoresReport(docset, mean, peers, tuple(_score_systems(peers)))


def check_score(score: str) -> str:
    """Return the score, or the modified where none is named. Raises InvalidParameter."""
    check_choice("score", score or "modified", SCORES)
    return score or "modified"


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
        notes += dict.fromkeys(one.note for one in (by_size, by_mean) if one.note)
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
    for one in peers:
        if one.is_submitted:
            of[one.marks.agreed, one.system][one.docset, one.peer].append(one)
    for (agreed, system), of_peers in sorted(of.items()):
        means = []
        for score in SCORES:
            of_coders = ([one.value(score) for one in several] for several in of_peers.values())
            scored = [mean for values in of_coders if (mean := mean_of(values)) is not None]
            means.append(copy_fields(Estimate, mean_interval(scored)))
        yield System(system, PYRAMID_OWNERS[agreed], max(one.n for one in means), *means)


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
        return report_scores(common.read_chosen(request), *common.asked_of(request, "docset", "mean"))

    def show(self, request: AnalysisRequest) -> PageSections:
        docset, mean, score = common.asked_of(request, "docset", "mean", "score")
        pyramids, score = common.read_chosen(request), check_score(score)
        report = report_scores(pyramids, docset, mean)
        shown, peers = paginate(request, report.peers, PAGE_SIZE)
        fields: common.Fields = {
            "docset": common.docset_field(pyramids),
            "score": ("Score of the charts", common.SCORE_CHOICES),
            "mean": ("Mean number of SCUs", common.MEAN_CHOICES),
        }
        tables, charts = _build_tables(report, peers), _build_charts(report, score)
        return self.arrange(request, pyramids, fields, tables, list(charts), shown=shown, report=report)


def _build_tables(report: ScoresReport, shown: Sequence[PeerScore]) -> list[Table]:
    of_mean: Kind = "figure" if report.mean == "interpolate" else "count"
    of_peers = [
        Column("peer", "Peer", cell="marks.peer.title"),
        Column("docset", "Docset"),
        Column("system", "System"),
        Column("coder", "Coder"),
        Column("against", "Pyramid"),
        *(Column(name, label, "figure") for name, label in SCORE_LABELS.items()),
        Column("found", "Weight found", "count"),
        whole_column("best_original", "Best with as many SCUs"),
        whole_column("best_modified", "Best with the mean number", of_mean),
        Column("scus", "SCUs", "count", cell="n_scus"),
        Column("outside", "Of these outside", "count"),
        Column("state", "State", cell=_name_state),
        Column("note", "Notes"),
    ]
    of_systems = [
        Column("system", "System", cell=lambda row: row.system or "not named"),
        Column("against", "Pyramid"),
        Column("peers", "Peers", "count", cell="n_peers"),
        *(column for name, label in SCORE_LABELS.items() for column in columns_with_ends(name, label)),
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


def _name_state(one: PeerScore) -> str:
    return "submitted" if one.handed_in else "open" if one.marks.started else "not started"


def _build_charts(report: ScoresReport, score: str) -> Iterator[Chart]:
    label, unit = f"{SCORE_LABELS[score]} score", f"{score} score"

    def dot(name: str, against: str, *figures: float | None) -> Dot:
        return Dot(f"{name}, agreed" if against == "agreed" else name, *figures)

    if report.systems:
        dots = [dot(one.system or "not named", one.against, *with_ends(getattr(one, score))) for one in report.systems]
        yield dots_chart("systems", f"{label} of each system, mean of its peers", dots, unit)
    dots = [dot(f"{one.marks.peer.title}, {one.coder}", one.against, one.value(score)) for one in report.peers]
    if 0 < sum(one.value is not None for one in dots) <= MOST_DOTS:
        yield dots_chart("scores", f"{label} of each peer", dots, unit)
