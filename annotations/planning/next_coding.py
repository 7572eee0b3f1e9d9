"""Who codes what next: pure functions."""

from collections.abc import Iterable
from typing import Protocol


class Progress(Protocol):
    """A coding with its progress."""

    @property
    def status(self) -> str: ...

    @property
    def decided(self) -> int: ...

    @property
    def to_decide(self) -> int: ...


def next_to_code[Row: Progress](codings: Iterable[Row]) -> Row | None:
    """Of a coder's codings in their order: one that is begun before one that is not; None when all are handed in."""
    waiting = [coding for coding in codings if coding.status == "open"]
    begun = [coding for coding in waiting if 0 < coding.decided < coding.to_decide]
    undone = [coding for coding in waiting if coding.decided < coding.to_decide]
    return next(iter(begun or undone or waiting), None)
