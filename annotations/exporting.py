"""Rows -> documents -> files of a format, with a report of what the format could not hold."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from annotations.bulk import seldom_collecting
from annotations.formats import FORMATS, Answer, Document, File, Links, Mark, Place, Stretch
from annotations.formats.archive import add
from annotations.formats.document import Parts
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
    """For each coder the documents of the codings handed in; nothing named means all. Four queries a coder, eight more.

    unfinished: those that are not handed in too.
    """
    chosen = _codings(project, coders, texts, unfinished).order_by("coder__username", "text__slug")
    rows = list(chosen.values_list("pk", "text_id", "coder__username"))
    of_texts = _texts(project, {text for _, text, _ in rows})
    spec = spec_of(project.levels.all(), project.categories.select_related("points_to"))
    links = LINKS[Project.Answers(project.answers)]
    places = {pk: mark.place for of in of_texts.values() for pk, (mark, _) in of.markables.items()}
    categories = dict(project.categories.values_list("pk", "key"))
    by_coder: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for coding, text, coder in rows:
        by_coder[coder].append((coding, text))
    for coder, of_coder in by_coder.items():
        answers = _answers([coding for coding, _ in of_coder], places, categories)
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


def _codings(
    project: Project, coders: Sequence[str] = (), texts: Sequence[str] = (), unfinished: bool = False
) -> QuerySet[Coding]:
    codings = Coding.objects.filter(text__project=project)
    if coders:
        codings = codings.filter(coder__username__in=coders)
    if texts:
        codings = codings.filter(text__slug__in=texts)
    return codings if unfinished else codings.filter(status=Coding.Status.SUBMITTED)


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
    levels = dict(project.levels.values_list("pk", "key"))
    markables = Markable.objects.filter(text__in=keys).order_by("start", "-end", "key")
    for pk, text, level, label, parts, head, predefined in markables.values_list(
        "pk", "text_id", "level_id", "label", _as_text("parts"), _as_text("head"), "predefined"
    ):
        found[text].markables[pk] = (Mark(_parts(parts), levels[level], label, _parts(head)), predefined)
    return found


def _as_text(field: str) -> Cast:
    """The JSON as the database holds it: decoding it for every row takes longer than all else of reading them."""
    return Cast(field, TextField())


def _parts(pairs: str) -> Parts:
    return tuple((start, end) for start, end in json.loads(pairs)) if pairs != "[]" else ()


type Answers = dict[int, tuple[Answer | None, Parts]]


def _answers(codings: Sequence[int], places: Mapping[int, Place], categories: Mapping[int, str]) -> dict[int, Answers]:
    """For each coding the answer and the head that its coder gave, by markable."""
    pointers: dict[int, tuple[Place, ...]] = {}
    rows = Pointer.objects.filter(judgement__coding__in=codings).order_by("pk")
    for judgement, target in rows.values_list("judgement_id", "target_id"):
        pointers[judgement] = (*pointers.get(judgement, ()), places[target])
    indices: dict[int, tuple[str, ...]] = {}
    named = Index.objects.filter(judgement__coding__in=codings).order_by("pk")
    for judgement, entity in named.values_list("judgement_id", "entity"):
        indices[judgement] = (*indices.get(judgement, ()), entity)
    judgements = Judgement.objects.filter(coding__in=codings)
    # Few say more than category and links, so that the rest is read of those alone.
    more = {
        pk: (optional, unsure, note, name, _parts(head))
        for pk, optional, unsure, note, name, head in judgements.exclude(
            optional=False, unsure=False, note="", name="", head=[]
        ).values_list("pk", "optional", "unsure", "note", "name", _as_text("head"))
    }
    found: dict[int, Answers] = defaultdict(dict)
    for pk, coding, markable, category in judgements.values_list("pk", "coding_id", "markable_id", "category_id"):
        optional, unsure, note, name, head = more.get(pk, (False, False, "", "", ()))
        answer = None
        if category is not None:
            links = pointers.get(pk, ()), indices.get(pk, ())
            answer = Answer(categories[category], *links, optional, unsure, note, name)
        found[coding][markable] = (answer, head)
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


@seldom_collecting()
def export(
    project: Project,
    format_key: str,
    out: IO[bytes] | None,
    *,
    options: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **which: object,
) -> Exported:
    """Write a zip of the format's files to `out`; None: only say what would be lost.

    The files are in a folder for each coder, or for all together where the format names coders. which: as in
    documents_of. progress: called with how many codings are done, of how many. The report stands in the zip too.
    Raises nothing of its own: what is there is valid.
    """
    format_ = FORMATS[format_key]
    assert format_.write is not None
    report = Exported()
    total = _codings(project, **which).count() if progress else 0  # type: ignore[arg-type]
    texts: set[str] = set()
    losses: list[Loss] = []
    everybodys: list[Document] = []
    archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) if out is not None else None
    try:
        for coder, documents in documents_of(project, **which):  # type: ignore[arg-type]
            kept, folder = [], f"{_folder(coder)}/"
            for place, document in enumerate(documents):
                if progress is not None and place % 50 == 0:
                    progress(report.codings + place, total)
                document, lost = carried(document, format_.carries)
                if format_.apart:
                    report.files += _add_all(archive, folder, format_.write([document], **(options or {})))
                else:
                    kept.append(document)
                losses += [
                    Loss(loss.feature, loss.count, tuple(f"{coder}, {one}" for one in loss.examples)) for loss in lost
                ]
            report.codings += len(documents)
            texts.update(document.name for document in documents)
            if format_.names_coders:
                everybodys += [replace(document, coder=coder) for document in kept]
            elif kept:
                report.files += _add_all(archive, folder, format_.write(kept, **(options or {})))
        if format_.names_coders:
            report.files += _add_all(archive, "", format_.write(everybodys, **(options or {})))
        report.texts, report.losses = len(texts), together(losses)
        if archive is not None and report.losses:
            add(archive, LOSSES_FILE, "".join(f"{loss}\n" for loss in report.losses).encode())
    finally:
        if archive is not None:
            archive.close()
    return report


def _add_all(archive: zipfile.ZipFile | None, folder: str, files: Sequence[File]) -> int:
    """Add the files to the folder of the archive, if there is one; how many they are."""
    if archive is not None:
        for file in files:
            add(archive, f"{folder}{file.path}", file.data)
    return len(files)


def _folder(coder: str) -> str:
    """A folder's name for a coder; `.` and `..` are names that people can have."""
    return coder if coder.strip(".") else f"_{coder}"


def export_to(path: Path, project: Project, format_key: str, **options: object) -> Exported:
    """Export into a file, which is there wholly or not at all. Raises OSError where it cannot be written."""
    return write_whole(path, lambda out: export(project, format_key, out, **options))  # type: ignore[arg-type]


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
