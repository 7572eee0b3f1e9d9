"""Export codings as files of a format, with a report of what the format could not represent."""

import json
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched, groupby
from operator import itemgetter
from tempfile import TemporaryFile
from typing import IO, Any, Self

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotations.coding.judgements import links_as_named
from annotations.coding.readings import Readings as KeyReadings
from annotations.core.database.queries import read_snapshot
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize
from annotations.formats import FORMATS, Answer, Document, File, Format, Links, Mark, Stretch
from annotations.formats.losses.reduction import LOSSES_FILE, Loss, OtherLoss, merge_losses, reduce_document
from annotations.formats.model.document import Parts, Readings, links_of
from annotations.formats.model.features import ALL_FEATURES, OF_TEXTS, Feature
from annotations.formats.model.judgement import VALUE_FIELDS
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.syntax.archive import add_file
from annotations.formats.syntax.tokens import find_cuts
from annotations.models import Coding, Judgement, Markable, Project, Segment, Text
from annotations.projects.rounds import COUNTED_KINDS
from annotations.schemes.constraints import categories_on
from annotations.schemes.project_scheme import ProjectScheme, read_scheme
from annotations.transfers.exporting.gold import select_gold
from annotations.transfers.importing.files.addresses import folder_of

IN_SEVERAL_CHAINS = (
    "mentions in several chains (all are written; the page scores each in one of them, and a scorer of these files may"
    " take another)"
)
LINKS = {
    Project.Answers.POINTERS: Links.POINTERS,
    Project.Answers.INDICES: Links.INDICES,
    Project.Answers.CATEGORIES: Links.NONE,
}


# The number of texts whose codings are read at once.
TEXTS_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The codings to export; no coders or texts means all. Only the latest round of each coder and text counts."""

    coders: Sequence[str] = ()
    texts: Sequence[str] = ()
    rounds: Sequence[str] = ()  # none: the rounds that count in figures
    unfinished: bool = False  # includes open codings
    gold: str = ""  # "gold" for closed or decided gold, "silver" for undecided drafts


@dataclass(slots=True)
class ExportReport:
    """The numbers of what an export wrote or would write, and the losses of the format."""

    texts: int = 0
    codings: int = 0
    files: int = 0
    losses: Sequence[Loss | OtherLoss] = field(default_factory=list)
    left_out: Sequence[OtherLoss] = field(default_factory=list)  # texts whose gold is not exported, by reason

    def as_json(self) -> dict[str, Any]:
        losses, left_out = (
            [{"what": loss.what, "count": loss.count, "examples": list(loss.examples)} for loss in kind]
            for kind in (self.losses, self.left_out)
        )
        counts = {"texts": self.texts, "codings": self.codings, "files": self.files}
        return {"summary": str(self), **counts, "losses": losses, "left_out": left_out}

    def __str__(self) -> str:
        return (
            f"{pluralize(self.codings, 'coding')} of {pluralize(self.texts, 'text')} in {pluralize(self.files, 'file')}"
        )


@dataclass(slots=True)
class _TextRows:
    """The rows of a text that all coders share: the document without marks, and the markables by key."""

    document: Document
    markables: dict[str, tuple[Mark, bool]]


def _documents(
    project: Project, codings: QuerySet[Coding], gold: str, format_: Format
) -> Iterator[tuple[str, Document, list[Loss], int]]:
    """Yield each coding as its coder, the document as the format can hold it, the losses, and a number.

    The number counts judgements without a category, which no format holds. Iterate in the snapshot in which the
    codings were chosen.
    """
    scheme = read_scheme(project.pk)
    texts = _texts(project, codings, scheme.spec)
    if format_.in_words:
        heads = _heads(codings, gold=bool(gold))
        for key, text in texts.items():
            # Cuts consider all coders, exported or not, so that all files of a text have the same words.
            marked = {span for mark, _ in text.markables.values() for span in (*mark.parts, *mark.head)}
            marked.update(span for head in heads.get(key, ()) for span in head)
            has_sentences = any(segment.kind == Segment.Kind.SENTENCE for segment in text.document.segments)
            cuts = find_cuts(text.document.content, marked, has_sentences=has_sentences)
            text.document = replace(text.document, cuts=cuts.cuts, breaks=cuts.breaks)
    features = format_.supported_features
    answers = _Answers(codings, scheme)
    ordered = codings.order_by("text__slug", "coder__username").values_list("text_id", "pk", "coder__username")
    for key, of_text in groupby(ordered, key=itemgetter(0)):
        text = texts[key]
        unmarked, lost_of_text = reduce_document(text.document, features | (ALL_FEATURES - OF_TEXTS))
        for _, coding, name in of_text:
            coder = gold or name
            marks, n_lost = answers.marks(coding, text)
            whole = replace(unmarked, file=f"{coder}/{unmarked.name}", marks=marks)
            document, lost = reduce_document(whole, features | OF_TEXTS)
            yield coder, document, [*lost_of_text, *lost], n_lost


def _batches(codings: QuerySet[Coding]) -> Iterator[QuerySet[Coding]]:
    """Yield the codings in batches of TEXTS_AT_ONCE texts, in the order of slugs. One query."""
    slugs = codings.order_by("text__slug").values_list("text__slug", flat=True).distinct()
    ends = [(batch[0], batch[-1]) for batch in batched(slugs.iterator(), TEXTS_AT_ONCE)]
    if len(ends) < 2:
        yield codings
        return
    for first, last in ends:
        yield codings.filter(text__slug__gte=first, text__slug__lte=last)


def _heads(codings: QuerySet[Coding], *, gold: bool) -> dict[int, list[Parts]]:
    """Return the minimal words by text, from exported and other codings of people; gold adds gold and models."""
    rows = Judgement.objects.filter(markable__text__in=codings.order_by().values("text")).exclude(head=[])
    rows = rows if gold else rows.exclude(coding__kind=Coding.Kind.GOLD).exclude(coding__by_model=True)
    heads: dict[int, list[Parts]] = defaultdict(list)
    for text, head in rows.values_list("markable__text_id", _as_text("head")):
        heads[text].append(_parts(head))
    return heads


def select_codings(codings: QuerySet[Coding], selection: Selection) -> QuerySet[Coding]:
    """Return the codings of the selection's coders and texts; open codings only if `unfinished`."""
    if selection.coders:
        codings = codings.filter(coder__username__in=selection.coders)
    if selection.texts:
        codings = codings.filter(text__slug__in=selection.texts)
    return codings if selection.unfinished else codings.filter(status=Coding.Status.SUBMITTED)


