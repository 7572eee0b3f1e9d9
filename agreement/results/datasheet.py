"""The datasheet of a project as a page and a Markdown file, by section. It names nobody."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any

from rest_framework.serializers import ChoiceField

from agreement.measures.results import pluralize
from agreement.reports.coders.differences import RECHECK, UNMARKED
from agreement.reports.datasheet.report import MAX_CODERS, Datasheet, describe_project
from agreement.reports.datasheet.rounds import MAX_QUESTIONS, Adjudication, ErrorEstimate, count_chains
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import LABELS
from agreement.results.computations import PageSections, ResultPage, register
from agreement.results.tables import MARKDOWN, Cell, Column, FileForm, Table, as_markdown, columns_of, format_value
from annotations.adjudication.decisions import listing
from annotations.adjudication.states import State
from annotations.formats.model.scheme import AttributeSpec, CategorySpec, RelationSpec, ValueSpec
from annotations.models import Project, Round, Segment
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.schemes.design.wording import SchemeWording

# The beginning of a heading, list, quotation, rule or underline in Markdown.
BLOCK_START = re.compile(r"^(?P<number>\d{1,9})(?=[.)](\s|$))|^(?=[#>+=-])")
# Languages and values that are named; the others are counted.
MAX_NAMED = 20
# The text of an empty field.
NOT_GIVEN = "not given"
ROUND = Column("round", "Round", explanation="datasheet-round")
CODINGS = Column("codings", "Codings", "count", explanation="datasheet-codings")
SUBMITTED = Column("submitted", "Submitted", "count", explanation="datasheet-submitted")
ENDS = (Column("low", "95% CI low", "figure"), Column("high", "95% CI high", "figure"))


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the datasheet; `to_write` has what authors add to the file."""

    key: str
    title: str
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    to_write: Sequence[str] = ()


