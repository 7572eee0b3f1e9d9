"""The sections of a datasheet on coders, rounds, agreement, training and adjudication; nobody is named."""

from __future__ import annotations

from collections.abc import Callable

from agreement.measures.results import pluralize
from agreement.reports.coders.differences import RECHECK, UNMARKED
from agreement.reports.datasheet.report import MOST_CODERS, Datasheet
from agreement.reports.datasheet.rounds import MOST_QUESTIONS, NO_DRAFT, Adjudication, ErrorEstimate, count_chains
from agreement.results.datasheet.section import Section, count_nouns, day, list_counts, number, percent
from agreement.results.tables import Cell, Column, Table
from annotations.adjudication.decisions import listing
from annotations.adjudication.proposal import Method
from annotations.adjudication.states import State
from annotations.models import Project, Round

ROUND = Column("round", "Round", explanation="datasheet-round")
CODINGS = Column("codings", "Codings", "count", explanation="datasheet-codings", cell="n_codings")
SUBMITTED = Column("submitted", "Submitted", "count", explanation="datasheet-submitted", cell="n_submitted")
ENDS = (Column("low", "95% CI low", "figure"), Column("high", "95% CI high", "figure"))


def describe_coders(sheet: Datasheet) -> Section:
    """Return how many coders there are, and what each did, people apart from models."""
    codings, n_coders = sheet.corpus.coders.values(), sheet.n_coders
    n_active = sum(one.submitted > 0 for one in codings)
    n_submitted, n_codings = sum(one.submitted for one in codings), sum(one.codings for one in codings)
    active = f"{number(n_coders)}, of whom {number(n_active)} have submitted codings" if n_coders else "none yet"
    facts = [
        ("Coders", active),
        ("Codings", f"{number(n_submitted)} submitted of {number(n_codings)}"),
        ("Groups", list_counts(sheet.groups) or "none"),
    ]
    group = Column("group", "Group")
    chains = Column("chains", "Chains", "count", explanation="datasheet-chains", cell="n_chains")
    coders = [
        Column("coder", "Coder", explanation="datasheet-coder", cell="place"),
        *([group] if any(one.group for one in sheet.coders) else []),
        CODINGS,
        SUBMITTED,
        Column("counted", "Counted", "count", explanation="datasheet-counted", cell="n_counted"),
        Column("judgements", "Judgements", "count", explanation="datasheet-judgements", cell="n_judgements"),
        *([chains] if any(one.n_chains is not None for one in sheet.coders) else []),
    ]
    note = "Judgements and chains are those of the codings that are counted." if sheet.coders else ""
    if n_coders > MOST_CODERS:
        note += f" {pluralize(n_coders - MOST_CODERS, 'more coder')} with fewer judgements."
    models = [
        Column("model", "Model", explanation="datasheet-model", cell="name"),
        Column("version", "Version", explanation="datasheet-model"),
        Column("hash", "Hash of prompt or weights", explanation="datasheet-model"),
        Column("date", "Date", explanation="datasheet-model", cell=lambda row: day(row.date) or None),
        CODINGS,
        SUBMITTED,
    ]
    of_people = "Figures are of people, unless they say that models are included."
    tables = [
        Table.of("coders", "Coders, by how much they did", coders, sheet.coders, note),
        Table.of("models", "Models that code, apart from these coders", models, sheet.models, of_people),
    ]
    to_write = ["Who the coders are: languages, background, how they were found, trained and paid."]
    return Section("coders", "Coders", facts=facts, tables=tables, to_write=to_write)


