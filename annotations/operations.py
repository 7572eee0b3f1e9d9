"""The one path by which a judgement changes.

A change comes as operations with the version of the coding that their author has seen. Under a lock on the
coding they are checked, applied and appended to the log in one transaction: all of them or none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeGuard
from uuid import UUID, uuid4

from django.db import transaction

from annotations.models import Category, Coding, Index, Judgement, Markable, Operation, Pointer, User
from annotations.models.coding import ENTITY_LENGTH

MOST_OPERATIONS = 500
LONGEST_NOTE = 10_000
# Antecedents or indices in one operation; a batch of them can still be looked up by one query.
MOST_NAMES = 50
FIELDS = ("markable", "category", "pointers", "indices", "note", "unsure", "optional")


class Refused(Exception):
    """An operation that breaks a rule. `position` is its place in the batch, from 0, or None for the batch."""

    def __init__(self, code: str, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.position = position


class Stale(Exception):
    """The author has not seen the operations in `missed`; nothing was applied."""

    def __init__(self, version: int, missed: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(f"The coding is at version {version} by now; apply what you missed and send again.")
        self.version = version
        self.missed = missed


@dataclass(frozen=True, slots=True)
class Change:
    """An operation as it comes in."""

    uuid: UUID
    kind: str
    payload: Mapping[str, Any]
    made_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole judgement of one markable, checked."""

    markable: str
    category: str | None = None
    pointers: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    note: str = ""
    unsure: bool = False
    optional: bool = False

    def payload(self) -> dict[str, Any]:
        """As it stands in the log and goes to the browser."""
        return {
            "markable": self.markable,
            "category": self.category,
            "pointers": list(self.pointers),
            "indices": list(self.indices),
            "note": self.note,
            "unsure": self.unsure,
            "optional": self.optional,
        }


@dataclass(frozen=True, slots=True)
class Rules:
    """What the scheme allows in one coding, read once for a batch."""

    answers: str
    categories: Mapping[str, Category]
    markables: Mapping[str, Markable]

    @classmethod
    def of(cls, coding: Coding, keys: Iterable[str]) -> Rules:
        """The rules of the coding's project with those of the markables named by `keys` that its coder sees."""
        project = coding.text.project
        categories = Category.objects.filter(project=project).select_related("points_to")
        markables = Markable.objects.of_coding(coding).filter(key__in=set(keys)).select_related("level")
        return cls(project.answers, {c.key: c for c in categories}, {m.key: m for m in markables})

    def check(self, decision: Decision) -> None:
        """Raise Refused where the scheme does not allow the decision."""
        markable = self.markable(decision.markable)
        if not markable.level.coded:
            raise Refused("not_coded", f"Markables of level {markable.level.key} are not judged, only pointed at.")
        category = None
        if decision.category is not None:
            category = self.categories.get(decision.category)
            if category is None:
                raise Refused("unknown_category", f"The scheme has no category {decision.category!r}.")
        self._check_pointers(decision, markable, category)
        self._check_indices(decision, category)
        if len(decision.note) > LONGEST_NOTE:
            raise Refused("note_too_long", f"A note has at most {LONGEST_NOTE} characters.")

    def markable(self, key: str) -> Markable:
        markable = self.markables.get(key)
        if markable is None:
            raise Refused("unknown_markable", f"The text has no markable {key!r}.")
        return markable

    def _check_pointers(self, decision: Decision, markable: Markable, category: Category | None) -> None:
        if not decision.pointers:
            return
        if category is None or category.points_to is None:
            raise Refused("no_pointer_here", f"The category {decision.category!r} takes no antecedent.")
        if len(set(decision.pointers)) < len(decision.pointers):
            raise Refused("double_pointer", "An antecedent is named twice.")
        if category.max_pointers is not None and len(decision.pointers) > category.max_pointers:
            raise Refused("too_many_pointers", f"{category.key} takes at most {category.max_pointers} antecedents.")
        for key in decision.pointers:
            target = self.markable(key)
            if target.pk == markable.pk:
                raise Refused("points_at_itself", f"{key!r} cannot be its own antecedent.")
            if target.level_id != category.points_to_id:
                raise Refused(
                    "wrong_level", f"{category.key} points at level {category.points_to.key}, not at {key!r}."
                )
            if not category.allow_later and text_order(target) > text_order(markable):
                raise Refused("points_later", f"{key!r} comes later in the text than {decision.markable!r}.")

    def _check_indices(self, decision: Decision, category: Category | None) -> None:
        if not decision.indices:
            return
        if self.answers != "indices" or category is None or not category.takes_index:
            raise Refused("no_index_here", f"The category {decision.category!r} takes no index.")
        if len(set(decision.indices)) < len(decision.indices):
            raise Refused("double_index", "An index is named twice.")
        if any(not index or len(index) > ENTITY_LENGTH for index in decision.indices):
            raise Refused("bad_index", f"An index has 1 to {ENTITY_LENGTH} characters.")


