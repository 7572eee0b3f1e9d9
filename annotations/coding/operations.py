"""The one path by which a judgement changes.

A change comes as operations with the version of the coding that their author has seen. Under a lock on the
coding they are checked, applied and appended to the log in one transaction: all of them or none.

A markable of the coder's own is there from the moment an operation names it until it is unmarked: an answer that
was given in one window is not lost because another window deleted what it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Exists, IntegerField, OuterRef, Q, QuerySet, UUIDField
from django.utils import timezone

from annotations.bulk import delete, insert, reserve, update, upsert
from annotations.decisions import (
    Decision,
    Description,
    Moving,
    OfMarkable,
    Refused,
    Rules,
    Said,
    Unmarking,
    read,
)
from annotations.judgements import decisions_in
from annotations.judgements import decisions_of as decisions_of
from annotations.judgements import judgements_of as judgements_of
from annotations.marking import within
from annotations.models import SCU, Coding, Index, Judgement, Markable, Operation, Pointer, Project, User
from annotations.prepared import Several, prepared
from annotations.scus import check_pyramid
from annotations.turns import in_turn

MOST_OPERATIONS = 500
OF_STATUS = (Operation.Kind.SUBMIT, Operation.Kind.REOPEN)


class Stale(Exception):
    """The author has not seen the operations in `missed`; nothing was applied."""

    def __init__(self, version: int, missed: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(f"The coding is at version {version} by now; apply what you missed and send again.")
        self.version = version
        self.missed = missed


@dataclass(frozen=True, slots=True)
class Change:
    """An operation as it comes in. Those of one `step` are undone together; `undoes` names a step taken back."""

    uuid: UUID
    kind: str
    payload: Mapping[str, Any]
    made_at: datetime | None = None
    step: UUID | None = None
    undoes: UUID | None = None


def apply(coding: Coding, user: User, version: int, changes: Sequence[Change]) -> int:
    """Apply the user's changes to the coding and return its new version.

    An operation whose uuid the log has already is passed over: sending twice changes nothing. Raises Stale where
    the log has operations after `version` that are not in this batch, Refused where a rule is broken; then
    nothing is changed. (That a coding was handed in after all of a batch was applied hides nothing of it.)
    """
    if len(changes) > MOST_OPERATIONS:
        raise Refused("too_many_operations", f"Send at most {MOST_OPERATIONS} operations at a time.")
    with in_turn(), transaction.atomic():
        coding = _locked(coding)
        _refuse_others(coding, user)
        later = _logged_after(coding.pk, version) if version < coding.version else []
        sent = [change.uuid for change in changes]
        known = set(_logged(coding.pk, sent))
        fresh = _without_doubles(changes, known)
        unseen = [operation for operation in later if operation["uuid"] not in known]
        if not fresh and all(operation["kind"] in OF_STATUS for operation in unseen):
            return coding.version
        if version > coding.version:
            raise Refused("version_ahead", f"The coding is at version {coding.version}, not {version}: load it again.")
        if unseen:
            raise Stale(coding.version, later)
        if coding.status != Coding.Status.OPEN:
            raise Refused("submitted", "This coding is handed in; ask the manager to give it back.")
        said = {position: _at(position, _read, change) for position, change in fresh.items()}
        for run in _runs(said):
            _carry_out(coding, run)
        if coding.text.project.answers == Project.Answers.SCUS:
            check_pyramid(coding, said)
        _append(coding, user, fresh.values())
        return coding.version


@dataclass(frozen=True, slots=True)
class Filled:
    """An untouched coding, saved or not, and what a file says in it.

    The decisions are checked already (`Rules.check`); markables and categories have the keys of the rows of all they
    name. descriptions: what is said of the SCUs of a pyramid. handed_in: off where its coder is to go on with it.
    """

    coding: Coding
    user: User
    decisions: Sequence[Decision]
    markables: Mapping[str, int]
    categories: Mapping[str, int]
    descriptions: Sequence[Description] = ()
    handed_in: bool = True

    def log(self) -> list[tuple[Operation.Kind, dict[str, Any]]]:
        """What the log says of it."""
        payload: dict[str, Any] = {"judgements": [decision.payload() for decision in self.decisions]}
        if self.descriptions:
            payload["scus"] = [description.payload() for description in self.descriptions]
        submitted = [(Operation.Kind.SUBMIT, dict[str, Any]())] if self.handed_in else []
        return [(Operation.Kind.IMPORT, payload), *submitted]


def import_codings(filled: Sequence[Filled]) -> None:
    """Fill untouched codings from files and hand them in, by an operation each. Call it inside a transaction.

    A fixed number of statements, however many codings.
    """
    lacking = [one.coding for one in filled if one.coding.pk is None]
    there = [one.coding for one in filled if one.coding.pk is not None]
    for one in filled:
        if one.handed_in:
            one.coding.status = Coding.Status.SUBMITTED
        one.coding.version = len(one.log())
    Coding.objects.bulk_create(lacking)
    Coding.objects.bulk_update(there, ["status", "version"])
    said = [(one, decision) for one in filled for decision in one.decisions]
    keys = reserve(Judgement, len(said))
    insert(
        Judgement,
        ["id", "coding", "markable", "category", "optional", "unsure", "note", "name", "head"],
        (
            (
                key,
                one.coding.pk,
                one.markables[decision.markable],
                one.categories[decision.category] if decision.category is not None else None,
                decision.optional,
                decision.unsure,
                decision.note,
                decision.name,
                decision.head,
            )
            for key, (one, decision) in zip(keys, said, strict=True)
        ),
    )
    insert(
        Pointer,
        ["judgement", "target"],
        (
            (key, one.markables[target])
            for key, (one, decision) in zip(keys, said, strict=True)
            for target in decision.pointers
        ),
    )
    insert(
        Index,
        ["judgement", "entity"],
        ((key, entity) for key, (_, decision) in zip(keys, said, strict=True) for entity in decision.indices),
    )
    SCU.objects.bulk_create(
        SCU(coding=one.coding, key=description.scu, label=description.label, comment=description.comment)
        for one in filled
        for description in one.descriptions
        if description.label or description.comment
    )
    now = timezone.now()
    insert(
        Operation,
        ["coding", "sequence", "uuid", "kind", "payload", "user", "applied_at"],
        (
            (one.coding.pk, sequence, uuid4(), kind, payload, one.user.pk, now)
            for one in filled
            for sequence, (kind, payload) in enumerate(one.log(), start=1)
        ),
    )


def set_status(coding: Coding, user: User, status: Coding.Status) -> int:
    """Hand the coding in or give it back; the log keeps it. Doing it twice changes nothing.

    Raises Refused where it is handed in by who is not its coder any more.
    """
    with in_turn(), transaction.atomic():
        coding = _locked(coding)
        if status == Coding.Status.SUBMITTED:
            _refuse_others(coding, user)
        if coding.status != status:
            kind = Operation.Kind.SUBMIT if status == Coding.Status.SUBMITTED else Operation.Kind.REOPEN
            coding.status = status
            coding.save(update_fields=["status"])
            _append(coding, user, [Change(uuid4(), kind, {})])
        return coding.version


def _refuse_others(coding: Coding, user: User) -> None:
    """Raise Refused for who has handed the coding on since they were let in."""
    if coding.coder_id != user.pk:
        raise Refused("handed_on", "Somebody else goes on with this coding now.")


def _locked(coding: Coding) -> Coding:
    """The coding as it is now, locked until the transaction ends. (SQLite locks by IMMEDIATE transactions.)"""
    for locked in _codings_to_change(coding.pk):
        return locked
    raise Coding.DoesNotExist


@prepared(IntegerField())
def _codings_to_change(coding: int) -> QuerySet[Coding]:
    locked = Coding.objects.select_for_update(of=("self",)).select_related("text__project").defer("text__content")
    return locked.filter(pk=coding).order_by()


@prepared(IntegerField(), IntegerField())
def _logged_after(coding: int, version: int) -> QuerySet[Operation, Any]:
    later = Operation.objects.filter(coding=coding, sequence__gt=version).order_by("sequence")
    return later.values("uuid", "kind", "payload", "sequence", "step", "undoes")


@prepared(IntegerField(), Several(UUIDField()))
def _logged(coding: int, uuids: Sequence[UUID]) -> QuerySet[Operation, UUID]:
    return Operation.objects.filter(coding=coding, uuid__in=uuids).order_by().values_list("uuid", flat=True)


def _without_doubles(changes: Sequence[Change], known: set[UUID]) -> dict[int, Change]:
    """The changes that are new, by their places in the batch."""
    seen = set(known)
    fresh = {}
    for position, change in enumerate(changes):
        if change.uuid not in seen:
            seen.add(change.uuid)
            fresh[position] = change
    return fresh


type Run = Mapping[int, Said]


def _read(change: Change) -> Said:
    return read(change.kind, change.payload)


def _runs(said: Run) -> Iterator[Run]:
    """Judgements and clearings that follow each other are written together; all else is changed one by one."""
    for alone, run in groupby(said.items(), key=lambda item: isinstance(item[1], Unmarking | Moving | Description)):
        if alone:
            yield from ({position: one} for position, one in run)
        else:
            yield dict(run)


def _carry_out(coding: Coding, run: Run) -> None:
    position, first = next(iter(run.items()))
    if isinstance(first, Unmarking):
        _at(position, lambda unmarking: _unmark(coding, unmarking), first)
    elif isinstance(first, Moving):
        _at(position, lambda moving: _move(coding, moving), first)
    elif isinstance(first, Description):
        _at(position, lambda description: _describe(coding, description), first)
    else:
        judged = {position: said for position, said in run.items() if not isinstance(said, Description)}
        rules = Rules.of(coding, {key for said in judged.values() for key in _named(said)})
        _write(coding, rules, _decided(rules, judged))


def _named(said: OfMarkable) -> tuple[str, ...]:
    return (said.markable, *said.pointers) if isinstance(said, Decision) else (said.markable,)


type Decided = Mapping[str, Decision | None]


def _decided(rules: Rules, run: Mapping[int, OfMarkable]) -> Decided:
    """What the run leaves in the end for each markable: a decision, or None where cleared."""
    decided: dict[str, Decision | None] = {}
    for position, said in run.items():
        if isinstance(said, Decision):
            _at(position, rules.check, said)
            decided[said.markable] = said
        else:
            markable = _at(position, rules.markable, said.markable)
            # A coder's own mark outlives its judgement: else clearing could not be undone.
            decided[said.markable] = None if markable.predefined else Decision(said.markable)
    return decided


def _unmark(coding: Coding, unmarking: Unmarking) -> None:
    """Delete a markable from the coding. What pointed to it is left without that antecedent.

    The row stays, for others may mark the same words at this moment; `MarkableQuerySet.in_use` leaves it out.
    """
    rules = Rules.of(coding, [unmarking.markable])
    markable = rules.markable(unmarking.markable)
    if markable.pk is None:
        return  # deleted in another window already
    _own(markable)
    Pointer.objects.filter(judgement__coding=coding, target=markable).delete()
    coding.judgements.filter(markable=markable).delete()


def _move(coding: Coding, moving: Moving) -> None:
    """Give a markable of the coder's own other edges, and check what it and those that point to it say."""
    rules = Rules.of(coding, [moving.markable, moving.to])
    markable, to = rules.markable(moving.markable), rules.markable(moving.to)
    if markable.pk is None:
        raise Refused("unknown_markable", f"The text has no markable {moving.markable!r}.")
    _own(markable)
    if to.pk is not None:
        raise Refused("already_marked", "These words are marked already.")
    if to.level_id != markable.level_id:
        raise Refused("wrong_level", f"{moving.markable!r} and {moving.to!r} are of different levels.")
    to = _made(coding, [to])[to.key]
    judgement = coding.judgements.get(markable=markable)
    judgement.markable = to
    judgement.head = [part for part in judgement.head if within([part], to.parts)]
    judgement.save(update_fields=["markable", "head"])
    Pointer.objects.filter(judgement__coding=coding, target=markable).update(target=to)
    pointing = Exists(Pointer.objects.filter(judgement=OuterRef("pk"), target=to))
    touching = coding.judgements.filter(Q(markable=to) | pointing)
    touched = decisions_in(touching)
    rules = Rules.of(coding, {key for decision in touched for key in _named(decision)})
    for decision in touched:
        rules.check(decision)


