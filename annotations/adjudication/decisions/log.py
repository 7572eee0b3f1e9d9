"""The content of a log of gold: drafts, contested items of the last one, and decisions.

An operation `decide` decides the items that it names; judgements in the same step carry the answers. Any other
judgement decides all contested items of its markable, but keeps decisions whose answers it does not change. In an
agreed pyramid the words of a contributor are an answer, too: moving it decides it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, F, JSONField, Q, When

from annotations.adjudication.proposal import Item
from annotations.coding.decisions import DecideItems, Decision, parse_operation
from annotations.coding.log.replay import ReplayedCoding
from annotations.coding.markables.corrections import map_key, parse_correction
from annotations.coding.readings import sort_readings
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Operation


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft in the log. `codings` are the last operations of the codings that it used; `coder` is one of them."""

    method: str
    codings: tuple[UUID, ...]
    coder: UUID | None
    sequence: int


type RenameKey = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Entry:
    """An operation of the log; the payload of a draft or import may be read without its judgements."""

    sequence: int
    kind: str
    step: UUID
    undoes: UUID | None
    user: str | None
    applied_at: datetime
    coding_kind: str
    payload: Mapping[str, Any]

    @property
    def markable(self) -> str | None:
        """The key of the operation's markable; None if it has none."""
        return self.payload.get("markable")

    @property
    def answers(self) -> bool:
        """Whether it gives an answer for its markable; marking alone, or moving in a text, gives none."""
        if self.kind == Operation.Kind.MOVE:
            return self.coding_kind == Coding.Kind.AGREED
        is_judged = self.payload.get("category") is not None or "attributes" in self.payload
        return is_judged or self.kind != Operation.Kind.JUDGE

    def decide(self) -> DecideItems:
        operation = parse_operation(self.kind, self.payload)
        assert isinstance(operation, DecideItems)
        return operation


@dataclass(frozen=True, slots=True)
class LoggedDecision:
    """A deciding operation, and the draft that it was made on."""

    entry: Entry
    draft: Draft | None


@dataclass(slots=True)
class GoldLog:
    """The result of a log, with current keys.

    named: decisions that name their item. judged: decisions by an answer on the markable. touched: markables that
    people have judged or removed. wants_answers: only the answers of the whole log tell which named decisions hold.
    """

    drafts: list[Draft] = field(default_factory=list)
    contested: list[Item] = field(default_factory=list)
    named: dict[Item, LoggedDecision] = field(default_factory=dict)
    judged: dict[str, LoggedDecision] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    wants_answers: bool = False

    @property
    def draft(self) -> Draft | None:
        return self.drafts[-1] if self.drafts else None

    def decision_of(self, item: Item) -> LoggedDecision | None:
        return self.named.get(item) or self.judged.get(item.markable)

    def decisions(self) -> dict[Item, LoggedDecision]:
        """Return all decisions, by item. An uncontested markable that was answered after a draft counts as decided."""
        decided = {item: decision for item in self.contested if (decision := self.decision_of(item)) is not None}
        decided |= self.named
        if self.drafts:
            with_items = {item.markable for item in decided}
            others = ((key, decision) for key, decision in self.judged.items() if key not in with_items)
            decided |= {Item(key, CATEGORY): decision for key, decision in others if decision.draft is not None}
        return decided

    def rename(self, name: RenameKey) -> None:
        """Give the markables other keys, and drop the markables that have none."""
        self.contested = [Item(key, old.question) for old in self.contested if (key := name(old.markable)) is not None]
        self.named = {
            Item(key, item.question): decision
            for item, decision in self.named.items()
            if (key := name(item.markable)) is not None
        }
        self.judged = {key: decision for old, decision in self.judged.items() if (key := name(old)) is not None}
        self.touched = {key for old in self.touched if (key := name(old)) is not None}


