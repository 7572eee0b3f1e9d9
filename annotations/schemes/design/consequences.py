"""What follows from a scheme: formats that keep its answers; and what applications above this one add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotations.formats.model.scheme import SchemeSpec


@dataclass(frozen=True, slots=True)
class Consequence:
    """Something that can be had with a scheme or not, under a topic such as measures, and why or what to mind."""

    topic: str
    name: str
    allowed: bool
    why: str


# A scheme and the kind of its answers (as in Project) to what follows.
type Source = Callable[[SchemeSpec, str], Sequence[Consequence]]

_sources: list[Source] = []


def register_consequences(source: Source) -> None:
    """Add what an application has to say of schemes."""
    if source not in _sources:
        _sources.append(source)


def consequences_of(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return what follows from a scheme, in the order in which applications were registered."""
    return [one for source in _sources for one in source(spec, answers)]
