"""Coders, groups and imported systems against gold, as tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agreement.data.answers.contents import TextEntry
from agreement.data.texts.snippets import Snippet, read_snippets
from agreement.measures import Interval, ScoreInterval
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.gold.errors import KINDS, FrequentError, count_errors
from agreement.reports.gold.readers import Reader
from agreement.reports.gold.report import (
    TREND_SCORE,
    AgainstGold,
    GoldReport,
    Share,
    compare_with_gold,
    read_gold_source,
)
from agreement.reports.links.coreference import SCORES
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.deferred.coreference import describe_in_several
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot, heat_map, line_chart
from agreement.sections.labels.addresses import item_address
from agreement.sections.labels.labels import SCORE_LABELS
from agreement.sections.labels.settings import TERMS, name_terms
from agreement.sections.tables import Cell, Column, Linked, Table
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize

MOST_ERRORS = 50
MOST_DIFFERENCES = 200
ENDS = (Column("low", "from", "figure"), Column("high", "to", "figure"))
type Names = Mapping[str, str]


def build_gold(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return every coder against gold, as the reader of the options may see it, and the errors of one or of all."""
    answers, reader = request.project_answers, Reader.from_option(request.options.get("reader", ""))
    source = read_gold_source(
        request.project, answers, request.parameters, request.answers_with_gold, reader.documents(answers)
    )
    report = compare_with_gold(source, request.parameters, progress)
    called = reader.name_coders(request.project, answers.known_coders)
    chosen = find_coder(request.options.get("coder", ""), called)
    tables = build_tables(report, called, groups=not reader.codes)
    sections = [_confusion(request, report, called, chosen), _errors(request, report, called, chosen)]
    return TablesAndCharts(
        [*tables, *(table for one in sections for table in one.tables)],
        [*_charts(report, called), *(chart for one in sections for chart in one.charts)],
    )


def find_coder(name: str, called: Names) -> str:
    """Return the coder who is called so on the page; empty where nobody is."""
    return next((coder for coder, shown in called.items() if shown == name), "")


def build_tables(report: GoldReport, called: Names, *, groups: bool = True) -> list[Table]:
    """Return the figures of each coder, of groups and of questions, what coders agree, and the course of it."""
    tables = [_accuracy_table(report, called), _overruled_table(report, called)]
    tables.append(agreement_table(report.agreement, report.parameters, "these texts"))
    if report.has_chains:
        tables += [_scores_table(report, called), _each_score_table(report, called)]
    if groups and report.groups:
        tables.append(_groups_table(report))
    if report.questions:
        tables.append(_questions_table(report, called))
    return [*tables, *_trend_tables(report, called)]


def _ends(one: ScoreInterval) -> tuple[float | None, float | None]:
    return one.low, one.high


def _share_cells(share: Share) -> list[Cell]:
    return [share.total, share.interval.value, *_ends(share.interval)]


def _f1_cells(one: AgainstGold) -> list[Cell]:
    score = one.scores[TREND_SCORE]
    return [score.f1, *(_ends(score.interval) if score.interval else (None, None))]


def _accuracy_table(report: GoldReport, called: Names) -> Table:
    rows: list[list[Cell]] = [
        [
            *(called[one.name], one.n_texts, *_share_cells(one.accuracy)),
            *(one.missed, one.extra, one.accuracy.interval.note),
        ]
        for one in report.coders
    ]
    return Table(
        "accuracy",
        "Accuracy of each coder against gold",
        [
            Column("coder", "Coder"),
            Column("texts", "Texts", "count", explanation="gold_texts"),
            Column("items", "Items", "count", explanation="gold_items"),
            Column("accuracy", "Accuracy", "figure"),
            *ENDS,
            Column("missed", "Missed", "count", explanation="missed_items"),
            Column("extra", "Extra", "count", explanation="extra_items"),
            Column("note", "Notes"),
        ],
        rows,
        "The share of the items that both answered in which the answer is that of gold. Intervals are over texts.",
    )


