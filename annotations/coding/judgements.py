"""The judgements of a coding as they stand in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import IntegerField, QuerySet

from annotations.decisions import Decision
from annotations.models import Coding, Index, Judgement, Pointer
from annotations.prepared import prepared


def judgements_of(coding: Coding) -> dict[str, dict[str, Any]]:
    """The judgements of a coding by markable key, as payloads in text order. Three queries."""
    return {decision.markable: decision.payload() for decision in decisions_of(coding)}


def decisions_of(coding: Coding) -> list[Decision]:
    """All that the coder said, in text order. Three queries."""
    return list(_decisions(_said_in(coding.pk), _pointing_in(coding.pk), _indexed_in(coding.pk)))


def decisions_in(judgements: QuerySet[Judgement]) -> list[Decision]:
    """Of some judgements. Three queries."""
    return list(_decisions(_said(judgements), _pointing(judgements), _indexed(judgements)))


type Rows = Iterable[tuple[Any, ...]]


def _decisions(said: Rows, pointing: Rows, indexed: Rows) -> Iterator[Decision]:
    pointers: dict[int, list[str]] = {}
    for judgement, target in pointing:
        pointers.setdefault(judgement, []).append(target)
    indices: dict[int, list[str]] = {}
    for judgement, entity in indexed:
        indices.setdefault(judgement, []).append(entity)
    for pk, key, category, note, name, head, unsure, optional in said:
        yield Decision(
            key,
            category,
            tuple(pointers.get(pk, ())),
            tuple(indices.get(pk, ())),
            note,
            name,
            tuple((start, end) for start, end in head),
            unsure,
            optional,
        )


def _said(judgements: QuerySet[Judgement]) -> QuerySet[Judgement, tuple[Any, ...]]:
    return judgements.order_by("markable__start", "-markable__end", "markable__key").values_list(
        "pk", "markable__key", "category__key", "note", "name", "head", "unsure", "optional"
    )


def _pointing(judgements: QuerySet[Judgement]) -> QuerySet[Pointer, tuple[Any, ...]]:
    pointers = Pointer.objects.filter(judgement__in=judgements).order_by("target__start", "-target__end", "pk")
    return pointers.values_list("judgement_id", "target__key")


def _indexed(judgements: QuerySet[Judgement]) -> QuerySet[Index, tuple[Any, ...]]:
    return Index.objects.filter(judgement__in=judgements).order_by("pk").values_list("judgement_id", "entity")


@prepared(IntegerField())
def _said_in(coding: int) -> QuerySet[Judgement, tuple[Any, ...]]:
    return _said(Judgement.objects.filter(coding=coding))


@prepared(IntegerField())
def _pointing_in(coding: int) -> QuerySet[Pointer, tuple[Any, ...]]:
    return _pointing(Judgement.objects.filter(coding=coding))


@prepared(IntegerField())
def _indexed_in(coding: int) -> QuerySet[Index, tuple[Any, ...]]:
    return _indexed(Judgement.objects.filter(coding=coding))
