"""The data of the coding page: one dictionary for the page and the API."""

from collections import defaultdict
from collections.abc import Collection
from operator import itemgetter
from typing import Any

from django.db.models import F, IntegerField, QuerySet

from annotations.coding.judgements import judgements_of
from annotations.coding.pyramids import scus
from annotations.core.database.compiled_queries import compiled_query
from annotations.core.text import letters
from annotations.models import SCU, Coding, Index, Markable, Operation, Project, Segment, Text
from annotations.projects.letters import shuffle_codings
from annotations.projects.viewing import record_view
from annotations.schemes.project_scheme import read_scheme


def coding_state(coding: Coding, project: Project) -> dict[str, Any]:
    """Return the text, scheme, markables and judgements that the coder sees.

    Twelve queries, two more with attributes; up to 21 with SCUs. If the text is corrected meanwhile, the coding is read
    again, so that words and offsets match.
    """
    state = _read_state(coding, project)
    while _read_correction(coding):
        state = _read_state(coding, project)
    return state


def _read_correction(coding: Coding) -> bool:
    """Return whether the text was corrected since the coding was read; if so, update coding and text."""
    for (corrections,) in _corrections(coding.pk):
        if corrections != coding.corrections:
            fields = ("status", "version", "corrections", "active_time", "text__content")
            row = Coding.objects.filter(pk=coding.pk).values_list(*fields).first()
            if row is not None:
                coding.status, coding.version, coding.corrections, coding.active_time, coding.text.content = row
                return True
    return False


@compiled_query(IntegerField())
def _corrections(coding: int) -> QuerySet[Coding, tuple[int]]:
    return Coding.objects.filter(pk=coding).order_by().values_list("corrections")


def _read_state(coding: Coding, project: Project) -> dict[str, Any]:
    # The words of a pyramid are sent as spans only.
    scheme = read_scheme(project.pk)
    levels = {level.pk: level.key for level in scheme.levels if level.coded or project.answers != Project.Answers.SCUS}
    state = {
        "project": {"slug": project.slug, "title": project.title},
        "user": coding.coder.get_username(),
        "text": text_state(coding.text),
        "scheme": scheme.state(project.answers),
        "markables": [
            {"key": key, "level": levels[level], "label": label, "parts": parts, "head": head, "own": not predefined}
            for *_, key, level, label, parts, head, predefined in _markable_rows(coding, levels)
        ],
        "coding": {
            "status": coding.status,
            "version": coding.version,
            "seconds": round(coding.active_time.total_seconds()),
        },
        "judgements": judgements_of(coding, scheme.further),
    }
    if project.answers == Project.Answers.SCUS:
        state["pyramid"] = pyramid_state(coding, project)
    return state


def corrections_of(coding: Coding, since: int = 0) -> list[dict[str, Any]]:
    """Return the corrections of the text after version `since` of the coding. A query only if there are any."""
    if not coding.corrections:
        return []
    log = coding.operations.filter(kind=Operation.Kind.CORRECT, sequence__gt=since, sequence__lte=coding.version)
    log = log.order_by("sequence")
    return [{"sequence": sequence, **payload} for sequence, payload in log.values_list("sequence", "payload")]


def pyramid_state(coding: Coding, project: Project) -> dict[str, Any]:
    """Return the additional data of the pyramid page: words, options, SCU descriptions, and a peer's pyramid."""
    pyramid = scus.visible_pyramid_of_peer(coding)
    against: dict[str, Any] | None = None
    if pyramid is not None:
        against = {
            "kind": pyramid.kind,
            "handed_in": pyramid.status == Coding.Status.SUBMITTED,
            "summaries": len(scus.summary_spans(pyramid.text_id)),
            "scus": [scu.state() for scu in scus.weighted_scus(pyramid)],
        }
    numbers = scus.scu_numbers(pyramid or coding)
    if against is not None:
        keys = {scu["key"] for scu in against["scus"]}
        numbers = {key: number for key, number in numbers.items() if key in keys}
    return {
        "kind": coding.kind,
        "docset": coding.text.docset.title if coding.text.docset else "",
        "one_contributor": project.one_contributor,
        "words_exclusive": project.words_exclusive,
        "scores_shown": project.scores_shown,
        "words": [
            parts[0] for parts in coding.text.markables.filter(level__coded=False).values_list("parts", flat=True)
        ],
        "scus": scus.scu_descriptions(coding),
        "numbers": numbers,
        "against": against,
        "others": other_pyramids_state(coding) if coding.kind == Coding.Kind.AGREED else [],
    }