def _overruled_table(report: GoldReport, called: Names) -> Table:
    return Table(
        "overruled",
        "Overruled where coders differ",
        [
            Column("coder", "Coder"),
            Column("contested", "Contested items", "count"),
            Column("overruled", "Overruled", "figure"),
            *ENDS,
            Column("note", "Notes"),
        ],
        [(called[one.name], *_share_cells(one.overruled), one.overruled.interval.note) for one in report.coders],
        f"Of {pluralize(report.n_contested, 'item')} not all coders have the same value. Overruled is the share of"
        " these, where coder and gold have a value, in which that of gold is another one. Values are those that the"
        " settings compare. Intervals are over texts, as items of one text are not independent.",
    )


def agreement_table(one: Interval | None, parameters: Parameters, where: str) -> Table:
    """Return what coders agree among themselves where they are compared with gold; `where` says in which texts."""
    name = COEFFICIENTS[parameters.coefficient].label
    rows: list[list[Cell]] = []
    if one:
        rows = [[name, one.value, one.low, one.high, one.result.n_units, one.note or one.result.note]]
    return Table(
        "agreement",
        f"Agreement among the coders in {where}",
        [
            Column("coefficient", "Coefficient"),
            Column("value", "Value", "figure"),
            *ENDS,
            Column("units", "Units", "count"),
            Column("note", "Notes"),
        ],
        rows,
        f"Gold has no part in it: it is the figure of the page Agreement for {where}.",
    )


def _scores_table(report: GoldReport, called: Names) -> Table:
    muc6 = " Markables match by the rules of MUC-6." if report.matched_by_muc6 else ""
    others = [name for name in SCORES if name != TREND_SCORE]
    return Table(
        "scores",
        "Coreference scores against gold, F1",
        [
            Column("coder", "Coder"),
            Column(TREND_SCORE, SCORE_LABELS[TREND_SCORE], "figure", explanation="f1"),
            *ENDS,
            *(Column(name, SCORE_LABELS[name], "figure", explanation="f1") for name in others),
        ],
        [(called[one.name], *_f1_cells(one), *(one.scores[name].f1 for name in others)) for one in report.coders],
        "Gold is the key. Mentions are the markables in a chain; what one side alone has in a chain counts as missed."
        f" Intervals are over texts.{muc6}{describe_in_several(report.n_in_several)}",
    )


def _each_score_table(report: GoldReport, called: Names) -> Table:
    rows: list[list[Cell]] = []
    for one in report.coders:
        for name, score in one.scores.items():
            ends = _ends(score.interval) if score.interval else (None, None)
            figures = score.recall, score.precision, score.f1, *ends
            rows.append([called[one.name], SCORE_LABELS[name], *figures, score.notes])
    return Table(
        "each",
        "Recall, precision and F1 of each score",
        [
            Column("coder", "Coder"),
            Column("score", "Score"),
            Column("recall", "Recall", "figure"),
            Column("precision", "Precision", "figure"),
            Column("f1", "F1", "figure"),
            *ENDS,
            Column("note", "Notes"),
        ],
        rows,
    )


def _groups_table(report: GoldReport) -> Table:
    score = [Column("f1", f"{SCORE_LABELS[TREND_SCORE]} F1", "figure"), *_named_ends("f1")] if report.has_chains else []
    return Table(
        "groups",
        "Groups of coders against gold",
        [
            Column("group", "Group"),
            Column("coders", "Coders", "count"),
            Column("texts", "Texts", "count", explanation="gold_texts"),
            Column("items", "Items", "count", explanation="gold_items"),
            Column("accuracy", "Accuracy", "figure"),
            *ENDS,
            Column("contested", "Contested items", "count"),
            Column("overruled", "Overruled", "figure"),
            *_named_ends("overruled"),
            *score,
        ],
        [
            (
                *(one.name, len(one.coders), one.n_texts),
                *(*_share_cells(one.accuracy), *_share_cells(one.overruled)),
                *(_f1_cells(one) if report.has_chains else ()),
            )
            for one in report.groups
        ],
        "The answers of all coders of a group together, text by text.",
    )


