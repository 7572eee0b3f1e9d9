"""The judgements of a coding as stored in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import IntegerField, QuerySet

from annotations.coding.decisions import Decision
from annotations.core.compiled_queries import compiled_query
from annotations.models import Coding, Index, Judgement, Pointer


def judgements_of(coding: Coding) -> dict[str, dict[str, Any]]:
    """Return the payloads of the judgements of a coding by markable key, in text order. Three queries."""
    return {decision.markable: decision.payload() for decision in decisions_of(coding)}


def decisions_of(coding: Coding) -> list[Decision]:
    """Return the decisions of a coding, in text order. Three queries."""
    return list(
        _decisions(
            _judgement_rows_of_coding(coding.pk), _pointer_rows_of_coding(coding.pk), _index_rows_of_coding(coding.pk)
        )
    )


def decisions_of_judgements(judgements: QuerySet[Judgement]) -> list[Decision]:
    """Return the decisions of these judgements, in text order. Three queries."""
    return list(_decisions(_judgement_rows(judgements), _pointer_rows(judgements), _index_rows(judgements)))


type Rows = Iterable[tuple[Any, ...]]


def _decisions(judgement_rows: Rows, pointer_rows: Rows, index_rows: Rows) -> Iterator[Decision]:
    pointers: dict[int, list[str]] = {}
    for judgement, target in pointer_rows:
        pointers.setdefault(judgement, []).append(target)
    indices: dict[int, list[str]] = {}
    for judgement, entity in index_rows:
        indices.setdefault(judgement, []).append(entity)
    for pk, key, category, note, name, head, unsure, optional in judgement_rows:
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


def _judgement_rows(judgements: QuerySet[Judgement]) -> QuerySet[Judgement, tuple[Any, ...]]:
    return judgements.order_by("markable__start", "-markable__end", "markable__key").values_list(
        "pk", "markable__key", "category__key", "note", "name", "head", "unsure", "optional"
    )


def _pointer_rows(judgements: QuerySet[Judgement]) -> QuerySet[Pointer, tuple[Any, ...]]:
    pointers = Pointer.objects.filter(judgement__in=judgements).order_by("target__start", "-target__end", "pk")
    return pointers.values_list("judgement_id", "target__key")


def _index_rows(judgements: QuerySet[Judgement]) -> QuerySet[Index, tuple[Any, ...]]:
    return Index.objects.filter(judgement__in=judgements).order_by("pk").values_list("judgement_id", "entity")


@compiled_query(IntegerField())
def _judgement_rows_of_coding(coding: int) -> QuerySet[Judgement, tuple[Any, ...]]:
    return _judgement_rows(Judgement.objects.filter(coding=coding))


@compiled_query(IntegerField())
def _pointer_rows_of_coding(coding: int) -> QuerySet[Pointer, tuple[Any, ...]]:
    return _pointer_rows(Judgement.objects.filter(coding=coding))


@compiled_query(IntegerField())
def _index_rows_of_coding(coding: int) -> QuerySet[Index, tuple[Any, ...]]:
    return _index_rows(Judgement.objects.filter(coding=coding))
