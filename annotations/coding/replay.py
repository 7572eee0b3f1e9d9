"""The log of a coding, replayed: what it says is there, and where the tables say otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from annotations import operations
from annotations.decisions import Clearing, Decision, Description, Moving, Unmarking, read
from annotations.marking import parts_of, within
from annotations.models import Coding, Markable, Operation
from annotations.scus import descriptions_of


@dataclass(slots=True)
class Replayed:
    """What a log leads to. given: the keys of the markables that came with the text."""

    given: Collection[str]
    decisions: dict[str, Decision] = field(default_factory=dict)
    descriptions: dict[str, Description] = field(default_factory=dict)
    status: str = Coding.Status.OPEN

    def take(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Carry out one operation of the log. Raises Refused on one that no log can have."""
        match kind:
            case Operation.Kind.SUBMIT:
                self.status = Coding.Status.SUBMITTED
            case Operation.Kind.REOPEN:
                self.status = Coding.Status.OPEN
            case Operation.Kind.IMPORT:
                for judgement in payload["judgements"]:
                    self._say(_decision(judgement))
                for description in payload.get("scus", ()):
                    self._say(read("describe", description))
            case _:
                self._say(read(kind, payload))

    def _say(self, said: object) -> None:
        match said:
            case Decision():
                self.decisions[said.markable] = said
                for key in said.pointers:
                    self._mark(key)
            case Clearing():
                self.decisions.pop(said.markable, None)
                self._mark(said.markable)
            case Unmarking():
                self.decisions.pop(said.markable, None)
                self._repoint(said.markable, None)
            case Moving() if said.markable in self.decisions:
                parts = (parts_of(said.to) or ("", []))[1]
                moved = self.decisions.pop(said.markable)
                head = tuple(part for part in moved.head if within([part], parts))
                self.decisions[said.to] = replace(moved, markable=said.to, head=head)
                self._repoint(said.markable, said.to)
            case Description():
                self.descriptions[said.scu] = said

    def _mark(self, key: str) -> None:
        """A markable of the coder's own is there from when it is named until it is unmarked."""
        if key not in self.given:
            self.decisions.setdefault(key, Decision(key))

    def _repoint(self, key: str, to: str | None) -> None:
        for other, decision in self.decisions.items():
            if key in decision.pointers:
                pointers = (to if target == key else target for target in decision.pointers)
                self.decisions[other] = replace(decision, pointers=tuple(one for one in pointers if one is not None))


def replay(log: Iterable[tuple[str, Mapping[str, Any]]], given: Collection[str]) -> Replayed:
    """What the operations of a log, each a kind and a payload, lead to."""
    replayed = Replayed(given)
    for kind, payload in log:
        replayed.take(kind, payload)
    return replayed


def faults(coding: Coding) -> Iterator[str]:
    """Where the tables of a coding say something else than its log. Eight queries."""
    log = list(coding.operations.order_by("sequence").values_list("sequence", "kind", "payload"))
    if [sequence for sequence, *_ in log] != list(range(1, coding.version + 1)):
        yield f"its version is {coding.version}, and its log does not count from 1 to that"
    given = set(Markable.objects.filter(text=coding.text_id, predefined=True).values_list("key", flat=True))
    replayed = replay([(kind, payload) for _, kind, payload in log], given)
    if replayed.status != coding.status:
        yield f"it is {coding.status}, by its log {replayed.status}"
    there = _said(operations.decisions_of(coding), given)
    logged = _said(replayed.decisions.values(), given)
    for key in sorted(there.keys() | logged.keys()):
        if there.get(key) != logged.get(key):
            yield f"{key}: {_in_short(there.get(key))}, by its log {_in_short(logged.get(key))}"
    described = {key: (one["label"], one["comment"]) for key, one in descriptions_of(coding).items()}
    by_log = {key: (one.label, one.comment) for key, one in replayed.descriptions.items() if one.label or one.comment}
    for key in sorted(described.keys() | by_log.keys()):
        if described.get(key) != by_log.get(key):
            yield f"SCU {key}: {described.get(key)}, by its log {by_log.get(key)}"


def _decision(said: Mapping[str, Any]) -> Decision:
    """A judgement of an import, which may name more than an operation of a coder's."""
    return Decision(
        **{
            **said,
            "pointers": tuple(said["pointers"]),
            "indices": tuple(said["indices"]),
            "head": tuple((start, end) for start, end in said["head"]),
        }
    )


def _said(decisions: Iterable[Decision], given: Collection[str]) -> dict[str, Decision]:
    """The decisions by key, each with its antecedents in one order; what says nothing of a given markable is none."""
    found = {}
    for one in decisions:
        if one != Decision(one.markable) or one.markable not in given:
            found[one.markable] = replace(one, pointers=tuple(sorted(one.pointers)), indices=tuple(sorted(one.indices)))
    return found


def _in_short(decision: Decision | None) -> str:
    if decision is None:
        return "nothing"
    return " ".join(filter(None, (decision.category or "no category", *decision.pointers, *decision.indices)))
