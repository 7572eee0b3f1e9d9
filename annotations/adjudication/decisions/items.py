"""What was decided of gold and agreed pyramids: item by item, whose answer holds, why, and what changed since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from annotations.adjudication.decisions.changes import WorkChanges, read_changes
from annotations.adjudication.decisions.log import GoldLog, read_logs
from annotations.adjudication.proposal import Item, item_order
from annotations.coding.decisions import DecideItems
from annotations.coding.log.payloads import Reason, Source
from annotations.models import Coding, Operation


@dataclass(frozen=True, slots=True)
class ItemDecision:
    """What holds of an item of gold, by the key of today, and why.

    codings: of the source “coder” the last operations of the codings whose answer was taken. user: who decided it.
    changed: whether coders whose work the draft rests on have changed their answer to it since.
    """

    gold: Coding
    item: Item
    source: Source
    codings: tuple[UUID, ...]
    reason: Reason
    section: str
    note: str
    user: str
    made_at: datetime
    changed: bool


def gold_decisions(gold: Sequence[Coding]) -> dict[int, tuple[ItemDecision, ...]]:
    """Return what was decided of gold codings, by primary key, in text order. Four queries at most, for any number."""
    logs = read_logs([one.pk for one in gold], details=True)
    changes = read_changes(gold, logs)
    return {one.pk: tuple(_decisions_of(one, logs[one.pk], changes[one.pk])) for one in gold}


def _decisions_of(gold: Coding, log: GoldLog, changes: WorkChanges) -> Iterator[ItemDecision]:
    said: dict[int, DecideItems] = {}
    for item, decision in sorted(log.decisions().items(), key=lambda pair: item_order(pair[0])):
        entry = decision.entry
        decide = DecideItems((), Source.OWN)
        if entry.kind == Operation.Kind.DECIDE:
            decide = said.setdefault(entry.sequence, entry.decide())
        assert entry.user is not None
        yield ItemDecision(
            gold,
            item,
            decide.source,
            tuple(map(UUID, decide.codings)),
            decide.reason,
            decide.section,
            decide.note,
            entry.user,
            entry.applied_at,
            changes.affect(item, decision.draft),
        )
