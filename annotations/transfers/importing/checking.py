"""Check documents against the project. Nothing is written here."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, cast

from django.core.exceptions import ValidationError

from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.log.payloads import parse_attributes
from annotations.coding.markables.markables import InvalidMarkable, check_parts
from annotations.coding.readings import Readings as KeyReadings
from annotations.coding.rules import Rules
from annotations.core.text import pluralize
from annotations.formats import Answer, Document, Finding, FormatError, Links, Mark, Place
from annotations.formats.model.alignment import skeleton_of
from annotations.formats.model.answers import KeysByName, parse_value
from annotations.formats.model.document import Parts, Readings
from annotations.formats.model.keys import markable_key
from annotations.formats.model.links import (
    SPLIT,
    implied_category,
    index_places,
    indices_to_pointers,
    indices_to_split,
    pointers_to_indices,
    split_to_indices,
    unlinked_places,
)
from annotations.formats.model.scheme import AnswerKind, AnswerValue, SchemeSpec
from annotations.models import Level, Markable, Project, Text
from annotations.models.text import TEXT_SLUG_LENGTH
from annotations.schemes.constraints import Constraints, categories_on, constraints_of, missing_attributes
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.schemes.naming import Naming

LANGUAGE = "en"
# Unicode's classes of letters from left to right, and from right to left in Hebrew and in Arabic.
STRONG = ("L", "R", "AL")
MAX_KEY_LENGTH = 500
TITLE_LENGTH = Text._meta.get_field("title").max_length or 0
# A text of these characters alone comes from the wrong column of a table.
PLACEHOLDERS = re.compile(r"[\s_*-]*")
MAX_SHOWN_LENGTH = 40
MAX_REASONS = 3
# Codes of refusals of relations and attributes.
REFUSED_QUESTIONS = (
    "unknown_relation",
    "relation_not_here",
    "relation_not_asked",
    "attribute_not_here",
    "attribute_not_asked",
    "bad_value",
    "unknown_value",
    "double_value",
    "text_too_long",
)
WAY_OUT = "question=NAME:HERE says what an attribute or relation of the files is here, question=NAME: leaves it out"


@dataclass(frozen=True, slots=True)
class ImportScheme:
    """The scheme of a project, read once for an import."""

    answers: str
    levels: dict[str, Level]
    spec: SchemeSpec
    constraints: Constraints

    @classmethod
    def from_project(cls, project: Project) -> Self:
        scheme = read_scheme(project.pk)
        return cls(project.answers, {level.key: level for level in scheme.levels}, scheme.spec, scheme.constraints)

    @classmethod
    def from_files(cls, project: Project, spec: SchemeSpec, answers: str) -> Self:
        """Return the scheme of the files, which the project does not have yet, so its levels have no rows."""
        levels = {
            level.key: Level(project=project, key=level.key, label=level.label, coded=level.coded)
            for level in spec.levels
        }
        return cls(answers, levels, spec, constraints_of(spec))

    @property
    def relations(self) -> list[str]:
        """The keys of the relations other than identity."""
        return [relation.key for relation in self.spec.relations if not relation.identity]

    @property
    def questions(self) -> Collection[str]:
        """The keys of the attributes, and of the relations other than identity."""
        return [*self.relations, *self.constraints["attributes"]]


@dataclass(slots=True)
class NewMarkable:
    """A markable of a file without a row, much faster to create than a model instance."""

    level: Level
    key: str
    parts: Parts
    start: int
    end: int
    label: str = ""
    head: Parts = ()
    predefined: bool = False
    pk: int | None = None


@dataclass(slots=True)
class KnownMarkables:
    """The existing and new markables of a text by key, and the key and level of each place in the files."""

    markables: dict[str, Markable | NewMarkable] = field(default_factory=dict)
    places: dict[tuple[str, Parts], tuple[str, Level]] = field(default_factory=dict)


@dataclass(slots=True)
class CheckedDocument:
    """A document that can be imported, with its markables, its predefined markables and its decisions."""

    source: SourceDocument
    markables: dict[str, Markable | NewMarkable]
    predefined: dict[str, Mark]
    decisions: list[Decision] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def fit_title(document: Document) -> Document:
    """Return the document with a title that can be stored, and a finding if the title is cut."""
    title = document.title or document.name
    if len(title) <= TITLE_LENGTH:
        return document
    message = f"its title has {len(title)} characters: “{title[:MAX_SHOWN_LENGTH]}…”"
    finding = Finding("long-title", message, document.file, fix=f"cut after {TITLE_LENGTH - 1}")
    return replace(document, title=f"{title[: TITLE_LENGTH - 1]}…", findings=[*document.findings, finding])


def refuse_placeholders(document: Document, naming: Naming) -> None:
    """Raise FormatError if the text has only characters that tables use for empty cells."""
    if PLACEHOLDERS.fullmatch(document.content):
        shown = " ".join(document.content[:MAX_SHOWN_LENGTH].split())
        way = f"; say where with {naming.ways['words']}" if "words" in naming.ways else ""
        raise FormatError(f"its text would be {shown!r}: its words stand elsewhere in the file{way}", document.file)


def order_copies(copies: Sequence[SourceDocument], naming: Naming, levels: Collection[str]) -> list[SourceDocument]:
    """Return the copies of a new text. The first coded copy, which gives the text its words, comes first.

    A longer coded copy that continues it takes its place. The copies without a coding are last.
    """
    coded = [copy for copy in copies if naming.keeps_answers(copy.document, levels)]
    chosen = coded[0] if coded else copies[0]
    for copy in coded[1:]:
        if copy.document.content != chosen.document.content:
            longer, shorter = (skeleton_of(copied.document.content).characters for copied in (copy, chosen))
            chosen = copy if len(longer) > len(shorter) and longer.startswith(shorter) else chosen
    return sorted(copies, key=lambda copy: (copy is not chosen, not naming.keeps_answers(copy.document, levels)))


def check_empty(source: SourceDocument, naming: Naming, *, file_coded: bool, text_coded: bool) -> list[Finding]:
    """Return a finding if a coder's document has no answer. Raise FormatError unless it counts as an empty coding.

    It counts if its coder coded another document of the file, or another coder the text; then the files are understood.
    """
    document = source.document
    if source.coder is None or any(mark.answer for mark in document.marks):
        return []
    reasons = [finding.message for finding in document.findings if finding.left_out]
    if document.coder or naming.takes_empty or file_coded or (text_coded and not reasons):
        return [Finding("nothing-coded", f"no markable is coded in {document.name}", document.file)]
    message = f"nothing is coded in it, of {pluralize(len(document.marks), 'markable')}"
    message += f" ({'; '.join(reasons[:MAX_REASONS])})" if reasons else ""
    ways = f"if {source.coder} has coded nothing, say that a file in which nothing is coded is a coding (empty=take)"
    raise FormatError(f"{message}; {ways}; if it is only a text, import texts only (--texts-only)", document.file)


def direction_of(content: str) -> str:
    """Return the direction of the first letter that has one."""
    kinds = map(unicodedata.bidirectional, content)
    return "rtl" if next((kind for kind in kinds if kind in STRONG), "L") != "L" else "ltr"


def new_text(project: Project, slug: str, document: Document, language: str = "") -> Text:
    """Return an unsaved text; `language` applies if the document names none. Raise FormatError on an invalid field."""
    text = Text(
        project=project,
        slug=slug,
        title=document.title or document.name,
        content=document.content,
        language=document.language or language or LANGUAGE,
        direction=document.direction or direction_of(document.content),
    )
    try:
        # The slug is checked already; another check would take a query for each text.
        text.full_clean(exclude=["project"], validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        fields = (f"{name}: {' '.join(messages)}" for name, messages in error.message_dict.items())
        raise FormatError("; ".join(fields), document.file) from error
    return text


def with_content(document: Document, text: Text | None) -> Document:
    """Return a document without text with the text of the project. Raise FormatError if there is none."""
    if text is None:
        lines = [mark.line for mark in document.marks if mark.line is not None]
        message = f"the project has no text {document.name[:TEXT_SLUG_LENGTH]!r}; import it first"
        raise FormatError(message, document.file, min(lines, default=None))
    return replace(document, content=text.content, without_text=False)


def check(
    source: SourceDocument, scheme: ImportScheme, known_markables: KnownMarkables, predefined: bool, naming: Naming
) -> CheckedDocument:
    """Return the checked document, and add its new markables to the known ones. Raise FormatError."""
    document = source.document
    if source.coder is not None:
        document = _with_entities_of_one(_with_scheme_links(document, scheme), document.links, scheme)
    marks: dict[str, tuple[Mark, Level]] = {}
    for mark in document.marks:
        level_and_parts = (mark.level, mark.parts)
        # Most coders of a text mark the same places, so these are looked up once.
        if level_and_parts not in known_markables.places:
            known_markables.places[level_and_parts] = _key_and_level(document, mark, scheme, naming)
        key, level = known_markables.places[level_and_parts]
        marks[key] = (mark, level)
    predefined_marks = {
        key: mark for key, (mark, level) in marks.items() if predefined or source.coder is None or not level.coded
    }
    markables = {}
    for key, (mark, level) in marks.items():
        if key not in known_markables.markables:
            known_markables.markables[key] = NewMarkable(level, key, mark.parts, mark.parts[0][0], mark.parts[-1][1])
        markables[key] = known_markables.markables[key]
    checked = CheckedDocument(source, markables, predefined_marks)
    checked.findings += document.findings[len(source.document.findings) :]
    if source.coder is not None:
        checked.decisions = list(_decisions(document, marks, checked, scheme, naming))
    return checked


def _with_scheme_links(document: Document, scheme: ImportScheme) -> Document:
    if document.links == Links.INDICES == scheme.answers:
        return indices_to_split(document) if SPLIT in scheme.relations else split_to_indices(document)
    if document.links == Links.NONE or document.links == scheme.answers:
        return document
    if scheme.answers == Project.Answers.CATEGORIES:
        raise FormatError("this file has coreference chains; the scheme asks for categories only", document.file)
    if scheme.answers == Project.Answers.POINTERS:
        linked = _with_allowed_readings(indices_to_pointers(indices_to_split(document)), scheme)
    else:
        linked = pointers_to_indices(document)
        linked = linked if SPLIT in scheme.relations else split_to_indices(linked)
    # Categories of the other kind of scheme name the kind of link; here they follow from the links. An unlinked
    # markable keeps a category that takes no links here either.
    unlinked = unlinked_places(linked)
    plain = {category.key for category in scheme.spec.categories if not category.takes_index and not category.points_to}
    marks = [
        mark.with_answer(replace(mark.answer, category=""))
        if mark.answer and not (mark.place in unlinked and mark.answer.category in plain)
        else mark
        for mark in linked.marks
    ]
    return replace(linked, marks=marks)


def _with_entities_of_one(document: Document, links: Links, scheme: ImportScheme) -> Document:
    """Return the document with a finding on unlinked markables, which become entities if the scheme has entities."""
    # A file of entities already shows which markables are entities of one.
    of_entities = links == Links.INDICES and scheme.answers == Project.Answers.INDICES
    if of_entities or scheme.answers == Project.Answers.CATEGORIES:
        return document
    unlinked = unlinked_places(document)
    alone = {
        mark.place: mark.line
        for mark in document.marks
        if mark.place in unlinked and not (mark.answer and mark.answer.category) and _asks_links(mark, scheme)
    }
    if not alone:
        return document
    if scheme.answers == Project.Answers.INDICES:
        fix = "each is an entity of one"
        document = index_places(document, alone)
    else:
        fix = f"each gets the category {implied_category(Answer(), scheme.spec)!r}"
    say = "markable is" if len(alone) == 1 else "markables are"
    finding = Finding(
        "unlinked", f"{len(alone)} {say} linked with nothing", document.file, next(iter(alone.values())), fix
    )
    return replace(document, findings=[*document.findings, finding])


def _asks_links(mark: Mark, scheme: ImportScheme) -> bool:
    """Return whether the scheme asks for links on the level of the markable."""
    level = mark.level or scheme.spec.main_level
    offered = [scheme.constraints["categories"][key] for key in categories_on(scheme.constraints, level)]
    if scheme.answers == Project.Answers.INDICES:
        return any(category["takes_index"] for category in offered)
    return any(category["identity"] for category in offered)


def _with_allowed_readings(document: Document, scheme: ImportScheme) -> Document:
    """Return the document with alternatives for joint antecedents that the scheme forbids, and a finding."""

    def allows(answer: Answer) -> bool:
        relation = scheme.spec.identity_relation(implied_category(answer, scheme.spec))
        return relation is None or relation.joint

    refused = [mark for mark in document.marks if mark.answer and mark.answer.readings and not allows(mark.answer)]
    if not refused:
        return document
    places = {mark.place for mark in refused}
    marks = [
        mark.with_answer(mark.answer.with_links(mark.answer.category, mark.answer.pointers, ()))
        if mark.answer and mark.place in places
        else mark
        for mark in document.marks
    ]
    message = f"{pluralize(len(refused), 'markable')} with several antecedents that are meant together"
    fix = "read as alternatives, since the scheme takes none together"
    finding = Finding("not-joint", message, document.file, refused[0].line, fix)
    return replace(document, marks=marks, findings=[*document.findings, finding])


def _key_and_level(document: Document, mark: Mark, scheme: ImportScheme, naming: Naming) -> tuple[str, Level]:
    """Return the key and level of the markable. Raise FormatError on an unknown level or invalid parts."""
    level = scheme.levels.get(mark.level or scheme.spec.main_level)
    if level is None:
        raise FormatError(naming.unknown_level(mark.level, scheme.levels), document.file, mark.line)
    key = markable_key(level.key, mark.parts)
    if len(key) > MAX_KEY_LENGTH:
        raise FormatError(f"a markable of {len(mark.parts)} parts is too much", document.file, mark.line)
    try:
        check_parts(mark.parts, len(document.content))
    except InvalidMarkable as error:
        raise FormatError(str(error), document.file, mark.line) from None
    return key, level


def _decisions(
    document: Document,
    marks: dict[str, tuple[Mark, Level]],
    checked: CheckedDocument,
    scheme: ImportScheme,
    naming: Naming,
) -> Iterator[Decision]:
    # The rules treat unsaved markables like saved ones.
    rules = Rules(scheme.answers, scheme.constraints, cast("dict[str, Markable]", checked.markables))
    categorised = {key for key in scheme.levels if categories_on(scheme.constraints, key)}
    pointing = document.links != Links.INDICES or any(mark.answer and mark.answer.relations for mark in document.marks)
    keys = {mark.place: key for key, (mark, _) in marks.items()} if pointing else {}
    required = any(attribute["required"] for attribute in scheme.constraints["attributes"].values())
    missing: Counter[str] = Counter()
    for key, (mark, level) in marks.items():
        if not level.coded:
            continue
        if mark.answer and mark.answer.category and mark.answer.category not in scheme.constraints["categories"]:
            message = naming.unknown_category(mark.answer.category, scheme.constraints["categories"])
            raise FormatError(message, document.file, mark.line)
        decision = _decision(document, mark, key, keys, scheme, asks_category=level.key in categorised)
        # A head that the markable has for every coder is not stored with the decision.
        if decision.head and (
            key in checked.predefined or tuple(map(tuple, checked.markables[key].head)) == decision.head
        ):
            decision = replace(decision, head=())
        try:
            rules.check(decision)
        except OperationRejected as rejection:
            way = f" {WAY_OUT}." if rejection.code in REFUSED_QUESTIONS else ""
            raise FormatError(f"{rejection}{way}", document.file, mark.line) from None
        if required and mark.answer:
            missing.update(missing_attributes(scheme.constraints, rules.given_answers(decision)))
        yield decision
    checked.findings += [
        Finding(
            "attribute-missing",
            f"{pluralize(number, 'markable')} without an answer to {attribute}, which the scheme requires",
            document.file,
        )
        for attribute, number in missing.items()
    ]


def _decision(
    document: Document, mark: Mark, key: str, keys: dict[Place, str], scheme: ImportScheme, *, asks_category: bool
) -> Decision:
    if mark.answer is None:
        return Decision(key, head=mark.head)  # without an answer it is still the coder's markable
    answer = mark.answer
    if (answer.pointers or answer.relations) and any(target not in keys for target in answer.targets()):
        raise FormatError(f"{key} points to what is not marked", document.file, mark.line)
    return Decision(
        key,
        category=answer.category or (_implied_category(document, mark, answer, scheme) if asks_category else None),
        pointers=_with_key_targets(answer.all_readings, keys) if answer.pointers else (),
        indices=answer.indices,
        head=mark.head,
        note=answer.note,
        name=answer.name,
        unsure=answer.unsure,
        optional=answer.optional,
        relations=tuple((name, _with_key_targets(readings, keys)) for name, readings in answer.relations),
        attributes=_attributes(document, mark, answer, scheme) if answer.attributes else (),
    )


def _with_key_targets(readings: Readings, keys: dict[Place, str]) -> KeyReadings:
    return tuple(tuple(keys[target] for target in reading) for reading in readings)


def _attributes(
    document: Document, mark: Mark, answer: Answer, scheme: ImportScheme
) -> tuple[tuple[str, AnswerValue], ...]:
    """Return the answers to attributes in the form of the scheme. Raise FormatError on another kind of answer."""
    answers: dict[str, object] = {}
    for key, value in answer.attributes:
        attribute = scheme.constraints["attributes"].get(key)
        if attribute is None:
            message = f"{key} is a relation, and the file has it as an attribute. {WAY_OUT}"
            raise FormatError(message, document.file, mark.line)
        if isinstance(value, str) and attribute["values"] and value not in attribute["values"]:
            value = KeysByName(attribute["values"]).find(value) or value  # unknown values stay
        try:
            parsed = parse_value(value, AnswerKind(attribute["kind"]))
        except ValueError:
            message = f"the answer to {key} is a number, not {str(value)[:MAX_SHOWN_LENGTH]!r}. {WAY_OUT}"
            raise FormatError(message, document.file, mark.line) from None
        answers[key] = list(parsed) if isinstance(parsed, tuple) else parsed
    try:
        return parse_attributes(answers)
    except OperationRejected as rejection:
        raise FormatError(f"{rejection} {WAY_OUT}", document.file, mark.line) from None


def _implied_category(document: Document, mark: Mark, answer: Answer, scheme: ImportScheme) -> str:
    category = implied_category(answer, scheme.spec)
    if not category:
        raise FormatError("the file names no category, and the scheme has none that follows", document.file, mark.line)
    return category


def refuse_equal_address(documents: Sequence[SourceDocument], document: Document) -> None:
    """Raise FormatError if earlier documents with the same slug have another name."""
    for other in documents:
        if other.document.name != document.name:
            raise FormatError(
                f"the name {document.name!r} gives the same address as {other.document.name!r} ({other.document.file})",
                document.file,
            )


def refuse_duplicates(documents: Sequence[SourceDocument]) -> None:
    """Raise FormatError if the last document of a text has the same coder as an earlier one."""
    *others, last = documents
    for other in others:
        if other.coder == last.coder:
            coder_text = f"coded by {last.coder} " if last.coder else ""
            raise FormatError(
                f"{last.document.name} {coder_text}stands in {other.document.file} too", last.document.file
            )
