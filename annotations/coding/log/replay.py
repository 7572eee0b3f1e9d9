"""Replay the log of a coding, and compare the result with the tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotations.coding.decisions import (
    CheckJudgement,
    ClearJudgement,
    Decision,
    DeleteMarkable,
    Description,
    MoveMarkable,
    import_decision,
    parse_operation,
)
from annotations.coding.judgements import decisions_of
from annotations.coding.log.merges import parse_merge
from annotations.coding.markables.corrections import Edit, map_decision, map_links, parse_correction
from annotations.coding.markables.markables import lies_within
from annotations.coding.pyramids.scus import scu_descriptions
from annotations.coding.readings import Readings, sort_readings, without_doubles
from annotations.formats.model.keys import split_key
from annotations.models import Coding, Markable, Operation


@dataclass(slots=True)
class ReplayedCoding:
    """The result of replaying a log."""

    # A predefined markable has an empty decision once it is named, like a coder's own markable. `checked` has each
    # decision that was compared with gold in training, as it was at the first comparison.

    decisions: dict[str, Decision] = field(default_factory=dict)
    checked: dict[str, Decision] = field(default_factory=dict)
    descriptions: dict[str, Description] = field(default_factory=dict)
    status: str = Coding.Status.OPEN

    def apply(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Apply one operation of the log. Raise OperationRejected if a log cannot contain it."""
        match kind:
            case Operation.Kind.SUBMIT:
                self.status = Coding.Status.SUBMITTED
            case Operation.Kind.REOPEN:
                self.status = Coding.Status.OPEN
            case Operation.Kind.ASSIGN:
                pass
            case Operation.Kind.IMPORT | Operation.Kind.DRAFT:
                if kind == Operation.Kind.DRAFT:
                    self.decisions.clear()  # a repeated draft has all judgements and all SCUs
                    self.descriptions.clear()
                for judgement in payload["judgements"]:
                    self._apply(import_decision(judgement))
                for description in payload.get("scus", ()):
                    self._apply(parse_operation("describe", description))
            case Operation.Kind.CORRECT:
                self._correct(parse_correction(payload))
            case Operation.Kind.MERGE:
                for change in parse_merge(payload):
                    if change.is_of(self.checked.get(change.markable)):
                        self.checked[change.markable] = change.apply(self.checked[change.markable])
                    # An archive may hold a merge of a markable that was never judged.
                    self._mark(change.markable)
                    self.decisions[change.markable] = change.apply(self.decisions[change.markable])
            case _:
                self._apply(parse_operation(kind, payload))

    def follow(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Apply the operations that are no work on the coding: corrections of the text and merges of answers."""
        if kind == Operation.Kind.CORRECT:
            self._correct(parse_correction(payload))
        elif kind == Operation.Kind.MERGE:
            for change in parse_merge(payload):
                if change.is_of(self.decisions.get(change.markable)):
                    self.decisions[change.markable] = change.apply(self.decisions[change.markable])

    def _apply(self, operation: object) -> None:
        match operation:
            case Decision():
                self.decisions[operation.markable] = operation
                for key in operation.targets():
                    self._mark(key)
            case CheckJudgement():
                self.checked.setdefault(
                    operation.markable, self.decisions.get(operation.markable, Decision(operation.markable))
                )
            case ClearJudgement():
                self.decisions.pop(operation.markable, None)
                self._mark(operation.markable)
            case DeleteMarkable():
                self.decisions.pop(operation.markable, None)
                self._repoint(operation.markable, None)
            case MoveMarkable() if operation.markable in self.decisions:
                place = split_key(operation.to)
                parts = place.parts if place else ()
                moved = self.decisions.pop(operation.markable)
                head = tuple(part for part in moved.head if lies_within([part], parts))
                self.decisions[operation.to] = replace(moved, markable=operation.to, head=head)
                self._repoint(operation.markable, operation.to)
            case Description():
                self.descriptions[operation.scu] = operation

    def _mark(self, key: str) -> None:
        """Record a markable without a judgement, unless it has one: a coder's own markable exists once it is named."""
        self.decisions.setdefault(key, Decision(key))

    def _correct(self, edits: Sequence[Edit]) -> None:
        """Map all markables to the corrected text."""
        self.decisions, self.checked = _moved(self.decisions, edits), _moved(self.checked, edits)

    def _repoint(self, key: str, to: str | None) -> None:
        for source, decision in self.decisions.items():
            if key in decision.targets():
                self.decisions[source] = map_links(decision, lambda target: to if target == key else target)


def _moved(decisions: Mapping[str, Decision], edits: Sequence[Edit]) -> dict[str, Decision]:
    moved = (map_decision(decision, edits) for decision in decisions.values())
    return {decision.markable: decision for decision in moved if decision is not None}


def replay(log: Iterable[tuple[str, Mapping[str, Any]]], predefined: Collection[str]) -> ReplayedCoding:
    """Return the result of a log; `predefined` are the current keys of the markables that came with the text."""
    replayed = ReplayedCoding()
    for kind, payload in log:
        replayed.apply(kind, payload)
    for key in predefined:
        if replayed.decisions.get(key) == Decision(key):
            del replayed.decisions[key]
    return replayed


def is_log_of(log: Sequence[tuple[str, Mapping[str, Any]]], imported: Sequence[tuple[str, Mapping[str, Any]]]) -> bool:
    """Return whether a log has the imported operations and otherwise only corrections and changes of owner.

    The imported log is compared by its result, as corrections change its keys.
    """
    work = [entry for entry in log if entry[0] not in Operation.UNBEGUN_KINDS]
    if len(work) == len(log):
        return list(log) == list(imported)
    if [kind for kind, _ in work] != [kind for kind, _ in imported]:
        return False
    return replay(log, ()) == replay(imported, ())


def log_mismatches(coding: Coding) -> Iterator[str]:
    """Yield the differences between the tables of a coding and its log. Eight queries."""
    log = list(coding.operations.order_by("sequence").values_list("sequence", "kind", "payload"))
    if [sequence for sequence, *_ in log] != list(range(1, coding.version + 1)):
        yield f"its version is {coding.version}, and its log does not count from 1 to that"
    corrections = sum(kind in Operation.UNBEGUN_KINDS for _, kind, _ in log)
    if corrections != coding.corrections:
        yield f"it counts {coding.corrections} corrections of its text, and its log has {corrections}"
    predefined = set(Markable.objects.filter(text=coding.text_id, predefined=True).values_list("key", flat=True))
    yield from replay_mismatches(
        [(kind, payload) for _, kind, payload in log],
        predefined,
        coding.status,
        decisions_of(coding),
        {key: (scu["label"], scu["comment"]) for key, scu in scu_descriptions(coding).items()},
    )


def replay_mismatches(
    log: Iterable[tuple[str, Mapping[str, Any]]],
    predefined: Collection[str],
    status: str,
    decisions: Iterable[Decision],
    descriptions: Mapping[str, tuple[str, str]],
) -> Iterator[str]:
    """Yield the differences between a log and the status, decisions and labelled SCUs of its coding."""
    replayed = replay(log, predefined)
    if replayed.status != status:
        yield f"it is {status}, by its log {replayed.status}"
    stored = _comparable_decisions(decisions, predefined)
    logged = _comparable_decisions(replayed.decisions.values(), predefined)
    for key in sorted(stored.keys() | logged.keys()):
        if stored.get(key) != logged.get(key):
            yield f"{key}: {_in_short(stored.get(key))}, by its log {_in_short(logged.get(key))}"
    logged_descriptions = {
        key: (description.label, description.comment)
        for key, description in replayed.descriptions.items()
        if description.label or description.comment
    }
    for key in sorted(descriptions.keys() | logged_descriptions.keys()):
        if descriptions.get(key) != logged_descriptions.get(key):
            yield f"SCU {key}: {descriptions.get(key)}, by its log {logged_descriptions.get(key)}"


def _comparable_decisions(decisions: Iterable[Decision], predefined: Collection[str]) -> dict[str, Decision]:
    """Return the decisions by key in a canonical order, without empty decisions on predefined markables.

    Equal readings count as one, because deletions can make two readings equal.
    """
    comparable = {}
    for decision in decisions:
        if decision != Decision(decision.markable) or decision.markable not in predefined:
            comparable[decision.markable] = replace(
                decision,
                pointers=sort_readings(without_doubles(decision.pointers)),
                indices=tuple(sorted(decision.indices)),
                relations=tuple(
                    (key, sort_readings(without_doubles(readings))) for key, readings in decision.relations
                ),
                attributes=tuple(
                    (key, tuple(sorted(answer)) if isinstance(answer, tuple) else answer)
                    for key, answer in decision.attributes
                ),
            )
    return comparable


def _in_short(decision: Decision | None) -> str:
    if decision is None:
        return "nothing"
    attributes = (
        f"{key}={'|'.join(answer) if isinstance(answer, tuple) else answer}" for key, answer in decision.attributes
    )
    links = (decision.category or "no category", *_readings_in_short(decision.pointers), *decision.indices)
    relations = (f"{key}={'|'.join(_readings_in_short(readings))}" for key, readings in decision.relations)
    return " ".join((*links, *relations, *attributes))


def _readings_in_short(readings: Readings) -> Iterator[str]:
    return ("+".join(reading) for reading in readings)
