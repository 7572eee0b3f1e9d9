"""A candidate in the place of each human, as a table."""

from __future__ import annotations

from agreement.reports.coders.alt_test import AltTestReport, compute_alt_test
from agreement.reports.coders.models import OPTIONS
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import Result, register
from agreement.results.tables import ENDS, Column, Table


@register
class AltTest(Result[AltTestReport]):
    """Whether a candidate may code in the place of the other coders who are chosen."""

    name = "alt-test"
    options = OPTIONS
    chooses_coders = True

    def compute(self, request: AnalysisRequest) -> AltTestReport:
        candidate, epsilon, q = (request.options.get(name, "") for name in self.options)
        return compute_alt_test(request.project_answers, request.parameters, candidate, epsilon, q)

    def tables(self, request: AnalysisRequest, report: AltTestReport) -> list[Table]:
        return build_tables(report)

    def preface(self, report: AltTestReport) -> str:
        return "\n".join(filter(None, [report.describe(), super().preface(report)]))


def build_tables(report: AltTestReport) -> list[Table]:
    """Return the candidate in the place of each human."""
    test = report.test
    return [
        Table(
            "alt_test",
            f"{test.candidate} in the place of each other coder",
            [
                Column("human", "Coder", explanation="coder"),
                Column("candidate_score", "Score of the candidate", "figure"),
                Column("human_score", "Score of the coder", "figure"),
                Column("difference", "Difference", "figure", explanation="score_difference"),
                *ENDS,
                Column("p_value", "p", "probability", explanation="alt_p_value"),
                Column("adjusted", "p, adjusted", "probability", explanation="alt_p_value"),
                Column("won", "Wins"),
                Column("advantage_probability", "Advantage probability", "figure"),
                Column("advantage_low", "from", "figure", explanation="low"),
                Column("advantage_high", "to", "figure", explanation="high"),
                Column("published_adjusted", "p, published test, adjusted", "probability", explanation="alt_p_value"),
                Column("published_won", "Wins, published test", explanation="won"),
                Column("units", "Units", "count"),
                Column("texts", "Texts", "count"),
                Column("note", "Notes"),
            ],
            [
                (
                    str(row.human),
                    row.candidate_score,
                    row.human_score,
                    row.difference,
                    one.difference.low,
                    one.difference.high,
                    row.p_value,
                    row.adjusted,
                    "yes" if row.won else "no",
                    row.advantage_probability,
                    one.advantage.low,
                    one.advantage.high,
                    row.published_adjusted,
                    "yes" if row.published_won else "no",
                    row.n_units,
                    row.n_texts,
                    one.difference.note or one.advantage.note,
                )
                for row, one in zip(test.rows, report.intervals, strict=True)
            ],
            report.describe(),
        )
    ]
