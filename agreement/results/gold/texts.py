"""Tables and charts that compare coders, groups and imported systems with gold."""

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from agreement.data.texts import read_snippets
from agreement.reports.coreference import SCORES
from agreement.reports.gold import KINDS, TREND_SCORE, Difference, GoldPeriod, GoldReport, Reader, count_alike
from agreement.reports.parameters import COEFFICIENT_LABELS, InvalidParameter
from agreement.reports.pyramids import AgreedPeriod, AgreedReport
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import SCORE_LABELS, TERMS, item_address, name_terms
from agreement.results.coders.pair import SCORE_COLUMNS, describe_in_several, score_cells
from agreement.results.computations import PageSections
from agreement.results.figures.charts import Chart, Dot, dots_chart, line_chart
from agreement.results.figures.sections import build_square, describe_equal
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, columns_of, figure_columns, with_ends
from annotations.core.text import pluralize
from annotations.models import Membership
from annotations.projects.letters import letters_of_coders, sees_names

MAX_ERRORS = 50
MAX_DIFFERENCES = 200
CONLL = SCORE_LABELS[TREND_SCORE]
LETTERS = "letters"


def read_reader(request: AnalysisRequest) -> Reader:
    """Return the reader of the page. Raises InvalidParameter if coders are selected by names hidden from the reader."""
    project, answers = request.project, request.project_answers
    if "reader" in request.options or not request.reader:
        who, _, name = request.options.get("reader", "").partition(" ")
        reader = Reader(who != LETTERS, name, bool(name))
    else:
        codes = project.role in (Membership.Role.CODER, Membership.Role.MANAGER_CODER)  # type: ignore[attr-defined]
        reader = Reader(sees_names(project), request.reader if codes else "", codes)
    if request.parameters.coders and not reader.sees_names:
        message = "here coders are letters, and cannot be chosen by name: leave out coders and groups."
        raise InvalidParameter("coders", message)
    # the order of the letters tells nothing about names
    called = {} if reader.sees_names else letters_of_coders(project, answers.known_coders)
    called |= {name: name for name in answers.known_coders if reader.sees_names or name == reader.name}
    if not reader.codes:
        return replace(reader, called=called)
    # documents that the coder has submitted, without texts that are still open to them in another round
    columns = answers.columns
    own = np.array([answers.names[number] == reader.name for number in columns.codings["coder"].tolist()], np.bool_)
    texts = [answers.texts[place] for place in columns.document_of_coding[own].tolist()]
    submitted = columns.codings["submitted"][own].tolist()
    is_open = {text.text_pk for text, done in zip(texts, submitted, strict=True) if not done}
    documents = frozenset(text.pk for text in texts if text.text_pk not in is_open)
    return replace(reader, called=called, documents=documents)


def build_all(request: AnalysisRequest, report: GoldReport) -> PageSections:
    """Return all tables and charts, with the errors of the selected coder, or of all coders."""
    chosen = request.options.get("coder", "")
    confusion, trends = _confusion(request, report, chosen), build_trends(report)
    tables = [*build_tables(report), *confusion.tables, *_error_tables(request, report, chosen)]
    charts = [
        coders_chart(report, "accuracy", "Accuracy against gold", "accuracy", "accuracy"),
        coders_chart(report, "overruled", "Overruled share of contested items", "share", "overruled"),
    ]
    if report.has_chains:
        charts.append(coders_chart(report, "scores", f"{CONLL} F1 against gold", "F1", "trend_score"))
    return PageSections(tables, [*charts, *trends.charts, *confusion.charts])


