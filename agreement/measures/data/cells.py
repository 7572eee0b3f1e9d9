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

    def to_cells(self) -> "Cells":
        """Return itself: the form that every coefficient can work on."""
        return self

    def select_coders(self, columns: list[int]) -> "Cells":
        """Return the values of some of the coders."""
        return Cells(self.codes[:, columns], self.labels, self.starts, self.members, self.others)

    @cached_property
    def set_of_member(self) -> Ints:
        """For each entry of `members`, the set it belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


class Content(Protocol):
    """What reliability data hold: `Cells`, or a form that is faster to work on and can become cells."""

    def to_cells(self) -> Cells:
        """Return the same values as labels and sets."""

    def select_coders(self, columns: list[int]) -> "Content":
        """Return the values of some of the coders, by their column numbers."""
