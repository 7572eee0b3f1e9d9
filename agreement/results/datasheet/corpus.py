"""What the corpus is: its description, scheme and texts, and what belongs to its publication."""

from __future__ import annotations

from agreement.measures.results import pluralize
from agreement.reports.datasheet.report import Datasheet
from agreement.results.datasheet.section import NOT_GIVEN, Section, count_nouns, day, number
from agreement.results.tables import Column, Table
from annotations.formats.model.scheme import AttributeSpec, CategorySpec, RelationSpec, ValueSpec
from annotations.models import Project, Segment, Text
from annotations.schemes.design.wording import SchemeWording

# So many languages and values are named; the others are counted.
MOST_NAMED = 20


def describe_corpus(sheet: Datasheet) -> Section:
    """Return what the corpus is, and what its coders were asked."""
    project, corpus = sheet.project, sheet.corpus
    version, saved_on = corpus.guidelines or (0, None)
    first, last = corpus.work or (None, None)
    facts = [
        ("Languages", _list_languages(sheet)),
        ("Answers", f"{project.get_answers_display()}"),
        ("Scheme", f"version {project.scheme_version}"),
        ("Guidelines", f"version {version}, of {day(saved_on)}" if version else "none"),
        ("Work of coders", f"{day(first)} to {day(last)}" if first else "none yet"),
        ("Project made on", day(sheet.created_on)),
    ]
    if sheet.archived_on:
        facts.append(("Archived on", day(sheet.archived_on)))
    return Section(
        "corpus",
        "Corpus",
        project.description,
        facts,
        _scheme_tables(sheet),
        to_write=[
            *([] if project.description else ["What the corpus is, and what it was made for."]),
            "Who made the corpus, on whose behalf, and who paid for it.",
        ],
    )


def _list_languages(sheet: Datasheet) -> str:
    languages = list(sheet.corpus.languages.items())
    if not languages:
        return "no texts yet"
    named = [f"{language} ({pluralize(size.texts, 'text')})" for language, size in languages[:MOST_NAMED]]
    more = [f"{len(languages) - MOST_NAMED} more"] if len(languages) > MOST_NAMED else []
    return ", ".join([*named, *more])


def _scheme_tables(sheet: Datasheet) -> list[Table]:
    spec, words = sheet.spec, SchemeWording(sheet.spec)
    asked = Column("asked", "Asked", explanation="asked-if", cell=words.asked)
    meaning = Column("help", "Meaning", explanation="datasheet-help")
    categories = Table.of(
        "categories",
        "Categories",
        [
            Column("category", "Category", cell=_label),
            Column("level", "Level", cell=lambda row: words.levels([row.level] if row.level else [])),
            Column(
                "asks",
                "Asks for",
                explanation="category-asks",
                cell=lambda row: words.antecedents(row) or ("an index" if row.takes_index else "nothing more"),
            ),
            meaning,
        ],
        spec.categories,
    )
    relations = Table.of(
        "relations",
        "Relations",
        [
            Column("relation", "Relation", explanation="scheme-relation", cell=_label),
            Column("targets", "Points to", explanation="datasheet-targets", cell=words.targets),
            asked,
            meaning,
        ],
        [one for one in spec.relations if not one.identity],
    )
    attributes = Table.of(
        "attributes",
        "Attributes",
        [
            Column("attribute", "Attribute", explanation="scheme-attribute", cell=_label),
            Column("of", "Asked of", explanation="asked-of", cell=words.subject),
            asked,
            Column("answer", "Answer", explanation="datasheet-answer", cell=lambda row: _describe_answer(row, words)),
            meaning,
        ],
        spec.attributes,
    )
    return [table for table in (categories, relations, attributes) if table.rows]


def _label(spec: CategorySpec | RelationSpec | AttributeSpec | ValueSpec) -> str:
    return f"{spec.label} (no longer offered)" if spec.retired else spec.label


def _describe_answer(attribute: AttributeSpec, words: SchemeWording) -> str:
    labels = list(map(_label, attribute.values))
    named = [*labels[:MOST_NAMED], *([f"{len(labels) - MOST_NAMED} more"] if len(labels) > MOST_NAMED else [])]
    return f"{words.answer(attribute)}{': ' if named else ''}{', '.join(named)}"


def describe_texts(sheet: Datasheet) -> Section:
    """Return how much text there is, and where it is from."""
    project, corpus = sheet.project, sheet.corpus
    size = corpus.size
    facts = [
        ("Texts", number(size.texts)),
        ("Words", f"{number(size.words)} (what white space separates)"),
        ("Characters", number(size.characters)),
    ]
    if project.answers == Project.Answers.SCUS:
        roles = corpus.roles
        facts += [
            ("Docsets", number(len(sheet.docsets))),
            ("Model summaries", number(sum(one.n_summaries for one in sheet.docsets))),
            ("Peer summaries", number(roles[Text.Role.PEER].texts if Text.Role.PEER in roles else 0)),
        ]
    else:
        kinds = dict(Segment.Kind.choices)
        segments = [count_nouns(n, kinds.get(kind, kind)) for kind, n in corpus.segments.items()]
        facts.append(("Segments", ", ".join(segments) or "none"))
    markables = Table.of(
        "markables",
        "Markables",
        [
            Column("level", "Level"),
            Column("given", "With the texts", "count", explanation="datasheet-given"),
            Column("marked", "Marked by coders", "count", explanation="datasheet-marked"),
        ],
        corpus.markables,
    )
    return Section(
        "texts",
        "Texts",
        facts=[*facts, ("Source", project.source or NOT_GIVEN)],
        tables=[table for table in (markables,) if table.rows],
        to_write=[
            *([] if project.source else ["Where the texts are from, and how they were chosen."]),
            "Who wrote or spoke the texts, when, for whom and on which occasion; their genres and varieties.",
            "What was left out, changed or made anonymous; personal data, and the consent of those concerned.",
        ],
    )


def describe_publication(sheet: Datasheet) -> Section:
    """Return licence, citation and contact, the formats, and what computed the figures."""
    project = sheet.project
    formats = Table(
        "formats",
        "Formats for export",
        [
            Column("format", "Format", explanation="transfer-format"),
            Column("key", "Name in commands and the API", explanation="datasheet-format-key"),
        ],
        list(zip(sheet.format_labels, sheet.formats, strict=True)),
    )
    return Section(
        "publication",
        "Publication",
        facts=[
            ("Licence", project.licence or NOT_GIVEN),
            ("Citation", project.citation or NOT_GIVEN),
            ("Contact", project.contact or NOT_GIVEN),
            ("Computed with", sheet.program),
            ("Fingerprint of the answers", sheet.fingerprint),
        ],
        tables=[formats],
        to_write=[
            *([] if project.licence else ["Under which licence texts and annotation can be used."]),
            *([] if project.citation else ["What to cite."]),
            *([] if project.contact else ["Whom to ask."]),
            "What the corpus is fit for, what it should not be used for, and its known limits.",
            "Where it can be had, who maintains it, and how errors are reported.",
        ],
    )
