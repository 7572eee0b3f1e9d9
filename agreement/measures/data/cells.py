"""The cells of reliability data as integers: what each coder said of each unit."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan

import numpy as np

from ..values import Ints, Label, Readings, Value
from .arrays import row_starts

MISSING = -1
# Each reading is a bit of an integer with a sign.
MOST_READINGS = 62
_NOTHING = ("NAType", "NaTType")


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

    @classmethod
    def from_values(
        cls, units: Sequence[Hashable], coders: Sequence[Hashable], rows: Sequence[Sequence[Value | None]], members: str
    ) -> "Cells":
        """Return the cells of rows of values; the arguments and errors are those of `ReliabilityData.from_values`."""
        labels: dict[Label, int] = {}
        sets: dict[frozenset[Hashable] | Readings, int] = {}
        codes = np.array(
            [_encode_row(unit, coders, row, labels, sets, members) for unit, row in zip(units, rows, strict=True)],
            dtype=np.int64,
        ).reshape(len(units), len(coders))
        number = {unit: row for row, unit in enumerate(units)}
        # iteration over a set is not stable between runs, so the other members get an order of their own
        unions = [value.members if isinstance(value, Readings) else value for value in sets]
        others = sorted({m for union in unions for m in union if m not in number}, key=_sort_key)
        number |= {member: len(units) + i for i, member in enumerate(others)}
        packed = [
            pack_readings([number[member] for member in one] for one in value.sets)
            if isinstance(value, Readings)
            else (1, sorted(number[member] for member in value), [1] * len(value))
            for value in sets
        ]
        counts = np.array([count for count, _, _ in packed], dtype=np.int64)
        bits = np.array([bit for _, _, own in packed for bit in own], dtype=np.int64)
        return cls(
            codes=np.where(codes < MISSING, len(labels) - 2 - codes, codes),
            labels=tuple(labels),
            starts=row_starts([len(union) for _, union, _ in packed]),
            members=np.array([member for _, union, _ in packed for member in union], dtype=np.int64),
            others=tuple(others),
            readings=ReadingBits(counts, bits) if (counts > 1).any() else None,
        )

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

    def set_at(self, number: int) -> tuple[list[int], int, list[int]]:
        """Return the members of a set, the number of its readings, and where it has several the bits of each member."""
        entries = slice(*self.starts[number : number + 2].tolist())
        members: list[int] = self.members[entries].tolist()
        if self.readings is None or self.readings.counts[number] == 1:
            return members, 1, []
        return members, int(self.readings.counts[number]), self.readings.bits[entries].tolist()

    def readings_of(self, sets: Ints, entries: Ints) -> ReadingBits | None:
        """Return the readings of some of the sets, whose members are these entries of `members`."""
        if self.readings is None or (self.readings.counts[sets] == 1).all():
            return None
        return ReadingBits(self.readings.counts[sets], self.readings.bits[entries])


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


def unpack_readings[M](count: int, members: Iterable[M], bits: Iterable[int]) -> list[list[M]]:
    """Return the members of each reading."""
    pairs = list(zip(members, bits, strict=True))
    return [[member for member, own in pairs if own >> number & 1] for number in range(count)]


def _encode_row(
    unit: Hashable,
    coders: Sequence[Hashable],
    row: Sequence[Value | None],
    labels: dict[Label, int],
    sets: dict[frozenset[Hashable] | Readings, int],
    members: str,
) -> list[int]:
    """Return a row of integers: -1 missing, 0 and up the labels, -2 and down the sets."""
    if len(row) != len(coders):
        raise ValueError(f"unit {unit!r} has {len(row)} values for {len(coders)} coders")
    codes = []
    for coder, value in zip(coders, row, strict=True):
        if _is_missing(value):
            codes.append(MISSING)
            continue
        if isinstance(value, Readings) and members == "labels":
            raise ValueError(f"unit {unit!r}, coder {coder!r}: readings have units as members, not labels")
        try:
            known = frozenset(value) if isinstance(value, set | list | frozenset) else value
            if isinstance(known, frozenset | Readings) and members == "units":
                codes.append(-2 - sets.setdefault(known, len(sets)))
            else:
                codes.append(labels.setdefault(known, len(labels)))
        except TypeError:
            of_set = isinstance(value, set | list)
            what = "a set of things that cannot be members" if of_set else "neither label nor set"
            raise ValueError(f"unit {unit!r}, coder {coder!r}: a {type(value).__name__} is {what}")
    return codes


def _is_missing(value: object) -> bool:
    """Return whether a cell says nothing: None, NaN, or what pandas has for them."""
    return value is None or (isinstance(value, float) and isnan(value)) or type(value).__name__ in _NOTHING


def _sort_key(name: Hashable) -> tuple[str, str]:
    return type(name).__name__, repr(name)
