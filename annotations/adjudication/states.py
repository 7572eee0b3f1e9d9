"""How far gold is: what of its draft was contested, and what has been decided since, by its log alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotations.adjudication.decisions.log import Draft, GoldLog, read_logs
from annotations.adjudication.proposal import Item, Method
from annotations.coding.decisions import OperationRejected, check_descriptions, is_import_decision
from annotations.coding.log.payloads import is_item, is_uuid
from annotations.models import Coding


class State(StrEnum):
    """Closed is what was submitted; decided, where everything contested was decided; a draft decides nothing."""

    OPEN = "open"
    DECIDED = "decided"
    CLOSED = "closed"


DRAFT_FIELDS = {"method", "codings", "contested", "judgements"}


def check_draft(payload: Mapping[str, Any]) -> None:
    """Raise OperationRejected unless this is the payload of a draft.

    It has the method, the last operation of each coding that it rests on (and which of them is the coder's, for that
    method), the contested markables, each with the question, and the judgements, as an import has them; one of an
    agreed pyramid also has SCUs.
    """
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
    """What was contested when the draft was made, by the keys of today, and whether it has been decided since."""

    item: Item
    decided: bool


@dataclass(frozen=True, slots=True)
class GoldState:
    """How far the gold of a text is. Without a draft nobody knows what is contested, nor by one of no coding."""

    coding: Coding
    log: GoldLog
    contested: tuple[ContestedItem, ...]

    @property
    def draft(self) -> Draft | None:
        """The last draft; None where there is none."""
        return self.log.draft

    @property
    def state(self) -> State:
        """Return whether it is open, decided or closed."""
        if self.coding.status == Coding.Status.SUBMITTED:
            return State.CLOSED
        # of a draft that rests on nobody's coding nobody knows what is contested, as without a draft
        is_known = self.draft is not None and bool(self.draft.codings)
        return State.DECIDED if is_known and not self.n_open else State.OPEN

    @property
    def n_open(self) -> int:
        """Return how many contested items are not decided."""
        return sum(not one.decided for one in self.contested)


def gold_states(gold: Sequence[Coding]) -> list[GoldState]:
    """Return how far gold codings are, in their order. One query, whatever their number."""
    logs = read_logs([one.pk for one in gold])
    return [_state_of(one, logs[one.pk]) for one in gold]


def contested_items(gold: Coding) -> tuple[ContestedItem, ...]:
    """Return what was contested when the gold was drafted, in text order, with what is decided. One query.

    An item is decided by a decision that names it, or an answer on its markable or its removal, unless that was undone;
    a draft that is made again changes nothing of that. Where the words of a markable were moved or corrected the item
    goes with it, and where they are gone it is gone.
    """
    [state] = gold_states([gold])
    return state.contested


def _state_of(gold: Coding, log: GoldLog) -> GoldState:
    contested = (ContestedItem(item, log.decision_of(item) is not None) for item in log.contested)
    return GoldState(gold, log, tuple(contested))
