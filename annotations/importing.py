"""Documents that a reader made of files -> rows. All of them or none.

Documents of equal name are one text, coded by different people. Markables of equal level and parts are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import PurePath

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from annotations import actions, operations
from annotations.decisions import Decision, Refused, Rules
from annotations.formats import READERS, Document, FormatError, Mark
from annotations.marking import key_of
from annotations.models import Coding, Level, Markable, Project, Segment, Text, User

LANGUAGE, DIRECTION = "en", "ltr"
LONGEST_KEY = 500
LONGEST_SLUG = 100


class ImportFailed(Exception):
    """What is wrong with the files, ready to be shown; nothing was imported."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it comes in: its name with its folders, and what it holds."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Coded:
    """A document and the name of its coder; None: it brings a text, not a coding."""

    document: Document
    coder: str | None


@dataclass(slots=True)
class Summary:
    """What an import did."""

    texts: int = 0
    markables: int = 0
    codings: int = 0
    judgements: int = 0
    warnings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        parts = [
            _number(self.texts, "new text"),
            _number(self.markables, "new markable"),
            _number(self.codings, "coding"),
            _number(self.judgements, "judgement"),
        ]
        return ", ".join(parts)


def read_sources(format_key: str, sources: Sequence[Source], coder_from: str) -> list[Coded]:
    """Read the files. `coder_from` says where a coder's name stands.

    parent: the folder that holds the file. name: the last dotted part before the suffix (`walk.anna.conll`).
    nobody: the files bring texts only. `=NAME`: all files are NAME's. Raises ImportFailed.
    """
    reader = READERS[format_key]
    coded = []
    for source in sources:
        try:
            documents = reader.read(source.data, source.name)
        except FormatError as error:
            raise ImportFailed(str(error)) from error
        name, coder = _coder(source.name, coder_from)
        for document in documents:
            stem = PurePath(source.name).stem
            # Parts of a file without names of their own are named after the file, here without its coder.
            renamed = name + document.name.removeprefix(stem) if document.name.startswith(stem) else document.name
            coded.append(Coded(_renamed(document, renamed), coder))
    return coded


def _coder(file: str, coder_from: str) -> tuple[str, str | None]:
    path = PurePath(file)
    if coder_from.startswith("="):
        return path.stem, coder_from[1:]
    if coder_from == "parent":
        if not path.parent.name:
            raise ImportFailed(f"{file}: the file lies in no folder, so no coder can be named after it")
        return path.stem, path.parent.name
    if coder_from == "name":
        name, dot, coder = path.stem.rpartition(".")
        if not dot or not name or not coder:
            raise ImportFailed(f"{file}: the name has no coder in it; it should be TEXT.CODER{path.suffix}")
        return name, coder
    return path.stem, None


def _renamed(document: Document, name: str) -> Document:
    return Document(
        name,
        document.file,
        document.content,
        document.marks,
        document.segments,
        document.title,
        document.language,
        document.direction,
    )


@transaction.atomic
def import_documents(
    project: Project,
    coded: Sequence[Coded],
    *,
    by: User | None = None,
    predefined: bool = False,
    create: bool = False,
) -> Summary:
    """Write the documents into the project. Raises ImportFailed, and then nothing is changed.

    by: who imports; None: each coder for themself (command line). predefined: the markables of these files are
    given with the texts, so every coder sees them. create: make coders that lack.
    """
    levels = {level.key: level for level in project.levels.all()}
    default_level = next((level for level in levels.values() if level.coded), None)
    if default_level is None:
        raise ImportFailed(f"The scheme of {project.slug} has no level that is coded.")
    summary = Summary()
    coders = _coders(project, coded, create)
    for slug, documents in _by_text(coded).items():
        text = _text(project, slug, [entry.document for entry in documents], summary)
        placed = [(entry, _place(entry.document, levels, default_level)) for entry in documents]
        markables = _markables(text, placed, predefined, summary)
        for entry, keys in placed:
            if entry.coder is not None:
                coder = coders[entry.coder]
                _import_coding(project, text, coder, by or coder, entry.document, keys, markables, summary)
    return summary


def _coders(project: Project, coded: Iterable[Coded], create: bool) -> dict[str, User]:
    coders = {}
    for name in sorted({entry.coder for entry in coded if entry.coder is not None}):
        try:
            coders[name] = actions.coder_of(project, name, create=create)
        except ValidationError as error:
            raise ImportFailed(f"coder {name!r}: {' '.join(error.messages)}") from error
    return coders


def _by_text(coded: Iterable[Coded]) -> dict[str, list[Coded]]:
    """The documents by the slug of their text. Raises ImportFailed on names or coders that collide."""
    texts: dict[str, list[Coded]] = {}
    for entry in coded:
        slug = slugify(entry.document.name, allow_unicode=False)[:LONGEST_SLUG].strip("-_")
        if not slug:
            raise ImportFailed(f"{entry.document.file}: no address can be made of the name {entry.document.name!r}")
        others = texts.setdefault(slug, [])
        for other in others:
            if other.document.name != entry.document.name:
                raise ImportFailed(
                    f"{entry.document.file}: the name {entry.document.name!r} gives the same address as "
                    f"{other.document.name!r} ({other.document.file})"
                )
            if other.coder == entry.coder:
                who = f"coded by {entry.coder} " if entry.coder else ""
                raise ImportFailed(
                    f"{entry.document.file}: {entry.document.name} {who}stands in {other.document.file} too"
                )
        others.append(entry)
    return texts