def _named_ends(name: str) -> list[Column]:
    return [
        Column(f"{name}_low", "from", "figure", explanation="low"),
        Column(f"{name}_high", "to", "figure", explanation="high"),
    ]


def _questions_table(report: GoldReport, called: Names) -> Table:
    rows: list[list[Cell]] = [
        [asked.question.label, called[name], *_share_cells(share), share.interval.note]
        for asked in report.questions
        for name, share in asked.coders.items()
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


def _trend_tables(report: GoldReport, called: Names) -> list[Table]:
    def table(key: str, caption: str, values: Sequence[Mapping[str, float | None]], explanation: str) -> Table:
        columns = [
            Column(called[one.name], called[one.name], "figure", explanation=explanation) for one in report.coders
        ]
        rows: list[list[Cell]] = [
            [period.last.label, period.n_texts, *(of_period.get(one.name) for one in report.coders)]
            for period, of_period in zip(report.periods, values, strict=True)
        ]
        return Table(
            key,
            caption,
            [
                Column("last", "Until the text", explanation="gold_period"),
                Column("texts", "Texts", "count", explanation="gold_texts"),
                *columns,
            ],
            rows,
            "In order of the last work on each text; imported ones come first.",
        )

    tables = [table("trend", "Accuracy over texts", [one.accuracy for one in report.periods], "accuracy")]
    if report.has_chains:
        caption = f"{SCORE_LABELS[TREND_SCORE]} F1 over texts"
        tables.append(table("trend_f1", caption, [one.f1 for one in report.periods], "f1"))
    return tables


def _charts(report: GoldReport, called: Names) -> list[Chart]:
    def dots(shares: Sequence[tuple[str, float | None, ScoreInterval | None]]) -> list[Dot]:
        return [Dot(called[name], value, *(_ends(one) if one else (None, None))) for name, value, one in shares]

    parts = [
        ("accuracy", "Accuracy against gold, with 95% CI", "accuracy", "accuracy"),
        ("overruled", "Overruled share of contested items, with 95% CI", "overruled", "share"),
    ]
    charts = []
    for key, title, part, unit in parts:
        shares = [(one.name, getattr(one, part).interval) for one in report.coders]
        points = dots([(name, one.value, one) for name, one in shares])
        charts.append(Chart(key, title, dot_plot(points, unit, share=True), describe_dots(points), key))
    if report.has_chains:
        scores = [(one.name, one.scores[TREND_SCORE]) for one in report.coders]
        points = dots([(name, one.f1, one.interval) for name, one in scores])
        title = f"{SCORE_LABELS[TREND_SCORE]} F1 against gold, with 95% CI"
        charts.append(Chart("scores", title, dot_plot(points, "F1", share=True), describe_dots(points), "scores"))
    return [*charts, *_trend_charts(report, called)]


def _trend_charts(report: GoldReport, called: Names) -> list[Chart]:
    if len(report.periods) < 2:
        return []
    labels = [one.last.label for one in report.periods]
    series = {called[one.name]: [period.accuracy.get(one.name) for period in report.periods] for one in report.coders}
    words = "{} of each coder, in order of the last work on each text; the table has every value."
    figure = line_chart(labels, series, "accuracy", share=True)
    charts = [Chart("trend", "Accuracy over texts", figure, words.format("Accuracy"), "trend")]
    if report.has_chains:
        f1 = {called[one.name]: [period.f1.get(one.name) for period in report.periods] for one in report.coders}
        name = f"{SCORE_LABELS[TREND_SCORE]} F1"
        figure = line_chart(labels, f1, "F1", share=True)
        charts.append(Chart("trend_f1", f"{name} over texts", figure, words.format(name), "trend_f1"))
    return charts


def _confusion(request: AnalysisRequest, report: GoldReport, called: Names, chosen: str) -> TablesAndCharts:
    if not report.names:
        return TablesAndCharts([], [])
    counts: list[list[int]] = report.total_confusion(chosen).tolist()
    labels = [request.extract.label(name) for name in report.names]
    term = TERMS[name_terms(request.extract.question)]
    who = called[chosen] if chosen else "all coders"
    caption = f"{term.capitalize()} of gold (rows) and of {who} (columns)"
    table = Table(
        "confusion",
        caption,
        [
            Column("category", term.capitalize(), labels=request.extract.labels),
            *(
                Column(name, label, "count", explanation="gold_confusion")
                for name, label in zip(report.names, labels, strict=True)
            ),
        ],
        [(name, *row) for name, row in zip(report.names, counts, strict=True)],
    )
    n, equal = sum(map(sum, counts)), sum(row[place] for place, row in enumerate(counts))
    if not n:
        return TablesAndCharts([table], [])
    figure = heat_map(labels, labels, counts, "items", ("gold", who))
    words = f"The same {term} in {equal:,} of {n:,}."
    return TablesAndCharts([table], [Chart("confusion", f"{caption}, items", figure, words, "confusion")])


def _errors(request: AnalysisRequest, report: GoldReport, called: Names, chosen: str) -> TablesAndCharts:
    differences = {name: one for name, one in report.differences.items() if chosen in ("", name)}
    found = count_errors(differences)
    shown, items = found[:MOST_ERRORS], list(differences.get(chosen, ()))[:MOST_DIFFERENCES]
    snippets = read_snippets({*(one.example.unit for one in shown), *(one.unit for one in items)})
    who = called[chosen] if chosen else "all coders"
    total = sum(one.number for one in found)
    left = f" The {MOST_ERRORS} most frequent of {len(found)} are here." if len(found) > MOST_ERRORS else ""
    tables = [
        Table(
            "errors",
            f"Most frequent errors of {who}",
            [
                Column("kind", "Error", explanation="error_kind"),
                Column("gold", "Gold", explanation="gold_answer"),
                Column("answer", "Answer", explanation="coder_answer"),
                Column("number", "Number", "count", explanation="error_number"),
                Column("share", "Share", "percent", explanation="error_share"),
                Column("coders", "Coders", "count", explanation="error_coders"),
                Column("example", "Example", explanation="error_example"),
            ],
            [_error_row(request, one, total, snippets) for one in shown],
            f"An error is an item in which an answer differs from gold.{left}",
        )
    ]
    if chosen:
        n = len(differences.get(chosen, ()))
        rest = f" The first {MOST_DIFFERENCES} of {n}: choose texts to see others." if n > MOST_DIFFERENCES else ""
        rows: list[list[Cell]] = [
            [
                one.text.label,
                _words(request, one.text, snippets[one.unit]),
                *(KINDS[one.error.kind], one.error.gold, one.error.answer),
            ]
            for one in items
            if one.unit in snippets
        ]
        tables.append(
            Table(
                "differences",
                f"Where gold differs from {who}",
                [
                    Column("text", "Text"),
                    Column("item", "Item", explanation="gold_item"),
                    Column("kind", "Error", explanation="error_kind"),
                    Column("gold", "Gold", explanation="gold_answer"),
                    Column("answer", "Answer", explanation="coder_answer"),
                ],
                rows,
                f"In the order of texts.{rest}",
            )
        )
    return TablesAndCharts(tables, [])


def _error_row(request: AnalysisRequest, one: FrequentError, total: int, snippets: Mapping[int, Snippet]) -> list[Cell]:
    snippet = snippets.get(one.example.unit)
    return [
        *(KINDS[one.error.kind], one.error.gold, one.error.answer, one.number, one.number / total, len(one.coders)),
        _words(request, one.example.text, snippet) if snippet else "",
    ]


def _words(request: AnalysisRequest, text: TextEntry, snippet: Snippet) -> Cell:
    """Return a unit in its context, which leads to its page where coders have it."""
    document = next((one for one in request.project_answers.texts if one.pk == text.pk), None)
    if document is None or snippet.unit not in document.answers.units:
        return str(snippet.keyword)
    return Linked(str(snippet.keyword), item_address(request.project.slug, document, snippet.key, request.query))
