"""The SCUs of two coders compared: which are the same, and how others differ (Passonneau 2006, 3.3, 3.4)."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import attrgetter
from typing import Annotated, Any

from django.core.paginator import Page
from django.http import Http404
from rest_framework.serializers import ChoiceField

from agreement.data.pyramids import PyramidAnnotation, Pyramids, read_pyramids, read_summary_words
from agreement.measures import Overlap, ReliabilityData, Result, cohen_kappa, fleiss_kappa, match_sets
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.parameters import InvalidParameter, check_choice
from agreement.reports.request import AnalysisRequest
from agreement.results.computations import PageSections, paginate, register
from agreement.results.pyramids import common
from agreement.results.tables import Cell, Column, Linked, Table, columns_of
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Span, held_words, summary_index

PAGE_SIZE = 100
N_CARDS = 20
TABLE_VIEW = "subsumption"
# The relations of matched SCUs, and the two kinds of SCU without a partner: label and condition.
KINDS = {
    "identity": ("equal", "both have the same words"),
    "subsumption": ("one contains the other", "all words of one are in the other, as in Figure 1"),
    "intersection": ("they overlap", "each has words that the other has not, as in Figure 5"),
    "unmatched": ("no partner left", "shares words with an SCU that has a better partner"),
    "disjunction": ("disjoint", "shares no word with any SCU of the other"),
}
SUBSUMPTION = ("subsumption", "identity")
SORTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "size": ("unshared words", lambda pair: -pair.size),
    "distance": ("Jaccard distance", lambda pair: -pair.distance),
    "weight": ("weight", lambda pair: -max(scu.weight for scu in pair.sides)),
    "label": ("label", lambda pair: pair.sides[0].label.casefold()),
}
CAVEAT = (
    "Each row is a pair of SCUs that the program made, not a decision of a coder: who made one SCU of many words has as"
    " many rows as the other has SCUs in it. Too many decisions are counted, expected agreement comes out too low, and"
    " kappa too high (Passonneau 2006, 3.4). It is shown for comparison with published values; judge"
    " reliability by alpha."
)


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of a contributor's words; `unshared` if the other coder's SCU has none of them."""

    words: str
    unshared: bool


@dataclass(frozen=True, slots=True)
class Scu:
    """An SCU of one coder; `texts` has its contributors by the position of their summary, -1 outside."""

    key: str
    label: str
    weight: int
    texts: PageOnly[Mapping[int, Sequence[tuple[TextRun, ...]]]]


@dataclass(frozen=True, slots=True)
class ScuPair:
    """Two matched SCUs, or one without a partner.

    `others` has the labels of SCUs that share words with the one without a partner, but have other partners.
    """

    kind: Annotated[str, ChoiceField(tuple(KINDS))]
    first: Scu | None
    second: Scu | None
    shared: Annotated[int, "words of both"]
    only_first: int
    only_second: int
    distance: Annotated[float, "Jaccard"]
    others: PageOnly[tuple[str, ...]] = ()

    @property
    def size(self) -> int:
        """The number of words that only one coder has."""
        return self.only_first + self.only_second

    @property
    def sides(self) -> list[Scu]:
        """The SCUs of the pair: two, or the one without a partner."""
        return [scu for scu in (self.first, self.second) if scu]


@dataclass(frozen=True, slots=True)
class RelatedScus:
    """Two SCUs that share words, by their labels."""

    first: str
    second: str
    relation: str
    shared: int
    jaccard: float
    matched: bool


@dataclass(frozen=True, slots=True)
class Subsumed:
    """A row of the subsumption table (Figure 6): two SCUs, one with all words of the other, and a summary."""

    first: str
    second: str
    larger: Annotated[str, "whose SCU has all words of the other; empty: both"]
    summary: str
    in_first: bool
    in_second: bool


@dataclass(frozen=True, eq=False)
class ScusReport:
    """Two pyramids of one docset: matched SCUs, SCUs that share words, and the subsumption table with its kappas."""

    docset: str
    first: str
    second: str
    counts: Annotated[Mapping[str, int], "pairs by kind"]
    pairs: tuple[ScuPair, ...]
    overlaps: tuple[RelatedScus, ...]
    subsumption: tuple[Subsumed, ...]
    kappa: Annotated[float | None, "K of the subsumption table; it overstates"]
    cohen_kappa: float | None
    in_text_order: PageOnly[tuple[ScuPair, ...]]
    pyramids: PageOnly[tuple[PyramidAnnotation, PyramidAnnotation]]
    kappas: PageOnly[tuple[Result, Result]]

    def select(self, kind: str = "", sort: str = "size") -> list[ScuPair]:
        """Return the sorted pairs of a kind, or of all kinds. Raises InvalidParameter."""
        if kind:
            check_choice("kind", kind, KINDS)
        check_choice("sort", sort, SORTS)
        return sorted((pair for pair in self.in_text_order if kind in ("", pair.kind)), key=SORTS[sort][1])