def count_nouns(count: int, noun: str) -> str:
    """Return a count with its noun, such as "1 chain" or "2,000 chains"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def list_counts(counts: Mapping[str, int], labels: Mapping[Any, str] | None = None) -> str:
    """Return the counts above 0 with their names, such as "a 3, b 1"."""
    return ", ".join(f"{(labels or {}).get(name, name)} {n:,}" for name, n in counts.items() if n)


def build_sections(sheet: Datasheet) -> list[Section]:
    """Return the sections of a datasheet, without empty tables."""
    sections = [
        _describe_corpus(sheet),
        _describe_texts(sheet),
        _describe_coders(sheet),
        _describe_rounds(sheet),
        _describe_agreement(sheet),
        _describe_training(sheet),
        describe_adjudication(sheet),
        _describe_publication(sheet),
    ]
    return [replace(section, tables=[table for table in section.tables if table.rows]) for section in sections]


def _describe_corpus(sheet: Datasheet) -> Section:
    project = sheet.project
    languages = [f"{language.language} ({pluralize(language.n_texts, 'text')})" for language in sheet.languages]
    guidelines = f"version {sheet.guidelines_version}, of {sheet.guidelines_saved_on}"
    facts = [
        ("Languages", _name_first(languages) or "no texts yet"),
        ("Answers", str(project.get_answers_display())),
        ("Scheme", f"version {project.scheme_version}"),
        ("Guidelines", guidelines if sheet.guidelines_version else "none"),
        ("Work of coders", f"{sheet.first_work_on} to {sheet.last_work_on}" if sheet.first_work_on else "none yet"),
        ("Project made on", str(sheet.created_on)),
        *([("Archived on", str(sheet.archived_on))] if sheet.archived_on else []),
    ]
    to_write = [
        *([] if project.description else ["What the corpus is, and what it was made for."]),
        "Who made the corpus, on whose behalf, and who paid for it.",
    ]
    return Section("corpus", "Corpus", project.description, facts, _scheme_tables(sheet), to_write=to_write)


def _name_first(names: Sequence[str]) -> str:
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return ", ".join([*names[:MAX_NAMED], *more])


def _scheme_tables(sheet: Datasheet) -> list[Table]:
    spec, words = sheet.spec, SchemeWording(sheet.spec)
    asked = Column("asked", "Asked", explanation="asked-if", cell=words.asked)
    meaning = Column("help", "Meaning", explanation="datasheet-help")

    def asks_for(category: CategorySpec) -> str:
        return words.antecedents(category) or ("an index" if category.takes_index else "nothing more")

    def answer(attribute: AttributeSpec) -> str:
        return ": ".join(filter(None, [words.answer(attribute), _name_first(list(map(_label, attribute.values)))]))

    categories = [
        Column("category", "Category", cell=_label),
        Column("level", "Level", cell=lambda row: words.levels([row.level] if row.level else [])),
        Column("asks", "Asks for", explanation="category-asks", cell=asks_for),
        meaning,
    ]
    relations = [
        Column("relation", "Relation", explanation="scheme-relation", cell=_label),
        Column("targets", "Points to", explanation="datasheet-targets", cell=words.targets),
        asked,
        meaning,
    ]
    attributes = [
        Column("attribute", "Attribute", explanation="scheme-attribute", cell=_label),
        Column("of", "Asked of", explanation="asked-of", cell=words.subject),
        asked,
        Column("answer", "Answer", explanation="datasheet-answer", cell=answer),
        meaning,
    ]
    return [
        Table.of("categories", "Categories", categories, spec.categories),
        Table.of("relations", "Relations", relations, [link for link in spec.relations if not link.identity]),
        Table.of("attributes", "Attributes", attributes, spec.attributes),
    ]


def _label(spec: CategorySpec | RelationSpec | AttributeSpec | ValueSpec) -> str:
    return f"{spec.label} (no longer offered)" if spec.retired else spec.label


def _describe_texts(sheet: Datasheet) -> Section:
    project = sheet.project
    facts = [
        ("Texts", f"{sheet.n_texts:,}"),
        ("Words", f"{sheet.n_words:,} (what white space separates)"),
        ("Characters", f"{sheet.n_characters:,}"),
    ]
    if project.answers == Project.Answers.SCUS:
        facts += [
            ("Docsets", f"{len(sheet.docsets):,}"),
            ("Model summaries", f"{sum(docset.n_summaries for docset in sheet.docsets):,}"),
            ("Peer summaries", f"{sheet.n_peers:,}"),
        ]
    else:
        kinds = dict(Segment.Kind.choices)
        segments = [count_nouns(n, kinds.get(kind, kind)) for kind, n in sheet.segments.items()]
        facts.append(("Segments", ", ".join(segments) or "none"))
    columns = [
        Column("level", "Level"),
        Column("given", "With the texts", "count", explanation="datasheet-given"),
        Column("marked", "Marked by coders", "count", explanation="datasheet-marked"),
    ]
    to_write = [
        *([] if project.source else ["Where the texts are from, and how they were chosen."]),
        "Who wrote or spoke the texts, when, for whom and on which occasion; their genres and varieties.",
        "What was left out, changed or made anonymous; personal data, and the consent of those concerned.",
    ]
    tables = [Table.of("markables", "Markables", columns, sheet.markables)]
    facts.append(("Source", project.source or NOT_GIVEN))
    return Section("texts", "Texts", facts=facts, tables=tables, to_write=to_write)


def _describe_coders(sheet: Datasheet) -> Section:
    codings, n_coders = sheet.codings.values(), sheet.n_coders
    n_active = sum(n_submitted > 0 for _, n_submitted in codings)
    n_codings, n_submitted = (sum(counts[place] for counts in codings) for place in (0, 1))
    active = f"{n_coders:,}, of whom {n_active:,} have submitted codings"
    facts = [
        ("Coders", active if n_coders else "none yet"),
        ("Codings", f"{n_submitted:,} submitted of {n_codings:,}"),
        ("Groups", list_counts(sheet.groups) or "none"),
    ]
    group = Column("group", "Group")
    chains = Column("chains", "Chains", "count", explanation="datasheet-chains")
    coders = [
        Column("coder", "Coder", explanation="datasheet-coder", cell="place"),
        *([group] if any(coder.group for coder in sheet.coders) else []),
        CODINGS,
        SUBMITTED,
        Column("counted", "Counted", "count", explanation="datasheet-counted"),
        Column("judgements", "Judgements", "count", explanation="datasheet-judgements"),
        *([chains] if any(coder.n_chains is not None for coder in sheet.coders) else []),
    ]
    note = "Judgements and chains are those of the codings that are counted." if sheet.coders else ""
    if n_coders > MAX_CODERS:
        note += f" {pluralize(n_coders - MAX_CODERS, 'more coder')} with fewer judgements."
    models = [
        Column("model", "Model", explanation="datasheet-model", cell="name"),
        Column("version", "Version", explanation="datasheet-model"),
        Column("hash", "Hash of prompt or weights", explanation="datasheet-model"),
        Column("date", "Date", explanation="datasheet-model", cell=lambda row: row.date and str(row.date)),
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


def _describe_rounds(sheet: Datasheet) -> Section:
    def day(date: object) -> str | None:
        return str(date) if date else None

    named = Column("round", "Round", explanation="datasheet-round", cell="name")
    rounds = [
        named,
        Column("kind", "Kind", explanation="round-kind"),
        Column("state", "State", explanation="datasheet-state", cell=lambda row: "closed" if row.closed else "open"),
        Column("from", "From", "date", explanation="datasheet-dates", cell=lambda row: day(row.starts_on)),
        Column("until", "Until", "date", explanation="datasheet-dates", cell=lambda row: day(row.ends_on)),
        Column("guidelines", "Guidelines version", "count", explanation="round-versions", cell="guidelines_version"),
        Column("scheme", "Scheme version", "count", explanation="round-versions", cell="scheme_version"),
    ]
    plans = [
        named,
        Column("texts", "Texts", "count", explanation="datasheet-texts-of-round"),
        CODINGS,
        SUBMITTED,
        Column("design", "Plan", explanation="datasheet-design", cell=lambda row: row.design or "assigned one by one"),
    ]
    docsets = [
        Column("docset", "Docset", cell="title"),
        Column("summaries", "Model summaries", "count", explanation="datasheet-summaries"),
        Column("pyramids", "Pyramids", "count", explanation="datasheet-pyramids"),
        SUBMITTED,
        Column("agreed", "Agreed pyramid", explanation="agreed-pyramid", cell=lambda row: row.agreed or "none"),
        *columns_of("count", scus=("Its SCUs", "scus"), contributors=("Its contributors", "contributor")),
        Column("peers", "Peers scored", "count", explanation="submitted-peers"),
    ]
    tables = [
        Table.of("rounds", "Rounds", rounds, sheet.rounds),
        Table.of("plans", "Who codes what", plans, sheet.rounds),
        Table.of("docsets", "Docsets", docsets, sheet.docsets),
    ]
    return Section("rounds", "Rounds", tables=tables, notes=[] if sheet.rounds or sheet.docsets else ["No round yet."])


def _describe_agreement(sheet: Datasheet) -> Section:
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
    facts = [("Coefficient", whole.coefficient), ("How it was computed", sheet.methods)]
    more = f"{pluralize(sheet.n_other_questions, 'further question')} beyond the first {MAX_QUESTIONS}"
    notes = [f"The agreement in {more} is on the page Agreement."] if sheet.n_other_questions else []
    return Section("agreement", "Agreement", facts=facts, tables=tables, notes=notes)


def _describe_training(sheet: Datasheet) -> Section:
    again = [part for part in (sheet.repeats, sheet.rechecks) if part]
    notes = []
    if sheet.training is None:
        notes = ["Results of training are shown to those who decide what is gold."]
    elif not sheet.training and not again:
        notes = ["No training round, and no text that was shown to a coder again."]
    names, score = dict(Round.PassMeasure.choices), "training-score"
    shown = {UNMARKED: "shown again, unmarked", RECHECK: "recheck, knowingly"}
    training = [
        ROUND,
        *columns_of("count", coders=("Coders", "datasheet-trained"), passed=("Passed", "training-result")),
        Column("decided", "By decision", "count", explanation="datasheet-by-decision", cell="n_by_decision"),
        Column("measure", "Measure", labels=names, explanation=score, cell=lambda row: row.measure or "no pass rule"),
        *columns_of("figure", mark=("Pass mark", score), lowest=("Lowest best score", score)),
        Column("highest", "Highest best score", "figure", explanation=score),
    ]
    repeated = [
        Column("what", "Coded twice", explanation="datasheet-coded-twice", cell=lambda row: shown[row.coded_again]),
        *columns_of("count", coders=("Coders", "self_agreement"), codings=("Codings", "coded_again")),
        Column("texts", "Texts", "count", explanation="coded_again"),
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


def describe_adjudication(sheet: Datasheet) -> Section:
    """Return the section on the progress and making of gold; for pyramids, the number of agreed ones."""
    gold, facts, tables, notes = sheet.adjudication, list[tuple[str, str]](), list[Table](), list[str]()
    if sheet.project.answers == Project.Answers.SCUS:
        n_agreed = sum(docset.agreed == "submitted" for docset in sheet.docsets)
        facts = [("Agreed pyramid submitted", f"{n_agreed:,} of {count_nouns(len(sheet.docsets), 'docset')}")]
    elif gold is None:
        return Section("adjudication", "Adjudication", notes=["Shown to those who decide what is gold."])
    elif not gold.rounds:
        notes = ["No text has gold."]
    else:
        drafts = LABELS["drafts"]
        columns = [
            ROUND,
            Column("kind", "Kind", explanation="round-kind"),
            Column("texts", "Texts", "count", explanation="datasheet-texts-of-round"),
            *(Column(str(state), str(state).title(), "count", explanation="gold-status") for state in State),
            Column("contested", "Contested", "count", explanation="gold-contested"),
            Column("decided_items", "Of them decided", "count", explanation="gold-contested", cell="n_decided"),
            Column(
                "methods", "Drafts", explanation="datasheet-drafts", cell=lambda row: list_counts(row.methods, drafts)
            ),
        ]
        tables = [Table.of("gold", "Gold, by round", columns, gold.rounds)]
        facts = _describe_gold(gold)
        notes = [] if facts else ["Only texts of training have gold."]
    how = "Who adjudicated, and by which rules."
    return Section("adjudication", "Adjudication", facts=facts, tables=tables, notes=notes, to_write=[how])


def _describe_gold(gold: Adjudication) -> list[tuple[str, str]]:
    """Return facts about gold and its decisions; empty if only training rounds have gold."""
    rounds = [round_ for round_ in gold.rounds if round_.kind != Round.Kind.TRAINING]  # training gold is not a result
    if not rounds:
        return []
    closed, contested, overruled = "none yet", "none in drafts", "nothing to compare"
    errors = "; ".join(map(_describe_errors, gold.error_estimates))
    if gold.closed is not None:
        chains = f", {count_nouns(count_chains(gold.closed), 'chain')}" if gold.closed.chain_lengths else ""
        closed = f"{count_nouns(gold.closed.n_judgements, 'judgement')}{chains}"
    if n := sum(round_.n_contested for round_ in rounds):
        n_decided = sum(round_.n_decided for round_ in rounds)
        contested = f"{n_decided:,} decided of {n:,} that were contested when they were drafted"
    if gold.overruled.value is not None:
        answers = f"{gold.overruled.total:,} answers to contested items (category and chain)"
        share = format_value(gold.overruled.value, "percent")
        overruled = f"in {share} of their {answers} gold has another value"
    return [
        ("Gold that is closed", closed),
        ("Contested items", contested),
        ("Overruled coders", overruled),
        ("Decisions by reason", list_counts(gold.reasons, listing.REASONS).lower() or "not recorded"),
        ("Decisions by answer", list_counts(gold.sources, listing.SOURCES).lower() or "not recorded"),
        ("Errors in what was accepted unseen", errors or "not estimated"),
    ]


def _describe_errors(error: ErrorEstimate) -> str:
    if error.value is None:
        return f"{error.round}: none of {error.unseen:,} checked"
    ends = [format_value(end, "percent") for end in (error.low, error.high)]
    reach = f", 95% CI {' to '.join(ends)}" if all(ends) else ""
    elsewhere = f", {error.unreached:,} of them in texts without a check" if error.unreached else ""
    return (
        f"{error.round}: {error.wrong:,} of {error.checked:,} checked wrong, by the length of texts"
        f" {format_value(error.value, 'percent')}{reach}; {error.unseen:,} not checked{elsewhere}"
    )


def _describe_publication(sheet: Datasheet) -> Section:
    project = sheet.project
    facts = [
        ("Licence", project.licence or NOT_GIVEN),
        ("Citation", project.citation or NOT_GIVEN),
        ("Contact", project.contact or NOT_GIVEN),
        ("Computed with", sheet.program),
        ("Fingerprint of the answers", sheet.fingerprint),
    ]
    columns = [
        Column("format", "Format", explanation="transfer-format"),
        Column("key", "Name in commands and the API", explanation="datasheet-format-key"),
    ]
    rows = [*zip(sheet.format_labels, sheet.formats, strict=True)]
    to_write = [
        *([] if project.licence else ["Under which licence texts and annotation can be used."]),
        *([] if project.citation else ["What to cite."]),
        *([] if project.contact else ["Whom to ask."]),
        "What the corpus is fit for, what it should not be used for, and its known limits.",
        "Where it can be had, who maintains it, and how errors are reported.",
    ]
    formats = Table("formats", "Formats for export", columns, rows)
    return Section("publication", "Publication", facts=facts, tables=[formats], to_write=to_write)


def as_file(sheet: Datasheet) -> str:
    """Return the text of the Markdown file of the datasheet."""
    return write_markdown(sheet.project.title, build_sections(sheet))


@register
class DatasheetPage(ResultPage[Datasheet]):
    """The facts of a corpus for a paper: texts, coders, rounds, agreement, adjudication, licence. It names nobody."""

    name, title = "datasheet", "Datasheet"
    template = "agreement/datasheet.html"
    path = "datasheet/"
    position, tab, group = 180, 305, "data"
    draws_charts = False
    gives = Datasheet
    takes = {"form": ChoiceField(["json", "markdown"], required=False, help_text="How the datasheet is written.")}
    api = """\
