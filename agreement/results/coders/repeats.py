"""How far each coder agrees with themself, in texts that they coded again."""

from __future__ import annotations

from agreement.reports.coders.repeats import RepeatsReport, compare_occasions
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Column, Table

CODED_AGAIN = {"unmarked": "unmarked", "recheck": "in a recheck"}
# The row of all coders together.
ALL_CODERS = "all coders"


@register
class Repeats(ResultPage[RepeatsReport]):
    """How far each coder agrees with themself: a table of the page Coders."""

    name = "repeats"
    api = "How far each coder agrees with themself, in texts that they were shown again within a round."
    api_route = "api-agreement-repeats"
    chooses_coders = True

    def compute(self, request: AnalysisRequest) -> RepeatsReport:
        return compare_occasions(request.project_answers, request.parameters)

    def tables(self, request: AnalysisRequest, report: RepeatsReport) -> list[Table]:
        return [build_repeats_table(report)]


def build_repeats_table(report: RepeatsReport) -> Table:
    """Return how far coders agree with themselves, in the texts that they coded again."""
    parts = [("unmarked", report.repeats), ("recheck", report.rechecks)]
    rows = [(how, one) for how, part in parts for one in (*part.coders, *([part.together] if part.together else []))]
    return Table(
        "repeats",
        "Each coder with themself",
        [
            Column("coder", "Coder"),
            Column("coded_again", "How", labels=CODED_AGAIN),
            Column("shown_again", "Coded again", "count"),
            Column("codings", "Counted", "count", explanation="coded_again_counted"),
            Column("texts", "Texts", "count"),
            Column("units", "Units", "count"),
            Column("self_agreement", "Self-agreement", "figure"),
            *ENDS,
            Column("between_coders", "Between coders", "figure"),
            Column("note", "Notes"),
        ],
        [
            (
                one.coder or ALL_CODERS,
                how,
                one.shown_again,
                one.codings,
                one.texts,
                one.interval.result.n_units if one.interval else 0,
                one.interval.value if one.interval else None,
                one.interval.low if one.interval else None,
                one.interval.high if one.interval else None,
                one.between.value if one.between else None,
                one.note,
            )
            for how, one in rows
        ],
        "The first occasion against the second, with the settings of this page and a 95% CI over texts. Unmarked: texts"
        " shown again within a round. In a recheck: texts of a round of that kind, which coders knowingly coded again,"
        " against the latest round before it that counts. All coders: the codings of all of them together. Every"
        " other figure is of first occasions, unless repeats are included. Between coders: all coders in the same"
        " texts.",
    )
