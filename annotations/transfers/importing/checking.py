"""What stands in the files, checked against the project. Nothing is written here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import cast

from django.core.exceptions import ValidationError
from django.utils.text import slugify

from annotations.decisions import Decision, Refused, Rules
from annotations.formats import Answer, Document, FormatError, Links, Mark, Place
from annotations.formats.document import Parts
from annotations.formats.links import by_indices, by_pointers
from annotations.formats.scheme import CategorySpec, LevelSpec, SchemeSpec
from annotations.importing.sources import Coded
from annotations.marking import BadMark, check_parts, key_of
from annotations.models import Category, Level, Markable, Project, Text
from annotations.models.text import TEXT_SLUG_LENGTH

LANGUAGE, DIRECTION = "en", "ltr"
LONGEST_KEY = 500


@dataclass(frozen=True, slots=True)
class Scheme:
    """The scheme of a project, read once for an import."""

    answers: str
    levels: dict[str, Level]
    categories: dict[str, Category]
    spec: SchemeSpec

    @classmethod
    def of(cls, project: Project) -> Scheme:
        levels = {level.key: level for level in project.levels.all()}
        categories = {category.key: category for category in project.categories.select_related("points_to")}
        return cls(project.answers, levels, categories, spec_of(levels.values(), categories.values()))


def spec_of(levels: Iterable[Level], categories: Iterable[Category]) -> SchemeSpec:
    """The scheme as files hold it."""
    return SchemeSpec(
        tuple(LevelSpec(level.key, level.label, level.coded) for level in levels),
        tuple(
            CategorySpec(
                category.key,
                category.label,
                category.points_to.key if category.points_to else "",
                category.max_pointers,
                category.allow_later,
                category.takes_index,
                category.takes_optional,
            )
            for category in categories
        ),
    )


@dataclass(slots=True)
class NewMarkable:
    """A markable that files bring, before it has a row. (Many times faster made than one of the ORM.)"""

    level: Level
    key: str
    parts: Parts
    start: int
    end: int
    label: str = ""
    head: Parts = ()
    predefined: bool = False
    pk: int | None = None

    @property
    def level_id(self) -> int:
        return self.level.pk


@dataclass(slots=True)
class Known:
    """The markables of a text, there already or new, by key; and keys and levels by what files say of them."""

    markables: dict[str, Markable | NewMarkable] = field(default_factory=dict)
    places: dict[tuple[str, Parts], tuple[str, Level]] = field(default_factory=dict)


@dataclass(slots=True)
class Checked:
    """A document that can be imported: its marks as markables, those given to all, and its answers as decisions."""

    coded: Coded
    markables: dict[str, Markable | NewMarkable]
    given: dict[str, Mark]
    decisions: list[Decision] = field(default_factory=list)


def slugged(document: Document) -> str:
    return slugify(document.name, allow_unicode=False)[:TEXT_SLUG_LENGTH].strip("-_")


def slug_of(document: Document) -> str:
    """The address of the document's text. Raises FormatError where its name gives none."""
    slug = slugged(document)
    if not slug:
        raise FormatError(f"no address can be made of the name {document.name!r}", document.file)
    return slug


