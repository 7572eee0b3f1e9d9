"""In which rounds the texts were coded, and how far coders agree."""

from __future__ import annotations

from agreement.measures.results import pluralize
from agreement.reports.datasheet.report import Datasheet
from agreement.reports.datasheet.rounds import MOST_QUESTIONS, Agreement
from agreement.results.datasheet.section import Section, day
from agreement.results.tables import Column, Table, with_ends


def describe_rounds(sheet: Datasheet) -> Section:
    """Return the rounds with their guidelines, scheme and plan."""
    rounds = Table(
        "rounds",
        "Rounds",
        [
            Column("round", "Round", explanation="datasheet-round"),
            Column("kind", "Kind", explanation="round-kind"),
            Column("state", "State", explanation="datasheet-state"),
            Column("from", "From", "date", explanation="datasheet-dates"),
            Column("until", "Until", "date", explanation="datasheet-dates"),
            Column("guidelines", "Guidelines version", "count", explanation="round-versions"),
            Column("scheme", "Scheme version", "count", explanation="round-versions"),
        ],
        [
            (
                one.round.name,
                one.round.kind,
                "closed" if one.round.is_closed else "open",
                day(one.round.starts_on) or None,
                day(one.round.ends_on) or None,
                one.round.guidelines_version,
                one.round.scheme_version,
            )
            for one in sheet.rounds
        ],
    )
    plans = Table(
        "plans",
        "Who codes what",
        [
            Column("round", "Round", explanation="datasheet-round"),
            Column("texts", "Texts", "count", explanation="datasheet-texts-of-round"),
            Column("codings", "Codings", "count", explanation="datasheet-codings"),
            Column("submitted", "Submitted", "count", explanation="datasheet-submitted"),
            Column("design", "Plan", explanation="datasheet-design"),
        ],
        [
            (
                one.round.name,
                one.figures.texts,
                one.figures.codings,
                one.figures.submitted,
                one.design or "assigned one by one",
            )
            for one in sheet.rounds
        ],
    )
    docsets = Table(
        "docsets",
        "Docsets",
        [
            Column("docset", "Docset"),
            Column("summaries", "Model summaries", "count", explanation="datasheet-summaries"),
            Column("pyramids", "Pyramids", "count", explanation="datasheet-pyramids"),
            Column("submitted", "Submitted", "count", explanation="datasheet-submitted"),
            Column("agreed", "Agreed pyramid", explanation="agreed-pyramid"),
            Column("scus", "Its SCUs", "count", explanation="scus"),
            Column("contributors", "Its contributors", "count", explanation="contributor"),
            Column("peers", "Peers scored", "count", explanation="submitted-peers"),
        ],
        [
            (
                one.title,
                one.n_summaries,
                one.n_pyramids,
                one.n_submitted,
                one.agreed or "none",
                one.n_scus,
                one.n_contributors,
                one.n_peers,
            )
            for one in sheet.docsets
        ],
    )
    tables = [table for table in (rounds, plans, docsets) if table.rows]
    return Section("rounds", "Rounds", tables=tables, notes=[] if tables else ["No round yet."])


def describe_agreement(sheet: Datasheet) -> Section:
    """Return the project's coefficient over all rounds and in each, and how it was computed."""
    whole = sheet.agreement[0]
    assert whole.report is not None
    assert whole.data is not None
    if not whole.data.n_coders:
        return Section("agreement", "Agreement", notes=["No answer counts yet: that takes a submitted coding."])
    notes, texts = [], "Docsets" if whole.report.extract.units else "Texts"
    if sheet.n_other_questions:
        notes.append(
            f"The agreement in {pluralize(sheet.n_other_questions, 'further question')} beyond the first"
            f" {MOST_QUESTIONS} is on the page Agreement."
        )
    questions = [_row(one, one.name, one.report.name if one.report else None) for one in sheet.questions]
    return Section(
        "agreement",
        "Agreement",
        facts=[("Coefficient", whole.report.name), ("How it was computed", sheet.methods.paragraph)],
        tables=[
            Table(
                "agreement",
                "Agreement, by round",
                [Column("round", "Round", explanation="datasheet-round"), *_figure_columns(texts)],
                [_row(one, one.name or "all rounds") for one in sheet.agreement],
            ),
            *(
                [
                    Table(
                        "questions",
                        "Agreement in further questions, over all rounds",
                        [
                            Column("question", "Question", explanation="gold_question"),
                            Column("coefficient", "Coefficient"),
                            *_figure_columns(texts),
                        ],
                        questions,
                    )
                ]
                if questions
                else []
            ),
            Table(
                "references",
                "References",
                [Column("reference", "Reference", explanation="datasheet-reference")],
                [(str(one),) for one in sheet.methods.references],
            ),
        ],
        notes=notes,
    )


def _figure_columns(texts: str) -> list[Column]:
    return [
        Column("value", "Value", "figure"),
        Column("low", "95% CI low", "figure"),
        Column("high", "95% CI high", "figure"),
        Column("texts", texts, "count", explanation="datasheet-texts-coded"),
        Column("coders", "Coders", "count", explanation="datasheet-coders-counted"),
        Column("units", "Units", "count", explanation="units"),
        Column("left_out", "Left out, and notes", explanation="note"),
    ]


def _row(one: Agreement, *names: str | None) -> tuple[str | int | float | None, ...]:
    if one.report is None or one.data is None:
        return *names, None, None, None, None, None, None, one.note
    interval, data = one.report.interval, one.data
    figures = with_ends(interval)
    return *names, *figures, data.n_texts, data.n_coders, one.report.result.n_units, one.note or None