def build_tables(report: GoldReport) -> list[Table]:
    """Return the tables of coders, groups, questions, agreement among coders, and trends."""
    coder = Column("coder", "Coder", cell="name")
    items = [
        Column("texts", "Texts", "count", explanation="gold_texts"),
        Column("items", "Items", "count", explanation="gold_items", cell="accuracy.total"),
    ]
    accuracy = figure_columns(Column("accuracy", "Accuracy", "figure"), "accuracy")
    contested = Column("contested", "Contested items", "count", cell="overruled.total")
    overruled = Column("overruled", "Overruled", "figure")
    score = Column(TREND_SCORE, CONLL, "figure", explanation="f1")

    def f1_of(name: str) -> Column:
        return replace(score, name=name, label=SCORE_LABELS[name], cell=lambda row: row.scores[name].f1)

    of_accuracy = [
        coder,
        *items,
        *accuracy,
        *columns_of("count", missed=("Missed", "missed_items"), extra=("Extra", "extra_items")),
        Column("note", "Notes", cell="accuracy.note"),
    ]
    notes = [Column("note", "Notes", cell="overruled.note")]
    of_overruled = [coder, contested, *figure_columns(overruled, "overruled"), *notes]
    shares = "The share of the items that both answered in which the answer is that of gold. Intervals are over texts."
    differ = (
        f"Of {pluralize(report.n_contested, 'item')} not all coders have the same value. Overruled is the share of"
        " these, where coder and gold have a value, in which that of gold is another one. Values are those that the"
        " settings compare. Intervals are over texts, as items of one text are not independent."
    )
    tables = [
        Table.of("accuracy", "Accuracy of each coder against gold", of_accuracy, report.coders, shares),
        Table.of("overruled", "Overruled where coders differ", of_overruled, report.coders, differ),
        agreement_table(report, "these texts"),
    ]
    if report.has_chains:
        muc6 = " Markables match by the rules of MUC-6." if report.matched_by_muc6 else ""
        columns = [
            coder,
            *figure_columns(score, "trend_score"),
            *(f1_of(name) for name in SCORES if name != TREND_SCORE),
        ]
        note = (
            "Gold is the key. Mentions are the markables in a chain; what one side alone has in a chain counts as"
            f" missed. Intervals are over texts.{muc6}{describe_in_several(report.n_in_several)}"
        )
        rows = [[coder.name, *score_cells(*score)] for coder in report.coders for score in coder.scores.items()]
        first = [Column("coder", "Coder"), *SCORE_COLUMNS]
        tables += [
            Table.of("scores", "Coreference scores against gold, F1", columns, report.coders, note),
            Table("each", "Recall, precision and F1 of each score", first, rows),
        ]
    if report.groups:
        f1 = Column("f1", f"{CONLL} F1", "figure")
        columns = [
            Column("group", "Group", cell="name"),
            Column("coders", "Coders", "count", cell=lambda row: len(row.coders)),
            *items,
            *accuracy,
            contested,
            *figure_columns(overruled, "overruled", "overruled_"),
            *(figure_columns(f1, "trend_score", "f1_") if report.has_chains else []),
        ]
        note = "The answers of all coders of a group together, text by text."
        tables.append(Table.of("groups", "Groups of coders against gold", columns, report.groups, note))
    if report.questions:
        columns = [
            *columns_of("text", question=("Question", "gold_question"), coder="Coder"),
            Column("items", "Items", "count", explanation="gold_items"),
            Column("accuracy", "Accuracy", "figure"),
            *ENDS,
            Column("note", "Notes"),
        ]
        rows = [
            [asked.label, coder.name, coder.share.total, *with_ends(coder.share), coder.share.note]
            for asked in report.questions
            for coder in asked.coders
        ]
        note = "Of items to which both gave an answer. Sets of labels and of targets are the same where they are equal."
        tables.append(Table("questions", "Accuracy in attributes and relations", columns, rows, note))
    return [*tables, *build_trends(report).tables]


def agreement_table(report: GoldReport | AgreedReport, where: str) -> Table:
    """Return the agreement among coders in the texts compared with gold, which `where` names."""
    name = COEFFICIENT_LABELS[report.parameters.coefficient]
    return Table.of(
        "agreement",
        f"Agreement among the coders in {where}",
        [
            Column("coefficient", "Coefficient", cell=lambda _: name),
            Column("value", "Value", "figure"),
            *ENDS,
            Column("units", "Units", "count"),
            Column("note", "Notes"),
        ],
        [report.agreement] if report.agreement.is_there else [],
        f"Gold has no part in it: it is the figure of the page Agreement for {where}.",
    )


def coders_chart(report: GoldReport | AgreedReport, key: str, title: str, unit: str, figure: str) -> Chart:
    """Return a chart of one figure of each coder with its interval; `figure` is the attribute of the figure."""
    read = attrgetter(figure)
    rows = [Dot(coder.name, *with_ends(read(coder))) for coder in report.coders]
    return dots_chart(key, f"{title}, with 95% CI", rows, unit, share=isinstance(report, GoldReport))