def list_pairs(pyramids: Pyramids) -> list[tuple[PyramidAnnotation, PyramidAnnotation]]:
    """Return all pairs of pyramids of the same docset, in the order of docsets and coders."""
    of_docsets = groupby(pyramids.own, attrgetter("docset"))
    return [pair for _, own in of_docsets for pair in combinations(sorted(own, key=attrgetter("coder")), 2)]


def report_scus(pyramids: Pyramids, docset: str = "", first: str = "", second: str = "") -> ScusReport | None:
    """Return the SCUs of two coders, by default the first two who submitted; None without two pyramids."""
    common.check_docset(pyramids, docset)
    known = {pyramid.coder for pyramid in pyramids.own if docset in ("", pyramid.docset.slug)}
    common.check_pair(first, second, known, "made no pyramid here")
    named = {first, second} - {""}
    pairs = [(a, b) for a, b in list_pairs(pyramids) if docset in ("", a.docset.slug) and named <= {a.coder, b.coder}]
    if not pairs:
        return None
    a, b = min(pairs, key=lambda pair: not all(pyramid.submitted for pyramid in pair))
    return _compare_pyramids(b, a) if first == b.coder or second == a.coder else _compare_pyramids(a, b)


def _compare_pyramids(first: PyramidAnnotation, second: PyramidAnnotation) -> ScusReport:
    words, content = read_summary_words(first.docset)
    sides = first.word_places(words), second.word_places(words)
    overlaps = match_sets({**sides[0]}, {**sides[1]})
    related = [
        copy_fields(RelatedScus, match, first=first.labels[str(match.first)], second=second.labels[str(match.second)])
        for match in overlaps
    ]
    subsumed = tuple(
        Subsumed(
            labels.first,
            labels.second,
            "" if match.relation == "identity" else second.coder if match.only_second else first.coder,
            name,
            place in first.summaries_of[str(match.first)],
            place in second.summaries_of[str(match.second)],
        )
        for match, labels in zip(overlaps, related, strict=True)
        if match.relation in SUBSUMPTION
        for place, name in enumerate(first.docset.summaries)
    )
    cells = [[int(scu.in_first), int(scu.in_second)] for scu in subsumed]
    data = ReliabilityData.from_values(range(len(cells)), [first.coder, second.coder], cells, [0] * len(cells))
    kappa, cohen = fleiss_kappa(data), cohen_kappa(data)
    pairs = tuple(_pair_scus((first, second), sides, overlaps, words, content))
    return ScusReport(
        docset=first.docset.slug,
        first=first.coder,
        second=second.coder,
        counts={kind: sum(pair.kind == kind for pair in pairs) for kind in KINDS},
        pairs=tuple(sorted(pairs, key=lambda pair: -pair.size)),
        overlaps=tuple(related),
        subsumption=subsumed,
        kappa=kappa.value,
        cohen_kappa=cohen.value,
        in_text_order=pairs,
        pyramids=(first, second),
        kappas=(kappa, cohen),
    )


def _pair_scus(
    pyramids: tuple[PyramidAnnotation, PyramidAnnotation],
    held: tuple[dict[str, set[int]], dict[str, set[int]]],
    overlaps: Sequence[Overlap],
    words: list[Span],
    content: str,
) -> Iterator[ScuPair]:
    """Yield the matched pairs, then the SCUs without a partner, of the first coder and of the second."""

    def scu(place: int, key: str, others: set[int]) -> Scu:
        own, texts = pyramids[place], defaultdict[int, list[tuple[TextRun, ...]]](list)
        for part in own.contributors:
            if key in part.scus:
                summary = summary_index(part.parts, own.docset.stretches)
                runs = tuple(run for run in _split_text(part.parts, others, words, content) if run.words)
                texts[-1 if summary is None else summary].append(runs)
        return Scu(key, own.labels[key], own.pyramid.weights[key], texts)

    for match in overlaps:
        if match.matched:
            a, b = str(match.first), str(match.second)
            sides = scu(0, a, held[1][b]), scu(1, b, held[0][a])
            yield ScuPair(match.relation, *sides, match.shared, match.only_first, match.only_second, 1 - match.jaccard)
    for place, key in (*((0, key) for key in held[0]), *((1, key) for key in held[1])):
        sharing = [match for match in overlaps if key == (match.first, match.second)[place]]
        if not any(match.matched for match in sharing):
            others = [str((match.second, match.first)[place]) for match in sharing]
            neighbours = set[int]().union(*(held[1 - place][other] for other in others))
            kind, own = "unmatched" if sharing else "disjunction", scu(place, key, neighbours)
            shared, alone = len(held[place][key] & neighbours), len(held[place][key] - neighbours)
            labels = tuple(pyramids[1 - place].labels[other] for other in others)
            both: tuple[Scu | None, Scu | None] = (own, None) if place == 0 else (None, own)
            yield ScuPair(kind, *both, shared, *((alone, 0) if place == 0 else (0, alone)), 1.0, labels)


