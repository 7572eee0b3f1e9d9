"""The sections of a datasheet on coders, rounds, agreement, training and adjudication; nobody is named."""

from __future__ import annotations

from agreement.measures.results import pluralize
from agreement.reports.coders.repeats import RECHECK, UNMARKED
from agreement.reports.datasheet.report import MOST_CODERS, Datasheet
from agreement.reports.datasheet.rounds import (
    MOST_QUESTIONS,
    NO_DRAFT,
    Adjudication,
    Agreement,
    ErrorEstimate,
    count_chains,
)
from agreement.results.datasheet.section import Section, count_nouns, day, list_counts, number, percent
from agreement.results.tables import Column, Table, format_value, with_ends
from annotations.adjudication.decisions import listing
from annotations.adjudication.proposal import Method
from annotations.adjudication.states import State
from annotations.models import Project, Round


def describe_rounds(sheet: Datasheet) -> Section:
    """Return the rounds with their guidelines, scheme and plan."""
    submitted = Column("submitted", "Submitted", "count", explanation="datasheet-submitted", cell="n_submitted")
    rounds = Table.of(
        "rounds",
        "Rounds",
        [
            Column("round", "Round", explanation="datasheet-round", cell="name"),
            Column("kind", "Kind", explanation="round-kind"),
            Column(
                "state", "State", explanation="datasheet-state", cell=lambda row: "closed" if row.closed else "open"
            ),
            Column("from", "From", "date", explanation="datasheet-dates", cell=lambda row: day(row.starts_on) or None),
            Column("until", "Until", "date", explanation="datasheet-dates", cell=lambda row: day(row.ends_on) or None),
            Column(
                "guidelines", "Guidelines version", "count", explanation="round-versions", cell="guidelines_version"
            ),
            Column("scheme", "Scheme version", "count", explanation="round-versions", cell="scheme_version"),
        ],
        sheet.rounds,
    )
    plans = Table.of(
        "plans",
        "Who codes what",
        [
            Column("round", "Round", explanation="datasheet-round", cell="name"),
            Column("texts", "Texts", "count", explanation="datasheet-texts-of-round", cell="n_texts"),
            Column("codings", "Codings", "count", explanation="datasheet-codings", cell="n_codings"),
            submitted,
            Column(
                "design", "Plan", explanation="datasheet-design", cell=lambda row: row.design or "assigned one by one"
            ),
        ],
        sheet.rounds,
    )
    docsets = Table.of(
        "docsets",
        "Docsets",
        [
            Column("docset", "Docset", cell="title"),
            Column("summaries", "Model summaries", "count", explanation="datasheet-summaries", cell="n_summaries"),
            Column("pyramids", "Pyramids", "count", explanation="datasheet-pyramids", cell="n_pyramids"),
            submitted,
            Column("agreed", "Agreed pyramid", explanation="agreed-pyramid", cell=lambda row: row.agreed or "none"),
            Column("scus", "Its SCUs", "count", explanation="scus", cell="n_scus"),
            Column("contributors", "Its contributors", "count", explanation="contributor", cell="n_contributors"),
            Column("peers", "Peers scored", "count", explanation="submitted-peers", cell="n_peers"),
        ],
        sheet.docsets,
    )
    tables = [table for table in (rounds, plans, docsets) if table.rows]
    return Section("rounds", "Rounds", tables=tables, notes=[] if tables else ["No round yet."])


