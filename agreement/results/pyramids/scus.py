"""Pairs of SCUs of two coders, and the subsumption table: a report -> tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.http import Http404

from agreement.data.pyramids.pyramids import Pyramids, read_pyramids
from agreement.reports.pyramids import scus as reports
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts, paginate
from agreement.results.pyramids.common import DOCSET, PAIR, Fields, PyramidPage, docset_field, read_chosen
from agreement.results.tables import Column, Linked, Table

PAGE_SIZE = 100
N_CARDS = 20
SUBSUMPTION = "subsumption"

KINDS = {
    "identity": "equal",
    "subsumption": "one contains the other",
    "intersection": "they overlap",
    "unmatched": "no partner left",
    "disjunction": "disjoint",
}
MEANINGS = {
    "identity": "both have the same words",
    "subsumption": "all words of one are in the other, as in Figure 1",
    "intersection": "each has words that the other has not, as in Figure 5",
    "unmatched": "shares words with an SCU that has a better partner",
    "disjunction": "shares no word with any SCU of the other",
}
SORTS = {"size": "unshared words", "distance": "Jaccard distance", "weight": "weight", "label": "label"}
CAVEAT = (
    "Each row is a pair of SCUs that the program made, not a decision of a coder: who made one SCU of many words has as"
    " many rows as the other has SCUs in it. Too many decisions are counted, expected agreement comes out too low, and"
    " kappa too high (Passonneau 2006, 3.4). It is shown for comparison with published values; judge"
    " reliability by alpha."
)


@register
class Scus(PyramidPage[reports.ScusReport]):
    """The SCUs of two coders of one docset: matched and related, or the subsumption table."""

    name, title = "scus", "SCUs"
    template = "agreement/pyramids/scus.html"
    position, tab = 220, 180
    options = ("docset", "first", "second", "kind", "sort", "view")
    draws_charts = False
    gives = reports.ScusReport
    takes = {**DOCSET, **PAIR}
    api = "The SCUs of two coders of a docset, matched and related; 404 where no docset has two pyramids."

    def compute(self, request: AnalysisRequest) -> reports.ScusReport:
        """Return the report. Raises Http404 where there is none."""
        report = _report(request, read_chosen(request))
        if report is None:
            raise Http404(f"No docset of {request.project.slug} has two pyramids.")
        return report

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        report = self.compute(request)
        pairs = build_pairs(report, report.select(), lambda _: "", "").tables
        return [*pairs, *build_subsumption(report, report.subsumption).tables]

    def show(self, request: AnalysisRequest) -> PageSections:
        options = request.options
        if options.get("view", SUBSUMPTION) != SUBSUMPTION:
            raise InvalidParameter("view", f"{options['view']!r} is not {SUBSUMPTION}.")
        pyramids = read_pyramids(request.project)
        report = _report(request, pyramids)
        pairs = report.select(options.get("kind", ""), options.get("sort") or "size") if report else []
        if report is None:
            fields: Fields = {"docset": docset_field(pyramids, "")}
            nothing = TablesAndCharts([], [])
            return self.arrange(request, pyramids, nothing, fields, report=None, n_pyramids=len(pyramids.own))
        subsumption, kind = bool(request.options.get("view")), request.options.get("kind", "")
        shown: Any
        cards = []
        if subsumption:
            shown, rows = paginate(request, report.subsumption, PAGE_SIZE)
            content = build_subsumption(report, rows)
        else:
            shown, _ = paginate(request, pairs, N_CARDS)
            cards = [_card(report, one) for one in shown]
            content = build_pairs(report, pairs, lambda kind: request.address_with(kind=kind), kind)
        return self.arrange(
            request,
            pyramids,
            content,
            _fields(pyramids, report),
            report=report,
            subsumption=subsumption,
            shown=shown,
            cards=cards,
            filters=_filters(request, report),
            everything=request.address_with(kind=""),
            sorts=[
                (words, request.address_with(sort=name), name == (request.options.get("sort") or "size"))
                for name, words in SORTS.items()
            ],
            views=[
                ("Pairs of SCUs", request.address_with(view=""), not subsumption),
                ("Subsumption table", request.address_with(view=SUBSUMPTION), subsumption),
            ],
        )


def _report(request: AnalysisRequest, pyramids: Pyramids) -> reports.ScusReport | None:
    return reports.report_scus(pyramids, *(request.options.get(name, "") for name in ("docset", "first", "second")))


def _fields(pyramids: Pyramids, report: reports.ScusReport) -> Fields:
    """Return the docsets that have two pyramids, and the coders of the one that is shown."""
    docsets = dict.fromkeys(docset for docset, *_ in reports.list_coder_pairs(pyramids))
    coders = [one.coder for one in pyramids.own if one.docset.slug == report.docset]
    names = [(name, name) for name in coders] if len(coders) > 2 else []
    return {
        "docset": ("Docset", [(one.slug, one.title) for one in docsets]),
        "first": ("First coder", names),
        "second": ("Second coder", names),
    }


def _filters(request: AnalysisRequest, report: reports.ScusReport) -> list[tuple[str, str, int, bool]]:
    """Return the relations as chips: label, address, how many pairs, whether it is on."""
    current = request.options.get("kind", "")
    return [("all", request.address_with(kind=""), len(report.pairs), not current)] + [
        (KINDS[kind], request.address_with(kind=kind), number, kind == current)
        for kind, number in report.counts.items()
    ]


def _card(report: reports.ScusReport, pair: reports.ScuPair) -> tuple[dict[str, Any], list[tuple[str, list[Any]]]]:
    """Return a pair for the template, and its rows: a summary with each coder's contributors in it."""
    a, b = report.first, report.second
    sizes = [f"{pair.shared} words of both" if pair.first and pair.second else f"{pair.shared} words of others, too"]
    sizes += [f"{count} only of {name}" for name, count in ((a, pair.only_first), (b, pair.only_second)) if count]
    about = {
        "first": pair.first,
        "second": pair.second,
        "others": pair.others,
        "name": " – ".join(side.label for side in (pair.first, pair.second) if side),
        "words": KINDS[pair.kind],
        "size": ", ".join(sizes),
    }
    names = report.pyramids[0].docset.summaries
    rows = [
        (
            names[place] if place >= 0 else "outside the summaries",
            [side.texts.get(place, ()) if side else () for side in (pair.first, pair.second)],
        )
        for place in pair.summaries
    ]
    return about, rows