def _codings(project: Project, selection: Selection) -> tuple[QuerySet[Coding], list[OtherLoss]]:
    """Return at most one coding of each text and coder, and the numbers of codings left out by their round."""
    of_coders = Coding.objects.of_coders() if selection.coders else Coding.objects.of_people()
    codings, rounds = select_codings(of_coders.filter(text__project=project), selection), selection.rounds
    if not rounds and project.rounds.count() < 2 and not codings.filter(occasion__gt=1).exists():
        return codings, []
    named = Q(round__name__in=rounds) if rounds else Q(round__kind__in=COUNTED_KINDS)
    chosen = codings.filter(named, occasion=1)
    later = chosen.filter(
        Q(round__position__gt=OuterRef("round__position"))
        | Q(round__position=OuterRef("round__position"), round_id__gt=OuterRef("round_id")),
        text=OuterRef("text"),
        coder=OuterRef("coder"),
        kind=OuterRef("kind"),
    )
    latest = chosen.filter(~Exists(later.order_by()))
    n_all, n_chosen, n_latest = codings.count(), chosen.count(), latest.count()
    lost = [OtherLoss("codings that the coder made again in a later round", n_chosen - n_latest)]
    if not rounds:  # with named rounds the user has left them out
        lost.append(OtherLoss("codings of training and rechecks, and repeats within a round", n_all - n_chosen))
    return latest, [loss for loss in lost if loss.count]


