"""Coders, groups and imported systems against gold, as tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from agreement.data.documents import Document
from agreement.data.texts.snippets import Snippet, read_snippets
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.fields import AgreementBesideGold
from agreement.reports.gold.errors import KINDS, Difference, count_errors
from agreement.reports.gold.readers import Reader
from agreement.reports.gold.report import TREND_SCORE, AgainstGold, GoldReport
from agreement.reports.links.coreference import SCORES
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.results.content import TablesAndCharts
from agreement.results.coreference import SCORE_COLUMNS, describe_in_several
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.confusion import Square, describe_equal
from agreement.results.figures.plots import Dot, line_chart
from agreement.results.labels.labels import SCORE_LABELS, item_address
from agreement.results.labels.settings import TERMS, name_terms
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, figure_columns, with_ends
from annotations.core.text import pluralize

MOST_ERRORS = 50
MOST_DIFFERENCES = 200
type Names = Mapping[str, str]


def build_all(request: AnalysisRequest, report: GoldReport, called: Names, *, groups: bool) -> TablesAndCharts:
    """Return all tables and charts, with the errors of the coder whom the options name, or of all."""
    chosen = find_coder(request.options.get("coder", ""), called)
    sections = [_confusion(request, report, called, chosen), _errors(request, report, called, chosen)]
    return TablesAndCharts(
        [*build_tables(report, called, groups=groups), *(table for one in sections for table in one.tables)],
        [*_charts(report, called), *(chart for one in sections for chart in one.charts)],
    )


def reader_of(request: AnalysisRequest) -> Reader:
    """Return who reads: what is stored names them, and the command is of the server, who sees all."""
    if "reader" in request.options or not request.reader:
        return Reader.from_option(request.options.get("reader", ""))
    return Reader.of(request.project, request.reader)


def find_coder(name: str, called: Names) -> str:
    """Return the coder who is called so on the page; empty where nobody is."""
    return next((coder for coder, shown in called.items() if shown == name), "")


def build_tables(report: GoldReport, called: Names, *, groups: bool = True) -> list[Table]:
    """Return the figures of each coder, of groups and of questions, what coders agree, and the course of it."""
    coder = Column("coder", "Coder", cell=lambda row: called[row.name])
    tables = [_accuracy_table(report, coder), _overruled_table(report, coder)]
    tables.append(agreement_table(report.agreement, report.parameters, "these texts"))
    if report.has_chains:
        tables += [_scores_table(report, coder), _each_score_table(report, called)]
    if groups and report.groups:
        tables.append(_groups_table(report))
    if report.questions:
        tables.append(_questions_table(report, called))
    head = [
        Column("last", "Until the text", explanation="gold_period"),
        Column("texts", "Texts", "count", explanation="gold_texts"),
    ]
    coders = [one.name for one in report.coders]
    return [*tables, *(trend_table(one, called, coders, "text", head) for one in _trends(report))]


def _accuracy_table(report: GoldReport, coder: Column) -> Table:
    return Table.of(
        "accuracy",
        "Accuracy of each coder against gold",
        [
            coder,
            Column("texts", "Texts", "count", explanation="gold_texts", cell="n_texts"),
            Column("items", "Items", "count", explanation="gold_items", cell="accuracy.total"),
            *figure_columns(Column("accuracy", "Accuracy", "figure"), "accuracy"),
            Column("missed", "Missed", "count", explanation="missed_items"),
            Column("extra", "Extra", "count", explanation="extra_items"),
            Column("note", "Notes", cell="accuracy.note"),
        ],
        report.coders,
        "The share of the items that both answered in which the answer is that of gold. Intervals are over texts.",
    )


def _overruled_table(report: GoldReport, coder: Column) -> Table:
    return Table.of(
        "overruled",
        "Overruled where coders differ",
        [
            coder,
            Column("contested", "Contested items", "count", cell="overruled.total"),
            *figure_columns(Column("overruled", "Overruled", "figure"), "overruled"),
            Column("note", "Notes", cell="overruled.note"),
        ],
        report.coders,
        f"Of {pluralize(report.n_contested, 'item')} not all coders have the same value. Overruled is the share of"
        " these, where coder and gold have a value, in which that of gold is another one. Values are those that the"
        " settings compare. Intervals are over texts, as items of one text are not independent.",
    )


def agreement_table(one: AgreementBesideGold, parameters: Parameters, where: str) -> Table:
    """Return what coders agree among themselves where they are compared with gold; `where` says in which texts."""
    name = COEFFICIENTS[parameters.coefficient].label
    return Table.of(
        "agreement",
        f"Agreement among the coders in {where}",
        [
            Column("coefficient", "Coefficient", cell=lambda _: name),
            Column("value", "Value", "figure"),
            *ENDS,
            Column("units", "Units", "count", cell="n_units"),
            Column("note", "Notes"),
        ],
        [one] if one.is_there else [],
        f"Gold has no part in it: it is the figure of the page Agreement for {where}.",
    )


def _read_f1(name: str, one: AgainstGold) -> float | None:
    return one.scores[name].f1


def _scores_table(report: GoldReport, coder: Column) -> Table:
    muc6 = " Markables match by the rules of MUC-6." if report.matched_by_muc6 else ""
    others = [name for name in SCORES if name != TREND_SCORE]
    return Table.of(
        "scores",
        "Coreference scores against gold, F1",
        [
            coder,
            *figure_columns(Column(TREND_SCORE, SCORE_LABELS[TREND_SCORE], "figure", explanation="f1"), "trend_score"),
            *(
                Column(name, SCORE_LABELS[name], "figure", explanation="f1", cell=partial(_read_f1, name))
                for name in others
            ),
        ],
        report.coders,
        "Gold is the key. Mentions are the markables in a chain; what one side alone has in a chain counts as missed."
        f" Intervals are over texts.{muc6}{describe_in_several(report.n_in_several)}",
    )


def _each_score_table(report: GoldReport, called: Names) -> Table:
    rows: list[list[Cell]] = []
    for one in report.coders:
        for name, score in one.scores.items():
            figures = score.recall, score.precision, score.f1, score.low, score.high
            rows.append([called[one.name], SCORE_LABELS[name], *figures, score.notes])
    return Table(
        "each",
        "Recall, precision and F1 of each score",
        [Column("coder", "Coder"), *SCORE_COLUMNS],
        rows,
    )


def _groups_table(report: GoldReport) -> Table:
    f1 = Column("f1", f"{SCORE_LABELS[TREND_SCORE]} F1", "figure")
    return Table.of(
        "groups",
        "Groups of coders against gold",
        [
            Column("group", "Group", cell="name"),
            Column("coders", "Coders", "count", cell=lambda row: len(row.coders)),
            Column("texts", "Texts", "count", explanation="gold_texts", cell="n_texts"),
            Column("items", "Items", "count", explanation="gold_items", cell="accuracy.total"),
            *figure_columns(Column("accuracy", "Accuracy", "figure"), "accuracy"),
            Column("contested", "Contested items", "count", cell="overruled.total"),
            *figure_columns(Column("overruled", "Overruled", "figure"), "overruled", "overruled_"),
            *(figure_columns(f1, "trend_score", "f1_") if report.has_chains else []),
        ],
        report.groups,
        "The answers of all coders of a group together, text by text.",
    )


def _questions_table(report: GoldReport, called: Names) -> Table:
    rows: list[list[Cell]] = [
        [asked.label, called[one.name], one.share.total, *with_ends(one.share), one.share.note]
        for asked in report.questions
        for one in asked.coders
    ]
    return Table(
        "questions",
        "Accuracy in attributes and relations",
        [
            Column("question", "Question", explanation="gold_question"),
            Column("coder", "Coder"),
            Column("items", "Items", "count", explanation="gold_items"),
            Column("accuracy", "Accuracy", "figure"),
            *ENDS,
            Column("note", "Notes"),
        ],
        rows,
        "Of items to which both gave an answer. Sets of labels and of targets are the same where they are equal.",
    )


def _charts(report: GoldReport, called: Names) -> list[Chart]:
    def dots(key: str, title: str, unit: str, figures: Callable[[AgainstGold], Sequence[float | None]]) -> Chart:
        rows = [Dot(called[one.name], *figures(one)) for one in report.coders]
        return dots_chart(key, title, rows, unit, share=True)

    title = "Overruled share of contested items, with 95% CI"
    charts = [
        dots("accuracy", "Accuracy against gold, with 95% CI", "accuracy", lambda row: with_ends(row.accuracy)),
        dots("overruled", title, "share", lambda row: with_ends(row.overruled)),
    ]
    if report.has_chains:
        title = f"{SCORE_LABELS[TREND_SCORE]} F1 against gold, with 95% CI"
        charts.append(dots("scores", title, "F1", lambda row: with_ends(row.trend_score)))
    if len(report.periods) < 2:
        return charts
    coders = [one.name for one in report.coders]
    return [*charts, *(trend_chart(one, called, coders, "text", share=True) for one in _trends(report))]


type Values = Mapping[str, float | None]
type Periods = Sequence[tuple[str, int, Values]]


class Trend(NamedTuple):
    """What of coders is followed over texts or docsets: a period's last one, how many it has, and a value by coder."""

    key: str
    name: str
    unit: str
    periods: Periods