def new_text(project: Project, slug: str, document: Document) -> Text:
    """The unsaved text of the document. Raises FormatError where a field does not fit."""
    text = Text(
        project=project,
        slug=slug,
        title=document.title or document.name,
        content=document.content,
        language=document.language or LANGUAGE,
        direction=document.direction or DIRECTION,
    )
    try:
        # Whether the slug is free is known already; asking again would be a query a text.
        text.full_clean(exclude=["project"], validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        raise FormatError(" ".join(error.messages), document.file) from error
    return text


def with_content(document: Document, text: Text | None) -> Document:
    """A document whose file holds no text, with the content of the project's. Raises FormatError where that lacks."""
    if text is None:
        lines = [mark.line for mark in document.marks if mark.line is not None]
        message = f"the project has no text {document.name[:TEXT_SLUG_LENGTH]!r}; import it first"
        raise FormatError(message, document.file, min(lines, default=None))
    return replace(document, content=text.content, bare=False)


def refuse_other_text(content: str, where: str, document: Document) -> None:
    """Raise FormatError naming the first word in which the document differs from the content."""
    if content == document.content:
        return
    words, others = content.split(), document.content.split()
    for number, (word, other) in enumerate(zip_longest(words, others), start=1):
        if word != other:
            here = f"{other!r}" if other is not None else "the end"
            there = f"{word!r}" if word is not None else "the end"
            raise FormatError(
                f"the text differs from {where}: word {number} is {here} here, {there} there", document.file
            )
    lines = zip_longest(content.split("\n"), document.content.split("\n"), fillvalue="")
    line = next(number for number, (one, other) in enumerate(lines, start=1) if one != other)
    raise FormatError(f"the text differs from {where}: white space of its line {line}", document.file)


def check(coded: Coded, scheme: Scheme, known: Known, predefined: bool) -> Checked:
    """The document's markables, those known already or new ones, and its decisions. Raises FormatError.

    known: the markables of its text, which the new ones join. predefined: its markables are given to every coder.
    """
    document = coded.document
    if coded.coder is not None:
        document = _linked_as_asked(document, scheme)
    placed = dict(_placed(document, scheme, known))
    given = {key: mark for key, (mark, level) in placed.items() if predefined or coded.coder is None or not level.coded}
    markables = {}
    for key, (mark, level) in placed.items():
        if key not in known.markables:
            known.markables[key] = NewMarkable(level, key, mark.parts, mark.parts[0][0], mark.parts[-1][1])
        markables[key] = known.markables[key]
    checked = Checked(coded, markables, given)
    if coded.coder is not None:
        checked.decisions = list(_decisions(document, placed, checked, scheme))
    return checked


def _linked_as_asked(document: Document, scheme: Scheme) -> Document:
    """The document with its links said as the scheme asks for them."""
    if document.links == Links.NONE or document.links == scheme.answers:
        return document
    if scheme.answers == Project.Answers.CATEGORIES:
        raise FormatError(
            "this file says which markables go together; the scheme asks for categories alone", document.file
        )
    linked = by_pointers(document) if scheme.answers == Project.Answers.POINTERS else by_indices(document)
    # Categories of the other kind of scheme say how, not what; here they follow from the links.
    marks = [replace(mark, answer=replace(mark.answer, category="")) if mark.answer else mark for mark in linked.marks]
    return replace(linked, marks=marks)


def _placed(document: Document, scheme: Scheme, known: Known) -> Iterator[tuple[str, tuple[Mark, Level]]]:
    """The marks with their levels, by key. Raises FormatError on a level the scheme lacks and on bad parts."""
    for mark in document.marks:
        place = (mark.level, mark.parts)
        # Most coders of a text speak of the same places.
        if place not in known.places:
            known.places[place] = _place(document, mark, scheme)
        key, level = known.places[place]
        yield key, (mark, level)


def _place(document: Document, mark: Mark, scheme: Scheme) -> tuple[str, Level]:
    """The key of the markable, and its level."""
    level = scheme.levels.get(mark.level or scheme.spec.main_level)
    if level is None:
        raise FormatError(f"the scheme has no level {mark.level!r}", document.file, mark.line)
    key = key_of(level.key, mark.parts)
    if len(key) > LONGEST_KEY:
        raise FormatError(f"a markable of {len(mark.parts)} parts is too much", document.file, mark.line)
    try:
        check_parts(mark.parts, len(document.content))
    except BadMark as error:
        raise FormatError(str(error), document.file, mark.line) from None
    return key, level


def _decisions(
    document: Document, placed: dict[str, tuple[Mark, Level]], checked: Checked, scheme: Scheme
) -> Iterator[Decision]:
    # To the rules a markable that is not saved yet is as good as one that is.
    rules = Rules(scheme.answers, scheme.categories, cast("dict[str, Markable]", checked.markables))
    keys = {mark.place: key for key, (mark, _) in placed.items()} if document.links != Links.INDICES else {}
    for key, (mark, level) in placed.items():
        if not level.coded:
            continue
        decision = _decision(document, mark, key, keys, scheme)
        # A head that the markable has for all is not the coder's own.
        if decision.head and (key in checked.given or _is_head_of(checked.markables[key], decision)):
            decision = replace(decision, head=())
        try:
            rules.check(decision)
        except Refused as refused:
            raise FormatError(str(refused), document.file, mark.line) from None
        yield decision


def _is_head_of(markable: Markable | NewMarkable, decision: Decision) -> bool:
    return [tuple(part) for part in markable.head] == list(decision.head)


def _decision(document: Document, mark: Mark, key: str, keys: dict[Place, str], scheme: Scheme) -> Decision:
    if mark.answer is None:
        return Decision(key, head=mark.head)  # it stays the coder's own without an answer
    answer = mark.answer
    if answer.pointers and any(target not in keys for target in answer.pointers):
        raise FormatError(f"{key} points to what is not marked", document.file, mark.line)
    return Decision(
        key,
        answer.category or _implied(document, mark, answer, scheme),
        tuple(keys[target] for target in answer.pointers),
        answer.indices,
        answer.note,
        answer.name,
        mark.head,
        answer.unsure,
        answer.optional,
    )


def _implied(document: Document, mark: Mark, answer: Answer, scheme: Scheme) -> str:
    category = scheme.spec.implied(answer)
    if not category:
        raise FormatError("the file names no category, and the scheme has none that follows", document.file, mark.line)
    return category


def without_doubles(documents: Sequence[Coded]) -> None:
    """Raise FormatError where the last of the documents of one text has another's name or coder."""
    *others, last = documents
    for other in others:
        if other.document.name != last.document.name:
            raise FormatError(
                f"the name {last.document.name!r} gives the same address as {other.document.name!r} "
                f"({other.document.file})",
                last.document.file,
            )
        if other.coder == last.coder:
            who = f"coded by {last.coder} " if last.coder else ""
            raise FormatError(f"{last.document.name} {who}stands in {other.document.file} too", last.document.file)