def _texts(project: Project, codings: QuerySet[Coding], scheme: SchemeSpec) -> dict[int, _TextRows]:
    # A subquery selects the codings, since no statement takes an unlimited number of keys.
    keys = codings.order_by().values("text")
    segments: dict[int, list[Stretch]] = defaultdict(list)
    columns = ("text_id", "kind", "start", "end", "label", "speaker")
    for text, *stretch in Segment.objects.filter(text__in=keys).values_list(*columns):
        segments[text].append(Stretch(*stretch))
    links = LINKS[Project.Answers(project.answers)]
    texts = Text.objects.filter(project=project, pk__in=keys).values_list(
        "pk", "slug", "content", "title", "language", "direction"
    )
    text_rows = {
        pk: _TextRows(
            Document(slug, "", content, [], segments[pk], links, title, language, direction, scheme=scheme), {}
        )
        for pk, slug, content, title, language, direction in texts
    }
    levels = dict(project.levels.values_list("pk", "key"))
    markables = Markable.objects.filter(text__in=keys).order_by("start", "-end", "key")
    for key, text, level, label, parts, head, predefined in markables.values_list(
        "key", "text_id", "level_id", "label", _as_text("parts"), _as_text("head"), "predefined"
    ):
        mark = Mark(_parts(parts), levels[level], label, _parts(head))
        text_rows[text].markables[key] = (mark, predefined)
    return text_rows


def _as_text(field: str) -> Cast:
    """Return the JSON as stored text; parsing it for every row takes longer than reading the rows."""
    return Cast(field, TextField())


def _parts(pairs: str) -> Parts:
    return tuple((start, end) for start, end in json.loads(pairs)) if pairs != "[]" else ()


class _Answers:
    """The answers of codings by markable, from judgements and their linked tables."""

    def __init__(self, codings: QuerySet[Coding], scheme: ProjectScheme) -> None:
        judgements = Judgement.objects.filter(coding__in=codings.order_by().values("pk"))
        self.links = links_as_named(judgements, scheme.further)
        further = self.links.pointers.keys() | self.links.relations.keys() | self.links.attributes.keys()
        self.joint = any(relation.identity and relation.joint for relation in scheme.spec.relations)
        self.uncategorised = {
            level for level in scheme.spec.coded_levels if not categories_on(scheme.constraints, level)
        }
        # By coding and markable. Equal answers, further answers apart, share one object, which formats reduce once.
        self.answers: dict[int, dict[str, Answer]] = defaultdict(dict)
        self.further: dict[int, dict[str, int]] = defaultdict(dict)  # the judgements with further answers
        self.heads: dict[int, dict[str, Parts]] = defaultdict(dict)  # the coders' own heads
        shared: dict[tuple[Any, ...], Answer] = {}
        for coding, markable, pk, head, *said in judgements.order_by().values_list(
            "coding_id", "markable__key", "pk", _as_text("head"), "category__key", *VALUE_FIELDS
        ):
            indices = self.links.indices.get(pk, ())
            key = (*said, *indices)
            if key not in shared:
                category, *values = said
                plain = dict(zip(VALUE_FIELDS, values, strict=True))
                shared[key] = Answer(category=category or "", indices=tuple(indices), **plain)
            self.answers[coding][markable] = shared[key]
            if pk in further:
                self.further[coding][markable] = pk
            if head != "[]":
                self.heads[coding][markable] = _parts(head)

    def marks(self, coding: int, text: _TextRows) -> tuple[list[Mark], int]:
        """Return the markables that the coder sees with their answers, and the number of answers no format holds."""
        answers, further, heads = self.answers[coding], self.further[coding], self.heads[coding]
        marks, n_lost = [], 0
        for markable, (mark, predefined) in text.markables.items():
            if markable in answers:
                answer: Answer | None = answers[markable]
                has_further = markable in further
                if not (answers[markable].category or (has_further and mark.level in self.uncategorised)):
                    answer = None  # the category that its level requires is missing
                    n_lost += has_further
                elif has_further:
                    answer = self._with_further(answers[markable], further[markable], text)
                marks.append(Mark(mark.parts, mark.level, mark.label, heads.get(markable, mark.head), answer))
            elif predefined:
                marks.append(mark)
        return marks, n_lost

    def _with_further(self, answer: Answer, pk: int, text: _TextRows) -> Answer:
        links = links_of(_with_places(self.links.pointers.get(pk, ()), text))
        return replace(
            answer,
            pointers=links["pointers"],
            readings=links["readings"] if self.joint else (),
            relations=tuple((key, _with_places(readings, text)) for key, readings in self.links.relations.get(pk, ())),
            attributes=self.links.attributes.get(pk, ()),
        )


def _with_places(readings: KeyReadings, text: _TextRows) -> Readings:
    return tuple(tuple(text.markables[key][0].place for key in reading) for reading in readings)


