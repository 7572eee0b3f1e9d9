"""Integer arrays: distinct numbers, runs, offsets and factorization."""

from collections.abc import Hashable, Sequence

import numpy as np

from ..values import Ints


def sorted_unique(numbers: Ints) -> Ints:
    """Return the distinct numbers, ascending. (`np.unique` puts them into a hash table: a hundred times as long.)"""
    ascending = np.sort(numbers, axis=None)
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def run_offsets(sizes: Ints) -> Ints:
    """Return 0, 1, 2, ... for each size, one after the other."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def row_starts(sizes: Ints | Sequence[int]) -> Ints:
    """Return where rows of these sizes begin, and the end of the last."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))


def run_starts(ordered: Ints) -> Ints:
    """Return where each run of equal numbers begins."""
    if not len(ordered):
        return np.zeros(0, dtype=np.int64)
    return np.concatenate(([0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))


def distinct_rows(*columns: Ints) -> tuple[list[Ints], Ints]:
    """Return the different rows of columns of numbers from 0, in ascending order, and how often each comes.

    >>> columns, counts = distinct_rows(np.array([2, 1, 2, 1]), np.array([5, 7, 5, 6]))
    >>> [column.tolist() for column in columns], counts.tolist()
    ([[1, 1, 2], [6, 7, 5]], [1, 1, 2])
    """
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if sum(widths) < 64:  # numbers with all columns of a row in them are sorted many times faster than places of rows
        key = columns[0].copy()
        for column, width in zip(columns[1:], widths[1:], strict=True):
            key <<= width
            key |= column
        key.sort()
        begins = run_starts(key)
        rest, distinct = key[begins], []
        for width in widths[::-1]:
            distinct.append(rest & ((1 << width) - 1))
            rest >>= width
        return distinct[::-1], np.diff(begins, append=len(key))
    order = np.lexsort(columns[::-1])
    ordered = np.stack(columns)[:, order]
    begins = np.flatnonzero(np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))
    return list(ordered[:, begins]), np.diff(begins, append=len(order))


def pairs_in_runs(ordered: Ints) -> tuple[Ints, Ints]:
    """Return the places of each two equal entries of ascending numbers: the earlier, and the later."""
    places, begins = np.arange(len(ordered)), run_starts(ordered)
    sizes = np.diff(begins, append=len(ordered))
    later = np.repeat(begins + sizes, sizes) - places - 1
    earlier = np.repeat(places, later)
    return earlier, earlier + 1 + run_offsets(later)


def first_positions(numbers: Ints, n: int) -> Ints:
    """Return where each of the numbers 0..n-1 appears first, or their number where it does not."""
    positions = np.full(n, len(numbers), dtype=np.int64)
    positions[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    return positions


def factorize_integers(numbers: Ints) -> tuple[list[int], Ints]:
    """Return the distinct integers by first appearance, and the place of each entry among them.

    >>> names, places = factorize_integers(np.array([7, 3, 7]))
    >>> names, places.tolist()
    ([7, 3], [0, 1, 0])
    """
    if not len(numbers):
        return [], np.zeros(0, dtype=np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low > 8 * len(numbers) + 1024:
        distinct, first, shifted = np.unique(numbers, return_index=True, return_inverse=True)
    else:  # many times faster
        shifted = numbers - low
        first = first_positions(shifted, high - low + 1)
        distinct = np.arange(low, high + 1)
    present = np.flatnonzero(first < len(numbers))
    order = present[np.argsort(first[present])]
    place = np.empty(len(first), dtype=np.int64)
    place[order] = np.arange(len(order))
    return distinct[order].tolist(), place[shifted]


def factorize(names: Sequence[Hashable] | Ints) -> tuple[Sequence[Hashable], Ints]:
    """Return the distinct names in the order of their first appearance, and the place of each name among them."""
    if isinstance(names, np.ndarray) and np.issubdtype(names.dtype, np.integer):
        distinct, places = factorize_integers(names)
        return tuple(distinct), places
    number_of: dict[Hashable, int] = {}
    numbers = [number_of.setdefault(name, len(number_of)) for name in names]
    return tuple(number_of), np.array(numbers, dtype=np.int64)


def group(keys: Ints, numbers: Ints) -> dict[int, list[int]]:
    """Return the numbers of each key."""
    grouped: dict[int, list[int]] = {}
    for key, number in zip(keys.tolist(), numbers.tolist(), strict=True):
        grouped.setdefault(key, []).append(number)
    return grouped