def describe_rounds(sheet: Datasheet) -> Section:
    """Return the rounds with their guidelines, scheme and plan."""
    named = Column("round", "Round", explanation="datasheet-round", cell="name")
    rounds = [
        named,
        Column("kind", "Kind", explanation="round-kind"),
        Column("state", "State", explanation="datasheet-state", cell=lambda row: "closed" if row.closed else "open"),
        Column("from", "From", "date", explanation="datasheet-dates", cell=lambda row: day(row.starts_on) or None),
        Column("until", "Until", "date", explanation="datasheet-dates", cell=lambda row: day(row.ends_on) or None),
        Column("guidelines", "Guidelines version", "count", explanation="round-versions", cell="guidelines_version"),
        Column("scheme", "Scheme version", "count", explanation="round-versions", cell="scheme_version"),
    ]
    plans = [
        named,
        Column("texts", "Texts", "count", explanation="datasheet-texts-of-round", cell="n_texts"),
        CODINGS,
        SUBMITTED,
        Column("design", "Plan", explanation="datasheet-design", cell=lambda row: row.design or "assigned one by one"),
    ]
    docsets = [
        Column("docset", "Docset", cell="title"),
        Column("summaries", "Model summaries", "count", explanation="datasheet-summaries", cell="n_summaries"),
        Column("pyramids", "Pyramids", "count", explanation="datasheet-pyramids", cell="n_pyramids"),
        SUBMITTED,
        Column("agreed", "Agreed pyramid", explanation="agreed-pyramid", cell=lambda row: row.agreed or "none"),
        Column("scus", "Its SCUs", "count", explanation="scus", cell="n_scus"),
        Column("contributors", "Its contributors", "count", explanation="contributor", cell="n_contributors"),
        Column("peers", "Peers scored", "count", explanation="submitted-peers", cell="n_peers"),
    ]
    tables = [
        Table.of("rounds", "Rounds", rounds, sheet.rounds),
        Table.of("plans", "Who codes what", plans, sheet.rounds),
        Table.of("docsets", "Docsets", docsets, sheet.docsets),
    ]
    return Section("rounds", "Rounds", tables=tables, notes=[] if sheet.rounds or sheet.docsets else ["No round yet."])


def describe_agreement(sheet: Datasheet) -> Section:
    """Return the project's coefficient over all rounds and in each, and how it was computed."""
    whole = sheet.agreement[0]
    if not whole.n_coders:
        return Section("agreement", "Agreement", notes=["No answer counts yet: that takes a submitted coding."])

    def figure(name: str) -> Callable[..., Cell]:
        return lambda row: getattr(row, name) if row.report else None

    texts = "Docsets" if sheet.project.answers == Project.Answers.SCUS else "Texts"
    figures = [
        Column("value", "Value", "figure"),
        *ENDS,
        Column("texts", texts, "count", explanation="datasheet-texts-coded", cell=figure("n_texts")),
        Column("coders", "Coders", "count", explanation="datasheet-coders-counted", cell=figure("n_coders")),
        Column("units", "Units", "count", explanation="units", cell=figure("n_units")),
        Column("left_out", "Left out, and notes", explanation="note", cell=lambda row: row.note or None),
    ]
    by_round = Column("round", "Round", explanation="datasheet-round", cell=lambda row: row.name or "all rounds")
    by_question = Column("question", "Question", explanation="gold_question", cell="name")
    coefficient = Column("coefficient", "Coefficient", cell=lambda row: row.coefficient or None)
    questions = [by_question, coefficient, *figures]
    reference = Column("reference", "Reference", explanation="datasheet-reference", cell=str)
    tables = [
        Table.of("agreement", "Agreement, by round", [by_round, *figures], sheet.agreement),
        Table.of("questions", "Agreement in further questions, over all rounds", questions, sheet.questions),
        Table.of("references", "References", [reference], sheet.references),
    ]
    more = (
        f"The agreement in {pluralize(sheet.n_other_questions, 'further question')} beyond the first"
        f" {MOST_QUESTIONS} is on the page Agreement."
    )
    facts = [("Coefficient", whole.coefficient), ("How it was computed", sheet.methods)]
    notes = [more] if sheet.n_other_questions else []
    return Section("agreement", "Agreement", facts=facts, tables=tables, notes=notes)


CODED_TWICE = {UNMARKED: "shown again, unmarked", RECHECK: "recheck, knowingly"}


def describe_training(sheet: Datasheet) -> Section:
    """Return how coders were trained, and how far they agree with themselves."""
    again = [one for one in (sheet.repeats, sheet.rechecks) if one]
    notes = []
    if sheet.training is None:
        notes.append("Results of training are shown to those who decide what is gold.")
    elif not sheet.training and not again:
        notes.append("No training round, and no text that was shown to a coder again.")
    measures = dict(Round.PassMeasure.choices)
    training = [
        ROUND,
        Column("coders", "Coders", "count", explanation="datasheet-trained", cell="n_coders"),
        Column("passed", "Passed", "count", explanation="training-result", cell="n_passed"),
        Column("decided", "By decision", "count", explanation="datasheet-by-decision", cell="n_by_decision"),
        Column(
            "measure", "Measure", labels=measures, explanation="training-score", cell=lambda one: one.measure or NO_RULE
        ),
        Column("mark", "Pass mark", "figure", explanation="training-score"),
        Column("lowest", "Lowest best score", "figure", explanation="training-score"),
        Column("highest", "Highest best score", "figure", explanation="training-score"),
    ]
    repeated = [
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
        *ENDS,
        Column("between", "Between coders", "figure", explanation="between_coders"),
        Column("note", "Note"),
    ]
    tables = [
        Table.of("training", "Training rounds", training, sheet.training or ()),
        Table.of("self", "Agreement of coders with themselves", repeated, again),
    ]
    return Section("training", "Training and self-agreement", tables=tables, notes=notes)


