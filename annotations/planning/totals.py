"""What is done and what is left of codings: how many, by their status, and of their markables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from annotations.models import Coding


@dataclass(slots=True)
class Total:
    """The codings of one coder, round or project: numbers of codings by status, and of markables."""

    name: str
    submitted: int = 0
    complete: int = 0
    begun: int = 0
    not_begun: int = 0
    decided: int = 0
    to_decide: int = 0

    @property
    def codings(self) -> int:
        return self.submitted + self.complete + self.begun + self.not_begun

    def add(self, coding: Any) -> None:
        """Count a coding `with_progress`."""
        if coding.status == Coding.Status.SUBMITTED:
            self.submitted += 1
        elif coding.is_complete:
            self.complete += 1
        elif coding.decided:
            self.begun += 1
        else:
            self.not_begun += 1
        self.decided += coding.decided
        self.to_decide += coding.to_decide


def total_by(codings: Iterable[Coding], name_of: Callable[[Coding], str]) -> list[Total]:
    """Return the totals of codings `with_progress` by what names them, in the order in which they come."""
    totals: dict[str, Total] = {}
    for coding in codings:
        name = name_of(coding)
        totals.setdefault(name, Total(name)).add(coding)
    return list(totals.values())
