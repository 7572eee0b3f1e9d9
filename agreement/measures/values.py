"""What a value is, and the arrays that stand for many."""

from collections.abc import Callable, Hashable

import numpy as np
from numpy.typing import NDArray

type Label = Hashable
type Value = Hashable  # a label, or a frozenset of members
type Distance = Callable[[Value, Value], float]

type Ints = NDArray[np.int64]
type Floats = NDArray[np.float64]
type Bools = NDArray[np.bool_]


def remove_unit(value: Value, unit: Hashable) -> Value:
    """Return the value, without the unit if it is a set that has it."""
    return value - {unit} if isinstance(value, frozenset) else value
