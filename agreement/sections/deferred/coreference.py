"""Coreference scores of two coders, as tables."""

from __future__ import annotations

from agreement.data.texts.muc import marked_texts_reader
from agreement.measures.coreference.scores import WITHOUT_MUC
from agreement.reports.links.coreference import SCORES, CoreferenceReport, TextScores, compare_chains
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import TablesAndCharts
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot
from agreement.sections.labels.labels import SCORE_LABELS
from agreement.sections.tables import Cell, Column, Table
from annotations.core.processes.progress import Progress

NOTE = (
    "Mentions are the markables in a coder’s chains; those in the chains of one coder only count as missed. Counts are"
    " added over the texts that both have coded before they are divided. Intervals are of F1, over texts."
)
NOTE_MUC6 = " Markables match by the rules of MUC-6: least words, leading articles, optional markables."
NOTE_PARTS = "Where neither coder has a link in a text, its CoNLL average is the mean of the other two scores."
NOTE_TEXTS = "The alpha is that of these two coders in the text, as the page Agreement computes it."


def build_scores(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:  # noqa: ARG001
    """Return every score of the two coders that the options name, over all texts and in each."""
    report = compare_chains(
        request.project_answers,
        request.parameters,
        request.options["first"],
        request.options["second"],
        marked_texts_reader(request.project),
    )
    dots = [Dot(SCORE_LABELS[name], one.f1) for name, one in report.overall.scores.items()]
    chart = Chart("scores", "F1 of each score", dot_plot(dots, "F1"), describe_dots(dots), "scores")
    return TablesAndCharts(build_tables(report), [chart])


def build_tables(report: CoreferenceReport) -> list[Table]:
    """Return the scores over all texts, Passonneau's table of texts, and every score in each text."""
    note = NOTE + (NOTE_MUC6 if report.matched_by_muc6 else "") + describe_in_several(report.n_in_several)
    rows = [_score_row(name, report) for name in SCORES]
    note += _move_common_note(rows)
    return [
        Table(
            "scores",
            f"{report.second} against {report.first}",
            [
                Column("score", "Score"),
                Column("recall", "Recall", "figure"),
                Column("precision", "Precision", "figure"),
                Column("f1", "F1", "figure"),
                Column("low", "from", "figure"),
                Column("high", "to", "figure"),
                Column("note", "Notes"),
            ],
            rows,
            note,
        ),
        _texts_table(report),
        _each_text_table(report),
    ]


def describe_in_several(n: int) -> str:
    """Return a sentence about the mentions with several indices or readings, empty where there are none."""
    if not n:
        return ""
    mentions = "1 mention has" if n == 1 else f"{n} mentions have"
    return (
        f" {mentions} several indices or readings: each is scored by the one whose other mentions, or antecedents, come"
        " first in the text."
    )


def _score_row(name: str, report: CoreferenceReport) -> list[Cell]:
    one = report.overall.scores[name]
    low, high = (one.interval.low, one.interval.high) if one.interval else (None, None)
    return [SCORE_LABELS[name], one.recall, one.precision, one.f1, low, high, one.notes]


def _move_common_note(rows: list[list[Cell]]) -> str:
    """Take a note away that every row with a score has, and return it as a sentence."""
    notes = {row[-1] for row in rows}
    if len(notes) != 1:
        return ""
    [note] = notes
    for row in rows:
        row[-1] = ""
    return f" {str(note).capitalize()}." if note else ""


def _texts_table(report: CoreferenceReport) -> Table:
    """Return Table 3 of Passonneau 2004, with F1 beside it."""

    def row(one: TextScores, title: str) -> list[Cell]:
        muc = one.scores["muc"]
        return [title, muc.recall, muc.precision, muc.f1, one.alpha.value, one.link_kappa.value]

    return Table(
        "texts",
        "By text (Passonneau 2004, Table 3)",
        [
            Column("text", "Text"),
            Column("muc_recall", "MUC recall", "figure"),
            Column("muc_precision", "MUC precision", "figure"),
            Column("muc_f1", "MUC F1", "figure"),
            Column("alpha", "Alpha", "figure"),
            Column("link_kappa", "Kappa of links", "figure"),
        ],
        [row(report.overall, "all texts"), *(row(one, one.title) for one in report.texts)],
        NOTE_TEXTS,
    )


def _each_text_table(report: CoreferenceReport) -> Table:
    columns = [Column("text", "Text")]
    for name in SCORES:
        columns += [
            Column(f"{name}_{part}", f"{SCORE_LABELS[name]} {label}", "figure", explanation=part)
            for part, label in (("recall", "R"), ("precision", "P"), ("f1", "F1"))
        ]
    rows: list[list[Cell]] = [
        [one.title, *(figure for score in one.scores.values() for figure in (score.recall, score.precision, score.f1))]
        for one in report.texts
    ]
    note = NOTE_PARTS if any(one.scores["conll_average"].note == WITHOUT_MUC for one in report.texts) else ""
    return Table("each", "Every score in each text", columns, rows, note)