def build_pairs(
    report: reports.ScusReport, chosen: Sequence[reports.ScuPair], address: Callable[[str], str], current: str
) -> TablesAndCharts:
    """Return how many pairs are of each kind, these pairs, and all that share words; `address` leads to a kind."""
    a, b = report.first, report.second
    counts = report.counts
    total = max(sum(counts.values()), 1)
    kinds = Table(
        "kinds",
        f"SCUs of {a} and {b} by how they are related",
        [
            Column("relation", "Relation"),
            Column("pairs", "Pairs", "count"),
            Column("share", "Share", "percent", explanation="share_of_relation"),
            Column("meaning", "Meaning"),
        ],
        [
            (Linked(KINDS[kind], address(kind), kind == current), number, number / total, MEANINGS[kind])
            for kind, number in counts.items()
        ],
        "Each SCU is matched with one of the other coder at most, so that the sum of what the pairs share (Jaccard of"
        " their words) is as large as it can be.",
    )
    return TablesAndCharts([kinds, _pairs_table(report, chosen), _overlaps_table(report)], [])


def _pairs_table(report: reports.ScusReport, chosen: Sequence[reports.ScuPair]) -> Table:
    a, b = report.first, report.second
    columns = [
        Column("first", f"SCU of {a}", explanation="first_scu", cell=lambda row: getattr(row.first, "label", "")),
        Column(
            "weight_first", "Weight", "count", explanation="weight", cell=lambda row: row.first and row.first.weight
        ),
        Column("second", f"SCU of {b}", explanation="second_scu", cell=lambda row: getattr(row.second, "label", "")),
        Column(
            "weight_second", "Weight", "count", explanation="weight", cell=lambda row: row.second and row.second.weight
        ),
        Column("relation", "Relation", cell=lambda row: KINDS[row.kind]),
        Column("shared", "Words of both", "count"),
        Column("only_first", f"Only {a}", "count", explanation="only_one"),
        Column("only_second", f"Only {b}", "count", explanation="only_one"),
        Column("distance", "Jaccard distance", "figure", explanation="set-distance"),
    ]
    return Table.of("pairs", "Pairs of SCUs", columns, chosen)


def _overlaps_table(report: reports.ScusReport) -> Table:
    columns = [
        Column("first", f"SCU of {report.first}", explanation="first_scu"),
        Column("second", f"SCU of {report.second}", explanation="second_scu"),
        Column("relation", "Relation", cell=lambda row: KINDS[row.relation]),
        Column("shared", "Words of both", "count"),
        Column("jaccard", "Jaccard", "figure", explanation="set_jaccard"),
        Column("matched", "Matched", cell=lambda row: "yes" if row.matched else "no"),
    ]
    return Table.of("overlaps", "All SCUs that share words, matched or not", columns, report.overlaps)


def build_subsumption(report: reports.ScusReport, rows: Sequence[reports.SubsumptionRow]) -> TablesAndCharts:
    """Return the subsumption table (Figure 6) with these rows, and its kappas."""
    a, b = report.first, report.second
    signs = {a: "←", b: "→", "": "="}
    table = Table.of(
        "subsumption",
        "Subsumption relations by summary",
        [
            Column(
                "relation",
                f"SCU of {a}, SCU of {b}",
                cell=lambda row: f"{row.first} {signs[row.larger]} {row.second}",
            ),
            Column("summary", "Summary"),
            Column("first", a, "count", explanation="contributors_of", cell=lambda row: int(row.in_first)),
            Column("second", b, "count", explanation="contributors_of", cell=lambda row: int(row.in_second)),
        ],
        rows,
        "The arrow goes to the SCU that has all words of the other. 1: the summary contributes to the coder’s SCU.",
    )
    kappas = Table(
        "kappas",
        "Agreement of the subsumption table",
        [
            Column("coefficient", "Coefficient"),
            Column("value", "Value", "figure"),
            Column("observed", "Observed", "figure"),
            Column("expected", "Expected", "figure"),
            Column("rows", "Rows", "count"),
            Column("note", "Notes"),
        ],
        [
            (name, one.value, one.observed, one.expected, one.n_units, one.note)
            for name, one in zip(("K of Siegel & Castellan", "Cohen’s kappa"), report.kappas, strict=True)
        ],
        CAVEAT,
    )
    return TablesAndCharts([kappas, table], [])