def text_order(markable: Markable) -> tuple[int, int]:
    """Earlier starts first; of two that start together the longer, so a turn comes before what it holds."""
    return (markable.start, -markable.end)


def apply(coding: Coding, user: User, version: int, changes: Sequence[Change]) -> int:
    """Apply the user's changes to the coding and return its new version.

    An operation whose uuid the log has already is passed over: sending twice changes nothing. Raises Stale where
    the log has operations after `version` that are not in this batch, Refused where a rule is broken; then
    nothing is changed.
    """
    if len(changes) > MOST_OPERATIONS:
        raise Refused("too_many_operations", f"Send at most {MOST_OPERATIONS} operations at a time.")
    with transaction.atomic():
        coding = _locked(coding)
        later = list(coding.operations.filter(sequence__gt=version).values("uuid", "kind", "payload", "sequence"))
        sent = [change.uuid for change in changes]
        known = set(coding.operations.filter(uuid__in=sent).values_list("uuid", flat=True))
        fresh = _without_doubles(changes, known)
        if not fresh:
            return coding.version
        if version > coding.version:
            raise Refused("version_ahead", f"The coding is at version {coding.version}, not {version}: load it again.")
        if any(operation["uuid"] not in known for operation in later):
            raise Stale(coding.version, later)
        if coding.status != Coding.Status.OPEN:
            raise Refused("submitted", "This coding is handed in; ask the manager to give it back.")
        rules, decided = _checked(coding, fresh)
        _write(coding, rules, decided)
        _append(coding, user, fresh.values())
        return coding.version


def import_judgements(coding: Coding, user: User, decisions: Sequence[Decision], rules: Rules) -> None:
    """Fill an untouched coding from a file, by one operation. Call it inside a transaction.

    `rules` must know every markable the decisions name.
    """
    for decision in decisions:
        rules.check(decision)
    _write(coding, rules, {decision.markable: decision for decision in decisions})
    payload = {"judgements": [decision.payload() for decision in decisions]}
    _append(coding, user, [Change(uuid4(), Operation.Kind.IMPORT, payload)])


def set_status(coding: Coding, user: User, status: Coding.Status) -> int:
    """Hand the coding in or give it back; the log keeps it. Doing it twice changes nothing."""
    with transaction.atomic():
        coding = _locked(coding)
        if coding.status != status:
            kind = Operation.Kind.SUBMIT if status == Coding.Status.SUBMITTED else Operation.Kind.REOPEN
            coding.status = status
            coding.save(update_fields=["status"])
            _append(coding, user, [Change(uuid4(), kind, {})])
        return coding.version


def judgements_of(coding: Coding) -> dict[str, dict[str, Any]]:
    """The judgements of a coding by markable key, as payloads in text order. Three queries."""
    pointers: dict[int, list[str]] = {}
    rows = Pointer.objects.filter(judgement__coding=coding).order_by("target__start", "-target__end", "pk")
    for judgement, target in rows.values_list("judgement_id", "target__key"):
        pointers.setdefault(judgement, []).append(target)
    indices: dict[int, list[str]] = {}
    named = Index.objects.filter(judgement__coding=coding).order_by("pk")
    for judgement, entity in named.values_list("judgement_id", "entity"):
        indices.setdefault(judgement, []).append(entity)
    judgements = coding.judgements.order_by("markable__start", "-markable__end", "markable__key").values_list(
        "pk", "markable__key", "category__key", "note", "unsure", "optional"
    )
    return {
        key: Decision(
            key, category, tuple(pointers.get(pk, ())), tuple(indices.get(pk, ())), note, unsure, optional
        ).payload()
        for pk, key, category, note, unsure, optional in judgements
    }


def _locked(coding: Coding) -> Coding:
    """The coding as it is now, locked until the transaction ends. (SQLite locks by IMMEDIATE transactions.)"""
    return Coding.objects.select_for_update(of=("self",)).select_related("text__project").get(pk=coding.pk)


def _without_doubles(changes: Sequence[Change], known: set[UUID]) -> dict[int, Change]:
    """The changes that are new, by their places in the batch."""
    seen = set(known)
    fresh = {}
    for position, change in enumerate(changes):
        if change.uuid not in seen:
            seen.add(change.uuid)
            fresh[position] = change
    return fresh


Decided = Mapping[str, Decision | None]


