"""One section of a datasheet, and how its figures are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from agreement.results.tables import Table, format_value

# What a field says that nobody has filled in.
NOT_GIVEN = "not given"


@dataclass(frozen=True, slots=True)
class Section:
    """A section: what people wrote, facts, tables, and what to mind.

    `to_write` is what a datasheet says and no program knows: a file has places for it, a page has not.
    """

    key: str
    title: str
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    to_write: Sequence[str] = ()


def number(value: float | None) -> str:
    """Return a count with its thousands apart."""
    return format_value(value, "count") or "none"


def count_nouns(count: int, noun: str) -> str:
    """Return a count with its thousands apart and its noun: 1 chain, 2,000 chains."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def day(value: date | None) -> str:
    """Return a day as 2026-11-25."""
    return value.isoformat() if value else ""


def percent(value: float) -> str:
    """Return a share as percent."""
    return format_value(value, "percent")


def list_counts(counts: Mapping[str, int], labels: Mapping[str, str] | None = None) -> str:
    """Return what there is of each, such as "a 3, b 1"."""
    return ", ".join(f"{(labels or {}).get(name, name)} {number(n)}" for name, n in counts.items() if n)