NO_RULE = "no pass rule"
METHODS = {
    Method.MOST: "what most coders say",
    Method.AGREED: "what all coders say",
    Method.CODER: "one coder’s answers",
    Method.EMPTY: "empty draft",
    NO_DRAFT: "without a draft",
}
SOURCES = {str(source): label.lower() for source, label in listing.SOURCES.items()}
REASONS = {str(reason): label.lower() for reason, label in listing.REASONS.items()}
HOW = "Who adjudicated, and by which rules."


def describe_adjudication(sheet: Datasheet) -> Section:
    """Return how far gold is and how it was made; of pyramids the agreed ones are among the docsets."""
    gold, facts, tables, notes = sheet.adjudication, list[tuple[str, str]](), list[Table](), list[str]()
    if sheet.project.answers == Project.Answers.SCUS:
        n_agreed = sum(one.agreed == "submitted" for one in sheet.docsets)
        facts = [("Agreed pyramid submitted", f"{number(n_agreed)} of {count_nouns(len(sheet.docsets), 'docset')}")]
    elif gold is None:
        return Section("adjudication", "Adjudication", notes=["Shown to those who decide what is gold."])
    elif not gold.rounds:
        notes = ["No text has gold."]
    else:
        columns = [
            ROUND,
            Column("kind", "Kind", explanation="round-kind"),
            Column("texts", "Texts", "count", explanation="datasheet-texts-of-round", cell="n_texts"),
            *(Column(str(state), str(state).title(), "count", explanation="gold-status") for state in State),
            Column("contested", "Contested", "count", explanation="gold-contested", cell="n_contested"),
            Column("decided_items", "Of them decided", "count", explanation="gold-contested", cell="n_decided"),
            Column(
                "methods", "Drafts", explanation="datasheet-drafts", cell=lambda row: list_counts(row.methods, METHODS)
            ),
        ]
        tables = [Table.of("gold", "Gold, by round", columns, gold.rounds)]
        facts = _describe_gold(gold)
        notes = [] if facts else ["Only texts of training have gold."]
    return Section("adjudication", "Adjudication", facts=facts, tables=tables, notes=notes, to_write=[HOW])


def _describe_gold(gold: Adjudication) -> list[tuple[str, str]]:
    """Return what gold consists of and how it was decided; nothing where all of it is of training."""
    rounds = [one for one in gold.rounds if one.is_result]
    if not rounds:
        return []
    closed, contested, overruled = "none yet", "none in drafts", "nothing to compare"
    if gold.closed is not None:
        chains = f", {count_nouns(count_chains(gold.closed), 'chain')}" if gold.closed.chain_lengths else ""
        closed = f"{count_nouns(gold.closed.n_judgements, 'judgement')}{chains}"
    if n := sum(one.n_contested for one in rounds):
        n_decided = number(sum(one.n_decided for one in rounds))
        contested = f"{n_decided} decided of {number(n)} that were contested when they were drafted"
    if gold.overruled.value is not None:
        answers = f"{number(gold.overruled.total)} answers to contested items (category and chain)"
        overruled = f"in {percent(gold.overruled.value)} of their {answers} gold has another value"
    return [
        ("Gold that is closed", closed),
        ("Contested items", contested),
        ("Overruled coders", overruled),
        ("Decisions by reason", list_counts(gold.reasons, REASONS) or "not recorded"),
        ("Decisions by answer", list_counts(gold.sources, SOURCES) or "not recorded"),
        (
            "Errors in what was accepted unseen",
            "; ".join(map(_describe_errors, gold.error_estimates)) or "not estimated",
        ),
    ]


def _describe_errors(error: ErrorEstimate) -> str:
    if error.value is None:
        return f"{error.round}: none of {number(error.unseen)} checked"
    reach = ""
    if error.low is not None and error.high is not None:
        reach = f", 95% CI {percent(error.low)} to {percent(error.high)}"
    elsewhere = f", {number(error.unreached)} of them in texts without a check" if error.unreached else ""
    return (
        f"{error.round}: {number(error.wrong)} of {number(error.checked)} checked wrong, by the length of texts"
        f" {percent(error.value)}{reach}; {number(error.unseen)} not checked{elsewhere}"
    )
