"""Chains that share no unit: what a coder's ids are when each unit has one id. Linear in the judgements.

Two chains of one coder are disjoint, so only chains of different coders meet, and those that do are found by
sorting the pairs of chains that the units are in: a unit tells which two chains of two coders share it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ..values import Bools, Floats, Ints
from .arrays import row_starts, run_offsets, run_starts
from .cells import MISSING, Cells


@dataclass(frozen=True, eq=False)
class ChainPairs:
    """The pairs of chains of two coders that share units, in ascending order.

    `shared` is the number of units in both, `weight` the sum over these units of 1 / (coders of the unit - 1).
    """

    i: int
    j: int
    first: Ints
    second: Ints
    shared: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class Partition:
    """The chains of each coder, numbered from 0 by document.

    `chains` has the shape (coders, units): the number of the unit's chain, or -1 (missing). For coder c the
    chain k has `sizes[c][k]` units, all in document `documents[c][k]`.
    """

    chains: Ints
    sizes: tuple[Ints, ...]
    documents: tuple[Ints, ...]

    @classmethod
    def from_ids(cls, ids: Ints, document_of_unit: Ints, n_documents: int) -> "Partition":
        """Return the chains of an array (units, coders) of ids, -1 missing; equal ids of one document are one chain."""
        chains = np.empty(ids.shape[::-1], dtype=np.int64)
        sizes, documents = [], []
        for c, column in enumerate(ids.T):
            chains[c], size, document = _number_chains(column, document_of_unit, n_documents)
            sizes.append(size)
            documents.append(document)
        chains.flags.writeable = False
        return cls(chains, tuple(sizes), tuple(documents))

    @cached_property
    def coders(self) -> Ints:
        """The number of coders of each unit."""
        total = np.zeros(self.chains.shape[1], dtype=np.int64)
        for row in self.chains:  # counting along an axis is many times slower
            total += row != MISSING
        return total

    @cached_property
    def complete(self) -> bool:
        """Did every coder judge every unit?"""
        return bool((self.coders == len(self.chains)).all())

    def pairable_sizes(self, c: int) -> Ints:
        """Return the number of pairable units in each chain of a coder."""
        if self.complete and len(self.chains) > 1:
            return self.sizes[c]
        chosen = self.chains[c][(self.coders > 1) & (self.chains[c] != MISSING)]
        return np.bincount(chosen, minlength=len(self.sizes[c]))

    def chain_pairs(self) -> Iterator[ChainPairs]:
        """Yield the pairs of chains that share units, for each two coders."""
        for i, j in combinations(range(len(self.chains)), 2):
            yield self._chain_pairs(i, j)

    def _chain_pairs(self, i: int, j: int) -> ChainPairs:
        width, kinds = len(self.sizes[j]), len(self.chains) + 1
        key = self.chains[i] * width + self.chains[j]
        if self.complete:
            key.sort()
            begins = run_starts(key)
            pair = key[begins]
            shared = np.diff(begins, append=len(key))
            weight = shared / (len(self.chains) - 1)
        else:
            # the number of coders goes with the pair, as units that more coders judged weigh less
            both = (self.chains[i] != MISSING) & (self.chains[j] != MISSING)
            key = key[both] * kinds + self.coders[both]
            key.sort()
            begins = run_starts(key)
            part, coders = np.divmod(key[begins], kinds)
            count = np.diff(begins, append=len(key))
            again = run_starts(part)
            pair = part[again]
            shared = np.add.reduceat(count, again) if len(again) else count
            weight = np.add.reduceat(count / (coders - 1), again) if len(again) else count.astype(np.float64)
        first, second = np.divmod(pair, max(width, 1))
        return ChainPairs(i, j, first, second, shared, weight)

    def equal(self, met: ChainPairs) -> Bools:
        """Return which of the pairs are two coders' same chain."""
        first, second = self.sizes[met.i][met.first], self.sizes[met.j][met.second]
        same: Bools = (met.shared == first) & (met.shared == second)
        return same

    def select_coders(self, columns: list[int]) -> "Partition":
        """Return the chains of some of the coders."""
        sizes, documents = ([arrays[c] for c in columns] for arrays in (self.sizes, self.documents))
        return Partition(self.chains[columns], tuple(sizes), tuple(documents))

    def move_to_documents(self, document_of_unit: Ints) -> "Partition":
        """Return the same chains in other documents, of which none cuts a chain."""
        documents = []
        for chains, sizes in zip(self.chains, self.sizes, strict=True):
            document, coded = np.zeros(len(sizes), dtype=np.int64), chains != MISSING
            document[chains[coded]] = document_of_unit[coded]
            documents.append(document)
        return Partition(self.chains, self.sizes, tuple(documents))

    def to_cells(self) -> Cells:
        """Return the same values as sets of units, each distinct set once."""
        met = list(self.chain_pairs())
        new = [np.ones(len(size), dtype=np.bool_) for size in self.sizes]
        for pairs in met:
            new[pairs.j][pairs.second[self.equal(pairs)]] = False
        number, n_sets = [], 0
        for first in new:
            number.append(np.cumsum(first) - 1 + n_sets)
            n_sets += int(np.count_nonzero(first))
        for pairs in met:  # those of a coder come after those of all coders before, so that names are passed on
            equal = self.equal(pairs)
            number[pairs.j][pairs.second[equal]] = number[pairs.i][pairs.first[equal]]
        codes = np.full(self.chains.shape[::-1], MISSING, dtype=np.int64)
        size_of_set = np.zeros(n_sets, dtype=np.int64)
        for c, numbers in enumerate(number):
            coded = self.chains[c] != MISSING
            codes[coded, c] = numbers[self.chains[c][coded]]
            size_of_set[numbers] = self.sizes[c]
        starts = row_starts(size_of_set)
        members = np.empty(starts[-1], dtype=np.int64)
        for c in range(len(self.chains)):
            units = np.flatnonzero(self.chains[c] != MISSING)
            units = units[np.argsort(codes[units, c], kind="stable")]
            sets, sizes = np.unique(codes[units, c], return_counts=True)
            members[np.repeat(starts[sets], sizes) + run_offsets(sizes)] = units
        return Cells(codes=codes, labels=(), starts=starts, members=members, others=())


# what reliability data hold: any values, or chains alone, which are faster to work on and can become cells
type Content = Cells | Partition


def _number_chains(ids: Ints, documents: Ints, n_documents: int) -> tuple[Ints, Ints, Ints]:
    """Return chain of each unit, size of each chain, document of each chain; a negative id is no chain."""
    width = int(ids.max(initial=0)) + 1
    if width * n_documents > 8 * len(ids) + 1024:  # ids that are not small numbers within each document
        names, ids = np.unique(ids, return_inverse=True)
        lowest = int(np.searchsorted(names, 0))
        ids, width = ids - lowest, len(names) - lowest
    coded = ids >= 0
    key = documents * width + ids
    if not coded.all():
        key = key[coded]
    chains = np.full(len(ids), MISSING, dtype=np.int64)
    if width * n_documents <= 8 * len(ids) + 1024:
        counts = np.bincount(key, minlength=1)
        names = np.flatnonzero(counts)
        number = np.cumsum(counts > 0) - 1
        chains[coded] = number[key]
        return chains, counts[names], names // max(width, 1)
    names, number, counts = np.unique(key, return_inverse=True, return_counts=True)
    chains[coded] = number
    return chains, counts, names // max(width, 1)
