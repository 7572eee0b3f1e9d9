"""Distances between two values, each a label or a set.

Every named distance between two sets depends only on three counts: the sizes of the sets and of their
intersection. `from_counts` is the one definition of all of them; `distance` and the coefficients call it.
"""

import numpy as np
from numpy.typing import ArrayLike

from agreement.measures.options import DISTANCES, EMPTY, THIRDS, check
from agreement.measures.values import Bools, Floats, Value


def distance(a: Value, b: Value, name: str, *, empty: str = "subset", thirds: str = "exact") -> float:
    """The distance between two values: a number from 0 (equal) to 1.

    `name` is one of DISTANCES; `empty` says whether the empty set is contained in every set ("subset") or
    disjoint from every other ("disjoint"); `thirds` is "exact" or "rounded" (.33 and .67, printed in 2004).
    A label is at 0 from itself and at 1 from every other value, whichever the distance.
    Raises ValueError for an unknown name or option.

    >>> distance(frozenset("CH"), frozenset("CHJK"), "passonneau", thirds="rounded")
    0.33
    >>> distance(frozenset("AB"), frozenset("BCD"), "jaccard")
    0.75
    >>> distance("place", frozenset("AB"), "masi")
    1.0
    """
    check("distance", name, DISTANCES)
    check("empty", empty, EMPTY)
    check("thirds", thirds, THIRDS)
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return float(from_counts(len(a), len(b), len(a & b), name, empty=empty, thirds=thirds))
    return 0.0 if a == b else 1.0


def from_counts(a: ArrayLike, b: ArrayLike, shared: ArrayLike, name: str, *, empty: str, thirds: str) -> Floats:
    """Distances between sets of `a` and `b` members that have `shared` members in common.

    The three arrays broadcast against each other, and the result has their shape. The options are those of
    `distance` and are not checked again.
    """
    a, b, shared = (np.asarray(count, dtype=np.float64) for count in (a, b, shared))
    if name == "nominal":
        return np.where(_equal(a, b, shared), 0.0, 1.0)
    if name == "passonneau":
        return _passonneau(a, b, shared, empty, thirds)
    if name == "jaccard":
        return 1.0 - _jaccard(a, b, shared)
    if name == "dice":
        return 1.0 - _ratio(2.0 * shared, a + b)
    steps = _passonneau(a, b, shared, empty, thirds)
    if name == "masi":
        return 1.0 - _jaccard(a, b, shared) * (1.0 - steps)
    return steps * (1.0 - _jaccard(a, b, shared))


def _equal(a: Floats, b: Floats, shared: Floats) -> Bools:
    equal: Bools = (a == shared) & (b == shared)
    return equal


def _passonneau(a: Floats, b: Floats, shared: Floats, empty: str, thirds: str) -> Floats:
    """Passonneau 2004: 0 for equal sets, then one, two and three thirds."""
    one, two = (1 / 3, 2 / 3) if thirds == "exact" else (0.33, 0.67)
    smaller = np.minimum(a, b)
    contained = shared == smaller
    if empty == "disjoint":
        contained &= smaller > 0
    return np.select([_equal(a, b, shared), contained, shared > 0], [0.0, one, two], 1.0)


def _jaccard(a: Floats, b: Floats, shared: Floats) -> Floats:
    return _ratio(shared, a + b - shared)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 1 where both sets are empty: they are equal."""
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)
