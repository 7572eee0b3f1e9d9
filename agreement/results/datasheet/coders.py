"""Who coded, how they were trained, and how far they agree with themselves; nobody is named."""

from __future__ import annotations

from agreement.measures.results import pluralize
from agreement.reports.datasheet.report import MOST_CODERS, Datasheet
from agreement.reports.datasheet.training import CodedTwice
from agreement.results.datasheet.section import Section, list_counts, number
from agreement.results.tables import Column, Table, with_ends
from annotations.models import Round


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
        Column("coder", "Coder", explanation="datasheet-coder"),
        *([Column("group", "Group")] if with_groups else []),
        Column("codings", "Codings", "count", explanation="datasheet-codings"),
        Column("submitted", "Submitted", "count", explanation="datasheet-submitted"),
        Column("counted", "Counted", "count", explanation="datasheet-counted"),
        Column("judgements", "Judgements", "count", explanation="datasheet-judgements"),
        *([Column("chains", "Chains", "count", explanation="datasheet-chains")] if with_chains else []),
    ]
    rows = [
        [
            str(place),
            *([one.group] if with_groups else []),
            one.codings.codings,
            one.codings.submitted,
            one.n_counted,
            one.n_judgements,
            *([one.n_chains] if with_chains else []),
        ]
        for place, one in enumerate(sheet.coders, start=1)
    ]
    note = "Judgements and chains are those of the codings that are counted." if rows else ""
    if n_coders > MOST_CODERS:
        note += f" {pluralize(n_coders - MOST_CODERS, 'more coder')} with fewer judgements."
    table = Table("coders", "Coders, by how much they did", columns, rows, note)
    return Section(
        "coders",
        "Coders",
        facts=facts,
        tables=[one for one in (table, _models_table(sheet)) if one.rows],
        to_write=["Who the coders are: languages, background, how they were found, trained and paid."],
    )


def _models_table(sheet: Datasheet) -> Table:
    """Return the models that coded, apart from people."""
    return Table(
        "models",
        "Models that code, apart from these coders",
        [
            Column("model", "Model", explanation="datasheet-model"),
            Column("version", "Version", explanation="datasheet-model"),
            Column("hash", "Hash of prompt or weights", explanation="datasheet-model"),
            Column("date", "Date", explanation="datasheet-model"),
            Column("codings", "Codings", "count", explanation="datasheet-codings"),
            Column("submitted", "Submitted", "count", explanation="datasheet-submitted"),
        ],
        [
            (
                one.name,
                one.version,
                one.hash,
                one.date.isoformat() if one.date else None,
                one.n_codings,
                one.n_submitted,
            )
            for one in sheet.models
        ],
        "Figures are of people, unless they say that models are included.",
    )


def describe_training(sheet: Datasheet) -> Section:
    """Return how coders were trained, and how far they agree with themselves."""
    notes = []
    if sheet.training is None:
        notes.append("Results of training are shown to those who decide what is gold.")
    twice = [
        _coded_twice(name, part)
        for name, part in (("shown again, unmarked", sheet.repeats), ("recheck, knowingly", sheet.rechecks))
        if part is not None
    ]
    again = Table(
        "self",
        "Agreement of coders with themselves",
        [
            Column("what", "Coded twice", explanation="datasheet-coded-twice"),
            Column("coders", "Coders", "count", explanation="self_agreement"),
            Column("codings", "Codings", "count", explanation="coded_again"),
            Column("texts", "Texts", "count", explanation="coded_again"),
            Column("value", "Value", "figure", explanation="self_agreement"),
            Column("low", "95% CI low", "figure"),
            Column("high", "95% CI high", "figure"),
            Column("between", "Between coders", "figure", explanation="between_coders"),
            Column("note", "Note"),
        ],
        twice,
    )
    training = _training_table(sheet)
    tables = [table for table in (training, again) if table.rows]
    if not tables and sheet.training is not None:
        notes.append("No training round, and no text that was shown to a coder again.")
    return Section("training", "Training and self-agreement", tables=tables, notes=notes)


def _training_table(sheet: Datasheet) -> Table:
    return Table(
        "training",
        "Training rounds",
        [
            Column("round", "Round", explanation="datasheet-round"),
            Column("coders", "Coders", "count", explanation="datasheet-trained"),
            Column("passed", "Passed", "count", explanation="training-result"),
            Column("decided", "By decision", "count", explanation="datasheet-by-decision"),
            Column("measure", "Measure", labels=dict(Round.PassMeasure.choices), explanation="training-score"),
            Column("mark", "Pass mark", "figure", explanation="training-score"),
            Column("lowest", "Lowest best score", "figure", explanation="training-score"),
            Column("highest", "Highest best score", "figure", explanation="training-score"),
        ],
        [
            (
                one.name,
                one.n_coders,
                one.n_passed,
                one.n_by_decision,
                one.measure or "no pass rule",
                one.mark,
                one.scores[0] if one.scores else None,
                one.scores[-1] if one.scores else None,
            )
            for one in sheet.training or ()
        ],
    )


def _coded_twice(name: str, part: CodedTwice) -> tuple[str | int | float | None, ...]:
    one = part.interval
    ends = with_ends(one) if one else (None, None, None)
    return name, part.n_coders, part.n_codings, part.n_texts, *ends, part.between, part.note
