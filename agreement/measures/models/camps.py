"""The rule of camps: do so many coders give the second most frequent answer that an item may be ambiguous?"""

import numpy as np

from ..data.cells import MISSING
from ..values import Bools, Ints

# Fewer coders than this are no camps: of two or three who differ nobody can tell whether the item is ambiguous.
LEAST_IN_CAMPS = 4


def count_camps(codes: Ints) -> tuple[Ints, Ints]:
    """Return for each unit the number of distinct values, and how many coders hold the second most frequent.

    >>> [counts.tolist() for counts in count_camps(np.array([[0, 0, 1, 1], [0, 2, 2, -1], [1, 1, 1, 1]]))]
    [[2, 2, 1], [2, 1, 0]]
    """
    n = len(codes)
    rows, columns = np.nonzero(codes != MISSING)
    width = int(codes.max(initial=0)) + 1
    kinds, counts = np.unique(rows * width + codes[rows, columns], return_counts=True)
    row = kinds // width
    order = np.lexsort((-counts, row))
    row, counts = row[order], counts[order]
    distinct = np.bincount(row, minlength=n)
    begins = np.cumsum(distinct) - distinct
    second = np.zeros(n, dtype=np.int64)
    several = distinct > 1
    second[several] = counts[begins[several] + 1]
    return distinct, second


def split_into_camps(codes: Ints) -> Bools:
    """Return which units split their coders into camps.

    These are units of four coders or more, of whom two, and a quarter at least, give the second most frequent value.
    """
    judged = (codes != MISSING).sum(axis=1)
    _, second = count_camps(codes)
    camps: Bools = (judged >= LEAST_IN_CAMPS) & (second >= np.maximum(2, judged / 4))
    return camps
