"""How far gold is: what of its draft was contested, what has been decided since, and which answers it lacks."""

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
    """Closed is what was submitted; decided what is answered, with nothing contested open and no answer lacking."""

    OPEN = "open"
    DECIDED = "decided"
    CLOSED = "closed"


DRAFT_FIELDS = {"method", "codings", "contested", "judgements"}


def check_draft(payload: Mapping[str, Any]) -> None:
    """Raise OperationRejected unless this is the payload of a draft."""
    codings, contested, judgements = (payload.get(name) for name in ("codings", "contested", "judgements"))
    of_coder = {"coder"} if payload.get("method") == Method.CODER else set()
    if payload.keys() - {"scus"} != DRAFT_FIELDS | of_coder or payload["method"] not in list(Method):
        raise OperationRejected("bad_payload", "a draft says method, codings, contested and judgements.")
    if not isinstance(codings, list) or not all(map(is_uuid, codings)):
        raise OperationRejected("bad_payload", "the codings of a draft are uuids of operations.")
    if of_coder and payload["coder"] not in codings:
        raise OperationRejected("bad_payload", "the coder of a draft is one of its codings.")
    if not isinstance(contested, list) or not all(map(is_item, contested)):
        raise OperationRejected("bad_payload", "what is contested is a list of markables, each with a question.")
    if not isinstance(judgements, list) or not all(map(is_import_decision, judgements)):
        raise OperationRejected("bad_payload", "one of its judgements is none.")
    check_descriptions(payload.get("scus", []))


@dataclass(frozen=True, slots=True)
class ContestedItem:
    """What was contested in the last draft, by the key of today, and whether gold has a decided answer to it."""

    item: Item
    decided: bool


@dataclass(frozen=True, slots=True)
class GoldState:
    """How far the gold of a text is. What is contested is unknown without a draft, and with a draft of no coding.

    contested: an item is decided only if the gold has its answer. uncontested_holes: further answers that the scheme
    asks for and the gold lacks. is_empty: it has no answer at all, and is refused when it is submitted.
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
        # a draft of no coding contests nothing: what is contested is unknown, as without a draft
        is_known = self.draft is not None and bool(self.draft.codings)
        return State.DECIDED if is_known and not self.n_open and not self.is_empty else State.OPEN

    @property
    def n_decided(self) -> int:
        return sum(one.decided for one in self.contested)

    @property
    def n_open(self) -> int:
        """Return how many answers are to decide: contested items, and what the scheme asks for besides."""
        return len(self.contested) - self.n_decided + len(self.uncontested_holes)


def gold_states(gold: Sequence[Coding]) -> list[GoldState]:
    """Return how far gold codings of a project are, in their order. Thirteen queries at most, whatever their number."""
    keys = [one.pk for one in gold]
    logs, holes, empty = read_logs(keys), find_holes(keys), find_empty_gold(keys)
    return [_state_of(one, logs[one.pk], holes.get(one.pk, ()), is_empty=one.pk in empty) for one in gold]


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
