"""Undo the merges of a version of the scheme: restore merged values where no coder has judged since."""

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
    """Undo the merges of a version of the scheme in judgements; return the number of the new version.

    Removed values return to the scheme. Judgements that their coders have given since stay. Raise ValidationError if
    nothing is left to undo, and the exceptions of `save_scheme`.
    """
    with sqlite_write_lock(), transaction.atomic():
        project = lock_project(project.pk)
        codings = Coding.objects.select_for_update(of=("self",)).filter(text__project=project).order_by("pk")
        versions: dict[int, int] = dict(codings.values_list("pk", "version"))
        changes = _opposites(project, number)
        if not changes:
            raise ValidationError(f"Version {number} has merged no answers that are still as it left them.")
        old, _ = scheme_from_json(SchemeVersion.objects.get(project=project, number=number - 1).scheme)
        values = _values([change for coding_changes in changes.values() for change in coding_changes])
        version = save_scheme(project, _restored(read_scheme(project.pk).spec, old, values), user)
        _write(changes, read_scheme(project.pk))
        log_merges(changes, user, versions, version)
        return version


def merging_versions(project: Project, numbers: Collection[int]) -> set[int]:
    """Return the versions among `numbers` that merged answers. One query."""
    merges = Operation.objects.filter(coding__text__project=project, kind=Operation.Kind.MERGE)
    versions = merges.filter(scheme_version__in=numbers).order_by().values_list("scheme_version", flat=True)
    return set(versions.distinct())


def _opposites(project: Project, number: int) -> dict[int, list[AnswerChange]]:
    """Return the opposite changes by coding, for judgements that are unchanged since the merge."""
    merges = Operation.objects.filter(
        coding__text__project=project, kind=Operation.Kind.MERGE, scheme_version=number
    ).order_by("coding")
    further = further_questions(project.pk)
    opposites: dict[int, list[AnswerChange]] = {}
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
            opposites[coding] = kept
    return opposites


def _with_keys_now(coding: int, sequence: int, changes: Iterable[AnswerChange]) -> list[AnswerChange]:
    """Return the changes with the current keys of their markables, without deleted markables."""
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
    """Return the restored values, by question."""
    restored: dict[str, set[str]] = {}
    for change in changes:
        answer = change.new
        restored.setdefault(change.question, set()).update([answer] if isinstance(answer, str) else answer)
    return restored


def _restored(now: SchemeSpec, old: SchemeSpec, values: Values) -> SchemeSpec:
    """Return the scheme with the restored values and with the former conditions on them."""
    categories = _with_values(now.categories, old.categories, values.get(CATEGORY, set()))
    present = {relation.key for relation in now.relations}
    identity = [relation for key in values.get(CATEGORY, ()) if (relation := old.identity_relation(key)) is not None]
    relations = [*now.relations, *(relation for relation in identity if relation.key not in present)]
    former = {attribute.key: attribute for attribute in old.attributes}
    conditions = {relation.key: relation.asked_if for relation in old.relations}
    conditions |= {attribute.key: attribute.asked_if for attribute in old.attributes}

    def asked[Question: (RelationSpec, AttributeSpec)](questions: Iterable[Question]) -> tuple[Question, ...]:
        return tuple(
            replace(row, asked_if=_asked_as_before(row.asked_if, conditions.get(row.key), values)) for row in questions
        )

    attributes = [
        replace(spec, values=_with_values(spec.values, former[spec.key].values, values[spec.key]))
        if spec.key in values and spec.key in former
        else spec
        for spec in now.attributes
    ]
    return SchemeSpec(now.levels, categories, asked(relations), asked(attributes))


def _with_values[Value: (CategorySpec, ValueSpec)](
    now: Sequence[Value], old: Sequence[Value], values: set[str]
) -> tuple[Value, ...]:
    """Return the values with the restored ones at their former positions; existing values take precedence."""
    values = values & {value.key for value in old}
    restored = [value for value in now if value.key not in values]
    present = {value.key: value for value in now if value.key in values and not value.retired}
    for index, value in enumerate(old):
        if value.key in values:
            restored.insert(index, present.get(value.key, value))
    return tuple(restored)


def _asked_as_before(now: Condition | None, before: Condition | None, values: Values) -> Condition | None:
    """Return the condition, with the restored values that it had."""
    if before is None or now is None or not now.question or before.question != now.question:
        return now
    restored = values.get(now.question, set()) - {*now.values}
    return replace(now, values=(*now.values, *(value for value in before.values if value in restored)))


def _write(changes: Mapping[int, Sequence[AnswerChange]], scheme: ProjectScheme) -> None:
    """Write changed answers of judgements, by coding. The number of statements is independent of judgements."""
    judgements = _judgements_of(changes)
    categories: dict[tuple[str, str], list[int]] = {}
    answers: dict[str, list[tuple[int, AnswerChange]]] = {}
    for coding, coding_changes in changes.items():
        for change in coding_changes:
            judgement = judgements[coding, change.markable]
            if change.question == CATEGORY:
                categories.setdefault((str(change.old), str(change.new)), []).append(judgement)
            else:
                answers.setdefault(change.question, []).append((judgement, change))
    for (old, new), keys_of_judgements in categories.items():
        for keys in batched(keys_of_judgements, MAX_KEYS):
            if old in scheme.keys.identity and new in scheme.keys.identity:
                pointers = Pointer.objects.filter(judgement__in=keys, relation=scheme.keys.identity[old])
                pointers.update(relation=scheme.keys.identity[new])
            Judgement.objects.filter(pk__in=keys).update(category=scheme.keys.categories[new])
    rows = []
    for question, question_changes in answers.items():
        attribute = scheme.keys.attributes[question]
        for keys in batched((judgement for judgement, _ in question_changes), MAX_KEYS):
            AttributeAnswer.objects.filter(judgement__in=keys, attribute=attribute).delete()
        rows += [
            (judgement, attribute, scheme.keys.values[question, value], "", None)
            for judgement, change in question_changes
            for value in ((change.new,) if isinstance(change.new, str) else change.new)
        ]
    insert(AttributeAnswer, ANSWER_FIELDS, rows)


def _judgements_of(changes: Mapping[int, Sequence[AnswerChange]]) -> dict[tuple[int, str], int]:
    """Return the primary keys of the changed judgements, by coding and key of the markable."""
    keys_of: dict[tuple[int, str], int] = {}
    names = {change.markable for coding_changes in changes.values() for change in coding_changes}
    for codings in batched(changes, MAX_KEYS // 2):
        for keys in batched(names, MAX_KEYS // 2):
            judgements = Judgement.objects.filter(coding__in=codings, markable__key__in=keys)
            rows = judgements.values_list("coding", "markable__key", "pk")
            keys_of |= {(coding, key): pk for coding, key, pk in rows}
    return keys_of