def trend_table(trend: Trend, called: Names, coders: Sequence[str], noun: str, head: Sequence[Column]) -> Table:
    """Return the values of each coder by period; `head`: columns of its last text or docset, and their number."""
    rows: list[list[Cell]] = [
        [last, number, *(values.get(coder) for coder in coders)] for last, number, values in trend.periods
    ]
    columns = [Column(called[one], called[one], "figure", explanation=trend.unit.lower()) for one in coders]
    note = f"In order of the last work on each {noun}; imported ones come first."
    return Table(trend.key, f"{trend.name} over {noun}s", [*head, *columns], rows, note)


def trend_chart(trend: Trend, called: Names, coders: Sequence[str], noun: str, *, share: bool = False) -> Chart:
    """Return a line for each coder."""
    series = {called[one]: [values.get(one) for *_, values in trend.periods] for one in coders}
    figure = line_chart([last for last, *_ in trend.periods], series, trend.unit, share=share)
    words = f"{trend.name} of each coder, in order of the last work on each {noun}; the table has every value."
    return Chart(trend.key, f"{trend.name} over {noun}s", figure, words, trend.key)


def _trends(report: GoldReport) -> list[Trend]:
    def of(figure: str) -> Periods:
        return [
            (period.label, period.n_texts, {one.name: getattr(one, figure) for one in period.coders})
            for period in report.periods
        ]

    trends = [Trend("trend", "Accuracy", "accuracy", of("accuracy"))]
    f1 = Trend("trend_f1", f"{SCORE_LABELS[TREND_SCORE]} F1", "F1", of("conll_f1"))
    return [*trends, f1] if report.has_chains else trends


