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


def without(value: Value, unit: Hashable) -> Value:
    """The value, without the unit if it is a set that has it."""
    return value - {unit} if isinstance(value, frozenset) else value


def each_once(numbers: Ints) -> Ints:
    """Each of the numbers once, ascending. (`np.unique` puts them into a hash table: a hundred times as long.)"""
    ascending = np.sort(numbers, axis=None)
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]
