"""Export codings as files of a format, with a report of what the format could not represent."""

from __future__ import annotations

import json
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import IO, Self

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotations.adjudication.states import GoldState, State, gold_states
from annotations.coding.judgements import group_answers
from annotations.core.progress import Progress
from annotations.core.snapshots import read_snapshot
from annotations.core.text import pluralize
from annotations.formats import FORMATS, Answer, Document, File, Links, Mark, Place, Stretch
from annotations.formats.losses.reduction import LOSSES_FILE, Loss, OtherLoss, merge_losses, reduce_document
from annotations.formats.model.document import Parts, Readings, group_readings, links_of
from annotations.formats.model.scheme import AnswerValue, SchemeSpec
from annotations.formats.syntax.archive import add_file
from annotations.formats.syntax.tokenizer import Cuts, find_cuts
from annotations.models import AttributeAnswer, Coding, Judgement, Markable, Pointer, Project, Segment, Text
from annotations.projects.rounds import COUNTED_KINDS
from annotations.schemes.constraints import categories_on
from annotations.schemes.project_scheme import ProjectScheme, read_scheme

# What is exported of gold, and the folder that it is in.
GOLD, SILVER = "gold", "silver"
LINKS = {
    Project.Answers.POINTERS: Links.POINTERS,
    Project.Answers.INDICES: Links.INDICES,
    Project.Answers.CATEGORIES: Links.NONE,
}


@dataclass(slots=True)
class ExportReport:
    """What an export wrote, or would write, and what the format could not represent."""

    texts: int = 0
    codings: int = 0
    files: int = 0
    losses: Sequence[Loss | OtherLoss] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{pluralize(self.codings, 'coding')} of {pluralize(self.texts, 'text')} in {pluralize(self.files, 'file')}"
        )


