"""What a coder is reminded of: what was reopened, what is due or overdue, and what is begun and not submitted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from annotations.models import Coding
from annotations.planning.work.states import COLUMNS, State, is_overdue, state_of

# Due is said of so many days before the date.
SOON_DAYS = 7
MOST_REMINDERS = 10
OPEN_STATES = (State.ASSIGNED, State.BEGUN, State.COMPLETE, State.REOPENED)


@dataclass(frozen=True, slots=True)
class Reminder:
    """An own coding that waits for its coder. days: until it is due, below 0 where it is overdue; None without a date.

    reason: what the manager wrote who reopened it.
    """

    coding: Coding
    state: State
    due_on: date | None
    days: int | None
    overdue: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Reminders:
    """The first reminders, by date, and how many more there are."""

    shown: tuple[Reminder, ...]
    more: int


def reminders_of(codings: Iterable[Coding], today: date) -> Reminders:
    """Return what to remind the coder of whose codings `with_states` these are, in the order of their dates.

    What has no date, or has time, is there if it is reopened or begun. Those of one date are in the order of codings,
    reopened ones first.
    """
    found = []
    for coding in codings:
        row: dict[str, Any] = {name: getattr(coding, name) for name in COLUMNS if name != "round__closed_at"}
        row["round__closed_at"] = coding.round.closed_at
        state, due_on = state_of(row), row["due_on"]
        if state not in OPEN_STATES or coding.round.is_closed:
            continue
        days = (due_on - today).days if due_on is not None else None
        if state == State.ASSIGNED and (days is None or days > SOON_DAYS):
            continue
        reason = str(coding.reopen_reason or "") if state == State.REOPENED else ""  # type: ignore[attr-defined]
        found.append(Reminder(coding, state, due_on, days, is_overdue(row, today), reason))
    found.sort(key=lambda one: (one.due_on or date.max, one.state != State.REOPENED))
    return Reminders(tuple(found[:MOST_REMINDERS]), max(len(found) - MOST_REMINDERS, 0))
