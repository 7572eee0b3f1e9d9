"""The judgements of a coding as stored in the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import IntegerField, QuerySet

from annotations.coding.decisions import ROW_FIELDS, Decision, fields_of_row, further_payload
from annotations.coding.readings import Readings, alternatives, readings_payload, without_doubles
from annotations.core.database.compiled_queries import compiled_query
from annotations.formats.model.links import group_readings
from annotations.formats.model.scheme import AnswerKind, AnswerValue
from annotations.models import AttributeAnswer, Coding, Index, Judgement, Pointer
from annotations.schemes.project_scheme import FurtherQuestions, SchemeKeys, further_questions


def judgements_of(coding: Coding, further: FurtherQuestions | None = None) -> dict[str, dict[str, Any]]:
    """Return the judgements of a coding as payloads by markable key, in text order. Queries as in `decisions_of`."""
    judgements, *linked = _rows_of_coding(coding, further)
    links = _links_of_rows(*linked)
    payloads = {}
    for pk, key, category, *own in judgements:
        payload = {"markable": key, "category": category, "pointers": [], "indices": []}
        payloads[key] = payload | dict(zip(ROW_FIELDS, own, strict=True)) | links.get(pk, {})
    return payloads


def decisions_of(coding: Coding, further: FurtherQuestions | None = None) -> list[Decision]:
    """Return the decisions of a coding, in text order. `further` are the further questions of the project, if known."""
    # Three queries, a fourth if the project has attributes, and one more if `further` is None.
    return list(decisions_of_rows(*_rows_of_coding(coding, further)))


def _rows_of_coding(coding: Coding, further: FurtherQuestions | None) -> tuple[Rows, Rows, Rows, Rows]:
    if further is None:
        further = further_questions(coding.text.project_id)
    judgements, pointers = _judgements_of_coding(coding.pk), _pointers_of_coding(coding.pk)
    indices = _indices_of_coding(coding.pk) if further.indices else ()
    return judgements, pointers, indices, _answers_of_coding(coding.pk) if further.attributes else ()


def decisions_of_judgements(judgements: QuerySet[Judgement], further: FurtherQuestions) -> list[Decision]:
    """Return the decisions of the judgements, of each coding in text order. Queries as in `decisions_by_coding`."""
    by_coding = decisions_by_coding(judgements, further).values()
    return [decision for decisions in by_coding for decision in decisions.values()]


def decisions_by_coding(
    judgements: QuerySet[Judgement], further: FurtherQuestions
) -> defaultdict[int, dict[str, Decision]]:
    """Return the decisions of judgements by coding and markable key. Three queries, and a fourth with attributes."""
    rows = list(_judgement_rows(judgements, "coding_id"))
    decisions = decisions_of_rows((row[:-1] for row in rows), *_linked_rows(judgements, further))
    by_coding = defaultdict[int, dict[str, Decision]](dict)
    for (*_, coding), decision in zip(rows, decisions, strict=True):
        by_coding[coding][decision.markable] = decision
    return by_coding


def links_of(judgements: QuerySet[Judgement], further: FurtherQuestions) -> dict[int, dict[str, Any]]:
    """Return the fields of payloads from other tables, by judgement. Two queries, three with attributes."""
    return _links_of_rows(*_linked_rows(judgements, further))


def _links_of_rows(pointer_rows: Rows, index_rows: Rows, answer_rows: Rows) -> dict[int, dict[str, Any]]:
    pointers, relations = _readings_by_judgement(pointer_rows, group_targets)
    indices, attributes = _indices_by_judgement(index_rows), group_answers(answer_rows)
    return {
        pk: {
            "pointers": readings_payload(pointers.get(pk, ())),
            "indices": indices.get(pk, []),
            **further_payload(relations.get(pk, ()), attributes.get(pk, ())),
        }
        for pk in pointers.keys() | relations.keys() | indices.keys() | attributes.keys()
    }


type RelationReadings = tuple[tuple[str, Readings], ...]
type AttributeAnswers = tuple[tuple[str, AnswerValue], ...]


class NamedLinks(NamedTuple):
    """The links of judgements by primary key; readings are in the order in which the coder named them."""

    pointers: Mapping[int, Readings]
    relations: Mapping[int, RelationReadings]
    indices: Mapping[int, list[str]]
    attributes: Mapping[int, AttributeAnswers]


def links_as_named(judgements: QuerySet[Judgement], further: FurtherQuestions) -> NamedLinks:
    """Return the links of the judgements. Two queries, three with attributes."""
    pointers, relations = _readings_by_judgement(_pointer_rows(judgements).order_by("pk"), group_readings)
    return NamedLinks(
        pointers,
        relations,
        _indices_by_judgement(_index_rows(judgements) if further.indices else ()),
        group_answers(_answer_rows(judgements) if further.attributes else ()),
    )


type Rows = Iterable[tuple[Any, ...]]


def decisions_of_rows(
    judgement_rows: Rows, pointer_rows: Rows, index_rows: Rows, answer_rows: Rows
) -> Iterator[Decision]:
    """Yield the decision of each judgement row, from the database or an archive; pointers are in target order."""
    pointers, relations = _readings_by_judgement(pointer_rows, group_targets)
    indices = _indices_by_judgement(index_rows)
    attributes = group_answers(answer_rows)
    for pk, key, category, *own in judgement_rows:
        yield Decision(
            key,
            category=category,
            pointers=pointers.get(pk, ()),
            indices=tuple(indices.get(pk, ())),
            **fields_of_row(own),
            relations=relations.get(pk, ()),
            attributes=attributes.get(pk, ()),
        )


def _indices_by_judgement(rows: Rows) -> dict[int, list[str]]:
    indices: dict[int, list[str]] = {}
    for judgement, entity in rows:
        indices.setdefault(judgement, []).append(entity)
    return indices


type ReadingsByJudgement = tuple[dict[int, Readings], dict[int, RelationReadings]]


def _readings_by_judgement(rows: Rows, group: Callable[[Sequence[tuple[int, str]]], Readings]) -> ReadingsByJudgement:
    """Return the readings of identity, and of other relations, by judgement; `group` builds them from targets."""
    identity: dict[int, list[tuple[int, str]]] = {}
    others: dict[int, dict[str, list[tuple[int, str]]]] = {}
    for judgement, target, reading, is_identity, relation in rows:
        if is_identity:
            identity.setdefault(judgement, []).append((reading, target))
        else:
            others.setdefault(judgement, {}).setdefault(relation, []).append((reading, target))
    return (
        {judgement: group(targets) for judgement, targets in identity.items()},
        {
            judgement: tuple((key, group(relations[key])) for key in sorted(relations))
            for judgement, relations in others.items()
        },
    )


def group_targets(targets: Sequence[tuple[int, str]]) -> Readings:
    """Return the readings of targets in text order, each with the number of its reading.

    Readings are sorted by their first targets, then by the next ones. Readings that a deletion has made equal are one.
    """
    if len(targets) == 1:
        return alternatives([targets[0][1]])
    if all(len(set(column)) == len(targets) for column in zip(*targets, strict=True)):
        return alternatives(target for _, target in targets)
    order = {target: n for n, target in enumerate(dict.fromkeys(target for _, target in targets))}
    readings: dict[int, list[str]] = {}
    for reading, target in targets:
        readings.setdefault(reading, []).append(target)
    in_order = sorted(readings.values(), key=lambda reading: [order[target] for target in reading])
    return without_doubles(tuple(reading) for reading in in_order)


def group_answers(rows: Rows) -> dict[int, AttributeAnswers]:
    """Return the answers to attributes by judgement, in the order of the attributes' keys."""
    answers: dict[int, dict[str, AnswerValue]] = {}
    for judgement, attribute, kind, value, text, number in rows:
        of_judgement = answers.setdefault(judgement, {})
        if kind == AnswerKind.SEVERAL:
            before = of_judgement.get(attribute, ())
            of_judgement[attribute] = (*before, value) if isinstance(before, tuple) else (value,)
        elif number is not None:
            of_judgement[attribute] = int(number) if number == int(number) else number
        else:
            of_judgement[attribute] = value or text
    return {judgement: tuple(sorted(found.items())) for judgement, found in answers.items()}


