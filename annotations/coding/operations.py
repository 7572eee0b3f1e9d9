"""The only write path for judgements: a batch is checked, applied and logged in one transaction, or wholly rejected."""

# A coder's own markable exists from the first operation that names it until it is unmarked. So a judgement from one
# window survives the deletion of its markable or antecedent in another.

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.http import Http404
from django.utils import timezone

from annotations.coding.active_time import add_active_time
from annotations.coding.decisions import (
    ROW_FIELDS,
    CheckJudgement,
    ClearJudgement,
    DecideItems,
    Decision,
    DeleteMarkable,
    Description,
    MarkableOperation,
    MoveMarkable,
    OperationPayload,
    OperationRejected,
    WritingOperation,
    parse_operation,
    row_values,
)
from annotations.coding.gold import check_decides, check_judgement
from annotations.coding.judgements import answer_rows, decisions_of_judgements, pointer_rows
from annotations.coding.markables.markables import lies_within
from annotations.coding.pyramids.scus import check_pyramid
from annotations.coding.rules import Rules, retired_answers
from annotations.core.database.locks import sqlite_write_lock
from annotations.models import (
    SCU,
    AttributeAnswer,
    Coding,
    Index,
    Judgement,
    Markable,
    Operation,
    Pointer,
    Project,
    User,
)
from annotations.projects.rounds import begin_round
from annotations.schemes.project_scheme import further_questions

MAX_OPERATIONS = 500
MAX_MOVED_POINTERS = 20_000  # pointers to the moved markables of one request; the coding page moves one at a time
# The limits of the missed operations in one response, as a log has any length.
MAX_MISSED = 500
MAX_MISSED_BYTES = 1_000_000
STATUS_KINDS = (Operation.Kind.SUBMIT, Operation.Kind.REOPEN)


