"""What the coding page starts from: one dictionary, the same for the page and the API."""

from collections import defaultdict
from typing import Any

from django.db.models import IntegerField, QuerySet

from annotations import operations, scus
from annotations.decisions import categories_of, levels_of
from annotations.models import SCU, Coding, Index, Markable, Project, Segment, Text
from annotations.prepared import prepared
from annotations.timing import seconds_at_work


def coding_state(coding: Coding, project: Project) -> dict[str, Any]:
    """The text, scheme, markables and judgements that the coding's coder sees. Nine queries, with SCUs up to 17."""
    # of a pyramid the words go along as spans alone
    markables = _coded_markables if project.answers == Project.Answers.SCUS else _markables
    state = {
        "project": {"slug": project.slug, "title": project.title},
        "user": coding.coder.get_username(),
        "text": text_state(coding.text),
        "scheme": scheme_state(project),
        "markables": [
            {"key": key, "level": level, "label": label, "parts": parts, "head": head, "own": not predefined}
            for key, level, label, parts, head, predefined in markables(coding.pk, coding.text_id)
        ],
        "coding": {"status": coding.status, "version": coding.version, "seconds": seconds_at_work(coding)},
        "judgements": operations.judgements_of(coding),
    }
    if project.answers == Project.Answers.SCUS:
        state["pyramid"] = pyramid_state(coding, project)
    return state


def pyramid_state(coding: Coding, project: Project) -> dict[str, Any]:
    """What the pyramid page knows besides: words, options, what is said of SCUs, and what a peer is held against."""
    against = scus.pyramid_seen(coding)
    return {
        "kind": coding.kind,
        "docset": coding.text.docset.title if coding.text.docset else "",
        "one_contributor": project.one_contributor,
        "words_exclusive": project.words_exclusive,
        "words": [
            parts[0] for parts in coding.text.markables.filter(level__coded=False).values_list("parts", flat=True)
        ],
        "scus": scus.descriptions_of(coding),
        "against": against_state(against) if against is not None else None,
        "others": others_state(coding) if coding.kind == Coding.Kind.AGREED else [],
    }


def others_state(agreed: Coding) -> list[dict[str, Any]]:
    """The pyramids that the adjudicator of an agreed one may see: what each coder has handed in. Three queries."""
    mine = Coding.objects.visible_to(agreed.coder).filter(text=agreed.text_id, kind=Coding.Kind.PYRAMID)
    coders = dict(
        mine.filter(status=Coding.Status.SUBMITTED).order_by("coder__username").values_list("pk", "coder__username")
    )
    labels = {
        (coding, key): label
        for coding, key, label in SCU.objects.filter(coding__in=coders).values_list("coding", "key", "label")
    }
    contributors: dict[tuple[int, str], list[str]] = defaultdict(list)
    found = Index.objects.filter(judgement__coding__in=coders).order_by("judgement__markable__start", "pk")
    for coding, entity, markable in found.values_list("judgement__coding", "entity", "judgement__markable__key"):
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


def against_state(pyramid: Coding) -> dict[str, Any]:
    """The pyramid that a peer summary is held against."""
    return {
        "kind": pyramid.kind,
        "handed_in": pyramid.status == Coding.Status.SUBMITTED,
        "summaries": len(scus.summaries_of(pyramid.text_id)),
        "scus": [one.state() for one in scus.weighed(pyramid)],
    }


def text_state(text: Text) -> dict[str, Any]:
    """A text with its segments, offsets in code points."""
    return {
        "slug": text.slug,
        "title": text.title,
        "content": text.content,
        "language": text.language,
        "direction": text.direction,
        "segments": _segments(text.pk),
    }


@prepared(IntegerField())
def _segments(text: int) -> QuerySet[Segment, Any]:
    return Segment.objects.filter(text=text).values("kind", "start", "end", "label", "speaker")


SHOWN = ("key", "level__key", "label", "parts", "head", "predefined")


@prepared(IntegerField(), IntegerField())
def _markables(coding: int, text: int) -> QuerySet[Markable, tuple[Any, ...]]:
    return Markable.objects.seen_in(coding, text).values_list(*SHOWN)


@prepared(IntegerField(), IntegerField())
def _coded_markables(coding: int, text: int) -> QuerySet[Markable, tuple[Any, ...]]:
    return Markable.objects.seen_in(coding, text).filter(level__coded=True).values_list(*SHOWN)


def scheme_state(project: Project) -> dict[str, Any]:
    """Levels and categories in the order in which they are shown."""
    return {
        "answers": project.answers,
        "levels": [
            {"key": level.key, "label": level.label, "coded": level.coded, "coders_mark": level.coders_mark}
            for level in levels_of(project.pk)
        ],
        "categories": [
            {
                "key": category.key,
                "label": category.label,
                "points_to": category.points_to.key if category.points_to else None,
                "max_pointers": category.max_pointers,
                "allow_later": category.allow_later,
                "takes_index": category.takes_index,
                "takes_optional": category.takes_optional,
            }
            for category in categories_of(project.pk)
        ],
    }