def describe_agreement(sheet: Datasheet) -> Section:
    """Return the project's coefficient over all rounds and in each, and how it was computed."""
    whole = sheet.agreement[0]
    assert whole.report is not None
    if not whole.n_coders:
        return Section("agreement", "Agreement", notes=["No answer counts yet: that takes a submitted coding."])
    notes, texts = [], "Docsets" if whole.report.extract.units else "Texts"
    if sheet.n_other_questions:
        notes.append(
            f"The agreement in {pluralize(sheet.n_other_questions, 'further question')} beyond the first"
            f" {MOST_QUESTIONS} is on the page Agreement."
        )
    questions = [_row(one, one.name, one.coefficient or None) for one in sheet.questions]
    return Section(
        "agreement",
        "Agreement",
        facts=[("Coefficient", whole.coefficient), ("How it was computed", sheet.methods)],
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
                [(str(one),) for one in sheet.references],
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
    if one.report is None:
        return *names, None, None, None, None, None, None, one.note
    return *names, *with_ends(one), one.n_texts, one.n_coders, one.n_units, one.note or None


CODED_TWICE = {UNMARKED: "shown again, unmarked", RECHECK: "recheck, knowingly"}


def describe_coders(sheet: Datasheet) -> Section:
    """Return how many coders there are, and what each did."""
    coders, n_coders = sheet.corpus.coders, len(sheet.corpus.coders)
    n_active = sum(one.submitted > 0 for one in coders.values())
    n_submitted = sum(one.submitted for one in coders.values())
    n_codings = sum(one.codings for one in coders.values())
    facts = [
        (
            "Coders",
            f"{number(n_coders)}, of whom {number(n_active)} have submitted codings" if n_coders else "none yet",
        ),
        ("Codings", f"{number(n_submitted)} submitted of {number(n_codings)}"),
        ("Groups", list_counts(sheet.groups) or "none"),
    ]
    with_chains = any(one.n_chains is not None for one in sheet.coders)
    with_groups = any(one.group for one in sheet.coders)
    columns = [
        Column("coder", "Coder", explanation="datasheet-coder", cell="place"),
        *([Column("group", "Group")] if with_groups else []),
        Column("codings", "Codings", "count", explanation="datasheet-codings", cell="n_codings"),
        Column("submitted", "Submitted", "count", explanation="datasheet-submitted", cell="n_submitted"),
        Column("counted", "Counted", "count", explanation="datasheet-counted", cell="n_counted"),
        Column("judgements", "Judgements", "count", explanation="datasheet-judgements", cell="n_judgements"),
        *(
            [Column("chains", "Chains", "count", explanation="datasheet-chains", cell="n_chains")]
            if with_chains
            else []
        ),
    ]
    note = "Judgements and chains are those of the codings that are counted." if sheet.coders else ""
    if n_coders > MOST_CODERS:
        note += f" {pluralize(n_coders - MOST_CODERS, 'more coder')} with fewer judgements."
    table = Table.of("coders", "Coders, by how much they did", columns, sheet.coders, note)
    return Section(
        "coders",
        "Coders",
        facts=facts,
        tables=[one for one in (table, _models_table(sheet)) if one.rows],
        to_write=["Who the coders are: languages, background, how they were found, trained and paid."],
    )


def _models_table(sheet: Datasheet) -> Table:
    """Return the models that coded, apart from people."""
    return Table.of(
        "models",
        "Models that code, apart from these coders",
        [
            Column("model", "Model", explanation="datasheet-model", cell="name"),
            Column("version", "Version", explanation="datasheet-model"),
            Column("hash", "Hash of prompt or weights", explanation="datasheet-model"),
            Column("date", "Date", explanation="datasheet-model", cell=lambda row: day(row.date) or None),
            Column("codings", "Codings", "count", explanation="datasheet-codings", cell="n_codings"),
            Column("submitted", "Submitted", "count", explanation="datasheet-submitted", cell="n_submitted"),
        ],
        sheet.models,
        "Figures are of people, unless they say that models are included.",
    )


def describe_training(sheet: Datasheet) -> Section:
    """Return how coders were trained, and how far they agree with themselves."""
    notes = []
    if sheet.training is None:
        notes.append("Results of training are shown to those who decide what is gold.")
    again = Table.of(
        "self",
        "Agreement of coders with themselves",
        [
            Column(
                "what",
                "Coded twice",
                explanation="datasheet-coded-twice",
                cell=lambda row: CODED_TWICE[row.coded_again],
            ),
            Column("coders", "Coders", "count", explanation="self_agreement", cell="n_coders"),
            Column("codings", "Codings", "count", explanation="coded_again", cell="n_codings"),
            Column("texts", "Texts", "count", explanation="coded_again", cell="n_texts"),
            Column("value", "Value", "figure", explanation="self_agreement"),
            Column("low", "95% CI low", "figure"),
            Column("high", "95% CI high", "figure"),
            Column("between", "Between coders", "figure", explanation="between_coders"),
            Column("note", "Note"),
        ],
        filter(None, (sheet.repeats, sheet.rechecks)),
    )
    training = _training_table(sheet)
    tables = [table for table in (training, again) if table.rows]
    if not tables and sheet.training is not None:
        notes.append("No training round, and no text that was shown to a coder again.")
    return Section("training", "Training and self-agreement", tables=tables, notes=notes)


def _training_table(sheet: Datasheet) -> Table:
    return Table.of(
        "training",
        "Training rounds",
        [
            Column("round", "Round", explanation="datasheet-round"),
            Column("coders", "Coders", "count", explanation="datasheet-trained", cell="n_coders"),
            Column("passed", "Passed", "count", explanation="training-result", cell="n_passed"),
            Column("decided", "By decision", "count", explanation="datasheet-by-decision", cell="n_by_decision"),
            Column(
                "measure",
                "Measure",
                labels=dict(Round.PassMeasure.choices),
                explanation="training-score",
                cell=lambda row: row.measure or "no pass rule",
            ),
            Column("mark", "Pass mark", "figure", explanation="training-score"),
            Column("lowest", "Lowest best score", "figure", explanation="training-score"),
            Column("highest", "Highest best score", "figure", explanation="training-score"),
        ],
        sheet.training or (),
    )


METHODS = {
    Method.MOST: "what most coders say",
    Method.AGREED: "what all coders say",
    Method.CODER: "one coder’s answers",
    Method.EMPTY: "empty draft",
    NO_DRAFT: "without a draft",
}
SOURCES = {str(source): label.lower() for source, label in listing.SOURCES.items()}
REASONS = {str(reason): label.lower() for reason, label in listing.REASONS.items()}


def describe_adjudication(sheet: Datasheet) -> Section:
    """Return how far gold is and how it was made; of pyramids the agreed ones are among the docsets."""
    gold, title = sheet.adjudication, "Adjudication"
    if sheet.project.answers == Project.Answers.SCUS:
        n_agreed = sum(one.agreed == "submitted" for one in sheet.docsets)
        made = f"{number(n_agreed)} of {count_nouns(len(sheet.docsets), 'docset')}"
        return Section("adjudication", title, facts=[("Agreed pyramid submitted", made)], to_write=[HOW])
    if gold is None:
        return Section("adjudication", title, notes=["Shown to those who decide what is gold."])
    if not gold.rounds:
        return Section("adjudication", title, notes=["No text has gold."], to_write=[HOW])
    table = _rounds_table(gold)
    if not any(one.is_result for one in gold.rounds):
        return Section(
            "adjudication", title, tables=[table], notes=["Only texts of training have gold."], to_write=[HOW]
        )
    estimates = "; ".join(map(_describe_errors, gold.error_estimates))
    facts = [
        ("Gold that is closed", _describe_closed(gold)),
        ("Contested items", _describe_contested(gold)),
        ("Overruled coders", _describe_overruled(gold)),
        ("Decisions by reason", list_counts(gold.reasons, REASONS) or "not recorded"),
        ("Decisions by answer", list_counts(gold.sources, SOURCES) or "not recorded"),
        ("Errors in what was accepted unseen", estimates or "not estimated"),
    ]
    return Section("adjudication", title, facts=facts, tables=[table], to_write=[HOW])


HOW = "Who adjudicated, and by which rules."


def _describe_closed(gold: Adjudication) -> str:
    if gold.closed is None:
        return "none yet"
    chains = f", {count_nouns(count_chains(gold.closed), 'chain')}" if gold.closed.chain_lengths else ""
    return f"{count_nouns(gold.closed.n_judgements, 'judgement')}{chains}"


def _describe_contested(gold: Adjudication) -> str:
    rounds = [one for one in gold.rounds if one.is_result]
    n, n_decided = sum(one.n_contested for one in rounds), sum(one.n_decided for one in rounds)
    if not n:
        return "none in drafts"
    return f"{number(n_decided)} decided of {number(n)} that were contested when they were drafted"


def _describe_overruled(gold: Adjudication) -> str:
    if gold.overruled.value is None:
        return "nothing to compare"
    answers = "answers to contested items (category and chain)"
    return (
        f"in {percent(gold.overruled.value)} of their {number(gold.overruled.total)} {answers} gold has another value"
    )


def _describe_errors(error: ErrorEstimate) -> str:
    if error.value is None:
        return f"{error.round}: none of {number(error.unseen)} checked"
    reach = ""
    if error.low is not None and error.high is not None:
        reach = f", 95% CI {format_value(error.low, 'percent')} to {format_value(error.high, 'percent')}"
    elsewhere = f", {number(error.unreached)} of them in texts without a check" if error.unreached else ""
    return (
        f"{error.round}: {number(error.wrong)} of {number(error.checked)} checked wrong, by the length of texts"
        f" {percent(error.value)}{reach}; {number(error.unseen)} not checked{elsewhere}"
    )


def _rounds_table(gold: Adjudication) -> Table:
    return Table.of(
        "gold",
        "Gold, by round",
        [
            Column("round", "Round", explanation="datasheet-round"),
            Column("kind", "Kind", explanation="round-kind"),
            Column("texts", "Texts", "count", explanation="datasheet-texts-of-round", cell="n_texts"),
            *(Column(str(state), str(state).title(), "count", explanation="gold-status") for state in State),
            Column("contested", "Contested", "count", explanation="gold-contested", cell="n_contested"),
            Column("decided_items", "Of them decided", "count", explanation="gold-contested", cell="n_decided"),
            Column(
                "methods", "Drafts", explanation="datasheet-drafts", cell=lambda row: list_counts(row.methods, METHODS)
            ),
        ],
        gold.rounds,
    )
