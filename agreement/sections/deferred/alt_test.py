"""A candidate in the place of each human, as a table."""

from __future__ import annotations

from agreement.reports.coders.alt_test import AltTestReport
from agreement.sections.tables import Column, Table


def build_tables(report: AltTestReport) -> list[Table]:
    """Return the candidate in the place of each human."""
    test = report.test
    return [
        Table(
            "alt_test",
            f"{test.candidate} in the place of each other coder",
            [
                Column("human", "Coder"),
                Column("candidate_score", "Score of the candidate", "figure"),
                Column("human_score", "Score of the coder", "figure"),
                Column("difference", "Difference", "figure"),
                Column("p_value", "p", "figure"),
                Column("adjusted", "p, adjusted", "figure"),
                Column("won", "Wins"),
                Column("advantage_probability", "Advantage probability", "figure"),
                Column("published_adjusted", "p, published test, adjusted", "figure"),
                Column("published_won", "Wins, published test"),
                Column("units", "Units", "count"),
                Column("texts", "Texts", "count"),
            ],
            [
                (
                    str(row.human),
                    row.candidate_score,
                    row.human_score,
                    row.difference,
                    row.p_value,
                    row.adjusted,
                    "yes" if row.won else "no",
                    row.advantage_probability,
                    row.published_adjusted,
                    "yes" if row.published_won else "no",
                    row.n_units,
                    row.n_texts,
                )
                for row in test.rows
            ],
            report.describe(),
        )
    ]