def _linked_rows(judgements: QuerySet[Judgement], further: FurtherQuestions) -> tuple[Rows, Rows, Rows]:
    indices: Rows = _index_rows(judgements) if further.indices else ()
    return _pointer_rows(judgements), indices, _answer_rows(judgements) if further.attributes else ()


def _judgement_rows(judgements: QuerySet[Judgement], *columns: str) -> QuerySet[Judgement, tuple[Any, ...]]:
    return judgements.order_by("markable__start", "-markable__end", "markable__key").values_list(
        "pk", "markable__key", "category__key", *ROW_FIELDS, *columns
    )


def _pointer_rows(judgements: QuerySet[Judgement]) -> QuerySet[Pointer, tuple[Any, ...]]:
    pointers = Pointer.objects.filter(judgement__in=judgements).order_by("target__start", "-target__end", "pk")
    return pointers.values_list("judgement_id", "target__key", "reading", "relation__identity", "relation__key")


def _index_rows(judgements: QuerySet[Judgement]) -> QuerySet[Index, tuple[Any, ...]]:
    return Index.objects.filter(judgement__in=judgements).order_by("pk").values_list("judgement_id", "entity")


def _answer_rows(judgements: QuerySet[Judgement]) -> QuerySet[AttributeAnswer, tuple[Any, ...]]:
    answers = AttributeAnswer.objects.filter(judgement__in=judgements).order_by("pk")
    return answers.values_list("judgement_id", "attribute__key", "attribute__kind", "value__key", "text", "number")


