"""Undo the merges of a version of the scheme: what was merged is there again, where no coder has judged since."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import batched

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.coding.decisions import Decision
from annotations.coding.judgements import ANSWER_FIELDS, decisions_of_judgements
from annotations.coding.log.merges import AnswerChange, parse_merge
from annotations.coding.markables.corrections import map_key, parse_correction
from annotations.core.database.bulk import MAX_KEYS, insert
from annotations.core.database.locks import sqlite_write_lock
from annotations.formats.model.scheme import (
    CATEGORY,
    AttributeSpec,
    CategorySpec,
    Condition,
    RelationSpec,
    SchemeSpec,
    ValueSpec,
)
from annotations.formats.model.scheme_json import scheme_from_json
from annotations.models import AttributeAnswer, Coding, Judgement, Operation, Pointer, Project, SchemeVersion, User
from annotations.projects.locks import lock_project
from annotations.revision.saving import log_merges, save_scheme
from annotations.schemes.project_scheme import ProjectScheme, further_questions, read_scheme

type Values = Mapping[str, set[str]]


def undo_merges(project: Project, number: int, user: User) -> int:
    """Give judgements back what a version of the scheme merged; return the number of the new version.

    Values that were left out are in the scheme again. Judgements that their coders gave since stay. Raise
    ValidationError where nothing is left to be undone, and what `save_scheme` raises.
    """
    with sqlite_write_lock(), transaction.atomic():
        project = lock_project(project.pk)
        codings = Coding.objects.select_for_update(of=("self",)).filter(text__project=project).order_by("pk")
        versions: dict[int, int] = dict(codings.values_list("pk", "version"))
        changes = _opposites(project, number)
        if not changes:
            raise ValidationError(f"Version {number} has merged no answers that are still as it left them.")
        old, _ = scheme_from_json(SchemeVersion.objects.get(project=project, number=number - 1).scheme)
        values = _values([change for of_coding in changes.values() for change in of_coding])
        version = save_scheme(project, _restored(read_scheme(project.pk).spec, old, values), user)
        _write(changes, read_scheme(project.pk))
        log_merges(changes, user, versions, version)
        return version


def merging_versions(project: Project, numbers: Collection[int]) -> set[int]:
    """Return which of these versions of the scheme merged answers. One query."""
    merges = Operation.objects.filter(coding__text__project=project, kind=Operation.Kind.MERGE)
    found = merges.filter(scheme_version__in=numbers).order_by().values_list("scheme_version", flat=True)
    return set(found.distinct())


def _opposites(project: Project, number: int) -> dict[int, list[AnswerChange]]:
    """Return the opposite changes by coding, of judgements that are as the merge left them."""
    merges = Operation.objects.filter(
        coding__text__project=project, kind=Operation.Kind.MERGE, scheme_version=number
    ).order_by("coding")
    further = further_questions(project.pk)
    found: dict[int, list[AnswerChange]] = {}
    for coding, sequence, payload in merges.values_list("coding", "sequence", "payload"):
        changes = _with_keys_now(coding, sequence, parse_merge(payload))
        same = Judgement.objects.filter(
            coding=coding, scheme_version__lt=number, markable__key__in=[change.markable for change in changes]
        )
        decisions = {decision.markable: decision for decision in decisions_of_judgements(same, further)}
        kept = [
            change.opposite
            for change in changes
            if change.markable in decisions and _is_answered(decisions[change.markable], change)
        ]
        if kept:
            found[coding] = kept
    return found


def _with_keys_now(coding: int, sequence: int, changes: Iterable[AnswerChange]) -> list[AnswerChange]:
    """Return the changes with the keys that their markables have now, without those that are deleted."""
    later = Operation.objects.filter(
        coding=coding, sequence__gt=sequence, kind__in=(Operation.Kind.CORRECT, Operation.Kind.MOVE)
    ).order_by("sequence")
    keys: dict[str, str | None] = {change.markable: change.markable for change in changes}
    for kind, payload in later.values_list("kind", "payload"):
        if kind == Operation.Kind.MOVE:
            keys = {old: payload["to"] if now == payload["markable"] else now for old, now in keys.items()}
        else:
            edits = parse_correction(payload)
            keys = {old: None if now is None else map_key(now, edits) for old, now in keys.items()}
    return [replace(change, markable=now) for change in changes if (now := keys[change.markable]) is not None]


def _is_answered(decision: Decision, change: AnswerChange) -> bool:
    if change.question == CATEGORY:
        return decision.category == change.new
    answer = dict(decision.attributes).get(change.question)
    if isinstance(answer, tuple) and isinstance(change.new, tuple):
        return set(answer) == set(change.new)
    return answer == change.new


def _values(changes: Iterable[AnswerChange]) -> Values:
    """Return the values that come back, by question."""
    found: dict[str, set[str]] = {}
    for change in changes:
        answer = change.new
        found.setdefault(change.question, set()).update([answer] if isinstance(answer, str) else answer)
    return found


def _restored(now: SchemeSpec, old: SchemeSpec, values: Values) -> SchemeSpec:
    """Return the scheme with those values as they were, and with questions asked by them as they were."""
    categories = _with_values(now.categories, old.categories, values.get(CATEGORY, set()))
    there = {relation.key for relation in now.relations}
    identity = [relation for key in values.get(CATEGORY, ()) if (relation := old.identity_relation(key)) is not None]
    relations = [*now.relations, *(relation for relation in identity if relation.key not in there)]
    former = {attribute.key: attribute for attribute in old.attributes}
    conditions = {relation.key: relation.asked_if for relation in old.relations}
    conditions |= {attribute.key: attribute.asked_if for attribute in old.attributes}

    def asked[Question: (RelationSpec, AttributeSpec)](questions: Iterable[Question]) -> tuple[Question, ...]:
        return tuple(
            replace(one, asked_if=_asked_as_before(one.asked_if, conditions.get(one.key), values)) for one in questions
        )

    attributes = [
        replace(one, values=_with_values(one.values, former[one.key].values, values[one.key]))
        if one.key in values and one.key in former
        else one
        for one in now.attributes
    ]
    return SchemeSpec(now.levels, categories, asked(relations), asked(attributes))


def _with_values[Value: (CategorySpec, ValueSpec)](
    now: Sequence[Value], old: Sequence[Value], values: set[str]
) -> tuple[Value, ...]:
    """Return the values with those of before that come back, in the places that they had; what is there stays."""
    values = values & {value.key for value in old}
    restored = [value for value in now if value.key not in values]
    there = {value.key: value for value in now if value.key in values and not value.retired}
    for place, value in enumerate(old):
        if value.key in values:
            restored.insert(place, there.get(value.key, value))
    return tuple(restored)


def _asked_as_before(now: Condition | None, before: Condition | None, values: Values) -> Condition | None:
    """Return the condition, with the values that come back where it had them."""
    if before is None or now is None or not now.question or before.question != now.question:
        return now
    restored = values.get(now.question, set()) - {*now.values}
    return replace(now, values=(*now.values, *(value for value in before.values if value in restored)))


def _write(changes: Mapping[int, Sequence[AnswerChange]], scheme: ProjectScheme) -> None:
    """Write changed answers of judgements, by coding. As many statements for many judgements as for few."""
    judgements = _judgements_of(changes)
    categories: dict[tuple[str, str], list[int]] = {}
    answers: dict[str, list[tuple[int, AnswerChange]]] = {}
    for coding, of_coding in changes.items():
        for change in of_coding:
            judgement = judgements[coding, change.markable]
            if change.question == CATEGORY:
                categories.setdefault((str(change.old), str(change.new)), []).append(judgement)
            else:
                answers.setdefault(change.question, []).append((judgement, change))
    for (old, new), of_category in categories.items():
        for keys in batched(of_category, MAX_KEYS):
            if old in scheme.keys.identity and new in scheme.keys.identity:
                pointers = Pointer.objects.filter(judgement__in=keys, relation=scheme.keys.identity[old])
                pointers.update(relation=scheme.keys.identity[new])
            Judgement.objects.filter(pk__in=keys).update(category=scheme.keys.categories[new])
    rows = []
    for question, of_question in answers.items():
        attribute = scheme.keys.attributes[question]
        for keys in batched((judgement for judgement, _ in of_question), MAX_KEYS):
            AttributeAnswer.objects.filter(judgement__in=keys, attribute=attribute).delete()
        rows += [
            (judgement, attribute, scheme.keys.values[question, value], "", None)
            for judgement, change in of_question
            for value in ((change.new,) if isinstance(change.new, str) else change.new)
        ]
    insert(AttributeAnswer, ANSWER_FIELDS, rows)


def _judgements_of(changes: Mapping[int, Sequence[AnswerChange]]) -> dict[tuple[int, str], int]:
    """Return the primary keys of the judgements that are changed, by coding and key of the markable."""
    found: dict[tuple[int, str], int] = {}
    names = {change.markable for of_coding in changes.values() for change in of_coding}
    for codings in batched(changes, MAX_KEYS // 2):
        for keys in batched(names, MAX_KEYS // 2):
            judgements = Judgement.objects.filter(coding__in=codings, markable__key__in=keys)
            rows = judgements.values_list("coding", "markable__key", "pk")
            found |= {(coding, key): pk for coding, key, pk in rows}
    return found
