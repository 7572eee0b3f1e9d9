"""Sums over groups of units, from which a coefficient follows: what resampling needs, and nothing else.

A coefficient that is a function of such sums costs no more for a thousand replicates than for one: a replicate is a
weighting of the groups, and its sums are a matrix product.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement.measures.values import Bools, Floats, Ints

type Matrix = Any  # an array, or a sparse matrix of SciPy, which is loaded only where it is needed


@dataclass(frozen=True, eq=False)
class Statistics:
    """Sums (groups, columns), and the coefficients of such sums.

    `coefficients` takes an array (replicates, columns) and returns (replicates, len(names)), NaN where undefined.
    """

    groups: Sequence[Hashable]
    sums: Matrix
    names: tuple[str, ...]
    coefficients: Callable[[Floats], Floats]

    def of_groups(self, used: Bools) -> "Statistics":
        """Those of some of the groups."""
        if used.all():
            return self
        groups = [group for group, one in zip(self.groups, used.tolist(), strict=True) if one]
        return replace(self, groups=groups, sums=self.sums[np.flatnonzero(used)])

    def weighted(self, weights: Floats) -> Floats:
        """The coefficients where each group counts so many times; weights (replicates, groups)."""
        return self.coefficients(np.asarray(weights @ self.sums))

    def without_each(self) -> Floats:
        """The coefficients without one group, for each of them."""
        rows = max(1, 4_000_000 // max(self.sums.shape[1], 1))
        total = np.asarray(self.sums.sum(axis=0)).reshape(1, -1)
        found = [
            self.coefficients(total - _dense(self.sums[first : first + rows]))
            for first in range(0, self.sums.shape[0], rows)
        ]
        return np.concatenate(found) if found else np.zeros((0, len(self.names)))


def _dense(rows: Matrix) -> Floats:
    dense: Floats = rows if isinstance(rows, np.ndarray) else rows.toarray()
    return dense


def sparse_sums(groups: Ints, columns: Ints, terms: Floats, shape: tuple[int, int]) -> Matrix:
    """A matrix with each term added at its group and column: dense where that is small."""
    if shape[0] * shape[1] <= 1 << 20:
        flat = np.bincount(groups * shape[1] + columns, weights=terms, minlength=shape[0] * shape[1])
        return flat[: shape[0] * shape[1]].reshape(shape)
    from scipy import sparse

    return sparse.csr_array(sparse.coo_array((terms, (groups, columns)), shape=shape))


def beside(*blocks: Matrix) -> Matrix:
    """The columns of several matrices of sums, side by side; sparse if one is."""
    if all(isinstance(block, np.ndarray) for block in blocks):
        return np.hstack(blocks)
    from scipy import sparse

    return sparse.csr_array(sparse.hstack([sparse.csr_array(block) for block in blocks]))
