"""The cells of reliability data as integers: what each coder said of each unit."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from agreement.measures.values import Ints, Label

MISSING = -1


@dataclass(frozen=True, eq=False)
class Cells:
    """Any values at all: labels, and sets that may overlap.

    `codes` has the shape (units, coders): -1 is missing, the labels come first, then the sets, whose members are
    in the compressed rows `members[starts[s]:starts[s + 1]]`, sorted. A member below the number of units is that
    unit; the rest are `others`.
    """

    codes: Ints
    labels: tuple[Label, ...]
    starts: Ints
    members: Ints
    others: tuple[Label, ...]

    def __post_init__(self) -> None:
        for array in (self.codes, self.starts, self.members):
            array.flags.writeable = False

    def cells(self) -> "Cells":
        """Itself: the form that every coefficient can work on."""
        return self

    def of_coders(self, columns: list[int]) -> "Cells":
        """The values of some of the coders."""
        return Cells(self.codes[:, columns], self.labels, self.starts, self.members, self.others)

    @cached_property
    def set_of_member(self) -> Ints:
        """For each entry of `members`, the set it belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class Content(Protocol):
    """What reliability data hold: `Cells`, or a form that is faster to work on and can become cells."""

    def cells(self) -> Cells: ...

    def of_coders(self, columns: list[int]) -> "Content": ...


def offsets(sizes: Ints) -> Ints:
    """0, 1, 2, ... for each size, one after the other."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def run_starts(ordered: Ints) -> Ints:
    """Where each run of equal numbers begins."""
    if not len(ordered):
        return np.zeros(0, dtype=np.int64)
    return np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))


def first_rows(numbers: Ints, n: int) -> Ints:
    """Where each of the numbers 0..n-1 appears first, or their number where it does not."""
    found = np.full(n, len(numbers), dtype=np.int64)
    found[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    return found


def dense_numbers(names: Ints) -> tuple[list[int], Ints] | None:
    """The distinct names in the order of their first appearance, and the place of each among them, where the names
    are integers close to each other; else None. Many times faster than a dictionary."""
    low, high = int(names.min()), int(names.max())
    if high - low > 8 * len(names) + 1024:
        return None
    shifted = names - low
    first = first_rows(shifted, high - low + 1)
    present = np.flatnonzero(first < len(names))
    order = present[np.argsort(first[present])]
    place = np.empty_like(first)
    place[order] = np.arange(len(order))
    return (order + low).tolist(), place[shifted]
