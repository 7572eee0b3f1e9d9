"""Values, and arrays of many values."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from math import isfinite
from numbers import Real

import numpy as np
from numpy.typing import NDArray

type Label = Hashable
type Value = Hashable  # a label, a frozenset of members, or several readings
type Distance = Callable[[Value, Value], float]

type Ints = NDArray[np.int64]
type Floats = NDArray[np.float64]
type Bools = NDArray[np.bool_]


@dataclass(frozen=True, init=False)
class Readings:
    """The value of a unit that its coder found ambiguous: a set for each reading, two or more.

    Any iterables of members are taken. Raises ValueError for fewer than two different sets: one set is a value itself.

    >>> Readings([{"D", "F"}, {"E", "F"}]) == Readings([{"E", "F"}, {"F", "D"}])
    True
    """

    sets: frozenset[frozenset[Hashable]]

    def __init__(self, sets: Iterable[Iterable[Hashable]]) -> None:
        object.__setattr__(self, "sets", frozenset(map(frozenset, sets)))
        if len(self.sets) < 2:
            raise ValueError("several readings are two different sets or more")

    @property
    def members(self) -> frozenset[Hashable]:
        """The members of all readings."""
        return frozenset().union(*self.sets)


def unite_readings(sets: Iterable[Iterable[Hashable]]) -> Value:
    """Return the value of a unit with these readings; a single distinct reading is a plain set."""
    distinct = frozenset(map(frozenset, sets))
    return Readings(distinct) if len(distinct) > 1 else next(iter(distinct))


def map_members(value: Value, rename: Callable[[Hashable], Hashable]) -> Value:
    """Return the value with other members; a label has none."""
    if isinstance(value, Readings):
        return Readings([rename(member) for member in reading] for reading in value.sets)
    return frozenset(rename(member) for member in value) if isinstance(value, frozenset) else value


def remove_unit(value: Value, unit: Hashable) -> Value:
    """Return the value, without the unit in each set that has it."""
    if isinstance(value, Readings):
        return unite_readings(reading - {unit} for reading in value.sets)
    return value - {unit} if isinstance(value, frozenset) else value


def parse_number(label: Label) -> float:
    """Return a label as a number, also one in text. Raises ValueError for any other.

    >>> parse_number("1e3")
    1000.0
    """
    if not is_number(label):
        raise ValueError(f"{label!r} is no number")
    return float(label)  # type: ignore[arg-type]


def is_number(label: Label) -> bool:
    """Return whether a label is a finite number, or the text of one."""
    try:
        is_readable = isinstance(label, Real) or (isinstance(label, str) and "_" not in label)
        return is_readable and isfinite(float(label))  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return False
