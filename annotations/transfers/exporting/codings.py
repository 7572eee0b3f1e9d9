"""Export codings as files of a format, with a report of what the format could not represent."""

from __future__ import annotations

import json
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched
from typing import IO, Any, Self

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotations.coding.decisions import ROW_FIELDS
from annotations.coding.judgements import group_answers
from annotations.core.database.snapshots import read_snapshot
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize
from annotations.formats import FORMATS, Answer, Document, File, Format, Links, Mark, Place, Stretch
from annotations.formats.losses.reduction import LOSSES_FILE, Loss, OtherLoss, merge_losses, reduce_document
from annotations.formats.model.document import (
    Parts,
    group_readings,
    links_of,
)
from annotations.formats.model.features import Feature
from annotations.formats.model.judgement import VALUE_FIELDS
from annotations.formats.model.scheme import AnswerValue, SchemeSpec
from annotations.formats.syntax.archive import add_file
from annotations.formats.syntax.tokens import find_cuts
from annotations.models import AttributeAnswer, Coding, Judgement, Markable, Pointer, Project, Segment, Text
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


# The codings of so many texts are read at once.
TEXTS_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which codings are exported. No coders or texts means all.

    No rounds means those that figures are made of; of a coder's codings of a text there is that of the latest round.
    unfinished: open codings, too. gold: "gold" for what was decided, "silver" for drafts that are not decided.
    """

    coders: Sequence[str] = ()
    texts: Sequence[str] = ()
    rounds: Sequence[str] = ()
    unfinished: bool = False
    gold: str = ""


@dataclass(slots=True)
class ExportReport:
    """What an export wrote, or would write, and what the format could not represent.

    left_out: the texts whose gold is not exported, by the reason.
    """

    texts: int = 0
    codings: int = 0
    files: int = 0
    losses: Sequence[Loss | OtherLoss] = field(default_factory=list)
    left_out: Sequence[OtherLoss] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the report as pages and the API show it."""
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
    """What of a text is the same for every coder: its document without marks, and its markables by key."""

    document: Document
    markables: dict[int, tuple[Mark, bool]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of some texts of an export; n_lost judgements no format holds: they have answers and no category."""

    codings: list[tuple[int, int, str]]
    texts: dict[int, _TextRows]
    answers: dict[int, Answers]
    n_lost: int

    def documents(self) -> Iterator[tuple[str, Document]]:
        """Yield the documents of the codings, each with its coder."""
        for coding, text_key, coder in self.codings:
            text = self.texts[text_key]
            marks = _marks(text, self.answers.get(coding, {}))
            yield coder, replace(text.document, file=f"{coder}/{text.document.name}", marks=marks)


def _read_rows(project: Project, codings: QuerySet[Coding], gold: str = "", *, in_words: bool = False) -> _Rows:
    """Return the rows of codings. Call it in the snapshot in which they were chosen."""
    ordered = codings.order_by("text__slug", "coder__username")
    rows = [(pk, text, gold or name) for pk, text, name in ordered.values_list("pk", "text_id", "coder__username")]
    scheme = read_scheme(project.pk)
    texts = _texts(project, codings, scheme.spec)
    answers, n_lost = _answers(codings, texts, scheme)
    if in_words:
        heads = _heads(codings, gold=bool(gold))
        for key, text in texts.items():
            # The same for all coders, exported or not, so that files of one text always fit each other.
            marked = {span for mark, _ in text.markables.values() for span in (*mark.parts, *mark.head)}
            marked.update(span for head in heads.get(key, ()) for span in head)
            has_sentences = any(segment.kind == Segment.Kind.SENTENCE for segment in text.document.segments)
            cuts = find_cuts(text.document.content, marked, has_sentences=has_sentences)
            text.document = replace(text.document, cuts=cuts.cuts, breaks=cuts.breaks)
    return _Rows(rows, texts, answers, n_lost)


def _batches(codings: QuerySet[Coding]) -> Iterator[QuerySet[Coding]]:
    """Yield the codings of TEXTS_AT_ONCE texts after the other, in the order of their addresses. One query."""
    slugs = codings.order_by("text__slug").values_list("text__slug", flat=True).distinct()
    ends = [(batch[0], batch[-1]) for batch in batched(slugs.iterator(), TEXTS_AT_ONCE)]
    if len(ends) < 2:
        yield codings
        return
    for first, last in ends:
        yield codings.filter(text__slug__gte=first, text__slug__lte=last)


def _heads(codings: QuerySet[Coding], *, gold: bool) -> dict[int, list[Parts]]:
    """Return the least words that any coder names, also one whose coding is not exported, by text; or gold, too."""
    rows = Judgement.objects.filter(markable__text__in=codings.order_by().values("text")).exclude(head=[])
    rows = rows if gold else rows.exclude(coding__kind=Coding.Kind.GOLD).exclude(coding__by_model=True)
    heads: dict[int, list[Parts]] = defaultdict(list)
    for text, head in rows.values_list("markable__text_id", _as_text("head")):
        heads[text].append(_parts(head))
    return heads


def select_codings(codings: QuerySet[Coding], selection: Selection) -> QuerySet[Coding]:
    """Return the codings that are of the coders and texts of the selection, and submitted unless it has all."""
    if selection.coders:
        codings = codings.filter(coder__username__in=selection.coders)
    if selection.texts:
        codings = codings.filter(text__slug__in=selection.texts)
    return codings if selection.unfinished else codings.filter(status=Coding.Status.SUBMITTED)


def _codings(project: Project, selection: Selection) -> tuple[QuerySet[Coding], list[OtherLoss]]:
    """Return the codings, one of each text and coder at most, and how many are left out for their round."""
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
    if not rounds:  # else they are left out because somebody says so
        lost.append(OtherLoss("codings of training and rechecks, and repeats within a round", n_all - n_chosen))
    return latest, [one for one in lost if one.count]


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
    for pk, text, level, label, parts, start, end, head, predefined in markables.values_list(
        "pk", "text_id", "level_id", "label", _as_text("parts"), "start", "end", _as_text("head"), "predefined"
    ):
        # Nearly all have one part, for which the JSON need not be parsed.
        spans = ((start, end),) if parts.count("[") == 2 else _parts(parts)
        text_rows[text].markables[pk] = (Mark(spans, levels[level], label, _parts(head)), predefined)
    return text_rows


def _as_text(field: str) -> Cast:
    """Return the JSON as the database stores it: parsing it for every row takes longer than reading all the rows."""
    return Cast(field, TextField())


def _parts(pairs: str) -> Parts:
    return tuple((start, end) for start, end in json.loads(pairs)) if pairs != "[]" else ()


# The answer of a coder on a markable, and the coder's own head of it.
type AnswerAndHead = tuple[Answer | None, Parts]
type Answers = dict[int, AnswerAndHead]


def _answers(
    codings: QuerySet[Coding], texts: Mapping[int, _TextRows], scheme: ProjectScheme
) -> tuple[dict[int, Answers], int]:
    """Return for each coding the answers by markable, and how many no format holds: answers before the category."""
    categories = {pk: key for key, pk in scheme.keys.categories.items()}
    judgements = Judgement.objects.filter(coding__in=codings.order_by().values("pk"))
    further = _further(judgements, texts, scheme)
    without_categories = {level for level in scheme.spec.coded_levels if not categories_on(scheme.constraints, level)}
    marks_of_texts = (text.markables for text in texts.values()) if without_categories else ()
    uncategorised = {
        pk for marks in marks_of_texts for pk, (mark, _) in marks.items() if mark.level in without_categories
    }
    without_category = 0
    defaults = {name: getattr(Judgement(), name) for name in ROW_FIELDS}
    # Few judgements have more than category and links, so that the other columns are read for those alone.
    details = {
        pk: (dict(zip(VALUE_FIELDS, plain, strict=True)), _parts(head))
        for pk, head, *plain in judgements.exclude(**defaults).values_list("pk", _as_text("head"), *VALUE_FIELDS)
    }

    def answer_and_head(pk: int, markable: int, category: int | None, entity: str | None) -> AnswerAndHead:
        plain, head = details.get(pk, ({}, ()))
        if category is None and not (markable in uncategorised and pk in further):
            return None, head
        key, indices = "" if category is None else categories[category], () if entity is None else (entity,)
        return replace(further.get(pk, Answer()), category=key, indices=indices, **plain), head

    answers_by_coding: dict[int, Answers] = defaultdict(dict)
    # Most have only a category and an entity; equal ones share one object.
    shared: dict[tuple[int | None, str | None], AnswerAndHead] = {}
    rows = judgements.order_by("indices__pk")
    for pk, coding, markable, category, entity in rows.values_list(
        "pk", "coding_id", "markable_id", "category_id", "indices__entity"
    ):
        answers = answers_by_coding[coding]
        if markable in answers:  # a row for each entity
            answer, head = answers[markable]
            more = answer and answer.with_links(answer.category, answer.pointers, (*answer.indices, entity))
            answers[markable] = more, head
        elif pk in details or pk in further:
            answers[markable] = answer_and_head(pk, markable, category, entity)
            without_category += answers[markable][0] is None and pk in further
        else:
            key = category, entity
            if key not in shared:
                shared[key] = answer_and_head(pk, markable, category, entity)
            answers[markable] = shared[key]
    return answers_by_coding, without_category


def _further(
    judgements: QuerySet[Judgement], texts: Mapping[int, _TextRows], scheme: ProjectScheme
) -> dict[int, Answer]:
    """Return what judgements say beside category and indices, pointers in the order in which the coder named them."""
    pointers = Pointer.objects.filter(judgement__in=judgements).order_by("pk")
    rows = pointers.filter(**scheme.identity_pointers()).values_list("judgement_id", "target_id", "reading")
    other_rows: Collection[tuple[int, int, int, str]] = ()
    if scheme.further.relations:
        others = pointers.filter(relation__identity=False)
        other_rows = others.values_list("judgement_id", "target_id", "reading", "relation__key")
    places: dict[int, Place] = {}
    if rows or other_rows:
        places = {pk: mark.place for text_rows in texts.values() for pk, (mark, _) in text_rows.markables.items()}
    targets: dict[int, tuple[Place, ...]] = {}
    numbered: dict[int, list[tuple[int, Place]]] = defaultdict(list)
    joint = any(relation.identity and relation.joint for relation in scheme.spec.relations)
    for judgement, target, reading in rows:
        before = targets.get(judgement, ())
        if places[target] not in before:  # it may stand in several readings
            targets[judgement] = (*before, places[target])
        if joint:
            numbered[judgement].append((reading, places[target]))
    plural = {
        judgement: readings
        for judgement, numbers in numbered.items()
        if len(numbers) > 1 and (readings := links_of(group_readings(numbers))["readings"])
    }
    related: dict[int, dict[str, list[tuple[int, Place]]]] = defaultdict(dict)
    for judgement, target, reading, relation in other_rows:
        related[judgement].setdefault(relation, []).append((reading, places[target]))
    relations = {
        judgement: tuple((key, group_readings(numbers)) for key, numbers in sorted(of_judgement.items()))
        for judgement, of_judgement in related.items()
    }
    attributes: Mapping[int, tuple[tuple[str, AnswerValue], ...]] = {}
    if scheme.further.attributes:
        answers = AttributeAnswer.objects.filter(judgement__in=judgements).order_by("pk")
        columns = ("judgement_id", "attribute__key", "attribute__kind", "value__key", "text", "number")
        attributes = group_answers(answers.values_list(*columns))
    return {
        judgement: Answer(
            pointers=targets.get(judgement, ()),
            readings=plural.get(judgement, ()),
            relations=relations.get(judgement, ()),
            attributes=attributes.get(judgement, ()),
        )
        for judgement in targets.keys() | relations.keys() | attributes.keys()
    }


def _marks(text: _TextRows, answers: Answers) -> list[Mark]:
    """Return the markables that the coder sees, with the coder's answers."""
    marks = []
    for pk, (mark, predefined) in text.markables.items():
        if pk in answers:
            answer, head = answers[pk]
            marks.append(Mark(mark.parts, mark.level, mark.label, head or mark.head, answer))
        elif predefined:
            marks.append(mark)
    return marks


def export_codings(
    project: Project,
    format_key: str,
    out: IO[bytes] | None,
    selection: Selection,
    options: Mapping[str, str],
    progress: Progress | None = None,
) -> ExportReport:
    """Write a zip of the format's files to `out`; if that is None, only report what would be lost.

    The files are in a folder for each coder, or in one for all if the format names coders; the report is in the zip,
    too. `progress` is called with the numbers of codings done and of all codings. Valid rows raise no errors.
    """
    format_ = FORMATS[format_key]
    assert format_.write is not None
    exported, report = _read_documents(project, format_, selection, progress)
    with Package(out) as package:
        if format_.names_coders:
            documents = [document for coder in sorted(exported) for document in exported[coder]]
            package.add("", format_.write(documents, **options))
        else:
            for coder in sorted(exported):
                package.add(f"{folder_of(coder)}/", format_.write(exported[coder], **options))
        report.files = package.n_files
        package.add_losses([*report.losses, *report.left_out])
    return report


def _read_documents(
    project: Project, format_: Format, selection: Selection, progress: Progress | None
) -> tuple[dict[str, list[Document]], ExportReport]:
    """Return, of one snapshot, the documents of each coder as the format can hold them, and the report on them."""
    exported: dict[str, list[Document]] = defaultdict(list)
    report = ExportReport()
    losses: dict[str, list[Loss]] = defaultdict(list)
    n_lost = n_in_several = 0
    # scorers read files of chains, not of pointers
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
            rows = _read_rows(project, batch, selection.gold, in_words=format_.in_words)
            n_lost += rows.n_lost
            report.texts += len(rows.texts)
            for coder, whole in rows.documents():
                if progress is not None:
                    progress(report.codings, n_codings)
                report.codings += 1
                document, lost = reduce_document(whole, features)
                exported[coder].append(replace(document, coder=coder) if format_.names_coders else document)
                if is_scored:
                    n_in_several += sum(
                        mark.answer is not None and len(mark.answer.indices) > 1 for mark in document.marks
                    )
                if lost:
                    named = [replace(one, examples=tuple(f"{coder}, {each}" for each in one.examples)) for one in lost]
                    losses[coder] = merge_losses([*losses[coder], *named])
    if n_lost:
        other_losses.append(OtherLoss("judgements that answer further questions and have no category yet", n_lost))
    if n_in_several:
        other_losses.append(OtherLoss(IN_SEVERAL_CHAINS, n_in_several))
    report.losses = [*merge_losses(loss for coder in sorted(exported) for loss in losses[coder]), *other_losses]
    return exported, report


class Package:
    """The zip of an export; without `out` its files are only counted."""

    def __init__(self, out: IO[bytes] | None) -> None:
        self.archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) if out is not None else None
        self.n_files = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.archive is not None:
            self.archive.close()

    def add(self, folder: str, files: Sequence[File]) -> None:
        """Add the files, each of which is made when its turn comes."""
        self.n_files += len(files)
        if self.archive is not None:
            for file in files:
                add_file(self.archive, f"{folder}{file.path}", file.data)

    def add_losses(self, losses: Sequence[Loss | OtherLoss]) -> None:
        """Add the report of what the format cannot represent, unless it is empty."""
        if self.archive is not None and losses:
            add_file(self.archive, LOSSES_FILE, "".join(f"{loss}\n" for loss in losses).encode())