def _split_text(parts: Parts, other: set[int], words: list[Span], content: str) -> Iterator[TextRun]:
    """Yield a contributor's text in runs of shared or unshared words; text between words of a run belongs to it."""
    for number, (first, last) in enumerate(parts):
        if number:
            yield TextRun(" … ", False)
        before = first
        for unshared, run in groupby(held_words(words, [[first, last]]), lambda place: place not in other):
            places = list(run)
            start, end = max(words[places[0]][0], first), min(words[places[-1]][1], last)
            yield TextRun(content[before:start], False)
            yield TextRun(content[start:end], unshared)
            before = end
        yield TextRun(content[before:last], False)


@register
class Scus(common.PyramidPage[ScusReport]):
    """The SCUs of two coders of one docset: matched and related, or the subsumption table."""

    name, title = "scus", "SCUs"
    template = "agreement/pyramids/scus.html"
    position, tab = 220, 180
    options = ("docset", "first", "second", "kind", "sort", "view")
    draws_charts = False
    gives = ScusReport
    takes = {**common.DOCSET, **common.PAIR}
    api = "The SCUs of two coders of a docset, matched and related; 404 where no docset has two pyramids."

    def compute(self, request: AnalysisRequest) -> ScusReport:
        """Return the report. Raises Http404 if no docset has two pyramids."""
        report = report_scus(common.read_chosen(request), *request.asked("docset", "first", "second"))
        if report is None:
            raise Http404(f"No docset of {request.project.slug} has two pyramids.")
        return report

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        return [*_pair_tables(request, report, report.select(), ""), *_subsumption_tables(report, report.subsumption)]

    def show(self, request: AnalysisRequest) -> PageSections:
        kind, sort, view = request.asked("kind", "sort", "view")
        if view not in ("", TABLE_VIEW):
            raise InvalidParameter("view", f"{view!r} is not {TABLE_VIEW}.")
        pyramids = read_pyramids(request.project)
        report = report_scus(pyramids, *request.asked("docset", "first", "second"))
        if report is None:
            every: common.Fields = {"docset": ("Docset", [(known.slug, known.title) for known in pyramids.docsets])}
            return self.arrange(request, pyramids, every, PageSections(), report=None)
        sort = sort or "size"
        pairs = report.select(kind, sort)
        cards = []
        shown: Page[Any]
        if view:
            shown, rows = paginate(request, report.subsumption, PAGE_SIZE)
            tables = _subsumption_tables(report, rows)
        else:
            shown, _ = paginate(request, pairs, N_CARDS)
            cards = [_card(report, pair) for pair in shown]
            tables = _pair_tables(request, report, pairs, kind)
        # the docsets that have two pyramids, and the coders of the one that is shown
        docsets = [*{pyramid.docset.slug: pyramid.docset.title for pyramid, _ in list_pairs(pyramids)}.items()]
        coders = [(pyramid.coder, pyramid.coder) for pyramid in pyramids.own if pyramid.docset.slug == report.docset]
        names = coders if len(coders) > 2 else []
        kinds = [(KINDS[key][0], request.address_with(kind=key), n, key == kind) for key, n in report.counts.items()]
        views = (("", "Pairs of SCUs"), (TABLE_VIEW, "Subsumption table"))
        return self.arrange(
            request,
            pyramids,
            {"docset": ("Docset", docsets), "first": ("First coder", names), "second": ("Second coder", names)},
            PageSections(tables),
            report=report,
            shown=shown,
            cards=cards,
            filters=[("all", request.address_with(kind=""), len(report.pairs), not kind), *kinds],
            sorts=[(words, request.address_with(sort=name), name == sort) for name, (words, _) in SORTS.items()],
            views=[(words, request.address_with(view=name), name == view) for name, words in views],
        )


