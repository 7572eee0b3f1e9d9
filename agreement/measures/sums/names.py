"""An order of the names of documents, coders and labels that depends on nothing else."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np


def sort_key(name: Hashable) -> tuple[str, Any]:
    """Return by what names are put in order, whatever they are: by type, then numbers by size and text by letters.

    >>> sorted([10, "b", 9, ("b", 1), "a"], key=sort_key)
    [9, 10, 'a', 'b', ('b', 1)]
    """
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, str):
        return "str", str(name)
    if isinstance(name, int | float):
        return "number", name
    if isinstance(name, tuple):
        return "tuple", tuple(map(sort_key, name))
    if isinstance(name, frozenset):
        return "frozenset", sorted(map(sort_key, name))
    return type(name).__name__, repr(name)


def sort_places(names: Sequence[Hashable]) -> list[int]:
    """Return the places of names in the order of `sort_key`; where all are text, which is soon done.

    >>> sort_places(["b", 10, 9, "a"])
    [2, 1, 3, 0]
    """
    if all(type(name) is str for name in names):
        return sorted(range(len(names)), key=names.__getitem__)  # type: ignore[arg-type]
    return sorted(range(len(names)), key=lambda place: sort_key(names[place]))
