"""Rows -> documents -> files of a format, with a report of what the format could not hold."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Self

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from annotations.bulk import seldom_collecting
from annotations.formats import FORMATS, Answer, Document, File, Format, Links, Mark, Place, Stretch
from annotations.formats.archive import add
from annotations.formats.document import Parts
from annotations.formats.losses import LOSSES_FILE, Loss, Lost, carried, together
from annotations.formats.scheme import SchemeSpec
from annotations.importing.checking import spec_of
from annotations.importing.report import number
from annotations.models import Coding, Judgement, Markable, Pointer, Project, Segment, Text
from annotations.moment import one_moment
from annotations.processes import halved
from annotations.progress import Progress

LINKS = {
    Project.Answers.POINTERS: Links.POINTERS,
    Project.Answers.INDICES: Links.INDICES,
    Project.Answers.CATEGORIES: Links.NONE,
}


@dataclass(slots=True)
class Exported:
    """What an export wrote, or would write, and what it left out."""

    texts: int = 0
    codings: int = 0
    files: int = 0
    losses: Sequence[Loss | Lost] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{number(self.codings, 'coding')} of {number(self.texts, 'text')} in {number(self.files, 'file')}"


@dataclass(frozen=True, slots=True)
class _TextRows:
    """What is the same for every coder of a text."""

    slug: str
    title: str
    content: str
    language: str
    direction: str
    segments: list[Stretch]
    markables: dict[int, tuple[Mark, bool]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """What is read of the codings for an export. A document is made of it when its turn comes, and once only."""

    codings: list[tuple[int, int, str]]
    texts: dict[int, _TextRows]
    answers: dict[int, Answers]
    scheme: SchemeSpec
    links: Links

    def document(self, coding: int, key: int, coder: str) -> Document:
        text = self.texts[key]
        return Document(
            text.slug,
            f"{coder}/{text.slug}",
            text.content,
            _marks(text, self.answers.pop(coding, {})),
            text.segments,
            self.links,
            text.title,
            text.language,
            text.direction,
            scheme=self.scheme,
        )


def documents_of(
    project: Project, *, coders: Sequence[str] = (), texts: Sequence[str] = (), unfinished: bool = False
) -> Iterator[tuple[str, Document]]:
    """The documents of the codings handed in, with the names of their coders, text by text; nothing named means all.

    unfinished: those that are not handed in too. All is read at one moment, by eleven queries.
    """
    rows = _read(project, coders, texts, unfinished)
    for coding, text, coder in rows.codings:
        yield coder, rows.document(coding, text, coder)


def _read(project: Project, coders: Sequence[str] = (), texts: Sequence[str] = (), unfinished: bool = False) -> _Rows:
    with one_moment():
        codings = _codings(project, coders, texts, unfinished)
        rows = list(codings.order_by("text__slug", "coder__username").values_list("pk", "text_id", "coder__username"))
        of_texts = _texts(project, codings)
        spec = spec_of(project.levels.all(), project.categories.select_related("points_to"))
        answers = _answers(codings, of_texts, dict(project.categories.values_list("pk", "key")))
    return _Rows(rows, of_texts, answers, spec, LINKS[Project.Answers(project.answers)])


def _codings(
    project: Project, coders: Sequence[str] = (), texts: Sequence[str] = (), unfinished: bool = False
) -> QuerySet[Coding]:
    codings = Coding.objects.filter(text__project=project)
    if coders:
        codings = codings.filter(coder__username__in=coders)
    if texts:
        codings = codings.filter(text__slug__in=texts)
    return codings if unfinished else codings.filter(status=Coding.Status.SUBMITTED)


def _texts(project: Project, codings: QuerySet[Coding]) -> dict[int, _TextRows]:
    # Which codings they are of is asked again, since no statement takes the keys of any number of them.
    keys = codings.order_by().values("text")
    rows = Text.objects.filter(project=project, pk__in=keys)
    found = {
        pk: _TextRows(slug, title, content, language, direction, [], {})
        for pk, slug, title, content, language, direction in rows.values_list(
            "pk", "slug", "title", "content", "language", "direction"
        )
    }
    segments = Segment.objects.filter(text__in=keys)
    for text, kind, start, end, label, speaker in segments.values_list(
        "text_id", "kind", "start", "end", "label", "speaker"
    ):
        found[text].segments.append(Stretch(kind, start, end, label, speaker))
    levels = dict(project.levels.values_list("pk", "key"))
    markables = Markable.objects.filter(text__in=keys).order_by("start", "-end", "key")
    for pk, text, level, label, parts, start, end, head, predefined in markables.values_list(
        "pk", "text_id", "level_id", "label", _as_text("parts"), "start", "end", _as_text("head"), "predefined"
    ):
        # Nearly all are of one part, which need not be decoded.
        of = ((start, end),) if parts.count("[") == 2 else _parts(parts)
        found[text].markables[pk] = (Mark(of, levels[level], label, _parts(head)), predefined)
    return found


def _as_text(field: str) -> Cast:
    """The JSON as the database holds it: decoding it for every row takes longer than all else of reading them."""
    return Cast(field, TextField())


def _parts(pairs: str) -> Parts:
    return tuple((start, end) for start, end in json.loads(pairs)) if pairs != "[]" else ()


# What a coder says of a markable: the answer, and a head of the coder's own.
type Said = tuple[Answer | None, Parts]
type Answers = dict[int, Said]


def _answers(
    codings: QuerySet[Coding], texts: Mapping[int, _TextRows], categories: Mapping[int, str]
) -> dict[int, Answers]:
    """For each coding what its coder says, by markable."""
    judgements = Judgement.objects.filter(coding__in=codings.order_by().values("pk"))
    pointers = _pointers(judgements, texts)
    # Few say more than category and links, so that the rest is read of those alone.
    more = {
        pk: (optional, unsure, note, name, _parts(head))
        for pk, optional, unsure, note, name, head in judgements.exclude(
            optional=False, unsure=False, note="", name="", head=[]
        ).values_list("pk", "optional", "unsure", "note", "name", _as_text("head"))
    }

    def said(pk: int, category: int | None, entity: str | None) -> Said:
        optional, unsure, note, name, head = more.get(pk, (False, False, "", "", ()))
        if category is None:
            return None, head
        links = pointers.get(pk, ()), () if entity is None else (entity,)
        return Answer(categories[category], *links, optional, unsure, note, name), head

    found: dict[int, Answers] = defaultdict(dict)
    # Most say no more than a category and an entity, which is the same object wherever it is said.
    usual: dict[tuple[int | None, str | None], Said] = {}
    rows = judgements.order_by("indices__pk")
    for pk, coding, markable, category, entity in rows.values_list(
        "pk", "coding_id", "markable_id", "category_id", "indices__entity"
    ):
        answers = found[coding]
        if markable in answers:  # a row for each entity
            answers[markable] = _of_another(answers[markable], entity)
        elif pk in more or pk in pointers:
            answers[markable] = said(pk, category, entity)
        else:
            key = category, entity
            if key not in usual:
                usual[key] = said(pk, category, entity)
            answers[markable] = usual[key]
    return found


def _pointers(judgements: QuerySet[Judgement], texts: Mapping[int, _TextRows]) -> dict[int, tuple[Place, ...]]:
    """The antecedents by judgement, in the order in which they were named."""
    rows = Pointer.objects.filter(judgement__in=judgements).order_by("pk").values_list("judgement_id", "target_id")
    if not rows:
        return {}
    places = {pk: mark.place for of in texts.values() for pk, (mark, _) in of.markables.items()}
    found: dict[int, tuple[Place, ...]] = {}
    for judgement, target in rows:
        found[judgement] = (*found.get(judgement, ()), places[target])
    return found


def _of_another(said: Said, entity: str) -> Said:
    """The same of a markable that belongs to one more entity."""
    answer, head = said
    return answer and answer.said(answer.category, answer.pointers, (*answer.indices, entity)), head


def _marks(text: _TextRows, answers: Answers) -> list[Mark]:
    """The markables that the coder sees, with the coder's answers."""
    marks = []
    for pk, (mark, predefined) in text.markables.items():
        if pk in answers:
            answer, head = answers[pk]
            marks.append(Mark(mark.parts, mark.level, mark.label, head or mark.head, answer))
        elif predefined:
            marks.append(mark)
    return marks