def _describe(coding: Coding, description: Description) -> None:
    """Say something else of an SCU of the coder's pyramid, or nothing."""
    if coding.kind not in (Coding.Kind.PYRAMID, Coding.Kind.AGREED):
        raise Refused("no_pyramid", "This is no pyramid: it has no SCUs of its own.")
    if description.label or description.comment:
        SCU.objects.update_or_create(
            coding=coding, key=description.scu, defaults={"label": description.label, "comment": description.comment}
        )
    else:
        SCU.objects.filter(coding=coding, key=description.scu).delete()


def _own(markable: Markable) -> None:
    if markable.predefined or not markable.level.coders_mark:
        raise Refused("given", f"{markable.key!r} came with the text, or coders mark no more: it stays as it is.")


def _made(coding: Coding, markables: Iterable[Markable]) -> dict[str, Markable]:
    """The markables with their rows, by key; another coder may have marked the same words."""
    markables = list(markables)
    for markable in markables:
        markable.text_id = coding.text_id
    Markable.objects.bulk_create(markables, ignore_conflicts=True)
    keys = [markable.key for markable in markables]
    rows = Markable.objects.filter(text=coding.text_id, key__in=keys).select_related("level")
    return {markable.key: markable for markable in rows}


def _at[Given, Result](position: int, step: Callable[[Given], Result], given: Given) -> Result:
    """Do the step; where it refuses, say at which place of the batch."""
    try:
        return step(given)
    except Refused as refused:
        raise Refused(refused.code, str(refused), position) from None