class VersionConflict(Exception):
    """The author has not seen the operations in `missed`, which lead to `version`. Nothing was applied."""

    # If too many were missed for one response, `missed` has the first; sending again returns the next.

    def __init__(self, current: int, missed: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(f"The coding is now at version {current}. Apply the operations you missed and send again.")
        self.version: int = missed[-1]["sequence"]
        self.missed = missed


@dataclass(frozen=True, slots=True)
class Change:
    """An operation as received. Operations with equal `step` are undone together; this one undoes the step `undoes`."""

    uuid: UUID
    kind: str
    payload: Mapping[str, Any]
    made_at: datetime | None = None
    step: UUID | None = None
    undoes: UUID | None = None


def apply(coding: Coding, user: User, version: int, changes: Sequence[Change]) -> int:
    """Apply the user's changes to the coding and return its new version.

    An operation whose UUID is in the log is skipped, so sending twice changes nothing. Raise VersionConflict if the log
    has operations after `version` that are not in this batch. Raise OperationRejected if a rule is broken. In both
    cases nothing is changed. If the log has the whole batch, a later submission or reopening is no conflict.
    """
    if len(changes) > MAX_OPERATIONS:
        raise OperationRejected("too_many_operations", f"Send at most {MAX_OPERATIONS} operations at a time.")
    with sqlite_write_lock(), transaction.atomic():
        coding = lock_coding(coding)
        refuse_other_coder(coding, user)
        uuids = [change.uuid for change in changes]
        known = set(coding.operations.filter(uuid__in=uuids).order_by().values_list("uuid", flat=True))
        new_changes = _new_changes(changes, known)
        unseen = coding.operations.filter(sequence__gt=version).exclude(uuid__in=uuids).order_by()
        is_stale = version < coding.version and unseen.exists()
        if not new_changes and not (is_stale and unseen.exclude(kind__in=STATUS_KINDS).exists()):
            return coding.version
        if version > coding.version:
            raise OperationRejected(
                "version_ahead", f"The coding is at version {coding.version}, not {version}: load it again."
            )
        if is_stale:
            raise VersionConflict(coding.version, _first_missed(coding, version))
        if coding.status != Coding.Status.OPEN:
            raise OperationRejected("submitted", "This coding is submitted; ask a manager to reopen it.")
        refuse_closed_round(coding)
        payloads: dict[int, OperationPayload] = {}
        for position, change in new_changes.items():
            with _at(position):
                payloads[position] = parse_operation(change.kind, change.payload)
        moves, scheme_version = Moves(), coding.text.project.scheme_version
        decides = {position: payload for position, payload in payloads.items() if isinstance(payload, DecideItems)}
        if decides:
            scheme_version = check_decides(coding, decides)
        writing = {position: payload for position, payload in payloads.items() if not isinstance(payload, DecideItems)}
        for is_alone, run in groupby(writing.items(), key=lambda item: isinstance(item[1], ALONE)):
            if is_alone:
                for position, operation in run:
                    _apply_alone(coding, position, operation, moves)
            else:
                # The project's row may have been read before the lock on the coding was granted.
                scheme_version = _apply_judgements(coding, dict(run))
        _check_moved(coding, moves)
        if coding.text.project.answers == Project.Answers.SCUS:
            check_pyramid(coding, writing)
        begin_round_of(coding, scheme_version)
        append_to_log(coding, user, new_changes.values(), scheme_version)
        return coding.version


def log_correction(codings: Sequence[Coding], user: User, payload: Mapping[str, Any], scheme_version: int) -> None:
    """Log the correction of a text in all of its codings, which are locked and already moved."""
    for coding in codings:
        append_to_log(coding, user, [Change(uuid4(), Operation.Kind.CORRECT, payload)], scheme_version)
    Coding.objects.filter(pk__in=[coding.pk for coding in codings]).update(corrections=F("corrections") + 1)


def log_assignment(coding: Coding, user: User, to: User | None) -> None:
    """Log the new owner of gold, which is locked, and the user who chose the owner. None: the first user to open it."""
    payload = {"to": to.get_username() if to is not None else None}
    append_to_log(coding, user, [Change(uuid4(), Operation.Kind.ASSIGN, payload)], coding.text.project.scheme_version)
    Coding.objects.filter(pk=coding.pk).update(corrections=F("corrections") + 1)


def begin_round_of(coding: Coding, scheme_version: int) -> None:
    """Begin the round with the work of coders; gold may be made before the round begins."""
    if coding.kind != Coding.Kind.GOLD:
        begin_round(coding.round, scheme_version)


def refuse_other_coder(coding: Coding, user: User) -> None:
    """Raise OperationRejected if the coding was assigned to another coder since the request was authorized."""
    if coding.coder_id != user.pk:
        raise OperationRejected("handed_on", "This coding was reassigned to somebody else.")


def refuse_closed_round(coding: Coding) -> None:
    """Raise OperationRejected if the round is closed."""
    if coding.round.is_closed:
        raise OperationRejected(
            "round_closed", f"The round {coding.round} is closed: nothing is changed in it until a manager opens it."
        )


def lock_coding(coding: Coding) -> Coding:
    """Return the coding, re-read and locked until the transaction ends. (SQLite locks by IMMEDIATE transactions.)

    Raise Http404 if its text or project was deleted in the meantime.
    """
    rows = Coding.objects.select_for_update(of=("self",)).select_related("text__project", "round")
    locked = rows.defer("text__content").filter(pk=coding.pk).order_by("pk").first()
    if locked is None:
        raise Http404("This coding was deleted.")
    return locked


def _first_missed(coding: Coding, version: int) -> list[Mapping[str, Any]]:
    """Return the operations after a version that fit into one response; refuse if the first alone is too large."""
    later = coding.operations.filter(sequence__gt=version).order_by("sequence")
    missed: list[Mapping[str, Any]] = []
    size = 0
    rows = later.values("uuid", "kind", "payload", "sequence", "step", "undoes")[:MAX_MISSED]
    for operation in rows.iterator(chunk_size=50):
        size += len(json.dumps(operation["payload"]))
        if size > MAX_MISSED_BYTES:
            break
        missed.append(operation)
    if not missed:
        raise OperationRejected("version_ahead", "So much was done here meanwhile that it is not told: load it again.")
    return missed


# Operations that are written one by one; consecutive judgements and clearings are written together.
ALONE = (DeleteMarkable, MoveMarkable, Description, CheckJudgement)


@dataclass(slots=True)
class Moves:
    """The moves of a request: positions of the operations by new key, and the number of pointers written."""

    positions: dict[str, int] = field(default_factory=dict)
    pointers: int = 0


def _apply_judgements(coding: Coding, run: Mapping[int, WritingOperation]) -> int:
    """Write consecutive judgements and clearings, and return the version of the scheme that checked them."""
    judgements = {n: operation for n, operation in run.items() if isinstance(operation, Decision | ClearJudgement)}
    rules = Rules.for_coding(coding, {key for operation in judgements.values() for key in _keys_of(operation)})
    _write_decisions(coding, rules, _final_decisions(coding, rules, judgements))
    return rules.keys.version


def _apply_alone(coding: Coding, position: int, operation: WritingOperation, moves: Moves) -> None:
    with _at(position):
        match operation:
            case DeleteMarkable():
                _delete_markable(coding, operation)
            case MoveMarkable():
                moves.pointers += _move_markable(coding, operation)
            case CheckJudgement():
                check_judgement(coding, operation.markable)
            case Description():
                _describe_scu(coding, operation)
    if isinstance(operation, MoveMarkable):
        if moves.positions and moves.pointers > MAX_MOVED_POINTERS:
            message = f"More than {MAX_MOVED_POINTERS} pointers follow these moves: send fewer of them at a time."
            raise OperationRejected("too_many_operations", message)  # no single operation is wrong
        moves.positions[operation.to] = position


def _keys_of(operation: MarkableOperation) -> tuple[str, ...]:
    return (operation.markable, *operation.targets()) if isinstance(operation, Decision) else (operation.markable,)


type FinalDecisions = Mapping[str, Decision | None]


def _final_decisions(coding: Coding, rules: Rules, run: Mapping[int, MarkableOperation]) -> FinalDecisions:
    """Return the final decision for each markable of the run, or None if it is cleared."""
    decisions: dict[str, Decision | None] = {}
    _refuse_retired(coding, rules, run)
    for position, operation in run.items():
        with _at(position):
            if isinstance(operation, Decision):
                rules.check(operation)
                decisions[operation.markable] = operation
            else:
                # A coder's own markable outlives its judgement: otherwise clearing could not be undone.
                is_given = rules.markable(operation.markable).predefined
                decisions[operation.markable] = None if is_given else Decision(operation.markable)
    return decisions


def _refuse_retired(coding: Coding, rules: Rules, run: Mapping[int, MarkableOperation]) -> None:
    """Raise OperationRejected if a judgement newly gives a retired answer."""
    retired = {
        position: operation
        for position, operation in run.items()
        if isinstance(operation, Decision) and any(retired_answers(rules.constraints, operation))
    }
    if not retired:
        return
    names = [decision.markable for decision in retired.values()]
    further = further_questions(coding.text.project_id)
    before = decisions_of_judgements(coding.judgements.filter(markable__key__in=names), further)
    given = {decision.markable: set(retired_answers(rules.constraints, decision)) for decision in before}
    for position, decision in retired.items():
        for answer in retired_answers(rules.constraints, decision):
            if answer not in given.get(decision.markable, ()):
                raise OperationRejected("retired", f"{answer.name} is retired: it is no longer offered.", position)


def _delete_markable(coding: Coding, deletion: DeleteMarkable) -> None:
    """Delete a coder's own markable from the coding, and the pointers to it."""
    # The row stays, as others may mark the same words now; `MarkableQuerySet.in_use` leaves it out.
    rules = Rules.for_coding(coding, [deletion.markable])
    markable = rules.markable(deletion.markable)
    if markable.pk is None:
        return  # deleted in another window already
    _refuse_predefined(markable)
    Pointer.objects.filter(judgement__coding=coding, target=markable).delete()
    coding.judgements.filter(markable=markable).delete()


def _move_markable(coding: Coding, move: MoveMarkable) -> int:
    """Change the boundaries of a coder's own markable with the pointers to it; return the number of those pointers."""
    rules = Rules.for_coding(coding, [move.markable, move.to])
    markable, target = rules.markable(move.markable), rules.markable(move.to)
    if markable.pk is None:
        raise OperationRejected("unknown_markable", f"The text has no markable {move.markable!r}.")
    _refuse_predefined(markable)
    if target.pk is not None:
        raise OperationRejected("already_marked", "These words are already marked.")
    if target.level_id != markable.level_id:
        raise OperationRejected("wrong_level", f"{move.markable!r} and {move.to!r} are of different levels.")
    target = _create_markables(coding, [target])[target.key]
    judgement = coding.judgements.get(markable=markable)
    judgement.markable = target
    judgement.head = [part for part in judgement.head if lies_within([part], target.parts)]
    judgement.save(update_fields=["markable", "head"])
    return Pointer.objects.filter(judgement__coding=coding, target=markable).update(target=target)


def _check_moved(coding: Coding, moves: Moves) -> None:
    """Check the judgements of moved markables and the judgements that point to them, after all moves."""
    if not moves.positions:
        return
    moved = Markable.objects.filter(text=coding.text_id, key__in=moves.positions)
    pointing = Exists(Pointer.objects.filter(judgement=OuterRef("pk"), target__in=moved))
    touched = decisions_of_judgements(
        coding.judgements.filter(Q(markable__in=moved) | pointing), further_questions(coding.text.project_id)
    )
    rules = Rules.for_coding(coding, {key for decision in touched for key in _keys_of(decision)})
    for decision in touched:
        with _at(max(moves.positions[key] for key in _keys_of(decision) if key in moves.positions)):
            rules.check_targets(decision)


def _describe_scu(coding: Coding, description: Description) -> None:
    """Write the label and comment of an SCU of the coder's pyramid, or delete the row if both are empty."""
    if coding.kind not in (Coding.Kind.PYRAMID, Coding.Kind.AGREED):
        raise OperationRejected("no_pyramid", "This is not a pyramid: it has no SCUs of its own.")
    if description.label or description.comment:
        SCU.objects.update_or_create(
            coding=coding, key=description.scu, defaults={"label": description.label, "comment": description.comment}
        )
    else:
        SCU.objects.filter(coding=coding, key=description.scu).delete()


def _refuse_predefined(markable: Markable) -> None:
    if markable.predefined or not markable.level.coders_mark:
        raise OperationRejected(
            "given",
            f"{markable.key!r} came with the text, or coders may no longer create markables: it cannot be changed.",
        )


def _create_markables(coding: Coding, markables: Iterable[Markable]) -> dict[str, Markable]:
    """Save the markables and return them by key; another coder may have marked the same words already."""
    markables = list(markables)
    for markable in markables:
        markable.text_id = coding.text_id
    Markable.objects.bulk_create(markables, ignore_conflicts=True)
    keys = [markable.key for markable in markables]
    rows = Markable.objects.filter(text=coding.text_id, key__in=keys).select_related("level")
    return {markable.key: markable for markable in rows}


def _new_changes(changes: Sequence[Change], known: Collection[UUID]) -> dict[int, Change]:
    """Return the changes that are not in the log, by position; of a repeated change the first counts."""
    first: dict[UUID, int] = {}
    for position, change in enumerate(changes):
        first.setdefault(change.uuid, position)
    return {position: changes[position] for uuid, position in first.items() if uuid not in known}


@contextmanager
def _at(position: int) -> Iterator[None]:
    """Add the position in the batch to an OperationRejected of the block."""
    try:
        yield
    except OperationRejected as rejection:
        raise OperationRejected(rejection.code, str(rejection), position) from None


def _write_decisions(coding: Coding, rules: Rules, final: FinalDecisions) -> None:
    """Write the final decisions to the rows of the touched markables. A fixed number of statements."""
    markables = {**rules.markables, **(_create_markables(coding, rules.new.values()) if rules.new else {})}
    # Antecedents that are named for the first time become markables, too.
    final = {key: Decision(key) for key in rules.new} | dict(final)
    cleared = [markables[key].pk for key, decision in final.items() if decision is None]
    if cleared:
        coding.judgements.filter(markable__in=cleared).delete()
    decisions = [decision for decision in final.values() if decision is not None]
    if not decisions:
        return
    judgements = Judgement.objects.bulk_create(
        [
            Judgement(
                coding=coding,
                markable=markables[decision.markable],
                category_id=rules.keys.categories[decision.category] if decision.category is not None else None,
                scheme_version=rules.keys.version,
                **dict(zip(ROW_FIELDS, row_values(decision), strict=True)),
            )
            for decision in decisions
        ],
        update_conflicts=True,
        unique_fields=["coding", "markable"],
        update_fields=["category", *ROW_FIELDS, "scheme_version"],
    )
    written = [(judgement.pk, decision) for judgement, decision in zip(judgements, decisions, strict=True)]
    primary_keys = {key: markable.pk for key, markable in markables.items()}
    Pointer.objects.filter(judgement__in=judgements).delete()
    Pointer.objects.bulk_create(
        Pointer(judgement_id=judgement, relation_id=relation, reading=reading, target_id=target)
        for pk, decision in written
        for judgement, relation, reading, target in pointer_rows(pk, decision, primary_keys, rules.keys)
    )
    if rules.constraints["attributes"]:
        AttributeAnswer.objects.filter(judgement__in=judgements).delete()
        AttributeAnswer.objects.bulk_create(
            AttributeAnswer(judgement_id=judgement, attribute_id=attribute, value_id=value, text=text, number=number)
            for pk, decision in written
            for judgement, attribute, value, text, number in answer_rows(pk, decision, rules.keys)
        )
    if rules.uses_indices:
        Index.objects.filter(judgement__in=judgements).delete()
        Index.objects.bulk_create(
            Index(judgement_id=pk, entity=entity) for pk, decision in written for entity in decision.indices
        )


def append_to_log(coding: Coding, user: User, changes: Collection[Change], scheme_version: int) -> None:
    """Log the changes of a coding, which is locked, and update its version and active time."""
    now = timezone.now()
    Operation.objects.bulk_create(
        Operation(
            coding=coding,
            sequence=sequence,
            uuid=change.uuid,
            kind=change.kind,
            payload=dict(change.payload),
            scheme_version=scheme_version,
            user=user,
            made_at=change.made_at,
            applied_at=now,
            step=change.step,
            undoes=change.undoes,
        )
        for sequence, change in enumerate(changes, start=coding.version + 1)
    )
    coding.version += len(changes)
    changed = ["version"]
    own = [change for change in changes if change.kind not in Operation.MANAGING_KINDS]
    if own and user.pk == coding.coder_id:
        add_active_time(coding, [min(change.made_at or now, now) for change in own])
        changed += ["active_time", "last_active"]
    coding.save(update_fields=changed)
