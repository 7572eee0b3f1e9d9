"""How far gold is: what of its draft was contested, and what has been decided since, by its log alone."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Case, Q, QuerySet, TextField, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from annotations.adjudication.proposal import Item, Method
from annotations.coding.corrections import map_key, parse_correction
from annotations.coding.decisions import OperationRejected, is_import_decision
from annotations.models import Coding, Operation


class State(StrEnum):
    """Closed is what was submitted; decided, where everything contested was decided; a draft decides nothing."""

    OPEN = "open"
    DECIDED = "decided"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft as the log has it: `codings` are the last operations of what it rests on, `coder` one of them."""

    method: str
    codings: tuple[UUID, ...]
    coder: UUID | None
    sequence: int


DRAFT_FIELDS = {"method", "codings", "contested", "judgements"}


def check_draft(payload: Mapping[str, Any]) -> None:
    """Raise OperationRejected unless this is the payload of a draft.

    It has the method, the last operation of each coding that it rests on (and which of them is the coder's, for that
    method), the contested markables, each with the question, and the judgements, as an import has them.
    """
    codings, contested, judgements = (payload.get(name) for name in ("codings", "contested", "judgements"))
    of_coder = {"coder"} if payload.get("method") == Method.CODER else set()
    if payload.keys() != DRAFT_FIELDS | of_coder or payload["method"] not in set(Method):
        raise OperationRejected("bad_payload", "a draft says method, codings, contested and judgements.")
    if not isinstance(codings, list) or not all(map(_is_uuid, codings)):
        raise OperationRejected("bad_payload", "the codings of a draft are uuids of operations.")
    if of_coder and payload["coder"] not in codings:
        raise OperationRejected("bad_payload", "the coder of a draft is one of its codings.")
    if not isinstance(contested, list) or not all(map(_is_item, contested)):
        raise OperationRejected("bad_payload", "what is contested is a list of markables, each with a question.")
    if not isinstance(judgements, list) or not all(map(is_import_decision, judgements)):
        raise OperationRejected("bad_payload", "one of its judgements is none.")


def _is_uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def _is_item(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value)


@dataclass(frozen=True, slots=True)
class ContestedItem:
    """What was contested when the draft was made, by the keys of today, and whether it has been decided since."""

    item: Item
    decided: bool


@dataclass(frozen=True, slots=True)
class GoldState:
    """How far the gold of a text is. Without a draft nobody knows what is contested."""

    coding: Coding
    draft: Draft | None
    contested: tuple[ContestedItem, ...]

    @property
    def state(self) -> State:
        """Return whether it is open, decided or closed."""
        if self.coding.status == Coding.Status.SUBMITTED:
            return State.CLOSED
        return State.DECIDED if self.draft is not None and not self.n_open else State.OPEN

    @property
    def n_open(self) -> int:
        """Return how many contested items are not decided."""
        return sum(not one.decided for one in self.contested)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What of an operation says where contested items are and what is decided."""

    sequence: int
    kind: str
    step: UUID
    undoes: UUID | None
    answers: bool
    markable: str | None
    to: str | None
    edits: str | None
    method: str | None
    coder: str | None
    codings: str | None
    contested: str | None


def gold_states(gold: Sequence[Coding]) -> list[GoldState]:
    """Return how far gold codings are, in their order. One query, whatever their number."""
    logs: dict[int, list[_Entry]] = defaultdict(list)
    for coding, *row in _entries([one.pk for one in gold]):
        logs[coding].append(_Entry(*row))
    return [_state_of(one, logs[one.pk]) for one in gold]


def contested_items(gold: Coding) -> tuple[ContestedItem, ...]:
    """Return what was contested when the gold was drafted, in text order, with what is decided. One query.

    An item is decided by an answer on its markable, or its removal, after the draft, unless that was undone. Where the
    words of a markable were moved or corrected the item goes with it, and where they are gone it is gone.
    """
    [state] = gold_states([gold])
    return state.contested


def _entries(gold: Collection[int]) -> Iterable[tuple[Any, ...]]:
    """Select what states are made of; the judgements of drafts, which are long, are not read."""
    kinds = (Operation.Kind.DRAFT, Operation.Kind.CORRECT, *DECIDING_KINDS, Operation.Kind.MOVE)
    answers = (
        (Q(payload__category__isnull=False) & ~Q(payload__category=None))
        | Q(payload__attributes__isnull=False)
        | ~Q(kind=Operation.Kind.JUDGE)
    )
    operations: QuerySet[Operation, Any] = Operation.objects.filter(coding__in=list(gold), kind__in=kinds)
    rows = operations.annotate(
        answers=Case(When(answers, then=Value(True)), default=Value(False), output_field=BooleanField()),
        **{f"{name}_text": Cast(KeyTextTransform(name, "payload"), TextField()) for name in TEXTS},
    ).order_by("coding", "sequence")
    columns = ("coding", "sequence", "kind", "step", "uuid", "undoes", "answers")
    for coding, sequence, kind, step, uuid, undoes, answered, *texts in rows.values_list(
        *columns, *(f"{name}_text" for name in TEXTS)
    ):
        yield coding, sequence, kind, step or uuid, undoes, answered, *texts


DECIDING_KINDS = (Operation.Kind.JUDGE, Operation.Kind.CLEAR, Operation.Kind.UNMARK)
TEXTS = ("markable", "to", "edits", "method", "coder", "codings", "contested")


def _state_of(gold: Coding, log: Sequence[_Entry]) -> GoldState:
    drafts = [entry for entry in log if entry.kind == Operation.Kind.DRAFT]
    if not drafts:
        return GoldState(gold, None, ())
    made = drafts[-1]
    draft = Draft(
        str(made.method),
        tuple(UUID(uuid) for uuid in json.loads(made.codings or "[]")),
        UUID(made.coder) if made.coder else None,
        made.sequence,
    )
    since = [entry for entry in log if entry.sequence > made.sequence]
    undone = _undone_steps(since)
    # of each contested item the key of its markable now, and whether it is decided
    keys: list[str | None] = []
    questions: list[str] = []
    for markable, question in json.loads(made.contested or "[]"):
        keys.append(markable)
        questions.append(question)
    decided = [False] * len(keys)
    for entry in since:
        if entry.kind == Operation.Kind.CORRECT:
            edits = parse_correction({"edits": json.loads(entry.edits or "")})
            keys = [key and map_key(key, edits) for key in keys]
        elif entry.kind == Operation.Kind.MOVE:
            keys = [entry.to if key == entry.markable else key for key in keys]
        elif entry.answers and entry.undoes is None and entry.step not in undone:
            decided = [was or key == entry.markable for was, key in zip(decided, keys, strict=True)]
    contested = (
        ContestedItem(Item(key, question), is_decided)
        for key, question, is_decided in zip(keys, questions, decided, strict=True)
        if key is not None
    )
    return GoldState(gold, draft, tuple(contested))


def _undone_steps(log: Sequence[_Entry]) -> set[UUID]:
    """Return the steps that are undone: what undoes an undoing does the step again."""
    undone: set[UUID] = set()
    for entry in reversed(log):
        if entry.undoes is not None and entry.step not in undone:
            undone.add(entry.undoes)
    return undone