def renaming(kind: str, payload: Mapping[str, Any]) -> RenameKey | None:
    """Return the function that maps markable keys past an operation (None: gone); None if it changes no key."""
    if kind == Operation.Kind.CORRECT:
        edits = parse_correction(payload)
        return lambda key: map_key(key, edits)
    if kind == Operation.Kind.MOVE:
        return lambda key: payload["to"] if key == payload["markable"] else key
    return None


def read_logs(gold: Collection[int], *, details: bool = False) -> dict[int, GoldLog]:
    """Return the results of logs of gold, by primary key. details: read whole logs where named items need it."""
    logs = _fold_logs(gold)
    if details and (wanting := [pk for pk, log in logs.items() if log.wants_answers]):
        logs |= _fold_logs(wanting, whole=True)
    return logs


def _fold_logs(gold: Collection[int], *, whole: bool = False) -> dict[int, GoldLog]:
    entries: dict[int, list[Entry]] = defaultdict(list)
    for coding, entry in read_entries(gold, whole=whole):
        entries[coding].append(entry)
    return {pk: fold(entries[pk], ReplayedCoding() if whole else None) for pk in gold}


KINDS = (
    *(Operation.Kind.DRAFT, Operation.Kind.CORRECT, Operation.Kind.MOVE, Operation.Kind.DECIDE),
    *(Operation.Kind.JUDGE, Operation.Kind.CLEAR, Operation.Kind.UNMARK),
)
# The fields that are read of a draft, without its long judgements.
DRAFT_FIELDS = ("method", "coder", "codings", "contested")


def read_entries(gold: Collection[int], *, whole: bool = False) -> Iterator[tuple[int, Entry]]:
    """Yield the operations of logs, each with its coding: operations of KINDS, or whole logs. One query."""
    operations = Operation.objects.filter(coding__in=list(gold)).order_by("coding", "sequence")
    if not whole:
        operations = operations.filter(kind__in=KINDS)
    short = Case(When(~Q(kind=Operation.Kind.DRAFT), then=F("payload")), output_field=JSONField())
    columns = ("coding", "sequence", "kind", "step", "uuid", "undoes", "user__username", "applied_at", "coding__kind")
    draft_columns = [] if whole else [f"payload__{name}" for name in DRAFT_FIELDS]
    rows = operations.annotate(read=F("payload") if whole else short).values_list(*columns, "read", *draft_columns)
    for coding, sequence, kind, step, uuid, undoes, user, applied_at, coding_kind, payload, *fields in rows:
        read = dict(zip(DRAFT_FIELDS, fields, strict=True)) if payload is None else payload
        yield coding, Entry(sequence, kind, step or uuid, undoes, user, applied_at, coding_kind, read)


def fold(log: Sequence[Entry], answers: ReplayedCoding | None = None) -> GoldLog:
    """Return the result of a log. `answers` is an empty replay if the entries have whole payloads."""
    result = GoldLog()
    undone = _undone_steps(log)
    done = [entry.undoes is None and entry.step not in undone for entry in log]
    deciding = {
        entry.step for entry, is_done in zip(log, done, strict=True) if is_done and entry.kind == Operation.Kind.DECIDE
    }
    for entry, is_done in zip(log, done, strict=True):
        before = answers.decisions.get(entry.markable or "") if answers else None
        if answers is not None:
            answers.apply(entry.kind, entry.payload)
        if (rename := renaming(entry.kind, entry.payload)) is not None:
            result.rename(rename)
        if entry.kind == Operation.Kind.DRAFT:
            coder, codings = entry.payload.get("coder"), tuple(map(UUID, entry.payload["codings"]))
            draft = Draft(entry.payload["method"], codings, UUID(coder) if coder else None, entry.sequence)
            result.drafts.append(draft)
            result.contested = [Item(*item) for item in entry.payload["contested"]]
        elif is_done and entry.kind == Operation.Kind.DECIDE:
            decision = LoggedDecision(entry, result.draft)
            result.named |= {Item(*item): decision for item in entry.payload["items"]}
        elif is_done and entry.markable is not None:
            key = entry.payload.get("to", entry.markable)
            result.touched.add(key)
            if entry.answers and entry.step not in deciding:
                _judge(result, key, entry, before, answers)
    return result