def _of_coding(rows: Callable[[QuerySet[Judgement]], QuerySet[Any, tuple[Any, ...]]]) -> Callable[[int], Rows]:
    """Return a function that reads these rows of a coding, given its primary key."""
    return compiled_query(IntegerField())(lambda coding: rows(Judgement.objects.filter(coding=coding)))


_judgements_of_coding = _of_coding(_judgement_rows)
_pointers_of_coding = _of_coding(_pointer_rows)
_indices_of_coding = _of_coding(_index_rows)
_answers_of_coding = _of_coding(_answer_rows)


POINTER_FIELDS = ("judgement", "relation", "reading", "target")
ANSWER_FIELDS = ("judgement", "attribute", "value", "text", "number")


def pointer_rows(
    judgement: int, decision: Decision, markables: Mapping[str, int], keys: SchemeKeys
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the pointer rows of a judgement; readings are numbered from 0 within each relation."""
    if decision.pointers and decision.category is not None:
        relation = keys.identity[decision.category]
        for number, reading in enumerate(decision.pointers):
            for target in reading:
                yield judgement, relation, number, markables[target]
    for key, readings in decision.relations:
        relation = keys.relations[key]
        for number, reading in enumerate(readings):
            for target in reading:
                yield judgement, relation, number, markables[target]


def answer_rows(judgement: int, decision: Decision, keys: SchemeKeys) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of answers to attributes."""
    for key, answer in decision.attributes:
        attribute = keys.attributes[key]
        if isinstance(answer, int | float):
            yield judgement, attribute, None, "", answer
        elif isinstance(answer, tuple):
            for value in answer:
                yield judgement, attribute, keys.values[key, value], "", None
        elif (key, answer) in keys.values:
            yield judgement, attribute, keys.values[key, answer], "", None
        else:
            yield judgement, attribute, None, answer, None