def _text(project: Project, slug: str, documents: Sequence[Document], summary: Summary) -> Text:
    first = documents[0]
    for document in documents[1:]:
        _refuse_other_text(first.content, first.file, document)
    known = Text.objects.filter(project=project, slug=slug).first()
    if known is not None:
        _refuse_other_text(known.content, f"the text {slug} of the project", first)
        return known
    text = Text(
        project=project,
        slug=slug,
        title=first.title or first.name,
        content=first.content,
        language=first.language or LANGUAGE,
        direction=first.direction or DIRECTION,
    )
    try:
        text.full_clean(exclude=["project"])
    except ValidationError as error:
        raise ImportFailed(f"{first.file}: {' '.join(error.messages)}") from error
    text.save()
    Segment.objects.bulk_create(
        Segment(
            text=text,
            kind=stretch.kind,
            start=stretch.start,
            end=stretch.end,
            label=stretch.label,
            speaker=stretch.speaker,
        )
        for stretch in first.segments
    )
    summary.texts += 1
    return text


def _refuse_other_text(content: str, where: str, document: Document) -> None:
    """Raise ImportFailed naming the first word in which the document differs from the content."""
    if content == document.content:
        return
    words, others = content.split(), document.content.split()
    for number, (word, other) in enumerate(zip_longest(words, others), start=1):
        if word != other:
            here = f"{other!r}" if other is not None else "the end"
            there = f"{word!r}" if word is not None else "the end"
            raise ImportFailed(
                f"{document.file}: the text differs from {where}: word {number} is {here} here, {there} there"
            )
    lines = zip_longest(content.split("\n"), document.content.split("\n"), fillvalue="")
    line = next(number for number, (one, other) in enumerate(lines, start=1) if one != other)
    raise ImportFailed(f"{document.file}: the text differs from {where}: white space of its line {line}")


Placed = list[tuple[str, Mark, Level]]


def _place(document: Document, levels: dict[str, Level], default: Level) -> Placed:
    """The marks with their keys and levels. Raises ImportFailed on a level the scheme lacks."""
    placed: Placed = []
    for mark in document.marks:
        level = levels.get(mark.level) if mark.level else default
        line = f":{mark.line}" if mark.line else ""
        if level is None:
            raise ImportFailed(f"{document.file}{line}: the scheme has no level {mark.level!r}")
        key = key_of(level.key, mark.parts)
        if len(key) > LONGEST_KEY:
            raise ImportFailed(f"{document.file}{line}: a markable of {len(mark.parts)} parts is too much")
        placed.append((key, mark, level))
    return placed


def _markables(
    text: Text, placed: Sequence[tuple[Coded, Placed]], predefined: bool, summary: Summary
) -> dict[str, Markable]:
    """All markables of the text by key, those that lack made now."""
    known = {markable.key: markable for markable in Markable.objects.filter(text=text).select_related("level")}
    new: dict[str, Markable] = {}
    given_now: list[Markable] = []
    for entry, marks in placed:
        for key, mark, level in marks:
            given = predefined or entry.coder is None or not level.coded
            markable = known.get(key) or new.get(key)
            if markable is None:
                new[key] = Markable(
                    text=text,
                    level=level,
                    key=key,
                    label=mark.label if given else "",  # one coder's name for it is not for the others
                    parts=[list(part) for part in mark.parts],
                    start=mark.parts[0][0],
                    end=mark.parts[-1][1],
                    predefined=given,
                )
            elif given and not markable.predefined:
                markable.predefined = True
                given_now.append(markable)
    Markable.objects.bulk_update([markable for markable in given_now if markable.pk], ["predefined"])
    Markable.objects.bulk_create(new.values())
    summary.markables += len(new)
    return known | new


def _import_coding(
    project: Project,
    text: Text,
    coder: User,
    by: User,
    document: Document,
    marks: Placed,
    markables: dict[str, Markable],
    summary: Summary,
) -> None:
    coding, _ = Coding.objects.get_or_create(text=text, coder=coder)
    if coding.version:
        raise ImportFailed(f"{document.file}: {coder} has coded {text.slug} already; it stays as it is")
    categories = {category.key: category for category in project.categories.all()}
    indexed = next((key for key, category in categories.items() if category.takes_index), None)
    nil = next((key for key, category in categories.items() if not category.takes_index), None)
    if project.answers != Project.Answers.INDICES or indexed is None or nil is None:
        raise ImportFailed(
            f"{document.file}: this file says which markables go together; the scheme of {project.slug} asks for "
            f"{project.get_answers_display()}"
        )
    decisions = [
        Decision(key, _category(mark, indexed, nil), indices=mark.indices or ())
        for key, mark, level in marks
        if level.coded
    ]
    judged = sum(decision.category is not None for decision in decisions)
    if not judged:
        summary.warnings.append(f"{document.file}: no markable is coded in it")
    rules = Rules(project.answers, categories, markables)
    try:
        operations.import_judgements(coding, by, decisions, rules)
    except Refused as refused:
        raise ImportFailed(f"{document.file}: {refused}") from refused
    operations.set_status(coding, by, Coding.Status.SUBMITTED)
    summary.codings += 1
    summary.judgements += judged


def _category(mark: Mark, indexed: str, nil: str) -> str | None:
    """The answer that the mark gives; None where it is uncoded, which keeps the markable without an answer."""
    if mark.indices is None:
        return None
    return indexed if mark.indices else nil


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