What a paper says of the corpus: texts, coders, rounds, agreement, adjudication, licence. Nobody is named.

Training and adjudication are null for those who do not decide what is gold. Parameters are those of the
coefficient; coders cannot be chosen."""
    chooses_coders = True
    forms = {
        "markdown": FileForm(
            lambda asked: as_file(DatasheetPage().compute(asked)).encode(), "text/markdown; charset=utf-8", "md"
        )
    }

    def compute(self, request: AnalysisRequest) -> Datasheet:
        sees_gold = may(request.project, Right.ADJUDICATE)
        return describe_project(request.project, request.project_answers, request.parameters, sees_gold=sees_gold)

    def tables(self, request: AnalysisRequest, report: Datasheet) -> list[Table]:
        return [table for section in build_sections(report) for table in section.tables]

    def show(self, request: AnalysisRequest) -> PageSections:
        sections = build_sections(self.compute(request))
        return PageSections([table for section in sections for table in section.tables], context={"sections": sections})


def write_markdown(title: str, sections: Sequence[Section]) -> str:
    """Return sections as Markdown; `title` is the title of the project."""
    return "\n\n".join([f"# Datasheet: {escape_line(title)}", *chain(*map(_write_section, sections))]) + "\n"


def _write_section(section: Section) -> Iterator[str]:
    yield f"## {escape_line(section.title)}"
    yield from escape_paragraphs(section.text)
    if section.facts:
        yield "\n".join(f"- **{escape_line(name)}:** {_write_value(value)}" for name, value in section.facts)
    yield from map(escape_line, section.notes)
    for table in section.tables:
        yield f"**{escape_line(table.caption)}**"
        yield as_markdown(table).rstrip("\n")
        if table.note:
            yield escape_line(table.note)
    for text in section.to_write:
        yield f"*To be written: {escape_line(text)}*"


def _write_value(value: str) -> str:
    return "\n\n  ".join(paragraph.replace("\n", "\n  ") for paragraph in escape_paragraphs(value))


def escape_paragraphs(text: str) -> list[str]:
    """Return the escaped paragraphs of a text, split at empty lines; other line breaks stay."""
    groups = groupby(map(escape_line, text.splitlines()), bool)
    return ["\\\n".join(lines) for has_words, lines in groups if has_words]


def escape_line(line: str) -> str:
    """Return a line with its Markdown markup escaped."""
    escaped = " ".join(line.split()).translate(MARKDOWN)
    return BLOCK_START.sub(lambda found: f"{found['number'] or ''}\\", escaped, count=1)
