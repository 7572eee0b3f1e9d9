"""A model beside people, as tables and charts: agreement, the alternative annotator test, what it wins and loses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from agreement.data.answers.contents import TextEntry
from agreement.data.codings.model_codings import read_model_names
from agreement.reports.coders.models import ModelReport, Part, compare_model
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.deferred import alt_test
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot
from agreement.sections.labels.addresses import selection_of
from agreement.sections.tables import Cell, Column, Linked, Table
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize

AMONG = "people with each other"
NO_MAJORITY = "no most frequent answer"
ENDS = (Column("low", "from", "figure"), Column("high", "to", "figure"))
# Of more categories a chart has those in which the model and people differ most.
MOST_DOTS = 20


def build_models(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return the model of the options beside the people who are chosen."""
    report = compare_model(
        request.project_answers, request.parameters, read_model_names(request.project), request.options, progress
    )
    categories, texts = report.items.by_category(), report.items.by_text()
    [humans] = alt_test.build_tables(report.test)
    humans = replace(humans, note="Scores are means over texts of how near an answer is to those of the other people.")
    tables = [_agreement_table(report), _verdict_table(report), humans, _texts_table(request, report, texts)]
    charts = [_agreement_chart(report), _humans_chart(report)]
    if report.items.names:
        tables.append(_categories_table(report, categories))
        charts.append(_categories_chart(report, categories))
    return TablesAndCharts(tables, charts)


def _agreement_table(report: ModelReport) -> Table:
    rows: list[list[Cell]] = []
    for one in (report.among, *report.agreements):
        found = one.interval
        note = found.note or found.result.note
        rows.append([one.coder or AMONG, found.value, found.low, found.high, found.result.n_units, note])
    more = f" {pluralize(report.n_more_people, 'person')} more are left out here." if report.n_more_people else ""
    return Table(
        "agreement",
        f"{report.candidate} with people, and people with each other",
        [
            Column("coder", "Coder"),
            Column("value", "Alpha", "figure", explanation="alpha_with_people"),
            *ENDS,
            Column("units", "Units", "count"),
            Column("note", "Notes"),
        ],
        rows,
        "Of one coder: each judgement against each of the people, but for their own, with the distance of this page"
        f" (cross-replication alpha). People with each other: alpha. 95% CI over texts.{more}",
    )


def _verdict_table(report: ModelReport) -> Table:
    test = report.test.test
    tested = [row for row in test.rows if row.adjusted is not None]
    published = [row for row in test.rows if row.published_adjusted is not None]
    rows: list[list[Cell]] = [
        ["over texts", sum(row.won for row in tested), len(tested), test.winning_rate, _passes(test.passed)],
        [
            "as published, of items",
            sum(row.published_won for row in published),
            len(published),
            test.published_winning_rate,
            _passes(test.published_passed),
        ],
    ]
    probability = test.advantage_probability
    advantage = (
        f" Advantage probability: {probability:.3f}, the mean of those below." if probability is not None else ""
    )
    return Table(
        "verdict",
        f"May {report.candidate} code in the place of a person?",
        [
            Column("test", "Test", explanation="alt_test"),
            Column("wins", "Wins", "count", explanation="won"),
            Column("people", "People compared", "count", explanation="people_compared"),
            Column("winning_rate", "Winning rate", "figure"),
            Column("passes", "Passes", explanation="passes"),
        ],
        rows,
        f"Alternative annotator test (Calderon et al. 2025): {report.test.describe(rates=False)} A winning rate is a"
        f" share of tests, each with its p, and has no interval.{advantage}",
    )


def _passes(passed: bool | None) -> str | None:
    return None if passed is None else "yes" if passed else "no"


def _part_columns(first: Column, candidate: str) -> list[Column]:
    return [
        first,
        Column("items", "Items", "count"),
        Column("texts", "Texts", "count"),
        Column("candidate_score", candidate, "figure"),
        Column("people_score", "People", "figure"),
        Column("difference", "Difference", "figure", explanation="score_difference"),
        *ENDS,
        Column("note", "Notes"),
    ]


def _part_cells(part: Part) -> list[Cell]:
    one = part.difference
    scores = part.candidate_score, part.people_score
    return [part.n_items, part.n_texts, *scores, one.value, one.low, one.high, one.note]


def _categories_table(report: ModelReport, parts: Sequence[Part]) -> Table:
    return Table(
        "categories",
        f"Answers of people on which {report.candidate} is worse or better",
        _part_columns(Column("category", "Most people say", explanation="majority_category"), report.candidate),
        [[part.name or NO_MAJORITY, *_part_cells(part)] for part in parts],
        "The answer on which it is farthest behind comes first. Scores are means over texts of how near an answer is to"
        " those of people: 1 less the distance, of a person to the others.",
    )


def _texts_table(request: AnalysisRequest, report: ModelReport, parts: Sequence[tuple[TextEntry, Part]]) -> Table:
    columns = _part_columns(Column("text", "Text"), report.candidate)
    left_out = {"texts", "low", "high", "note"}
    rows: list[list[Cell]] = []
    for text, part in parts:
        query = urlencode(request.parameters.query() | request.options | selection_of(text))
        cells = [part.n_items, part.candidate_score, part.people_score, part.difference.value]
        rows.append([Linked(text.label, f"?{query}"), *cells])
    return Table(
        "texts",
        f"Texts in which {report.candidate} is worse or better",
        [column for column in columns if column.name not in left_out],
        rows,
        "The text in which it is farthest behind comes first.",
    )


def _agreement_chart(report: ModelReport) -> Chart:
    rows = [(one.coder or AMONG, one.interval) for one in (report.among, *report.agreements)]
    dots = [Dot(name, one.value, one.low, one.high) for name, one in rows]
    return Chart(
        "agreement", "Alpha with people, with 95% CI", dot_plot(dots, "alpha"), describe_dots(dots), "agreement"
    )


def _humans_chart(report: ModelReport) -> Chart:
    test = report.test.test
    dots = [
        Dot(str(row.human), row.difference, one.difference.low, one.difference.high)
        for row, one in zip(test.rows, report.test.intervals, strict=True)
    ]
    return Chart(
        "humans",
        f"Score of {report.candidate} less that of the person in whose place it codes, with 95% CI",
        dot_plot(dots, "difference of scores", (0, -test.epsilon)),
        f"{describe_dots(dots)} Lines are at 0 and at −epsilon, −{test.epsilon:g}.",
        "alt_test",
    )


def _categories_chart(report: ModelReport, parts: Sequence[Part]) -> Chart:
    shown = sorted(sorted(parts, key=lambda part: -abs(part.difference.value or 0))[:MOST_DOTS], key=parts.index)
    dots = [
        Dot(part.name or NO_MAJORITY, part.difference.value, part.difference.low, part.difference.high)
        for part in shown
    ]
    return Chart(
        "categories",
        f"Score of {report.candidate} less that of people, by what most people say, with 95% CI",
        dot_plot(dots, "difference of scores", (0,)),
        describe_dots(dots),
        "categories",
    )
