"""How texts were adjudicated, and what it says of the coders and of what nobody looked at."""

from __future__ import annotations

from agreement.reports.datasheet.adjudication import NO_DRAFT, Adjudication, count_chains
from agreement.reports.datasheet.report import Datasheet
from agreement.results.datasheet.section import Section, count_nouns, list_counts, number, percent
from agreement.results.tables import Column, Table, format_value
from annotations.adjudication.decisions import listing
from annotations.adjudication.error_estimate import ErrorEstimate
from annotations.adjudication.proposal import Method
from annotations.adjudication.states import State
from annotations.models import Project

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
    estimates = "; ".join(_describe_errors(*one) for one in gold.error_estimates.items())
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
    found, total = gold.overruled
    if not total:
        return "nothing to compare"
    answers = "answers to contested items (category and chain)"
    return f"in {percent(found / total)} of their {number(total)} {answers} gold has another value"


def _describe_errors(name: str, error: ErrorEstimate) -> str:
    if error.share is None:
        return f"{name}: none of {number(error.unseen)} checked"
    reach = ""
    if error.low is not None and error.high is not None:
        reach = f", 95% CI {format_value(error.low, 'percent')} to {format_value(error.high, 'percent')}"
    elsewhere = f", {number(error.unreached)} of them in texts without a check" if error.unreached else ""
    return (
        f"{name}: {number(error.wrong)} of {number(error.checked)} checked wrong, by the length of texts"
        f" {percent(error.share)}{reach}; {number(error.unseen)} not checked{elsewhere}"
    )


def _rounds_table(gold: Adjudication) -> Table:
    return Table(
        "gold",
        "Gold, by round",
        [
            Column("round", "Round", explanation="datasheet-round"),
            Column("kind", "Kind", explanation="round-kind"),
            Column("texts", "Texts", "count", explanation="datasheet-texts-of-round"),
            *(Column(str(state), str(state).title(), "count", explanation="gold-status") for state in State),
            Column("contested", "Contested", "count", explanation="gold-contested"),
            Column("decided_items", "Of them decided", "count", explanation="gold-contested"),
            Column("methods", "Drafts", explanation="datasheet-drafts"),
        ],
        [
            (
                one.name,
                one.kind,
                one.n_texts,
                *(one.states.get(state, 0) for state in State),
                one.n_contested,
                one.n_decided,
                list_counts(one.methods, METHODS),
            )
            for one in gold.rounds
        ],
    )