def _write(coding: Coding, rules: Rules, decided: Decided) -> None:
    """Bring the rows of the touched markables to what was decided. A fixed number of statements."""
    markables = {**rules.markables, **(_made(coding, rules.new.values()) if rules.new else {})}
    # What is only pointed to is there from now on too.
    decided = {key: Decision(key) for key in rules.new} | dict(decided)
    cleared = [markables[key].pk for key, decision in decided.items() if decision is None]
    if cleared:
        coding.judgements.filter(markable__in=cleared).delete()
    kept = [decision for decision in decided.values() if decision is not None]
    if not kept:
        return
    found = upsert(
        Judgement,
        ["coding", "markable", "category", "optional", "unsure", "note", "name", "head"],
        (
            (
                coding.pk,
                markables[decision.markable].pk,
                rules.categories[decision.category].pk if decision.category is not None else None,
                decision.optional,
                decision.unsure,
                decision.note,
                decision.name,
                decision.head,
            )
            for decision in kept
        ),
        unique=["coding", "markable"],
    )
    keys = [found[coding.pk, markables[decision.markable].pk] for decision in kept]
    delete(Pointer, "judgement", keys)
    pointers = [(key, markables[to].pk) for key, decision in zip(keys, kept, strict=True) for to in decision.pointers]
    if pointers:
        insert(Pointer, ["judgement", "target"], pointers)
    if rules.by_index:
        delete(Index, "judgement", keys)
        indices = ((key, entity) for key, decision in zip(keys, kept, strict=True) for entity in decision.indices)
        insert(Index, ["judgement", "entity"], indices)


def _append(coding: Coding, user: User, changes: Collection[Change]) -> None:
    now = timezone.now()
    insert(
        Operation,
        ["coding", "sequence", "uuid", "kind", "payload", "user", "made_at", "applied_at", "step", "undoes"],
        (
            (
                coding.pk,
                sequence,
                change.uuid,
                change.kind,
                dict(change.payload),
                user.pk,
                change.made_at,
                now,
                change.step,
                change.undoes,
            )
            for sequence, change in enumerate(changes, start=coding.version + 1)
        ),
    )
    coding.version += len(changes)
    update(Coding, coding.pk, version=coding.version)
