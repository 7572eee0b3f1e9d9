"""The cells of reliability data as integers: what each coder said of each unit."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..values import Ints, Label

MISSING = -1
# Each reading is a bit of an integer with a sign.
MOST_READINGS = 62


@dataclass(frozen=True, eq=False)
class ReadingBits:
    """Which of the sets have several readings, and which member is in which.

    `counts` is the number of readings of each set: 1 where it is a set and no more. `bits` has an entry for each of
    `Cells.members`, whose bit i is set where the member is in reading i. No two readings of a set are equal.
    """

    counts: Ints
    bits: Ints

    def __post_init__(self) -> None:
        for array in (self.counts, self.bits):
            array.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Cells:
    """Any values at all: labels, and sets that may overlap.

    `codes` has the shape (units, coders): -1 is missing, the labels come first, then the sets, whose members are
    in the compressed rows `members[starts[s]:starts[s + 1]]`, sorted. A member below the number of units is that
    unit; the rest are `others`. Where a value has several readings its set is that of the members of all, and
    `readings` says which is in which; it is None where no value has several.
    """

    codes: Ints
    labels: tuple[Label, ...]
    starts: Ints
    members: Ints
    others: tuple[Label, ...]
    readings: ReadingBits | None = None

    def __post_init__(self) -> None:
        for array in (self.codes, self.starts, self.members):
            array.flags.writeable = False

    def to_cells(self) -> "Cells":
        """Return itself: the form that every coefficient can work on."""
        return self

    def select_coders(self, columns: list[int]) -> "Cells":
        """Return the values of some of the coders."""
        return replace(self, codes=self.codes[:, columns])

    @cached_property
    def set_of_member(self) -> Ints:
        """For each entry of `members`, the set it belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def readings_of(self, sets: Ints, entries: Ints) -> ReadingBits | None:
        """Return the readings of some of the sets, whose members are these entries of `members`."""
        if self.readings is None or (self.readings.counts[sets] == 1).all():
            return None
        return ReadingBits(self.readings.counts[sets], self.readings.bits[entries])


class Content(Protocol):
    """What reliability data hold: `Cells`, or a form that is faster to work on and can become cells."""

    def to_cells(self) -> Cells:
        """Return the same values as labels and sets."""

    def select_coders(self, columns: list[int]) -> "Content":
        """Return the values of some of the coders, by their column numbers."""


def pack_readings(readings: Iterable[Iterable[int]]) -> tuple[int, list[int], list[int]]:
    """Return the number of different readings, all members, ascending, and the bits of each.

    Equal readings come out equal, in whatever order they are given. Raises ValueError for more than MOST_READINGS.
    """
    ordered = sorted({tuple(sorted(members)) for members in readings})
    if len(ordered) > MOST_READINGS:
        raise ValueError(f"{len(ordered)} readings of one unit, and there may be {MOST_READINGS}")
    bits: dict[int, int] = {}
    for number, members in enumerate(ordered):
        for member in members:
            bits[member] = bits.get(member, 0) | 1 << number
    union = sorted(bits)
    return len(ordered), union, [bits[member] for member in union]


def unpack_readings(count: int, members: Iterable[int], bits: Iterable[int]) -> list[list[int]]:
    """Return the members of each reading."""
    pairs = list(zip(members, bits, strict=True))
    return [[member for member, own in pairs if own >> number & 1] for number in range(count)]
