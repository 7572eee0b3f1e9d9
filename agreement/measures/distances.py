"""Distances between two values, each a label or a set.

Every named distance between two sets depends only on three counts: the sizes of the sets and of their
intersection. `distance_from_sizes` is the one definition of all of them; `distance` and the coefficients call it.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import perm

import numpy as np
from numpy.typing import ArrayLike

from .options import DISTANCES, EMPTY, ORDERED_DISTANCES, THIRDS, Options, SumOptions, check_option
from .values import Bools, Floats, Ints, Label, Readings, Value, parse_number

# Up to so many assignments of one side's readings to the other's are tried one by one, in arrays.
_MAX_ASSIGNMENTS = 120
# Squares of numbers beyond these, added up, are 0 or infinite.
SMALLEST, LARGEST = 1e-100, 1e100


def distance(a: Value, b: Value, name: str, *, empty: str = "subset", thirds: str = "exact") -> float:
    """Return the distance between two values: a number from 0 (equal) to 1; for "interval" any number from 0.

    `name` is one of DISTANCES; `empty` says whether the empty set is contained in every set ("subset") or
    disjoint from every other ("disjoint"); `thirds` is "exact" or "rounded" (.33 and .67, printed in 2004).
    A label is at 0 from itself and at 1 from every other value, unless the distance is for ordered labels:
    "interval" is (a - b)^2 and "ratio" is ((a - b)/(a + b))^2, of numbers (Krippendorff).
    Where a value has several readings, a set has one and each reading is matched with one at most of the other side:
    the distance is 1 - s/m, where s is the largest sum of 1 - d over matched readings that there is, d the named
    distance of two sets, and m the larger number of readings. Of two sets it is d.
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
    >>> distance(Readings([{"D", "F"}, {"E", "F"}]), frozenset("DF"), "jaccard")
    0.5
    """
    check_option("distance", name, DISTANCES)
    check_option("empty", empty, EMPTY)
    check_option("thirds", thirds, THIRDS)
    if name == "ordinal":
        raise ValueError("the ordinal distance of two labels depends on the data: use alpha")
    if name in ORDERED_DISTANCES:
        first, second = parse_numbers([a, b], name)
        return float(number_distance(first, second, name))
    first, second = _readings_of(a), _readings_of(b)
    if not first or not second or a == b:
        return 0.0 if a == b else 1.0
    sizes = [[len(reading)] for reading in first], [len(reading) for reading in second]
    shared = [[len(x & y) for y in second] for x in first]
    distances = distance_from_sizes(*sizes, shared, name, empty=empty, thirds=thirds)
    return float(match_readings(distances[None])[0])


def match_readings(distances: Floats) -> Floats:
    """Return the distances of pairs of values from those of their readings, (pairs, readings, readings).

    It is 1 - s/m as `distance` has it; with one reading on either side their distance.
    """
    _, k, m = distances.shape
    if k > m:
        return match_readings(distances.transpose(0, 2, 1))
    matched: Floats = distances[:, 0, 0] if m == 1 else 1.0 - _sum_matched(1.0 - distances) / m
    return matched


def _sum_matched(similar: Floats) -> Floats:
    """Return the largest sum of similarities of an assignment; there are at least as many columns as rows."""
    n, k, m = similar.shape
    rows = np.arange(k)
    best = np.zeros(n)
    # terms are added in ascending order, so that no order of readings changes a digit
    if perm(m, k) <= _MAX_ASSIGNMENTS:
        for columns in permutations(range(m), k):
            np.maximum(best, np.sort(similar[:, rows, columns], axis=1).sum(axis=1), out=best)
        return best
    from scipy.optimize import linear_sum_assignment

    for pair, table in enumerate(similar):
        best[pair] = np.sort(table[linear_sum_assignment(table, maximize=True)]).sum()
    return best


def _readings_of(value: Value) -> list[frozenset[Hashable]]:
    """Return the readings of a value: one for a set, none for a label."""
    if isinstance(value, Readings):
        return list(value.sets)
    return [value] if isinstance(value, frozenset) else []


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
    a: Ints, b: Ints, shared: Ints, names: Sequence[str], options: Options | SumOptions
) -> Iterator[tuple[str, Floats]]:
    """Yield `distance_from_sizes` of several distances, by name, one after the other.

    Small counts come often, so each kind of pair is computed once.
    """
    empty, thirds = options.empty, options.thirds
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
    """Return the labels as numbers, for an ordered distance. Raises ValueError, naming a label that is no number."""
    for label in labels:
        try:
            number = parse_number(label)
        except ValueError as error:
            raise ValueError(f"{error}, and the distance {name!r} is of numbers")
        if name == "ratio" and number < 0:
            raise ValueError(f"the distance 'ratio' is of numbers from 0, and {label!r} is less")
        if name != "ordinal" and number and not SMALLEST < abs(number) < LARGEST:
            raise ValueError(
                f"{label!r} cannot be squared: the distance {name!r} is of 0, and of numbers between {SMALLEST:g} and "
                f"{LARGEST:g}, whatever their sign"
            )
    return np.array([parse_number(label) for label in labels], dtype=np.float64)


def number_distance(a: Floats, b: Floats, name: str) -> Floats:
    """Return the interval or ratio distance of numbers, or the ordinal one of their ranks; the arrays broadcast."""
    if name == "ratio":
        whole = a + b
        return np.divide(a - b, whole, out=np.zeros_like(whole), where=whole > 0) ** 2
    return (a - b) ** 2


def midranks(counts: Floats) -> Floats:
    """Return the midranks of ascending labels that are used `counts` times (last axis).

    The ordinal distance of two labels is the squared difference of their ranks (Krippendorff).
    """
    return np.cumsum(counts, axis=-1) - counts / 2


def _equal(a: Floats, b: Floats, shared: Floats) -> Bools:
    equal: Bools = (a == shared) & (b == shared)
    return equal


def _passonneau(a: Floats, b: Floats, shared: Floats, empty: str, thirds: str) -> Floats:
    """Return the distances of Passonneau 2004: 0 for equal sets, 1/3 for subsets, 2/3 for overlaps, else 1."""
    third, two_thirds = (1 / 3, 2 / 3) if thirds == "exact" else (0.33, 0.67)
    smaller = np.minimum(a, b)
    contained = shared == smaller
    if empty == "disjoint":
        contained &= smaller > 0
    return np.select([_equal(a, b, shared), contained, shared > 0], [0.0, third, two_thirds], 1.0)


def _jaccard(a: Floats, b: Floats, shared: Floats) -> Floats:
    return _ratio(shared, a + b - shared)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, and 1 where both sets are empty: they are equal."""
    return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The labels that are sets: their indices among all labels, their sizes, and the shared members of each pair.

    Where a coder may give a unit several categories such a set is one label among others, which all documents share.
    """

    places: Ints
    sizes: Ints
    shared: Ints

    @classmethod
    def from_labels(cls, labels: Sequence[Label]) -> "LabelSets":
        """Return the sets among some labels."""
        sets = [(place, label) for place, label in enumerate(labels) if isinstance(label, frozenset)]
        number: dict[Label, int] = {}
        members = [[number.setdefault(member, len(number)) for member in label] for _, label in sets]
        inside = np.zeros((len(sets), len(number)), dtype=np.int64)
        for row, own in enumerate(members):
            inside[row, own] = 1
        places = np.array([place for place, _ in sets], dtype=np.int64)
        return cls(places, inside.sum(axis=1), inside @ inside.T)


def label_similarities(labels: Sequence[Label], name: str, options: Options) -> Floats | None:
    """Return the similarity, 1 - distance, of each pair of labels; different labels are similar only if both are sets.

    None where no two different labels are similar.
    """
    if name == "nominal" or not any(isinstance(label, frozenset) for label in labels):
        return None
    sets, similar = LabelSets.from_labels(labels), np.eye(len(labels))
    a, b = np.meshgrid(sets.sizes, sets.sizes, indexing="ij")
    distances = distance_from_sizes(a, b, sets.shared, name, empty=options.empty, thirds=options.thirds)
    similar[np.ix_(sets.places, sets.places)] = 1 - distances
    return similar


def count_similar_pairs(counts: Floats, similar: Floats | None) -> Floats:
    """Return the sum of similarities over all ordered pairs of different judgements; counts (replicates, labels)."""
    pairs: Floats = (counts**2 if similar is None else (counts @ similar) * counts).sum(axis=1) - counts.sum(axis=1)
    return pairs
