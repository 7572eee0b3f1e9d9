"""Sums over groups of units, from which a coefficient follows, and how often each value is used.

A coefficient that is a function of such sums costs no more for a thousand replicates than for one: a replicate is a
weighting of the groups, and its sums are a matrix product.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..distances import distance_from_empty, distance_from_sizes
from ..options import Options
from ..values import Bools, Floats, Ints
from .overlaps import (
    EMPTY_SET,
    FILLED_SET,
    PairableUnits,
    SetPairs,
    compare_readings,
    empty_similarities,
    find_overlaps,
    find_several,
    kind_similarities,
    set_kinds,
)

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
        merged = sparse.csr_array(ones, shape=(len(number), len(names))) @ self.sums
        return replace(self, groups=list(number), sums=merged)

    def weighted_coefficients(self, weights: Floats) -> Floats:
        """Return the coefficients where each group counts so many times; weights (replicates, groups)."""
        return self.coefficients(np.asarray(weights @ self.sums))

    def leave_one_out_coefficients(self) -> Floats:
        """Return the coefficients without one group, for each of them."""
        rows = max(1, 4_000_000 // max(self.sums.shape[1], 1))
        total = np.asarray(self.sums.sum(axis=0)).reshape(1, -1)
        parts = (self.sums[first : first + rows] for first in range(0, self.sums.shape[0], rows))
        dense = (part if isinstance(part, np.ndarray) else part.toarray() for part in parts)
        blocks = [self.coefficients(total - part) for part in dense]
        return np.concatenate(blocks) if blocks else np.zeros((0, len(self.names)))


# for each coefficient the function that computes its sums; its arguments are those of the coefficient, after the data
# and "document" or "unit"
STATISTICS: dict[Callable[..., Any], Callable[..., SufficientStatistics | None]] = {}


def register_statistics[F: Callable[..., Any]](compute: Callable[..., SufficientStatistics | None]) -> Callable[[F], F]:
    """Return a decorator that registers `compute` as the function that gives the sums of a coefficient.

    `compute(data, by, ...)` takes the data, "document" or "unit", and the further arguments of the coefficient. It
    returns None where the coefficient does not follow from sums. The bootstrap, the jackknife and the permutation test
    then need no pass over the data for a replicate.
    """

    def register(coefficient: F) -> F:
        STATISTICS[coefficient] = compute
        return coefficient

    return register


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


@dataclass(frozen=True, eq=False)
class SetSimilarities:
    """Pairs of different sets with their similarity, 1 - distance, where it is not 0.

    Where there are several readings, `kind_of_set` has the place of each set's kind in `of_kinds`, what any two of the
    empty set, other sets and kinds of several readings have in common, which `similarity` then leaves out.
    """

    first: Ints
    second: Ints
    similarity: Floats
    with_empty: float
    kind_of_set: Ints | None = None
    of_kinds: Floats | None = None

    @classmethod
    def none(cls) -> "SetSimilarities":
        """Return those of sets that are equal or not."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, np.zeros(0), 0.0)

    @classmethod
    def from_units(cls, pairable: PairableUnits, name: str, options: Options) -> "SetSimilarities":
        """Return those of the sets of the data; for the nominal distance of sets there are none."""
        readings = pairable.data.cells.readings
        if name == "nominal" and readings is None:
            return cls.none()
        overlap = find_overlaps(pairable)
        sizes = np.diff(pairable.data.cells.starts)
        a, b = sizes[overlap.first], sizes[overlap.second]
        distances = distance_from_sizes(a, b, overlap.shared, name, empty=options.empty, thirds=options.thirds)
        similarities = cls(overlap.first, overlap.second, 1 - distances, 1 - distance_from_empty(name, options))
        return similarities if readings is None else similarities._with_readings(pairable.data, name, options)

    def _with_readings(self, data: ReliabilityData, name: str, options: Options) -> "SetSimilarities":
        """Return the similarities with those of sets of several readings in place of those of their unions."""
        kinds = set_kinds(data.cells)
        named = sorted({(k, empty) for k, empty in kinds.tolist()} - {EMPTY_SET, FILLED_SET})
        place = {kind: number for number, kind in enumerate([EMPTY_SET, FILLED_SET, *named])}
        chosen, first, second = find_several(data.cells, self.first, self.second)
        pairs = SetPairs.whole(first, second, first)
        similarity = self.similarity.copy()
        similarity[chosen] = 1 - compare_readings(data, pairs, [name], options)[name]
        similarity[chosen] -= empty_similarities(kinds[first], kinds[second], name, options)
        return replace(
            self,
            similarity=similarity,
            kind_of_set=np.array([place[k, empty] for k, empty in kinds.tolist()], dtype=np.int64),
            of_kinds=kind_similarities(named, name, options),
        )

    @property
    def n_kinds(self) -> int:
        """The number of kinds of several readings."""
        return 0 if self.of_kinds is None else len(self.of_kinds) - 2


