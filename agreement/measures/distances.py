"""Distances between two values, each a label or a set.

Every named distance between two sets depends only on three counts: the sizes of the sets and of their
intersection. `distance_from_sizes` is the one definition of all of them; `distance` and the coefficients call it.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from agreement.measures.options import DISTANCES, EMPTY, ORDERED_DISTANCES, THIRDS, Options, check_option
from agreement.measures.values import Bools, Floats, Ints, Label, Value


def distance(a: Value, b: Value, name: str, *, empty: str = "subset", thirds: str = "exact") -> float:
    """Return the distance between two values: a number from 0 (equal) to 1; for "interval" any number from 0.

    `name` is one of DISTANCES; `empty` says whether the empty set is contained in every set ("subset") or
    disjoint from every other ("disjoint"); `thirds` is "exact" or "rounded" (.33 and .67, printed in 2004).
    A label is at 0 from itself and at 1 from every other value, unless the distance is for ordered labels:
    "interval" is (a - b)^2 and "ratio" is ((a - b)/(a + b))^2, of numbers (Krippendorff).
    Raises ValueError for an unknown name or option, for a value that is no number where it must be, and for
    "ordinal", which depends on how often each label is used: `alpha` computes it from the data.

    >>> distance(frozenset("CH"), frozenset("CHJK"), "passonneau", thirds="rounded")
    0.33
    >>> distance(frozenset("AB"), frozenset("BCD"), "jaccard")
    0.75
    >>> distance("place", frozenset("AB"), "masi")
    1.0
    >>> distance(1, 3, "ratio")
    0.25
    """
    check_option("distance", name, DISTANCES)
    check_option("empty", empty, EMPTY)
    check_option("thirds", thirds, THIRDS)
    if name == "ordinal":
        raise ValueError("the ordinal distance of two labels depends on the data: use alpha")
    if name in ORDERED_DISTANCES:
        first, second = parse_numbers([a, b], name)
        return float(number_distance(first, second, name))
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return float(distance_from_sizes(len(a), len(b), len(a & b), name, empty=empty, thirds=thirds))
    return 0.0 if a == b else 1.0


def distance_from_sizes(a: ArrayLike, b: ArrayLike, shared: ArrayLike, name: str, *, empty: str, thirds: str) -> Floats:
    """Return distances between sets of `a` and `b` members that have `shared` members in common.

    The three arrays broadcast against each other, and the result has their shape. `name` is one of SET_DISTANCES; the
    options are those of `distance` and are not checked again.

    >>> distance_from_sizes([2, 2], [4, 3], [2, 1], "passonneau", empty="subset", thirds="rounded").tolist()
    [0.33, 0.67]
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


def distances_from_sizes(
    a: Ints, b: Ints, shared: Ints, names: Sequence[str], *, empty: str, thirds: str
) -> Iterator[tuple[str, Floats]]:
    """Yield `distance_from_sizes` of several distances, by name, one after the other.

    Small counts come often, so each kind of pair is computed once.
    """
    width = int(max(a.max(initial=0), b.max(initial=0))) + 1
    if width**3 > 1 << 20:
        for name in names:
            yield name, distance_from_sizes(a, b, shared, name, empty=empty, thirds=thirds)
        return
    kind = (a * width + b) * width + shared
    kinds = np.flatnonzero(np.bincount(kind, minlength=1))
    table = np.empty(int(kinds.max(initial=0)) + 1)
    pairs, some = np.divmod(kinds, width)
    left, right = np.divmod(pairs, width)
    for name in names:
        table[kinds] = distance_from_sizes(left, right, some, name, empty=empty, thirds=thirds)
        yield name, table[kind]


def distance_from_empty(name: str, options: Options) -> float:
    """Return the distance of the empty set from another set, which does not depend on the size of that set."""
    return float(distance_from_sizes(0, 1, 0, name, empty=options.empty, thirds=options.thirds))


def parse_numbers(labels: Sequence[Label], name: str) -> Floats:
    """Return the labels as numbers, for an ordered distance. Raises ValueError, naming the one that is none."""
    for label in labels:
        if not isinstance(label, Real) or not isfinite(label):
            raise ValueError(f"the distance {name!r} is of numbers, and {label!r} is none")
        if name == "ratio" and label < 0:
            raise ValueError(f"the distance 'ratio' is of numbers from 0, and {label!r} is less")
    return np.array(labels, dtype=np.float64)


def number_distance(a: Floats, b: Floats, name: str) -> Floats:
    """Return the interval or ratio distance of numbers, or the ordinal one of their ranks; the arrays broadcast."""
    if name == "ratio":
        whole = a + b
        return np.divide(a - b, whole, out=np.zeros_like(whole), where=whole > 0) ** 2
    return (a - b) ** 2


def midranks(counts: Floats) -> Floats:
    """Return the ranks of ascending labels that are used `counts` times (last axis): equal ones share the middle.

    The ordinal distance of two labels is the squared difference of their ranks (Krippendorff).
    """
    return np.cumsum(counts, axis=-1) - counts / 2


def _equal(a: Floats, b: Floats, shared: Floats) -> Bools:
    equal: Bools = (a == shared) & (b == shared)
    return equal


def _passonneau(a: Floats, b: Floats, shared: Floats, empty: str, thirds: str) -> Floats:
    """Return the distances of Passonneau 2004: 0 for equal sets, then one, two and three thirds."""
    one, two = (1 / 3, 2 / 3) if thirds == "exact" else (0.33, 0.67)
    smaller = np.minimum(a, b)
    contained = shared == smaller
    if empty == "disjoint":
        contained &= smaller > 0
    return np.select([_equal(a, b, shared), contained, shared > 0], [0.0, one, two], 1.0)


def _jaccard(a: Floats, b: Floats, shared: Floats) -> Floats:
    return _ratio(shared, a + b - shared)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, and 1 where both sets are empty: they are equal."""
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)
