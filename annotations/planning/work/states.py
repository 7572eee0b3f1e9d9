"""The state of codings for lists, the progress matrix, the API and mails, and reminders of coders."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, cast

from django.db.models import Case, F, OuterRef, QuerySet, Subquery, When
from django.db.models.fields.json import KeyTextTransform

from annotations.core.database.queries import without_compilation
from annotations.models import Coding, Operation


class State(StrEnum):
    """The state of a coding. Reopened: by a manager. Complete: never if coders mark or must answer about entities."""

    ASSIGNED = "assigned"
    BEGUN = "begun"
    COMPLETE = "complete"
    REOPENED = "reopened"
    RELEASED = "released"
    SUBMITTED = "submitted"


OPEN_STATES = (State.ASSIGNED, State.BEGUN, State.COMPLETE, State.REOPENED)
SOON_DAYS = 7  # texts are reported as due this number of days before the date
MAX_REMINDERS = 10
# The columns of `with_states` that determine the state.
COLUMNS = (
    *("status", "version", "corrections", "released_at", "coder_id", "reopened_by", "decided", "to_decide"),
    *("is_to_mark", "asks_of_entities", "due_on", "round__closed_at"),
)


def with_states(codings: QuerySet[Coding]) -> QuerySet[Coding]:
    """Annotate codings with progress, the last reopening with its reason, and the due date of the plan."""
    reopenings = Operation.objects.filter(coding=OuterRef("pk"), kind=Operation.Kind.REOPEN).order_by("-sequence")
    reasons = reopenings.values_list(KeyTextTransform("reason", "payload"), flat=True)
    reopened = {"status": Coding.Status.OPEN, "version__gt": F("corrections")}
    annotated = cast(Any, codings).with_progress()
    with_columns: QuerySet[Coding] = annotated.annotate(
        reopened_by=Case(When(**reopened, then=Subquery(reopenings.values("user")[:1]))),
        reopen_reason=Case(When(**reopened, then=Subquery(reasons[:1]))),
        due_on=F("round__plan__due_on"),
    )
    return with_columns


def state_of(row: Mapping[str, Any]) -> State:
    """Return the state of a coding from a row with COLUMNS."""
    if row["status"] == Coding.Status.SUBMITTED:
        return State.SUBMITTED
    if row["released_at"] is not None:
        return State.RELEASED
    if row["reopened_by"] is not None and row["reopened_by"] != row["coder_id"]:
        return State.REOPENED
    if 0 < row["to_decide"] == row["decided"] and not (row["is_to_mark"] or row["asks_of_entities"]):
        return State.COMPLETE
    return State.BEGUN if row["version"] > row["corrections"] else State.ASSIGNED


def is_overdue(row: Mapping[str, Any], today: date) -> bool:
    """Return whether the due date has passed and the coder has still to submit the coding."""
    due = row["due_on"]
    return bool(due is not None and due < today and is_to_do(row))


def is_to_do(row: Mapping[str, Any]) -> bool:
    return state_of(row) not in (State.SUBMITTED, State.RELEASED) and row["round__closed_at"] is None


@dataclass(frozen=True, slots=True)
class CodingState:
    """The state of a coder's coding of a text in a round, and whether it is late."""

    text: int
    round: int
    coder: str
    state: State
    decided: int
    to_decide: int
    overdue: bool = False
    due_on: date | None = None
    is_to_do: bool = True
    is_to_mark: bool = False  # the coder creates the markables
    is_final: bool = False  # nobody may reopen it


def read_states(codings: QuerySet[Coding], today: date) -> list[CodingState]:
    """Return the states of codings; of several occasions within a round, the last. One query."""
    rows = with_states(codings).order_by("occasion").values("text_id", "round_id", "coder__username", *COLUMNS)
    states: dict[tuple[int, int, str], CodingState] = {}
    with without_compilation():
        found_rows = list(cast(Any, rows))
    for row in found_rows:
        key = (row["text_id"], row["round_id"], row["coder__username"])
        state, overdue, to_do = state_of(row), is_overdue(row, today), is_to_do(row)
        progress = (row["decided"], row["to_decide"])
        states[key] = CodingState(*key, state, *progress, overdue, row["due_on"], to_do, row["is_to_mark"])
    return list(states.values())


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder of an own coding: days until it is due, or None; reason: a manager's reason for reopening."""

    coding: Coding
    state: State
    due_on: date | None
    days: int | None
    overdue: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Reminders:
    """The first reminders, by date, and the number of further ones."""

    shown: tuple[Reminder, ...]
    more: int


def reminders_of(codings: Iterable[Coding], today: date) -> Reminders:
    """Return the reminders for a coder, by date: codings `with_states` that are due soon, reopened or begun."""
    reminders = []
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
        reminders.append(Reminder(coding, state, due_on, days, is_overdue(row, today), reason))
    reminders.sort(key=lambda reminder: (reminder.due_on or date.max, reminder.state != State.REOPENED))
    return Reminders(tuple(reminders[:MAX_REMINDERS]), max(len(reminders) - MAX_REMINDERS, 0))