def other_pyramids_state(agreed: Coding) -> list[dict[str, Any]]:
    """Return the submitted pyramids that the adjudicator of an agreed one may see, by coder. At most six queries."""
    # Beside a draft, coders have the letters of its queue; later submissions have the next letters.
    pyramids = Coding.objects.of_coders().visible_to(agreed.coder).filter(text=agreed.text_id, kind=Coding.Kind.PYRAMID)
    record_view(pyramids, agreed.coder)
    coders = dict(
        pyramids.filter(status=Coding.Status.SUBMITTED).order_by("coder__username").values_list("pk", "coder__username")
    )
    if (drafted := _drafted_codings(agreed)) is not None:
        in_order = [*shuffle_codings(agreed.text_id, drafted), *shuffle_codings(agreed.text_id, set(coders) - drafted)]
        coders = {pk: f"Coder {letters(number)}" for number, pk in enumerate(in_order) if pk in coders}
    labels = {
        (coding, key): label
        for coding, key, label in SCU.objects.filter(coding__in=coders).values_list("coding", "key", "label")
    }
    contributors: dict[tuple[int, str], list[str]] = defaultdict(list)
    indices = Index.objects.filter(judgement__coding__in=coders).order_by("judgement__markable__start", "pk")
    for coding, entity, markable in indices.values_list("judgement__coding", "entity", "judgement__markable__key"):
        contributors[coding, entity].append(markable)
    return [
        {
            "coder": name,
            "scus": [
                {"key": key, "label": labels.get((coding, key), ""), "contributors": keys}
                for (coding, key), keys in contributors.items()
                if coding == pk
            ],
        }
        for pk, name in coders.items()
    ]


def _drafted_codings(gold: Coding) -> set[int] | None:
    """Return the primary keys of the codings in the last draft of gold; None if it has no draft."""
    drafts = gold.operations.filter(kind=Operation.Kind.DRAFT).order_by("-sequence")
    payload = drafts.values_list("payload", flat=True).first()
    if payload is None:
        return None
    operations = Operation.objects.filter(uuid__in=payload["codings"], coding__text=gold.text_id)
    return set(operations.values_list("coding", flat=True))


def text_state(text: Text) -> dict[str, Any]:
    """Return a text with its segments, offsets in code points."""
    fields = ("slug", "title", "content", "language", "direction")
    return {name: getattr(text, name) for name in fields} | {"segments": _segments(text.pk)}


@compiled_query(IntegerField())
def _segments(text: int) -> QuerySet[Segment, Any]:
    return Segment.objects.filter(text=text).values("kind", "start", "end", "label", "speaker")


def _markable_rows(coding: Coding, levels: Collection[int]) -> list[tuple[Any, ...]]:
    """Return the markables of these levels that the coder sees, in text order. Two queries."""
    # The coder's own markables are found by judgement, so that the response time does not reveal others' markables.
    rows = [row for row in [*_given(coding.text_id), *_marked(coding.pk)] if row[3] in levels]
    return sorted(rows, key=itemgetter(0, 1, 2))


COLUMNS = ("start", -F("end"), "key", "level_id", "label", "parts", "head", "predefined")


@compiled_query(IntegerField())
def _given(text: int) -> QuerySet[Markable, tuple[Any, ...]]:
    return Markable.objects.order_by().filter(text=text, predefined=True).values_list(*COLUMNS)


@compiled_query(IntegerField())
def _marked(coding: int) -> QuerySet[Markable, tuple[Any, ...]]:
    return Markable.objects.order_by().filter(judgements__coding=coding, predefined=False).values_list(*COLUMNS)
