"""A question besides the category, and what its values are called."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

# A question with more different answers, in words or numbers, has no table with a column for each.
MOST_VALUES = 60


def name_value(value: Hashable) -> str:
    """Return what a value is called: of numbers 3 and not 3.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True, slots=True)
class Question:
    """A question besides the category whose answers can be compared.

    `kind` says how its values are made: "categories", "labels" (sets of such), "numbers", or "targets" (sets of what a
    relation points to). `second` is the key of the attribute that asks for a second choice. `to_levels` are those of
    the targets of a relation, which may stand later in the text where `later` says so.
    """

    key: str
    label: str
    kind: str
    second: str = ""
    to_levels: tuple[str, ...] = ()
    later: bool = False
