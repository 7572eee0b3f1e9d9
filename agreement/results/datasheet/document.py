"""The datasheet of a project as page and file: all its sections in their order, and those on the corpus itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rest_framework.serializers import ChoiceField

from agreement.measures.results import pluralize
from agreement.reports.datasheet.report import Datasheet, describe_project
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import ResultPage, register
from agreement.results.content import PageSections
from agreement.results.datasheet.rounds import (
    describe_adjudication,
    describe_agreement,
    describe_coders,
    describe_rounds,
    describe_training,
)
from agreement.results.datasheet.section import NOT_GIVEN, Section, count_nouns, day, number, write_markdown
from agreement.results.tables import Column, FileForm, Table
from annotations.formats.model.scheme import AttributeSpec, CategorySpec, RelationSpec, ValueSpec
from annotations.models import Project, Segment, Text
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.schemes.design.wording import SchemeWording

# So many languages and values are named; the others are counted.
MOST_NAMED = 20


def build_sections(sheet: Datasheet) -> list[Section]:
    """Return the sections of a datasheet, with the tables that have rows."""
    sections = [
        _describe_corpus(sheet),
        _describe_texts(sheet),
        describe_coders(sheet),
        describe_rounds(sheet),
        describe_agreement(sheet),
        describe_training(sheet),
        describe_adjudication(sheet),
        _describe_publication(sheet),
    ]
    return [replace(section, tables=[table for table in section.tables if table.rows]) for section in sections]


def as_file(sheet: Datasheet) -> str:
    """Return the datasheet as a file of Markdown."""
    return write_markdown(sheet.project.title, build_sections(sheet))


def _describe(request: AnalysisRequest) -> Datasheet:
    """Return the datasheet that is asked for, with training and gold for those who decide what is gold."""
    sees_gold = may(request.project, Right.ADJUDICATE)
    return describe_project(request.project, request.project_answers, request.parameters, sees_gold=sees_gold)


@register
class DatasheetPage(ResultPage[Datasheet]):
    """What a paper says of the corpus: texts, coders, rounds, agreement, adjudication, licence. Nobody is named."""

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
        "markdown": FileForm(lambda asked: as_file(_describe(asked)).encode(), "text/markdown; charset=utf-8", "md")
    }

    def compute(self, request: AnalysisRequest) -> Datasheet:
        return _describe(request)

    def tables(self, request: AnalysisRequest, report: Datasheet) -> list[Table]:
        return [table for section in build_sections(report) for table in section.tables]

    def show(self, request: AnalysisRequest) -> PageSections:
        sections = build_sections(self.compute(request))
        return PageSections([table for one in sections for table in one.tables], context={"sections": sections})


def _describe_corpus(sheet: Datasheet) -> Section:
    """Return what the corpus is, and what its coders were asked."""
    project, languages = (
        sheet.project,
        [f"{one.language} ({pluralize(one.n_texts, 'text')})" for one in sheet.languages],
    )
    work = f"{day(sheet.first_work_on)} to {day(sheet.last_work_on)}" if sheet.first_work_on else "none yet"
    guidelines = f"version {sheet.guidelines_version}, of {day(sheet.guidelines_saved_on)}"
    facts = [
        ("Languages", _name_first(languages) or "no texts yet"),
        ("Answers", f"{project.get_answers_display()}"),
        ("Scheme", f"version {project.scheme_version}"),
        ("Guidelines", guidelines if sheet.guidelines_version else "none"),
        ("Work of coders", work),
        ("Project made on", day(sheet.created_on)),
        *([("Archived on", day(sheet.archived_on))] if sheet.archived_on else []),
    ]
    to_write = [
        *([] if project.description else ["What the corpus is, and what it was made for."]),
        "Who made the corpus, on whose behalf, and who paid for it.",
    ]
    return Section("corpus", "Corpus", project.description, facts, _scheme_tables(sheet), to_write=to_write)


def _name_first(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])


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
        Table.of("relations", "Relations", relations, [one for one in spec.relations if not one.identity]),
        Table.of("attributes", "Attributes", attributes, spec.attributes),
    ]


def _label(spec: CategorySpec | RelationSpec | AttributeSpec | ValueSpec) -> str:
    return f"{spec.label} (no longer offered)" if spec.retired else spec.label


def _describe_texts(sheet: Datasheet) -> Section:
    """Return how much text there is, and where it is from."""
    project = sheet.project
    facts = [
        ("Texts", number(sheet.n_texts)),
        ("Words", f"{number(sheet.n_words)} (what white space separates)"),
        ("Characters", number(sheet.n_characters)),
    ]
    if project.answers == Project.Answers.SCUS:
        peers = sheet.corpus.roles.get(Text.Role.PEER)
        facts += [
            ("Docsets", number(len(sheet.docsets))),
            ("Model summaries", number(sum(one.n_summaries for one in sheet.docsets))),
            ("Peer summaries", number(peers.texts if peers else 0)),
        ]
    else:
        kinds = dict(Segment.Kind.choices)
        segments = [count_nouns(n, kinds.get(kind, kind)) for kind, n in sheet.segments.items()]
        facts.append(("Segments", ", ".join(segments) or "none"))
    columns = [
        Column("level", "Level"),
        Column("given", "With the texts", "count", explanation="datasheet-given", cell="n_given"),
        Column("marked", "Marked by coders", "count", explanation="datasheet-marked", cell="n_marked"),
    ]
    to_write = [
        *([] if project.source else ["Where the texts are from, and how they were chosen."]),
        "Who wrote or spoke the texts, when, for whom and on which occasion; their genres and varieties.",
        "What was left out, changed or made anonymous; personal data, and the consent of those concerned.",
    ]
    tables = [Table.of("markables", "Markables", columns, sheet.markables)]
    facts.append(("Source", project.source or NOT_GIVEN))
    return Section("texts", "Texts", facts=facts, tables=tables, to_write=to_write)


def _describe_publication(sheet: Datasheet) -> Section:
    """Return licence, citation and contact, the formats, and what computed the figures."""
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
    formats = Table(
        "formats", "Formats for export", columns, list(zip(sheet.format_labels, sheet.formats, strict=True))
    )
    to_write = [
        *([] if project.licence else ["Under which licence texts and annotation can be used."]),
        *([] if project.citation else ["What to cite."]),
        *([] if project.contact else ["Whom to ask."]),
        "What the corpus is fit for, what it should not be used for, and its known limits.",
        "Where it can be had, who maintains it, and how errors are reported.",
    ]
    return Section("publication", "Publication", facts=facts, tables=[formats], to_write=to_write)
