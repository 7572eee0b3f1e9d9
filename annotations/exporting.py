"""Rows -> documents -> files of a format, with a report of what the format could not hold."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from annotations.formats import FORMATS, Answer, Document, Links, Mark, Place, Stretch
from annotations.formats.archive import add
from annotations.formats.losses import Loss, carried, together
from annotations.importing.checking import spec_of
from annotations.importing.report import number
from annotations.models import Coding, Index, Judgement, Markable, Pointer, Project, Segment, Text

LOSSES_FILE = "LOSSES.txt"
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
    losses: list[Loss] = field(default_factory=list)

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


def documents_of(
    project: Project, *, coders: Sequence[str] = (), texts: Sequence[str] = (), unfinished: bool = False
) -> Iterator[tuple[str, list[Document]]]:
    """For each coder the documents of the codings handed in; nothing named means all. Three queries a coder, five more.

    unfinished: those that are not handed in too.
    """
    codings = Coding.objects.filter(text__project=project).order_by("coder__username", "text__slug")
    if coders:
        codings = codings.filter(coder__username__in=coders)
    if texts:
        codings = codings.filter(text__slug__in=texts)
    if not unfinished:
        codings = codings.filter(status=Coding.Status.SUBMITTED)
    rows = list(codings.values_list("pk", "text_id", "coder__username"))
    of_texts = _texts(project, {text for _, text, _ in rows})
    spec = spec_of(project.levels.all(), project.categories.select_related("points_to"))
    links = LINKS[Project.Answers(project.answers)]
    by_coder: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for coding, text, coder in rows:
        by_coder[coder].append((coding, text))
    for coder, of_coder in by_coder.items():
        answers = _answers([coding for coding, _ in of_coder], of_texts)
        yield (
            coder,
            [
                Document(
                    of_texts[text].slug,
                    f"{coder}/{of_texts[text].slug}",
                    of_texts[text].content,
                    _marks(of_texts[text], answers.get(coding, {})),
                    of_texts[text].segments,
                    links,
                    of_texts[text].title,
                    of_texts[text].language,
                    of_texts[text].direction,
                    scheme=spec,
                )
                for coding, text in of_coder
            ],
        )


def _texts(project: Project, keys: set[int]) -> dict[int, _TextRows]:
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
    markables = Markable.objects.filter(text__in=keys).order_by("start", "-end", "key")
    for pk, text, level, label, parts, head, predefined in markables.values_list(
        "pk", "text_id", "level__key", "label", "parts", "head", "predefined"
    ):
        mark = Mark(_parts(parts), level, label, _parts(head))
        found[text].markables[pk] = (mark, predefined)
    return found


def _parts(pairs: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in pairs)


type Answers = dict[int, tuple[Answer | None, tuple[tuple[int, int], ...]]]


def _answers(codings: Sequence[int], texts: Mapping[int, _TextRows]) -> dict[int, Answers]:
    """For each coding the answer and the head that its coder gave, by markable."""
    places = {pk: mark.place for of in texts.values() for pk, (mark, _) in of.markables.items()}
    pointers: dict[int, list[Place]] = defaultdict(list)
    rows = Pointer.objects.filter(judgement__coding__in=codings).order_by("pk")
    for judgement, target in rows.values_list("judgement_id", "target_id"):
        pointers[judgement].append(places[target])
    indices: dict[int, list[str]] = defaultdict(list)
    named = Index.objects.filter(judgement__coding__in=codings).order_by("pk")
    for judgement, entity in named.values_list("judgement_id", "entity"):
        indices[judgement].append(entity)
    found: dict[int, Answers] = defaultdict(dict)
    judgements = Judgement.objects.filter(coding__in=codings)
    for pk, coding, markable, category, optional, unsure, note, name, head in judgements.values_list(
        "pk", "coding_id", "markable_id", "category__key", "optional", "unsure", "note", "name", "head"
    ):
        answer = None
        if category is not None:
            said = tuple(pointers[pk]) if pk in pointers else ()
            answer = Answer(category, said, tuple(indices[pk]) if pk in indices else (), optional, unsure, note, name)
        found[coding][markable] = (answer, _parts(head))
    return found


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


def export(
    project: Project,
    format_key: str,
    out: IO[bytes] | None,
    *,
    options: Mapping[str, str] | None = None,
    **which: object,
) -> Exported:
    """Write a zip of the format's files to `out`, a folder for each coder; None: only say what would be lost.

    which: as in documents_of. The report stands in the zip too. Raises nothing of its own: what is there is valid.
    """
    format_ = FORMATS[format_key]
    assert format_.write is not None
    report = Exported()
    texts: set[str] = set()
    losses: list[Loss] = []
    archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) if out is not None else None
    try:
        for coder, documents in documents_of(project, **which):  # type: ignore[arg-type]
            kept = []
            for document in documents:
                document, lost = carried(document, format_.carries)
                kept.append(document)
                losses += [
                    Loss(loss.feature, loss.count, tuple(f"{coder}, {one}" for one in loss.examples)) for loss in lost
                ]
            report.codings += len(documents)
            texts.update(document.name for document in documents)
            files = format_.write(kept, **(options or {}))
            report.files += len(files)
            if archive is not None:
                for file in files:
                    add(archive, f"{_folder(coder)}/{file.path}", file.data)
        report.texts, report.losses = len(texts), together(losses)
        if archive is not None and report.losses:
            add(archive, LOSSES_FILE, "".join(f"{loss}\n" for loss in report.losses).encode())
    finally:
        if archive is not None:
            archive.close()
    return report


def _folder(coder: str) -> str:
    """A folder's name for a coder; `.` and `..` are names that people can have."""
    return coder if coder.strip(".") else f"_{coder}"


def export_to(path: Path, project: Project, format_key: str, **options: object) -> Exported:
    """Export into a file, which is there wholly or not at all. Raises OSError where it cannot be written."""
    handle, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            report = export(project, format_key, out, **options)  # type: ignore[arg-type]
            out.flush()
            os.fsync(out.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
    return report
