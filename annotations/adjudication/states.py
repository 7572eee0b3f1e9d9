"""The progress of gold: contested items of its draft, decisions since, and missing answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotations.adjudication.decisions.log import Draft, GoldLog, read_logs
from annotations.adjudication.proposal import Item, Method
from annotations.coding.decisions import OperationRejected, check_descriptions, is_import_decision
from annotations.coding.log.payloads import is_item, is_uuid
from annotations.coding.required_answers import Hole, find_empty_gold, find_holes
from annotations.models import Coding


class State(StrEnum):
    """The state of gold. Closed: submitted. Decided: no contested item is open and no answer is missing."""

    OPEN = "open"
    DECIDED = "decided"
    CLOSED = "closed"


DRAFT_FIELDS = {"method", "codings", "contested", "judgements"}


def check_draft(payload: Mapping[str, Any]) -> None:
    """Raise OperationRejected unless this is the payload of a draft."""
    codings, contested, judgements = (payload.get(name) for name in ("codings", "contested", "judgements"))
    coder_field = {"coder"} if payload.get("method") == Method.CODER else set()
    if payload.keys() - {"scus"} != DRAFT_FIELDS | coder_field or payload["method"] not in list(Method):
        raise OperationRejected("bad_payload", "a draft says method, codings, contested and judgements.")
    if not isinstance(codings, list) or not all(map(is_uuid, codings)):
        raise OperationRejected("bad_payload", "the codings of a draft are uuids of operations.")
    if coder_field and payload["coder"] not in codings:
        raise OperationRejected("bad_payload", "the coder of a draft is one of its codings.")
    if not isinstance(contested, list) or not all(map(is_item, contested)):
        raise OperationRejected("bad_payload", "what is contested is a list of markables, each with a question.")
    if not isinstance(judgements, list) or not all(map(is_import_decision, judgements)):
        raise OperationRejected("bad_payload", "one of its judgements is none.")
    check_descriptions(payload.get("scus", []))


@dataclass(frozen=True, slots=True)
class ContestedItem:
    """A contested item of the last draft, with its current key, and whether gold has a decided answer to it."""

    item: Item
    decided: bool


@dataclass(frozen=True, slots=True)
class GoldState:
    """The progress of the gold of a text. Without a draft, or with a draft of no coding, contested items are unknown.

    contested: an item is decided only if the gold has its answer. uncontested_holes: further missing answers that the
    scheme asks for. is_empty: gold has no answer at all, so it cannot be submitted.
    """

    coding: Coding
    log: GoldLog
    contested: tuple[ContestedItem, ...]
    holes: tuple[Hole, ...] = ()
    uncontested_holes: tuple[Item, ...] = ()
    is_empty: bool = False

    @property
    def draft(self) -> Draft | None:
        return self.log.draft

    @property
    def state(self) -> State:
        if self.coding.status == Coding.Status.SUBMITTED:
            return State.CLOSED
        # a draft of no coding contests nothing, so contested items are unknown
        is_known = self.draft is not None and bool(self.draft.codings)
        return State.DECIDED if is_known and not self.n_open and not self.is_empty else State.OPEN

    @property
    def n_decided(self) -> int:
        return sum(row.decided for row in self.contested)

    @property
    def n_open(self) -> int:
        """Return the number of answers to decide: open contested items, and further holes."""
        return len(self.contested) - self.n_decided + len(self.uncontested_holes)


def gold_states(gold: Sequence[Coding]) -> list[GoldState]:
    """Return the states of gold codings of a project, in their order. At most thirteen queries, for any number."""
    keys = [coding.pk for coding in gold]
    logs, holes, empty = read_logs(keys), find_holes(keys), find_empty_gold(keys)
    return [_state_of(row, logs[row.pk], holes.get(row.pk, ()), is_empty=row.pk in empty) for row in gold]


def _state_of(gold: Coding, log: GoldLog, holes: Sequence[Hole], *, is_empty: bool) -> GoldState:
    lacking = {Item(key, hole.question) for hole in holes for key in hole.markables}
    contested = tuple(
        ContestedItem(item, log.decision_of(item) is not None and item not in lacking) for item in log.contested
    )
    known = {*log.contested}
    others = (
        Item(hole.markables[0], hole.question)
        for hole in holes
        if known.isdisjoint(Item(key, hole.question) for key in hole.markables)
    )
    return GoldState(gold, log, contested, tuple(holes), tuple(others), is_empty)