@dataclass(frozen=True, eq=False)
class ValueMasses:
    """How often each value is used, by each rater: columns of sums for each group, and M of totals of such columns.

    A rater is a coder, or all coders pooled: `raters` (coders,). The mass of a value is the number of judgements that
    gave it, or the sum of what each of them weighs, `mass` (units,). What two raters' masses have in common, M[r, s] =
    sum of mass[r, k] mass[s, l] similarity(k, l), over n[r] n[s] is their expected agreement. Labels and the empty set
    are values of every document; other sets are of one document, and the sets of two copies of a document are
    different sets, so that their part of M is a sum over documents.

    `labels` is None where labels are equal or not, else their similarities (labels, labels). The columns are the mass
    of each rater; its mass of each label, then of the empty set; its mass of other sets, and of each kind of several
    readings; and what these have in common: each two raters' part of M (groups are documents), or each rater's mass of
    each set (groups are units).
    """

    pairable: PairableUnits
    raters: Ints
    n_raters: int
    mass: Floats
    similar: SetSimilarities
    group_of_unit: Ints
    n_groups: int
    by_unit: bool
    labels: Floats | None = None

    @cached_property
    def judgements(self) -> tuple[Ints, Ints, Ints, Floats]:
        """The group, the rater, the code of the value and the mass of each judgement."""
        units, columns = np.nonzero(self.pairable.codes != MISSING)
        return self.group_of_unit[units], self.raters[columns], self.pairable.codes[units, columns], self.mass[units]

    @cached_property
    def sums(self) -> Matrix:
        """The columns of each group."""
        groups, raters, codes, mass = self.judgements
        data, n, n_shared, width = self.pairable.data, self.n_raters, self._n_shared, 1 + self.similar.n_kinds
        sizes = np.concatenate((np.zeros(len(data.labels), dtype=np.int64), np.diff(data.cells.starts)))
        everything = sparse_sums(groups, raters, mass, (self.n_groups, n))
        shared = sizes[codes] == 0  # several documents may have the value
        column = raters[shared] * n_shared + np.minimum(codes[shared], n_shared - 1)
        labels = sparse_sums(groups[shared], column, mass[shared], (self.n_groups, n * n_shared))
        groups, raters, sets, mass = groups[~shared], raters[~shared], codes[~shared] - len(data.labels), mass[~shared]
        kinds = 0 if self.similar.kind_of_set is None else self.similar.kind_of_set[sets] - 1
        others = sparse_sums(groups, raters * width + kinds, mass, (self.n_groups, n * width))
        return hstack_sums(everything, labels, others, self._sum_sets(groups, raters, sets, mass))

    def totals(self, sums: Floats) -> Floats:
        """Return the mass of each rater, (replicates, raters)."""
        return sums[:, : self.n_raters]

    def common_mass(self, sums: Floats) -> Floats:
        """Return M, (replicates, raters, raters)."""
        n, width = self.n_raters, 1 + self.similar.n_kinds
        masses, rest = np.split(sums[:, n:], [n * self._n_shared], axis=1)
        shared = masses.reshape(len(sums), n, self._n_shared)
        others, sets = rest[:, : n * width].reshape(len(sums), n, width), rest[:, n * width :]
        similar = shared
        if self.labels is not None:
            similar = np.concatenate((shared[:, :, :-1] @ self.labels, shared[:, :, -1:]), axis=2)
        common = similar @ shared.transpose(0, 2, 1)
        if self.similar.of_kinds is not None:
            of_kinds = self.similar.of_kinds.copy()
            of_kinds[0, 0] = 0  # the empty set with itself is among the shared values
            by_kind = np.concatenate((shared[:, :, -1:], others), axis=2)
            common = common + by_kind @ of_kinds @ by_kind.transpose(0, 2, 1)
        elif self.similar.with_empty:
            cross = shared[:, :, -1, None] * others[:, None, :, 0]
            common = common + self.similar.with_empty * (cross + cross.transpose(0, 2, 1))
        if not self.by_unit:
            return common + sets.reshape(len(sums), n, n)
        masses = sets.reshape(len(sums), n, self._n_sets)
        return common + self._spread(masses) @ masses.transpose(0, 2, 1)

    @property
    def _n_shared(self) -> int:
        return len(self.pairable.data.labels) + 1

    @property
    def _n_sets(self) -> int:
        return len(self.pairable.data.cells.starts) - 1

    def _sum_sets(self, groups: Ints, raters: Ints, sets: Ints, mass: Floats) -> Matrix:
        n, n_sets = self.n_raters, self._n_sets
        if self.by_unit:
            return sparse_sums(groups, raters * n_sets + sets, mass, (self.n_groups, n * n_sets))
        if not len(sets):
            return sparse_sums(sets, sets, mass, (self.n_groups, n * n))
        from scipy import sparse

        # A row for each rater of each group: few raters judge a group where there are many.
        place, row = np.unique(groups * n + raters, return_inverse=True)
        masses = sparse.csr_array((mass, (row, sets)), shape=(len(place), n_sets))
        common = (masses @ self._similarities @ masses.T).tocoo()
        groups, raters = np.divmod(place, n)
        columns = raters[common.row] * n + raters[common.col]
        return sparse_sums(groups[common.row], columns, common.data, (self.n_groups, n * n))

    def _spread(self, masses: Floats) -> Floats:
        """Return masses times similarities, (replicates, raters, sets)."""
        if not len(self.similar.first) and self.similar.of_kinds is None:
            return masses
        shape = masses.shape
        spread: Floats = (self._similarities @ masses.reshape(-1, shape[2]).T).T.reshape(shape)
        return spread

    @cached_property
    def _similarities(self) -> Matrix:
        from scipy import sparse

        similar, n_sets = self.similar, self._n_sets
        with_itself = np.ones(n_sets)
        if similar.kind_of_set is not None and similar.of_kinds is not None:  # less what two of its kind have in common
            with_itself -= np.diag(similar.of_kinds)[similar.kind_of_set]
        rows = np.concatenate((similar.first, similar.second, np.arange(n_sets)))
        columns = np.concatenate((similar.second, similar.first, np.arange(n_sets)))
        terms = np.concatenate((similar.similarity, similar.similarity, with_itself))
        return sparse.csr_array(sparse.coo_array((terms, (rows, columns)), shape=(n_sets, n_sets)))