def _checked(coding: Coding, changes: Mapping[int, Change]) -> tuple[Rules, Decided]:
    """The rules, and what the changes leave in the end for each markable: a decision, or None where cleared."""
    parsed = {position: _at(position, _parse, change) for position, change in changes.items()}
    rules = Rules.of(coding, {key for named, decision in parsed.values() for key in (named, *_pointers(decision))})
    decided: dict[str, Decision | None] = {}
    for position, (key, decision) in parsed.items():
        if decision is None:
            markable = _at(position, rules.markable, key)
            # A coder's own mark outlives its judgement: else clearing could not be undone.
            decided[key] = None if markable.predefined else Decision(key)
        else:
            _at(position, rules.check, decision)
            decided[key] = decision
    return rules, decided


def _at[Given, Result](position: int, step: Callable[[Given], Result], given: Given) -> Result:
    """Do the step; where it refuses, say at which place of the batch."""
    try:
        return step(given)
    except Refused as refused:
        raise Refused(refused.code, str(refused), position) from None


def _pointers(decision: Decision | None) -> tuple[str, ...]:
    return decision.pointers if decision else ()


def _parse(change: Change) -> tuple[str, Decision | None]:
    """The markable's key and the decision of an operation. Raises Refused on a payload of another shape."""
    payload = change.payload
    key = payload.get("markable")
    if not _storable(key):
        raise Refused("bad_payload", "The payload names no markable.")
    if change.kind == Operation.Kind.CLEAR:
        _only(payload, ("markable",))
        return key, None
    if change.kind != Operation.Kind.JUDGE:
        raise Refused("unknown_kind", f"There is no operation {change.kind!r} here.")
    _only(payload, FIELDS)
    category = payload.get("category")
    note = payload.get("note", "")
    if not (category is None or isinstance(category, str)):
        raise Refused("bad_payload", "category is a key or null.")
    if not _storable(note):
        raise Refused("bad_payload", "note is a text without NUL or lone surrogates.")
    return key, Decision(
        key,
        category,
        _names(payload, "pointers"),
        _names(payload, "indices"),
        note,
        _flag(payload, "unsure"),
        _flag(payload, "optional"),
    )


def _only(payload: Mapping[str, Any], allowed: Sequence[str]) -> None:
    unknown = sorted(set(payload) - set(allowed))
    if unknown:
        raise Refused("bad_payload", f"The payload has an unknown field {unknown[0]!r}.")


def _names(payload: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = payload.get(name, [])
    if not isinstance(value, list) or len(value) > MOST_NAMES or not all(_storable(entry) for entry in value):
        raise Refused("bad_payload", f"{name} is a list of at most {MOST_NAMES} texts.")
    return tuple(value)


def _storable(value: object) -> TypeGuard[str]:
    """Whether the value is a text that both databases can hold."""
    if not isinstance(value, str) or "\x00" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _flag(payload: Mapping[str, Any], name: str) -> bool:
    value = payload.get(name, False)
    if not isinstance(value, bool):
        raise Refused("bad_payload", f"{name} is true or false.")
    return value


def _write(coding: Coding, rules: Rules, decided: Decided) -> None:
    """Bring the rows of the touched markables to what was decided. A fixed number of statements."""
    cleared = [rules.markable(key).pk for key, decision in decided.items() if decision is None]
    if cleared:
        coding.judgements.filter(markable__in=cleared).delete()
    kept = [decision for decision in decided.values() if decision is not None]
    if not kept:
        return
    rows = Judgement.objects.bulk_create(
        [
            Judgement(
                coding=coding,
                markable=rules.markable(decision.markable),
                category=rules.categories[decision.category] if decision.category is not None else None,
                note=decision.note,
                unsure=decision.unsure,
                optional=decision.optional,
            )
            for decision in kept
        ],
        update_conflicts=True,
        unique_fields=["coding", "markable"],
        update_fields=["category", "note", "unsure", "optional"],
    )
    Pointer.objects.filter(judgement__in=rows).delete()
    Index.objects.filter(judgement__in=rows).delete()
    decided_rows = list(zip(rows, kept, strict=True))
    Pointer.objects.bulk_create(
        Pointer(judgement=row, target=rules.markable(key))
        for row, decision in decided_rows
        for key in decision.pointers
    )
    Index.objects.bulk_create(
        Index(judgement=row, entity=entity) for row, decision in decided_rows for entity in decision.indices
    )


def _append(coding: Coding, user: User, changes: Collection[Change]) -> None:
    Operation.objects.bulk_create(
        Operation(
            coding=coding,
            sequence=coding.version + number,
            uuid=change.uuid,
            kind=change.kind,
            payload=dict(change.payload),
            user=user,
            made_at=change.made_at,
        )
        for number, change in enumerate(changes, start=1)
    )
    coding.version += len(changes)
    coding.save(update_fields=["version"])
