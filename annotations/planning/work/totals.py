"""What is done and what is left of codings: how many, by their state, and of their markables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from annotations.planning.work.pace import CoderPace
from annotations.planning.work.states import CodingState, State


@dataclass(slots=True)
class Total:
    """The codings of one coder, round, text or project: numbers of codings by state, and of markables.

    `overdue` are among those of the other states. `left` of what is to decide is not submitted, in open rounds, where
    `to_submit` codings are; in `to_mark` of these the coder creates the markables. pace: of a coder, where it is known.
    """

    name: str
    submitted: int = 0
    complete: int = 0
    begun: int = 0
    not_begun: int = 0
    reopened: int = 0
    released: int = 0
    overdue: int = 0
    decided: int = 0
    to_decide: int = 0
    left: int = 0
    to_submit: int = 0
    to_mark: int = 0
    pace: CoderPace | None = None

    @property
    def codings(self) -> int:
        """All of them."""
        return self.submitted + self.complete + self.begun + self.not_begun + self.reopened + self.released

    def add(self, coding: CodingState) -> None:
        """Count a coding."""
        field = "not_begun" if coding.state == State.ASSIGNED else str(coding.state)
        setattr(self, field, getattr(self, field) + 1)
        self.overdue += coding.overdue
        self.decided += coding.decided
        self.to_decide += coding.to_decide
        if coding.is_to_do:
            self.left += max(coding.to_decide - coding.decided, 0)
            self.to_submit += 1
            self.to_mark += coding.is_to_mark


def total_by(codings: Iterable[CodingState], name_of: Callable[[CodingState], str]) -> list[Total]:
    """Return the totals of codings by what names them, in the order in which they come."""
    totals: dict[str, Total] = {}
    for coding in codings:
        name = name_of(coding)
        totals.setdefault(name, Total(name)).add(coding)
    return list(totals.values())