def _judge(result: GoldLog, key: str, entry: Entry, before: Decision | None, answers: ReplayedCoding | None) -> None:
    """Let a judgement without a `decide` in its step decide all items of its markable."""
    named = [item for item in result.named if item.markable == key]
    is_move = entry.kind == Operation.Kind.MOVE
    result.wants_answers |= bool(named) and not is_move
    for item in named:
        after = answers.decisions.get(key) if answers else None
        if answers is None or is_move or answer_to(before, item.question) != answer_to(after, item.question):
            del result.named[item]
    result.judged[key] = LoggedDecision(entry, result.draft)


def answer_to(decision: Decision | None, question: str) -> object:
    """Return a decision's answer to the question of an item in a form where equal answers are equal."""
    decision = decision or Decision("")
    if question == CATEGORY:
        return decision.category, sort_readings(decision.pointers), frozenset(decision.indices)
    answer = dict(decision.attributes).get(question)
    targets = sort_readings(dict(decision.relations).get(question, ()))
    return targets, sorted(answer) if isinstance(answer, tuple) else answer


def changed_questions(before: Decision | None, after: Decision | None) -> set[str]:
    """Return the questions whose answers differ between two decisions."""
    both = [decision for decision in (before, after) if decision is not None]
    asked = {CATEGORY, *(question for decision in both for question, _ in (*decision.attributes, *decision.relations))}
    return {question for question in asked if answer_to(before, question) != answer_to(after, question)}


def _undone_steps(log: Sequence[Entry]) -> set[UUID]:
    """Return the undone steps; undoing an undoing step restores the original step."""
    undone: set[UUID] = set()
    for entry in reversed(log):
        if entry.undoes is not None and entry.step not in undone:
            undone.add(entry.undoes)
    return undone


@dataclass(slots=True)
class Step:
    """Operations that are undone together, with the items that they decide, and the items with replaced answers."""

    step: UUID
    undoes: UUID | None
    decides: list[DecideItems] = field(default_factory=list)
    markables: list[str] = field(default_factory=list)
    replaces: list[tuple[str, str]] = field(default_factory=list)

    def rename(self, name: RenameKey) -> None:
        """Give the markables other keys, and drop the markables that have none."""
        self.markables = [key for old in self.markables if (key := name(old)) is not None]
        self.replaces = [(key, question) for old, question in self.replaces if (key := name(old)) is not None]
        for index, decision in enumerate(self.decides):
            items = tuple((key, question) for old, question in decision.items if (key := name(old)) is not None)
            self.decides[index] = replace(decision, items=items)


def deciding_steps(gold: Coding) -> list[Step]:
    """Return the steps of the log of gold, with current keys. One query."""
    steps: dict[UUID, Step] = {}
    answers = ReplayedCoding()
    for _, entry in read_entries([gold.pk], whole=True):
        before = answers.decisions.get(entry.markable or "")
        answers.apply(entry.kind, entry.payload)
        if entry.kind == Operation.Kind.DRAFT or entry.kind not in KINDS:
            continue
        if (rename := renaming(entry.kind, entry.payload)) is not None:
            for step in steps.values():
                step.rename(rename)
        if entry.kind == Operation.Kind.CORRECT:
            continue
        step = steps.setdefault(entry.step, Step(entry.step, entry.undoes))
        if entry.kind == Operation.Kind.DECIDE:
            step.decides.append(entry.decide())
        elif entry.answers and entry.markable is not None:
            key = entry.payload.get("to", entry.markable)
            step.markables.append(key)
            step.replaces += [(key, asked) for asked in sorted(changed_questions(before, answers.decisions.get(key)))]
    for step in steps.values():
        if step.decides:
            step.markables, step.replaces = [], []  # these only carry the answers of the named items
    return [step for step in steps.values() if step.decides or step.markables or step.undoes is not None]