@seldom_collecting()
def export(
    project: Project,
    format_key: str,
    out: IO[bytes] | None,
    *,
    options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **which: object,
) -> Exported:
    """Write a zip of the format's files to `out`; None: only say what would be lost.

    The files are in a folder for each coder, or for all together where the format names coders. which: as in
    documents_of. progress: called with how many codings are done, of how many. The report stands in the zip too.
    Raises nothing of its own: what is there is valid.
    """
    rows = _read(project, **which)  # type: ignore[arg-type]
    with _Writing(FORMATS[format_key], options or {}, out) as writing:

        def made(coding: tuple[int, int, str]) -> _Made:
            return writing.made(coding[-1], rows.document(*coding))

        # Files are worth bringing from another process; documents are not.
        with closing(halved(made, rows.codings, worth=writing.format.apart)) as all_made:
            for place, one in enumerate(all_made):
                if progress is not None and place % 50 == 0:
                    progress(place, len(rows.codings))
                writing.take(one)
        return writing.finish()


@dataclass(frozen=True, slots=True)
class _Made:
    """What is written of a document: its files, or itself without what the format cannot hold; and what that is."""

    coder: str
    text: str
    losses: Sequence[Loss]
    files: Sequence[File]
    document: Document | None


class _Writing:
    """The documents of an export on their way into the zip; without `out` they are counted and go nowhere."""

    def __init__(self, format_: Format, options: Mapping[str, str], out: IO[bytes] | None) -> None:
        assert format_.write is not None
        self.format, self.write = format_, partial(format_.write, **options)
        self.archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) if out is not None else None
        self.report = Exported()
        self.texts: set[str] = set()
        self.losses: list[Loss] = []
        self.kept: dict[str, list[Document]] = defaultdict(list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.archive is not None:
            self.archive.close()

    def made(self, coder: str, document: Document) -> _Made:
        """Take out what the format cannot hold, and write what can be written by itself."""
        document, lost = carried(document, self.format.carries)
        losses = [Loss(one.feature, one.count, tuple(f"{coder}, {each}" for each in one.examples)) for one in lost]
        if self.format.apart:
            return _Made(coder, document.name, losses, self.write([document]), None)
        return _Made(coder, document.name, losses, (), document)

    def take(self, made: _Made) -> None:
        """Put it into the zip, or keep it for the end."""
        self.losses += made.losses
        self.report.codings += 1
        self.texts.add(made.text)
        if made.document is None:
            self._add(f"{folder_of(made.coder)}/", made.files)
        else:
            self.kept[made.coder].append(made.document)

    def finish(self) -> Exported:
        """Write the rest, and the report."""
        if self.format.names_coders:
            self._add(
                "", self.write([replace(one, coder=coder) for coder in sorted(self.kept) for one in self.kept[coder]])
            )
        else:
            for coder in sorted(self.kept):
                self._add(f"{folder_of(coder)}/", self.write(self.kept[coder]))
        self.report.texts, self.report.losses = len(self.texts), together(self.losses)
        if self.archive is not None and self.report.losses:
            add(self.archive, LOSSES_FILE, "".join(f"{loss}\n" for loss in self.report.losses).encode())
        return self.report

    def _add(self, folder: str, files: Sequence[File]) -> None:
        self.report.files += len(files)
        if self.archive is not None:
            for file in files:
                add(self.archive, f"{folder}{file.path}", file.data)


def folder_of(coder: str) -> str:
    """A folder's name for a coder. It may not begin with a dot as people's names may: what is hidden is not read."""
    return f"_{coder}" if coder.startswith(".") else coder


def write_whole[Result](path: Path, write: Callable[[IO[bytes]], Result]) -> Result:
    """Let `write` fill a file that is there wholly or not at all. Raises OSError where it cannot be written."""
    handle, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            result = write(out)
            out.flush()
            os.fsync(out.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
    return result