def build_trends(report: GoldReport | AgreedReport) -> PageSections:
    """Return figures of each coder by period."""
    of_texts, coders = isinstance(report, GoldReport), [coder.name for coder in report.coders]
    # each with its key, name, unit and attribute
    figures = [("trend", "F1 of SCUs", "F1", "scus_f1"), ("trend_words", "F1 of words", "F1", "words_f1")]
    if isinstance(report, GoldReport):
        f1 = [("trend_f1", f"{CONLL} F1", "F1", "conll_f1")] if report.has_chains else []
        figures = [("trend", "Accuracy", "accuracy", "accuracy"), *f1]
    noun, of = ("text", "gold") if of_texts else ("docset", "agreed")
    periods: Sequence[GoldPeriod | AgreedPeriod] = report.periods
    tables, charts = list[Table](), list[Chart]()
    for key, name, unit, attribute in figures:
        values = [{coder.name: getattr(coder, attribute) for coder in period.coders} for period in periods]
        rows: list[list[Cell]] = [
            [period.label, getattr(period, f"n_{noun}s"), *map(of_coders.get, coders)]
            for period, of_coders in zip(periods, values, strict=True)
        ]
        columns = [
            Column("last", f"Until the {noun}", explanation=f"{of}_period"),
            Column(f"{noun}s", f"{noun.capitalize()}s", "count", explanation=f"{of}_{noun}s"),
            *(Column(coder, coder, "figure", explanation=unit.lower()) for coder in coders),
        ]
        title, order = f"{name} over {noun}s", f"in order of the last work on each {noun}"
        tables.append(Table(key, title, columns, rows, f"{order.capitalize()}; imported ones come first."))
        if len(periods) > 1:
            series = {coder: [of_coders.get(coder) for of_coders in values] for coder in coders}
            figure = line_chart([period.label for period in periods], series, unit, share=of_texts)
            charts.append(Chart(key, title, figure, f"{name} of each coder, {order}; the table has every value.", key))
    return PageSections(tables, charts)


def _confusion(request: AnalysisRequest, report: GoldReport, chosen: str) -> PageSections:
    if not report.names:
        return PageSections()
    of_coders = [own for name, own in report.confusion.items() if chosen in ("", name)]
    counts: list[list[int]] = sum(of_coders, start=np.zeros((len(report.names),) * 2, dtype=np.int64)).tolist()
    term, who = TERMS[name_terms(request.extract.question)], chosen or "all coders"
    caption = f"{term.capitalize()} of gold (rows) and of {who} (columns)"
    words, axes = describe_equal(term, counts), ("gold", who)
    square = request, "confusion", caption, report.names, counts, "items", axes, words
    return build_square(*square, explanation="gold_confusion")


def _error_tables(request: AnalysisRequest, report: GoldReport, chosen: str) -> list[Table]:
    differences = {name: listed for name, listed in report.differences.items() if chosen in ("", name)}
    found = count_alike(differences, attrgetter("kind", "gold", "answer"))
    shown, own = found[:MAX_ERRORS], differences.get(chosen, ())
    items, n = own[:MAX_DIFFERENCES], len(own)
    snippets = read_snippets({*(row.example.unit for row in shown), *(item.unit for item in items)})
    who = chosen or "all coders"
    total = sum(row.number for row in found)
    left = f" The {MAX_ERRORS} most frequent of {len(found)} are here." if len(found) > MAX_ERRORS else ""
    documents = {text.pk: text for text in request.project_answers.texts}

    def in_context(item: Difference) -> Cell:
        """Return a unit in its context, linked to its page if it is among the coders' units."""
        snippet, document = snippets.get(item.unit), documents.get(item.text.pk)
        if snippet is None:
            return ""
        if document is None or snippet.unit not in request.project_answers.units_in(document):
            return str(snippet.keyword)
        address = item_address(request.project.slug, document, snippet.key, request.query)
        return Linked(str(snippet.keyword), address)

    def of_error(place: str) -> list[Column]:
        kind = attrgetter(f"{place}kind")
        return [
            Column("kind", "Error", explanation="error_kind", cell=lambda row: KINDS[kind(row)]),
            Column("gold", "Gold", explanation="gold_answer", cell=f"{place}gold"),
            Column("answer", "Answer", explanation="coder_answer", cell=f"{place}answer"),
        ]

    frequent = [
        *of_error("example."),
        Column("number", "Number", "count", explanation="error_number"),
        Column("share", "Share", "percent", explanation="error_share", cell=lambda row: row.number / total),
        Column("coders", "Coders", "count", explanation="error_coders"),
        Column("example", "Example", explanation="error_example", cell=lambda row: in_context(row.example)),
    ]
    note = f"An error is an item in which an answer differs from gold.{left}"
    tables = [Table.of("errors", f"Most frequent errors of {who}", frequent, shown, note)]
    if chosen:
        rest = f" The first {MAX_DIFFERENCES} of {n}: choose texts to see others." if n > MAX_DIFFERENCES else ""
        item = Column("item", "Item", explanation="gold_item", cell=in_context)
        columns = [Column("text", "Text", cell="text.label"), item, *of_error("")]
        there = [item for item in items if item.unit in snippets]
        title = f"Where gold differs from {who}"
        tables.append(Table.of("differences", title, columns, there, f"In the order of texts.{rest}"))
    return tables