@dataclass(frozen=True, slots=True)
class _TextRows:
    """The rows of a text that are the same for every coder."""

    slug: str
    title: str
    content: str
    language: str
    direction: str
    segments: list[Stretch]
    markables: dict[int, tuple[Mark, bool]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of an export. Each document is built once, when it is needed, to save memory.

    cuts: where the words of a text are cut and its sentences begin, where that is needed: the same for all coders, also
    for those whose codings are not exported, so that files of one text always fit each other.
    """

    codings: list[tuple[int, int, str]]
    texts: dict[int, _TextRows]
    answers: dict[int, Answers]
    scheme: SchemeSpec
    links: Links
    cuts: Mapping[int, Cuts]
    left_out: Sequence[OtherLoss] = ()

    def document(self, coding: int, text_key: int, coder: str) -> Document:
        text = self.texts[text_key]
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
            cuts=self.cuts[text_key].cuts if self.cuts else (),
            breaks=self.cuts[text_key].breaks if self.cuts else (),
        )


def documents_of(
    project: Project,
    *,
    coders: Sequence[str] = (),
    texts: Sequence[str] = (),
    unfinished: bool = False,
    rounds: Sequence[str] = (),
) -> Iterator[tuple[str, Document]]:
    """Yield the documents of the submitted codings, each with its coder, text by text. No coders or texts means all.

    No rounds means those that figures are made of. Of several codings of a text by one coder there is that of the
    latest round. With `unfinished`, open codings are included. All is read in one snapshot, by eleven queries, one more
    with other relations than identity and three more with attributes.
    """
    rows = _read(project, coders, texts, unfinished, rounds)
    for coding, text, coder in rows.codings:
        yield coder, rows.document(coding, text, coder)


def _read(
    project: Project,
    coders: Sequence[str] = (),
    texts: Sequence[str] = (),
    unfinished: bool = False,
    rounds: Sequence[str] = (),
    gold: str = "",
    *,
    in_words: bool = False,
) -> _Rows:
    with read_snapshot():
        if gold:
            codings, left_out_codings = _gold_codings(project, gold, texts, rounds)
        else:
            codings, left_out_codings = _codings(project, coders, texts, unfinished, rounds)
        ordered = codings.order_by("text__slug", "coder__username")
        rows = [(pk, text, gold or name) for pk, text, name in ordered.values_list("pk", "text_id", "coder__username")]
        text_rows = _texts(project, codings)
        scheme = read_scheme(project.pk)
        answers, left_out = _answers(codings, text_rows, scheme)
        heads = _heads(codings, gold=bool(gold)) if in_words else {}
    cuts = {key: _cuts(text, heads.get(key, ())) for key, text in text_rows.items()} if in_words else {}
    left_out = [*left_out_codings, *left_out]
    return _Rows(rows, text_rows, answers, scheme.spec, LINKS[Project.Answers(project.answers)], cuts, left_out)


def _heads(codings: QuerySet[Coding], *, gold: bool) -> dict[int, list[Parts]]:
    """Return the least words that any coder names, also one whose coding is not exported, by text; or gold, too."""
    rows = Judgement.objects.filter(markable__text__in=codings.order_by().values("text")).exclude(head=[])
    rows = rows if gold else rows.exclude(coding__kind=Coding.Kind.GOLD)
    heads: dict[int, list[Parts]] = defaultdict(list)
    for text, head in rows.values_list("markable__text_id", _as_text("head")):
        heads[text].append(_parts(head))
    return heads


def _cuts(text: _TextRows, heads: Iterable[Parts]) -> Cuts:
    marked = {span for mark, _ in text.markables.values() for span in (*mark.parts, *mark.head)}
    marked.update(span for head in heads for span in head)
    has_sentences = any(segment.kind == Segment.Kind.SENTENCE for segment in text.segments)
    return find_cuts(text.content, marked, has_sentences=has_sentences)


def _codings(
    project: Project, coders: Sequence[str], texts: Sequence[str], unfinished: bool, rounds: Sequence[str]
) -> tuple[QuerySet[Coding], list[OtherLoss]]:
    """Return the codings, one of each text and coder at most, and how many are left out for their round."""
    codings = Coding.objects.filter(text__project=project)
    if coders:
        codings = codings.filter(coder__username__in=coders)
    if texts:
        codings = codings.filter(text__slug__in=texts)
    if not unfinished:
        codings = codings.filter(status=Coding.Status.SUBMITTED)
    of_rounds = project.rounds.values_list("name", "kind")
    if len(of_rounds) < 2 and not rounds and not codings.filter(occasion__gt=1).exists():
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


def _gold_codings(
    project: Project, gold: str, texts: Sequence[str], rounds: Sequence[str]
) -> tuple[QuerySet[Coding], list[OtherLoss]]:
    """Return the gold of texts, one of each, and how many texts are left out because theirs is not of this kind.

    Gold is closed, or every contested item of it was decided; silver is a draft of which some are not decided yet.
    """
    rows = Coding.with_gold.filter(text__project=project, kind=Coding.Kind.GOLD)
    if texts:
        rows = rows.filter(text__slug__in=texts)
    rows = rows.filter(round__name__in=rounds) if rounds else rows.filter(round__kind__in=COUNTED_KINDS)
    states = gold_states(list(rows.order_by("round__position", "round_id", "pk")))
    latest = {one.coding.text_id: one for one in states}  # of several rounds the last
    chosen = [one.coding.pk for one in latest.values() if _is_of_kind(one, gold)]
    reasons = {
        GOLD: "texts whose gold is not decided (export silver to have the drafts)",
        SILVER: "texts whose gold is decided already, or has no draft",
    }
    lost = [OtherLoss(reasons[gold], len(latest) - len(chosen))]
    return Coding.with_gold.filter(pk__in=chosen), [one for one in lost if one.count]


def _is_of_kind(state: GoldState, gold: str) -> bool:
    is_open = state.state is State.OPEN
    return is_open and state.draft is not None if gold == SILVER else not is_open


def _texts(project: Project, codings: QuerySet[Coding]) -> dict[int, _TextRows]:
    # A subquery selects the codings, since no statement takes an unlimited number of keys.
    keys = codings.order_by().values("text")
    rows = Text.objects.filter(project=project, pk__in=keys)
    text_rows = {
        pk: _TextRows(slug, title, content, language, direction, [], {})
        for pk, slug, title, content, language, direction in rows.values_list(
            "pk", "slug", "title", "content", "language", "direction"
        )
    }
    segments = Segment.objects.filter(text__in=keys)
    for text, kind, start, end, label, speaker in segments.values_list(
        "text_id", "kind", "start", "end", "label", "speaker"
    ):
        text_rows[text].segments.append(Stretch(kind, start, end, label, speaker))
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


@dataclass(slots=True)
class _Further:
    """What judgements say beside category and indices, by judgement. Most say nothing further."""

    pointers: Mapping[int, tuple[Place, ...]]
    readings: Mapping[int, Readings]
    relations: Mapping[int, tuple[tuple[str, Readings], ...]]
    attributes: Mapping[int, tuple[tuple[str, AnswerValue], ...]]

    def has(self, judgement: int) -> bool:
        return judgement in self.pointers or judgement in self.relations or judgement in self.attributes


def _answers(
    codings: QuerySet[Coding], texts: Mapping[int, _TextRows], scheme: ProjectScheme
) -> tuple[dict[int, Answers], list[OtherLoss]]:
    """Return for each coding the answers by markable, and what no format holds: answers before the category."""
    categories = {pk: key for key, pk in scheme.keys.categories.items()}
    judgements = Judgement.objects.filter(coding__in=codings.order_by().values("pk"))
    further = _further(judgements, texts, scheme)
    attributes_alone = {level for level in scheme.spec.coded_levels if not categories_on(scheme.constraints, level)}
    without_category = 0
    # Few judgements have more than category and links, so that the other columns are read for those alone.
    details = {
        pk: (optional, unsure, note, name, _parts(head))
        for pk, optional, unsure, note, name, head in judgements.exclude(
            optional=False, unsure=False, note="", name="", head=[]
        ).values_list("pk", "optional", "unsure", "note", "name", _as_text("head"))
    }

    def answer_and_head(pk: int, category: int | None, entity: str | None) -> AnswerAndHead:
        optional, unsure, note, name, head = details.get(pk, (False, False, "", "", ()))
        if category is None and not (attributes_alone and further.has(pk)):
            return None, head
        return (
            Answer(
                "" if category is None else categories[category],
                further.pointers.get(pk, ()),
                () if entity is None else (entity,),
                optional,
                unsure,
                note,
                name,
                further.readings.get(pk, ()),
                further.relations.get(pk, ()),
                further.attributes.get(pk, ()),
            ),
            head,
        )

    answers_by_coding: dict[int, Answers] = defaultdict(dict)
    # Most have only a category and an entity; equal ones share one object.
    shared: dict[tuple[int | None, str | None], AnswerAndHead] = {}
    rows = judgements.order_by("indices__pk")
    for pk, coding, markable, category, entity in rows.values_list(
        "pk", "coding_id", "markable_id", "category_id", "indices__entity"
    ):
        answers = answers_by_coding[coding]
        if markable in answers:  # a row for each entity
            answers[markable] = _with_entity(answers[markable], entity)
        elif pk in details or further.has(pk):
            answers[markable] = answer_and_head(pk, category, entity)
            without_category += answers[markable][0] is None and further.has(pk)
        else:
            key = category, entity
            if key not in shared:
                shared[key] = answer_and_head(pk, category, entity)
            answers[markable] = shared[key]
    lost = [OtherLoss("judgements that answer further questions and have no category yet", without_category)]
    return answers_by_coding, lost if without_category else []


def _further(judgements: QuerySet[Judgement], texts: Mapping[int, _TextRows], scheme: ProjectScheme) -> _Further:
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
    return _Further(targets, plural, relations, _attributes(judgements) if scheme.further.attributes else {})


def _attributes(judgements: QuerySet[Judgement]) -> dict[int, tuple[tuple[str, AnswerValue], ...]]:
    """Return the answers to attributes by judgement."""
    answers = AttributeAnswer.objects.filter(judgement__in=judgements).order_by("pk")
    columns = ("judgement_id", "attribute__key", "attribute__kind", "value__key", "text", "number")
    return group_answers(answers.values_list(*columns))


def _with_entity(answer_and_head: AnswerAndHead, entity: str) -> AnswerAndHead:
    """Return the answer with one more entity."""
    answer, head = answer_and_head
    return answer and answer.with_links(answer.category, answer.pointers, (*answer.indices, entity)), head


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
    *,
    options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **selection: object,
) -> ExportReport:
    """Write a zip of the format's files to `out`; if that is None, only report what would be lost.

    The files are in a folder for each coder, or in one for all if the format names coders. `selection` is that of
    `documents_of`. `progress` is called with the numbers of codings done and of all codings. The report is also in the
    zip. Valid rows raise no errors.
    """
    format_ = FORMATS[format_key]
    assert format_.write is not None
    write = partial(format_.write, **(options or {}))
    rows = _read(project, in_words=format_.in_words, **selection)  # type: ignore[arg-type]
    report, losses, texts = ExportReport(codings=len(rows.codings)), list[Loss](), set[str]()
    all_documents: list[Document] = []
    n_done = 0
    with _Package(out) as package:
        # The documents of a coder are released before those of the next are built.
        for coder, codings in groupby(sorted(rows.codings, key=itemgetter(2)), key=itemgetter(2)):
            documents = []
            for coding in codings:
                if progress is not None:
                    progress(n_done, len(rows.codings))
                n_done += 1
                document, losses_of_document = reduce_document(rows.document(*coding), format_.supported_features)
                documents.append(document)
                texts.add(document.name)
                losses += [
                    replace(loss, examples=tuple(f"{coder}, {example}" for example in loss.examples))
                    for loss in losses_of_document
                ]
            if format_.names_coders:
                all_documents += [replace(document, coder=coder) for document in documents]
            else:
                package.add(f"{folder_of(coder)}/", write(documents))
        if format_.names_coders:
            package.add("", write(all_documents))
        report.files, report.texts, report.losses = package.n_files, len(texts), [*merge_losses(losses), *rows.left_out]
        package.add_losses(report.losses)
    return report


class _Package:
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
        self.n_files += len(files)
        if self.archive is not None:
            for file in files:
                add_file(self.archive, f"{folder}{file.path}", file.data)

    def add_losses(self, losses: Sequence[Loss | OtherLoss]) -> None:
        """Add the report of what the format cannot represent, unless it is empty."""
        if self.archive is not None and losses:
            add_file(self.archive, LOSSES_FILE, "".join(f"{loss}\n" for loss in losses).encode())


def folder_of(coder: str) -> str:
    """Return the folder of a coder, without a leading dot, which usernames may have: hidden files are not read."""
    return f"_{coder}" if coder.startswith(".") else coder