def _confusion(request: AnalysisRequest, report: GoldReport, called: Names, chosen: str) -> TablesAndCharts:
    if not report.names:
        return TablesAndCharts([], [])
    counts: list[list[int]] = report.total_confusion(chosen).tolist()
    term, who = TERMS[name_terms(request.extract.question)], called[chosen] if chosen else "all coders"
    caption = f"{term.capitalize()} of gold (rows) and of {who} (columns)"
    square = Square("confusion", caption, report.names, counts, "items", ("gold", who), "gold_confusion")
    return square.build(request, lambda _: describe_equal(term, counts))


def _errors(request: AnalysisRequest, report: GoldReport, called: Names, chosen: str) -> TablesAndCharts:
    differences = {name: one for name, one in report.differences.items() if chosen in ("", name)}
    found = count_errors(differences)
    shown, items = found[:MOST_ERRORS], list(differences.get(chosen, ()))[:MOST_DIFFERENCES]
    snippets = read_snippets({*(one.example.unit for one in shown), *(one.unit for one in items)})
    who = called[chosen] if chosen else "all coders"
    total = sum(one.number for one in found)
    left = f" The {MOST_ERRORS} most frequent of {len(found)} are here." if len(found) > MOST_ERRORS else ""

    def in_context(one: Difference) -> Cell:
        return _words(request, one.text, snippets[one.unit]) if one.unit in snippets else ""

    error = [
        Column("kind", "Error", explanation="error_kind", cell=lambda row: KINDS[row.error.kind]),
        Column("gold", "Gold", explanation="gold_answer", cell="error.gold"),
        Column("answer", "Answer", explanation="coder_answer", cell="error.answer"),
    ]
    frequent = [
        Column("number", "Number", "count", explanation="error_number"),
        Column("share", "Share", "percent", explanation="error_share", cell=lambda row: row.number / total),
        Column("coders", "Coders", "count", explanation="error_coders", cell=lambda row: len(row.coders)),
        Column("example", "Example", explanation="error_example", cell=lambda row: in_context(row.example)),
    ]
    note = f"An error is an item in which an answer differs from gold.{left}"
    tables = [Table.of("errors", f"Most frequent errors of {who}", [*error, *frequent], shown, note)]
    if chosen:
        n = len(differences.get(chosen, ()))
        rest = f" The first {MOST_DIFFERENCES} of {n}: choose texts to see others." if n > MOST_DIFFERENCES else ""
        item = Column("item", "Item", explanation="gold_item", cell=in_context)
        columns = [Column("text", "Text", cell="text.label"), item, *error]
        there = [one for one in items if one.unit in snippets]
        title = f"Where gold differs from {who}"
        tables.append(Table.of("differences", title, columns, there, f"In the order of texts.{rest}"))
    return TablesAndCharts(tables, [])


def _words(request: AnalysisRequest, text: Document, snippet: Snippet) -> Cell:
    """Return a unit in its context, which leads to its page where coders have it."""
    document = next((one for one in request.project_answers.texts if one.pk == text.pk), None)
    if document is None or snippet.unit not in request.project_answers.units_in(document):
        return str(snippet.keyword)
    return Linked(str(snippet.keyword), item_address(request.project.slug, document, snippet.key, request.query))