def export_codings(
    project: Project,
    format_key: str,
    out: IO[bytes] | None,
    selection: Selection,
    options: Mapping[str, str],
    progress: Progress | None = None,
) -> ExportReport:
    """Write a zip of the format's files to `out`; if `out` is None, only report the losses.

    Each coder has a folder, unless the format names the coders in its files. The zip also contains the report.
    `progress` is called with the number of finished codings and of all codings. Valid rows raise no errors.
    """
    format_ = FORMATS[format_key]
    assert format_.write is not None
    report = ExportReport()
    documents: dict[str, list[Document]] = defaultdict(list)
    files: dict[str, list[File]] = defaultdict(list)
    with TemporaryFile() as disk:
        for coder, document in _read_documents(project, format_, selection, report, progress):
            if format_.writes_each and out is not None:
                files[coder] += [_put_aside(file, disk) for file in format_.write([document], **options)]
            else:
                documents[coder].append(document)
        with Package(out) as package:
            if format_.names_coders:
                of_all = [document for coder in sorted(documents) for document in documents[coder]]
                package.add("", format_.write(of_all, **options))
            else:
                for coder in sorted(files or documents):
                    package.add(f"{folder_of(coder)}/", files[coder] or format_.write(documents[coder], **options))
            report.files = package.n_files
            package.add_losses([*report.losses, *report.left_out])
    return report


def _put_aside(file: File, disk: IO[bytes]) -> File:
    """Return the file with its data on disk, because files are made by text and packed by coder."""
    place, n_bytes = disk.tell(), disk.write(file.data)

    def read() -> bytes:
        disk.seek(place)
        return disk.read(n_bytes)

    return File(file.path, read)


def _read_documents(
    project: Project, format_: Format, selection: Selection, report: ExportReport, progress: Progress | None
) -> Iterator[tuple[str, Document]]:
    """Yield coders with documents as the format can hold them, from one snapshot; complete the report at the end."""
    texts = set[str]()
    losses: dict[str, list[Loss]] = defaultdict(list)
    n_lost = n_in_several = 0
    # scorers read files with chains, not with pointers
    features = format_.supported_features
    is_scored = Feature.SEVERAL_CHAINS in features and Feature.POINTERS not in features
    with read_snapshot():
        if selection.gold:
            codings, report.left_out, other_losses = select_gold(
                project, selection.gold, selection.texts, selection.rounds
            )
        else:
            codings, other_losses = _codings(project, selection)
        n_codings = codings.count()
        for batch in _batches(codings):
            for coder, document, lost, n_unheld in _documents(project, batch, selection.gold, format_):
                if progress is not None:
                    progress(report.codings, n_codings)
                report.codings += 1
                n_lost += n_unheld
                texts.add(document.name)
                yield coder, replace(document, coder=coder) if format_.names_coders else document
                if is_scored:
                    n_in_several += sum(
                        mark.answer is not None and len(mark.answer.indices) > 1 for mark in document.marks
                    )
                if lost:
                    own = [replace(loss, examples=tuple(f"{coder}, {text}" for text in loss.examples)) for loss in lost]
                    losses[coder] = merge_losses([*losses[coder], *own])
    if n_lost:
        other_losses.append(OtherLoss("judgements that answer further questions and have no category yet", n_lost))
    if n_in_several:
        other_losses.append(OtherLoss(IN_SEVERAL_CHAINS, n_in_several))
    report.texts = len(texts)
    report.losses = [*merge_losses(loss for coder in sorted(losses) for loss in losses[coder]), *other_losses]


class Package:
    """The zip of an export; without `out` it only counts the files."""

    def __init__(self, out: IO[bytes] | None) -> None:
        self.archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) if out is not None else None
        self.n_files = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.archive is not None:
            self.archive.close()

    def add(self, folder: str, files: Sequence[File]) -> None:
        """Add the files, and load the data of each only when it is written."""
        self.n_files += len(files)
        if self.archive is not None:
            for file in files:
                add_file(self.archive, f"{folder}{file.path}", file.data)

    def add_losses(self, losses: Sequence[object]) -> None:
        """Add the report of losses unless it is empty."""
        if self.archive is not None and losses:
            add_file(self.archive, LOSSES_FILE, "".join(f"{loss}\n" for loss in losses).encode())