def _card(report: ScusReport, pair: ScuPair) -> tuple[dict[str, Any], list[tuple[str, list[Any]]]]:
    sizes = [f"{pair.shared} words of {'both' if len(pair.sides) == 2 else 'others, too'}"]
    alone = ((report.first, pair.only_first), (report.second, pair.only_second))
    about = {
        "pair": pair,
        "name": " – ".join(side.label for side in pair.sides),
        "words": KINDS[pair.kind][0],
        "size": ", ".join([*sizes, *(f"{count} only of {name}" for name, count in alone if count)]),
    }
    # -1: outside the summaries
    names = [*report.pyramids[0].docset.summaries, "outside the summaries"]
    places = sorted({place for side in pair.sides for place in side.texts})
    both = (pair.first, pair.second)
    return about, [(names[place], [side.texts.get(place, ()) if side else () for side in both]) for place in places]


def _pair_tables(request: AnalysisRequest, report: ScusReport, pairs: Sequence[ScuPair], kind: str) -> list[Table]:
    a, b = report.first, report.second
    total = max(sum(report.counts.values()), 1)
    of_kinds = [
        Column("relation", "Relation"),
        Column("pairs", "Pairs", "count"),
        Column("share", "Share", "percent", explanation="share_of_relation"),
        Column("meaning", "Meaning"),
    ]
    kinds = [
        (Linked(KINDS[name][0], request.address_with(kind=name), name == kind), n, n / total, KINDS[name][1])
        for name, n in report.counts.items()
    ]
    note = (
        "Each SCU is matched with one of the other coder at most, so that the sum of what the pairs share (Jaccard of"
        " their words) is as large as it can be."
    )
    columns = [
        *_scu_columns("first", a),
        *_scu_columns("second", b),
        Column("relation", "Relation", cell=lambda row: KINDS[row.kind][0]),
        *columns_of("count", shared="Words of both", only_first=(f"Only {a}", "only_one")),
        Column("only_second", f"Only {b}", "count", explanation="only_one"),
        Column("distance", "Jaccard distance", "figure", explanation="set-distance"),
    ]
    of_labels = [
        *columns_of("text", first=(f"SCU of {a}", "first_scu"), second=(f"SCU of {b}", "second_scu")),
        Column("relation", "Relation", cell=lambda row: KINDS[row.relation][0]),
        Column("shared", "Words of both", "count"),
        Column("jaccard", "Jaccard", "figure", explanation="set_jaccard"),
        Column("matched", "Matched", cell=lambda row: "yes" if row.matched else "no"),
    ]
    return [
        Table("kinds", f"SCUs of {a} and {b} by how they are related", of_kinds, kinds, note),
        Table.of("pairs", "Pairs of SCUs", columns, pairs),
        Table.of("overlaps", "All SCUs that share words, matched or not", of_labels, report.overlaps),
    ]


def _scu_columns(side: str, coder: str) -> list[Column]:
    def read(name: str, nothing: str | None) -> Callable[[ScuPair], Cell]:
        return lambda row: getattr(getattr(row, side), name, nothing)

    return [
        Column(side, f"SCU of {coder}", explanation=f"{side}_scu", cell=read("label", "")),
        Column(f"weight_{side}", "Weight", "count", explanation="weight", cell=read("weight", None)),
    ]


def _subsumption_tables(report: ScusReport, rows: Sequence[Subsumed]) -> list[Table]:
    a, b = report.first, report.second
    signs = {a: " ← ", b: " → ", "": " = "}
    of_kappas = [
        Column("coefficient", "Coefficient"),
        *columns_of("figure", value="Value", observed="Observed", expected="Expected"),
        Column("rows", "Rows", "count"),
        Column("note", "Notes"),
    ]
    kappas = [
        (name, kappa.value, kappa.observed, kappa.expected, kappa.n_units, kappa.note)
        for name, kappa in zip(("K of Siegel & Castellan", "Cohen’s kappa"), report.kappas, strict=True)
    ]
    both = f"SCU of {a}, SCU of {b}"
    columns = [
        Column("relation", both, cell=lambda row: signs[row.larger].join((row.first, row.second))),
        Column("summary", "Summary"),
        Column("first", a, "count", explanation="contributors_of", cell=lambda row: int(row.in_first)),
        Column("second", b, "count", explanation="contributors_of", cell=lambda row: int(row.in_second)),
    ]
    note = "The arrow goes to the SCU that has all words of the other. 1: the summary contributes to the coder’s SCU."
    return [
        Table("kappas", "Agreement of the subsumption table", of_kappas, kappas, CAVEAT),
        Table.of("subsumption", "Subsumption relations by summary", columns, rows, note),
    ]
