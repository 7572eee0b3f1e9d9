"""What the log of gold says, by itself alone: drafts, what of the last one was contested, and what has been decided.

An operation `decide` decides the items that it names, and the judgements of its step carry the answer. Any other
judgement decides all that is contested on its markable; decisions there whose answer it does not change stay. In an
agreed pyramid the words of a contributor are an answer, too: to move it decides it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Case, F, JSONField, Q, QuerySet, TextField, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from annotations.adjudication.proposal import Item
from annotations.coding.decisions import DecideItems, Decision, parse_operation
from annotations.coding.log.replay import ReplayedCoding
from annotations.coding.markables.corrections import map_key, parse_correction
from annotations.coding.readings import sort_readings
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Operation


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft as the log has it: `codings` are the last operations of what it rests on, `coder` one of them."""

    method: str
    codings: tuple[UUID, ...]
    coder: UUID | None
    sequence: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What of an operation says where items are and what is decided; the last three are read where they are wanted."""

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
    items: str | None
    user: str | None = None
    applied_at: datetime | None = None
    payload: Any = None

    def decide(self) -> DecideItems:
        """Return what an operation `decide` says."""
        operation = parse_operation(self.kind, self.payload)
        assert isinstance(operation, DecideItems)
        return operation


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """An operation that decides, and which draft it was made on."""

    entry: Entry
    draft: Draft | None


@dataclass(slots=True)
class GoldLog:
    """What a log comes to, by the keys of today.

    named: decisions by operations that name the item. judged: by answers on the markable. touched: the markables that
    people have judged or removed. wants_answers: whether the answers of the whole log say what holds of named items.
    """

    drafts: list[Draft] = field(default_factory=list)
    contested: list[Item] = field(default_factory=list)
    named: dict[Item, LoggedDecision] = field(default_factory=dict)
    judged: dict[str, LoggedDecision] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    wants_answers: bool = False

    @property
    def draft(self) -> Draft | None:
        """The last draft; None where there is none."""
        return self.drafts[-1] if self.drafts else None

    def decision_of(self, item: Item) -> LoggedDecision | None:
        """Return what decides an item, or None."""
        return self.named.get(item) or self.judged.get(item.markable)

    def decisions(self) -> dict[Item, LoggedDecision]:
        """Return all that is decided, by item: an answer to what was not contested once there was a draft is, too."""
        found = {item: decision for item in self.contested if (decision := self.decision_of(item)) is not None}
        found |= self.named
        if self.drafts:
            with_items = {item.markable for item in found}
            others = ((key, decision) for key, decision in self.judged.items() if key not in with_items)
            found |= {Item(key, CATEGORY): decision for key, decision in others if decision.draft is not None}
        return found

    def rename(self, name: Callable[[str], str | None]) -> None:
        """Let the markables have other keys; what has none any more is gone."""
        self.contested = [Item(key, one.question) for one in self.contested if (key := name(one.markable)) is not None]
        self.named = {
            Item(key, one.question): decision
            for one, decision in self.named.items()
            if (key := name(one.markable)) is not None
        }
        self.judged = {key: one for old, one in self.judged.items() if (key := name(old)) is not None}
        self.touched = {key for old in self.touched if (key := name(old)) is not None}


def read_logs(gold: Collection[int], *, details: bool = False) -> dict[int, GoldLog]:
    """Return what the logs of gold codings come to, by primary key. One query; with details, a second one at most.

    details: read who decided what when and why.
    """
    logs = _fold_logs(gold, read_entries(gold, "short" if details else ""))
    if details and (wanting := [pk for pk, log in logs.items() if log.wants_answers]):
        logs |= _fold_logs(wanting, read_entries(wanting, "whole"), with_answers=True)
    return logs


def _fold_logs(
    gold: Iterable[int], rows: Iterable[tuple[Any, ...]], *, with_answers: bool = False
) -> dict[int, GoldLog]:
    entries: dict[int, list[Entry]] = defaultdict(list)
    for coding, *row in rows:
        entries[coding].append(Entry(*row))
    return {pk: fold(entries[pk], ReplayedCoding() if with_answers else None) for pk in gold}


ANSWERING_KINDS = (Operation.Kind.JUDGE, Operation.Kind.CLEAR, Operation.Kind.UNMARK)
# What has all judgements of a text in its payload, which are long.
LONG_KINDS = (Operation.Kind.DRAFT, Operation.Kind.IMPORT)
KINDS = (Operation.Kind.DRAFT, Operation.Kind.CORRECT, *ANSWERING_KINDS, Operation.Kind.MOVE, Operation.Kind.DECIDE)
TEXTS = ("markable", "to", "edits", "method", "coder", "codings", "contested", "items")


def read_entries(gold: Collection[int], payloads: str) -> Iterable[tuple[Any, ...]]:
    """Select what logs are folded of. payloads: none, the short ones, or the whole of the log."""
    operations: QuerySet[Operation, Any] = Operation.objects.filter(coding__in=list(gold))
    if payloads != "whole":
        operations = operations.filter(kind__in=KINDS)
    answers = (
        (Q(payload__category__isnull=False) & ~Q(payload__category=None))
        | Q(payload__attributes__isnull=False)
        | ~Q(kind__in=(Operation.Kind.JUDGE, Operation.Kind.MOVE))
        | Q(kind=Operation.Kind.MOVE, coding__kind=Coding.Kind.AGREED)
    )
    rows = operations.annotate(
        answers=Case(When(answers, then=Value(True)), default=Value(False), output_field=BooleanField()),
        **{f"{name}_text": Cast(KeyTextTransform(name, "payload"), TextField()) for name in TEXTS},
    ).order_by("coding", "sequence")
    columns = ["coding", "sequence", "kind", "step", "uuid", "undoes", "answers", *(f"{name}_text" for name in TEXTS)]
    if payloads:
        short = Case(When(~Q(kind__in=LONG_KINDS), then=F("payload")), output_field=JSONField())
        rows = rows.annotate(short=short)
        columns += ["user__username", "applied_at", "payload" if payloads == "whole" else "short"]
    for coding, sequence, kind, step, uuid, *rest in rows.values_list(*columns):
        yield coding, sequence, kind, step or uuid, *rest


def fold(log: Sequence[Entry], answers: ReplayedCoding | None = None) -> GoldLog:
    """Return what a log comes to. `answers`, empty, where its entries have whole payloads."""
    result = GoldLog()
    undone = _undone_steps(log)
    done = [entry.undoes is None and entry.step not in undone for entry in log]
    deciding = {entry.step for entry, is_done in zip(log, done, strict=True) if is_done and entry.items}
    for entry, is_done in zip(log, done, strict=True):
        before = answers.decisions.get(entry.markable or "") if answers else None
        if answers is not None:
            answers.apply(entry.kind, entry.payload)
        if entry.kind == Operation.Kind.DRAFT:
            result.drafts.append(_draft_of(entry))
            result.contested = [Item(*item) for item in json.loads(entry.contested or "[]")]
        elif entry.kind == Operation.Kind.CORRECT:
            edits = parse_correction({"edits": json.loads(entry.edits or "")})
            result.rename(lambda key, edits=edits: map_key(key, edits))  # type: ignore[misc]
        elif entry.kind == Operation.Kind.MOVE:
            result.rename(lambda key, entry=entry: entry.to if key == entry.markable else key)  # type: ignore[misc]
            if is_done:
                result.touched.add(str(entry.to))
                if entry.answers and entry.step not in deciding:
                    _judge(result, str(entry.to), entry)
        elif is_done and entry.kind == Operation.Kind.DECIDE:
            decision = LoggedDecision(entry, result.draft)
            result.named |= {Item(*item): decision for item in json.loads(entry.items or "[]")}
        elif is_done and entry.markable is not None:
            result.touched.add(entry.markable)
            if entry.answers and entry.step not in deciding:
                _judge(result, entry.markable, entry, before, answers)
    return result


def _judge(
    result: GoldLog, key: str, entry: Entry, before: Decision | None = None, answers: ReplayedCoding | None = None
) -> None:
    """Let a judgement that no decision goes with decide what is asked of its markable."""
    named = [item for item in result.named if item.markable == key]
    result.wants_answers |= bool(named) and entry.kind != Operation.Kind.MOVE
    for item in named:
        after = answers.decisions.get(key) if answers else None
        if answers is None or answer_to(before, item.question) != answer_to(after, item.question):
            del result.named[item]
    result.judged[key] = LoggedDecision(entry, result.draft)


def answer_to(decision: Decision | None, question: str) -> object:
    """Return the answer of a decision to the question of an item, so that equal ones mean the same."""
    decision = decision or Decision("")
    if question == CATEGORY:
        return decision.category, sort_readings(decision.pointers), frozenset(decision.indices)
    answer = dict(decision.attributes).get(question)
    targets = sort_readings(dict(decision.relations).get(question, ()))
    return targets, sorted(answer) if isinstance(answer, tuple) else answer


def _draft_of(entry: Entry) -> Draft:
    return Draft(
        str(entry.method),
        tuple(UUID(uuid) for uuid in json.loads(entry.codings or "[]")),
        UUID(entry.coder) if entry.coder else None,
        entry.sequence,
    )


def _undone_steps(log: Sequence[Entry]) -> set[UUID]:
    """Return the steps that are undone: what undoes an undoing does the step again."""
    undone: set[UUID] = set()
    for entry in reversed(log):
        if entry.undoes is not None and entry.step not in undone:
            undone.add(entry.undoes)
    return undone
