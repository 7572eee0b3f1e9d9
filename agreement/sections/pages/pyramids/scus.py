"""Pairs of SCUs of two coders, and the subsumption table: a report -> tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agreement.parts.part import Parts
from agreement.reports import scus as reports
from agreement.tables import Cell, Column, Linked, Table

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
SORTS = {
    "size": "words that only one has",
    "distance": "Jaccard distance",
    "weight": "weight",
    "label": "label",
}
CAVEAT = (
    "Each row is a pair of SCUs that the program made, not a decision of a coder: who made one SCU of many words has as"
    " many rows as the other has SCUs in it. Too many decisions are counted, expected agreement comes out too low, and"
    " kappa too high (Passonneau 2006, 3.4). It stands here to be compared with what others published; judge"
    " reliability by alpha."
)


def pairs(report: reports.Report, chosen: Sequence[reports.Pair], address: Callable[[str], str], current: str) -> Parts:
    """How many pairs are of each kind, these pairs, and all that share words; `address` leads to a kind."""
    a, b = report.first.coder, report.second.coder
    counts = report.counts()
    total = max(sum(counts.values()), 1)
    kinds = Table(
        "kinds",
        f"SCUs of {a} and {b} by how they are related",
        [
            Column("relation", "Relation"),
            Column("pairs", "Pairs", "count"),
            Column("share", "Share", "percent"),
            Column("meaning", "Meaning"),
        ],
        [
            (Linked(KINDS[kind], address(kind), kind == current), number, number / total, MEANINGS[kind])
            for kind, number in counts.items()
        ],
        "Each SCU is matched with one of the other coder at most, so that the sum of what the pairs share (Jaccard of"
        " their words) is as large as it can be.",
    )
    return Parts([kinds, _pairs(report, chosen), _overlaps(report)], [])


def _pairs(report: reports.Report, chosen: Sequence[reports.Pair]) -> Table:
    a, b = report.first.coder, report.second.coder
    columns = [
        Column("first", f"SCU of {a}"),
        Column("weight_first", "Weight", "count"),
        Column("second", f"SCU of {b}"),
        Column("weight_second", "Weight", "count"),
        Column("relation", "Relation"),
        Column("shared", "Words of both", "count"),
        Column("only_first", f"Only {a}", "count"),
        Column("only_second", f"Only {b}", "count"),
        Column("distance", "Jaccard distance", "figure"),
    ]
    rows: list[list[Cell]] = [
        [
            one.first.label if one.first else "",
            one.first.weight if one.first else None,
            one.second.label if one.second else "",
            one.second.weight if one.second else None,
            KINDS[one.kind],
            one.shared,
            one.only_first,
            one.only_second,
            one.distance,
        ]
        for one in chosen
    ]
    return Table("pairs", "The pairs as a table", columns, rows)


def _overlaps(report: reports.Report) -> Table:
    a, b = report.first.coder, report.second.coder
    columns = [
        Column("first", f"SCU of {a}"),
        Column("second", f"SCU of {b}"),
        Column("relation", "Relation"),
        Column("shared", "Words of both", "count"),
        Column("jaccard", "Jaccard", "figure"),
        Column("matched", "Matched"),
    ]
    rows = [
        (
            report.first.labels[str(one.first)],
            report.second.labels[str(one.second)],
            KINDS[one.relation],
            one.shared,
            one.jaccard,
            "yes" if one.matched else "no",
        )
        for one in report.overlaps
    ]
    return Table("overlaps", "All SCUs that share words, matched or not", columns, rows)


def subsumption(report: reports.Report, rows: Sequence[reports.Subsumed]) -> Parts:
    """The subsumption table (Figure 6) with these rows, and its kappas."""
    a, b = report.first.coder, report.second.coder
    signs = {a: "←", b: "→", "": "="}
    table = Table(
        "subsumption",
        "Subsumption relations by summary",
        [
            Column("relation", f"SCU of {a}, SCU of {b}"),
            Column("summary", "Summary"),
            Column("first", a, "count"),
            Column("second", b, "count"),
        ],
        [
            (f"{one.first} {signs[one.larger]} {one.second}", one.summary, int(one.in_first), int(one.in_second))
            for one in rows
        ],
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
            Column("note", "To mind"),
        ],
        [
            (name, one.value, one.observed, one.expected, one.n_units, one.note)
            for name, one in (("K of Siegel & Castellan", report.kappa), ("Cohen’s kappa", report.cohen))
        ],
        CAVEAT,
    )
    return Parts([kappas, table], [])
