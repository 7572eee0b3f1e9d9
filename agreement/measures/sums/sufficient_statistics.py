"""Sums over groups of units, from which a coefficient follows: what resampling needs, and nothing else.

A coefficient that is a function of such sums costs no more for a thousand replicates than for one: a replicate is a
weighting of the groups, and its sums are a matrix product.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from ..values import Bools, Floats, Ints

type Matrix = Any  # an array, or a sparse matrix of SciPy, which is loaded only where it is needed


@dataclass(frozen=True, eq=False)
class SufficientStatistics:
    """Sums (groups, columns), and the coefficients of such sums.

    `coefficients` takes an array (replicates, columns) and returns (replicates, len(names)), NaN where undefined.
    """

    groups: Sequence[Hashable]
    sums: Matrix
    names: tuple[str, ...]
    coefficients: Callable[[Floats], Floats]

    def select_groups(self, used: Bools) -> "SufficientStatistics":
        """Return the statistics of some of the groups."""
        if used.all():
            return self
        groups = list(compress(self.groups, used.tolist()))
        return replace(self, groups=groups, sums=self.sums[np.flatnonzero(used)])

    def merge_groups(self, original: Callable[[Hashable], Hashable]) -> "SufficientStatistics":
        """Return the statistics with the groups that are copies of one as one group, by the name of the original."""
        names = [original(group) for group in self.groups]
        number = {name: place for place, name in enumerate(dict.fromkeys(names))}
        if len(number) == len(names):
            return replace(self, groups=names)
        from scipy import sparse

        places = np.array([number[name] for name in names])
        ones = (np.ones(len(names)), (places, np.arange(len(names))))
        return replace(
            self, groups=list(number), sums=sparse.csr_array(ones, shape=(len(number), len(names))) @ self.sums
        )

    def weighted_coefficients(self, weights: Floats) -> Floats:
        """Return the coefficients where each group counts so many times; weights (replicates, groups)."""
        return self.coefficients(np.asarray(weights @ self.sums))

    def leave_one_out_coefficients(self) -> Floats:
        """Return the coefficients without one group, for each of them."""
        rows = max(1, 4_000_000 // max(self.sums.shape[1], 1))
        total = np.asarray(self.sums.sum(axis=0)).reshape(1, -1)
        blocks = [
            self.coefficients(total - _dense(self.sums[first : first + rows]))
            for first in range(0, self.sums.shape[0], rows)
        ]
        return np.concatenate(blocks) if blocks else np.zeros((0, len(self.names)))


# for each coefficient the function that computes its sums; its arguments are those of the coefficient, after the data
# and "document" or "unit"
_STATISTICS: dict[Callable[..., Any], Callable[..., SufficientStatistics | None]] = {}


def register_statistics[F: Callable[..., Any]](
    compute: Callable[..., SufficientStatistics | None],
) -> Callable[[F], F]:
    """Return a decorator that registers `compute` as the function that gives the sums of a coefficient.

    `compute(data, by, ...)` takes the data, "document" or "unit", and the further arguments of the coefficient. It
    returns None where the coefficient does not follow from sums. The bootstrap, the jackknife and the permutation test
    then need no pass over the data for a replicate.
    """

    def register(coefficient: F) -> F:
        _STATISTICS[coefficient] = compute
        return coefficient

    return register


def find_statistics(coefficient: Callable[..., Any]) -> Callable[..., SufficientStatistics | None] | None:
    """Return the function that was registered for a coefficient, or None."""
    return _STATISTICS.get(coefficient)


def _dense(rows: Matrix) -> Floats:
    dense: Floats = rows if isinstance(rows, np.ndarray) else rows.toarray()
    return dense


def is_large(shape: tuple[int, int]) -> bool:
    """Return whether a matrix is to be sparse."""
    return shape[0] * shape[1] > 1 << 20


def sparse_sums(groups: Ints, columns: Ints, terms: Floats, shape: tuple[int, int]) -> Matrix:
    """Return a matrix with each term added at its group and column: dense where that is small."""
    if not is_large(shape):
        flat = np.bincount(groups * shape[1] + columns, weights=terms, minlength=shape[0] * shape[1])
        return flat[: shape[0] * shape[1]].reshape(shape)
    from scipy import sparse

    return sparse.csr_array(sparse.coo_array((terms, (groups, columns)), shape=shape))


def hstack_sums(*blocks: Matrix) -> Matrix:
    """Return the columns of several matrices of sums, side by side; sparse if one is."""
    if all(isinstance(block, np.ndarray) for block in blocks):
        return np.hstack(blocks)
    from scipy import sparse

    return sparse.csr_array(sparse.hstack([sparse.csr_array(block) for block in blocks]))
