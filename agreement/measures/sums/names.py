"""Names of documents, coders and labels: as JSON, to be stored, and in an order that depends on nothing else."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..data.reliability_data import UnnamedCoder


def encode_name(name: Hashable) -> Any:
    """Return the name as JSON has it. Raises ValueError for one that is not text, a number, or a tuple or set of these.

    >>> encode_name(("text", frozenset({"b", "a"})))
    {'tuple': ['text', {'set': ['a', 'b']}]}
    """
    if name is None or isinstance(name, str | int | float):
        return name
    if isinstance(name, np.generic):
        return encode_name(name.item())
    if isinstance(name, tuple):
        return {"tuple": [encode_name(one) for one in name]}
    if isinstance(name, frozenset):
        return {"set": [encode_name(one) for one in sorted(name, key=sort_key)]}
    if isinstance(name, UnnamedCoder):
        return {"unnamed": name.number}
    raise ValueError(f"{name!r} cannot be stored: a name is text, a number, or a tuple or set of these")


def decode_name(encoded: Any) -> Hashable:
    """Return the name that was encoded.

    >>> decode_name(encode_name(("text", 1, None))) == ("text", 1, None)
    True
    """
    if not isinstance(encoded, dict):
        name: Hashable = encoded
        return name
    [(kind, inner)] = encoded.items()
    if kind == "unnamed":
        return UnnamedCoder(inner)
    names = map(decode_name, inner)
    return tuple(names) if kind == "tuple" else frozenset(names)


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
