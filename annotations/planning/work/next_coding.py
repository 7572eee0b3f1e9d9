"""The choice of a coder's next coding."""

from collections.abc import Iterable
from typing import Protocol


class Progress(Protocol):
    """A coding with the number of its markables and of those decided."""

    @property
    def status(self) -> str: ...

    @property
    def decided(self) -> int: ...

    @property
    def to_decide(self) -> int: ...


def next_coding[Row: Progress](codings: Iterable[Row]) -> Row | None:
    """Return the next of a coder's codings: first those started, then those not started; None if all are submitted."""
    open_codings = [coding for coding in codings if coding.status == "open"]
    started = [coding for coding in open_codings if 0 < coding.decided < coding.to_decide]
    incomplete = [coding for coding in open_codings if coding.decided < coding.to_decide]
    return next(iter(started or incomplete or open_codings), None)
