"""Which sets share members, and how many: all that the distance between two sets needs.

The cost follows the pairs of sets that do share a member. Two sets of different documents never do.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..data.arrays import pairs_in_runs, run_starts, sorted_unique
from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..values import Bools, Ints


@dataclass(frozen=True)
class PairableUnits:
    """The units that enough coders coded, two unless said otherwise.

    `rows` are the units' rows in the data, `documents` their documents, `codes` their cells and `coders` the
    number of coders of each.
    """

    data: ReliabilityData
    rows: Ints
    documents: Ints
    codes: Ints
    coders: Ints

    @classmethod
    def from_data(cls, data: ReliabilityData, least: int = 2) -> Self:
        """Return the units that at least so many coders coded."""
        coders = (data.codes != MISSING).sum(axis=1)
        rows = np.flatnonzero(coders >= least)
        return cls(data, rows, data.document_of_unit[rows], data.codes[rows], coders[rows])

    @cached_property
    def inside(self) -> Bools:
        """Whether each value is a set that the unit is in: the shape of `codes`."""
        inside = np.zeros(self.codes.shape, dtype=np.bool_)
        units, columns = np.nonzero(self.codes >= len(self.data.labels))  # of many coders few judged a unit
        sets = self.codes[units, columns] - len(self.data.labels)
        inside[units, columns] = find_entries(self.data, sets, self.rows[units]) >= 0
        return inside

    def group_by(self, by: str) -> tuple[Ints, Sequence[Hashable]]:
        """Return the group of each unit, and the names of the groups: documents, or units where `by` is "unit"."""
        if by == "unit":
            return np.arange(len(self.rows)), [self.data.units[row] for row in self.rows.tolist()]
        return self.documents, self.data.documents

    def with_data(self, data: ReliabilityData) -> Self:
        """Return the same units with other values, which the same coders gave."""
        return replace(self, data=data, codes=data.codes[self.rows])

    @cached_property
    def document_of_set(self) -> Ints:
        """For each set of the data the document it is used in, or -1; the empty set may have any."""
        documents = np.full(len(self.data.cells.starts) - 1, MISSING, dtype=np.int64)
        units, columns = np.nonzero(self.codes >= len(self.data.labels))
        documents[self.codes[units, columns] - len(self.data.labels)] = self.documents[units]
        return documents


@dataclass(frozen=True)
class SetOverlaps:
    """Pairs of sets `first` < `second` that have `shared` > 0 members in common, in ascending order.

    The last three count judgements whose unit is one of the shared members: those with the first set, those
    with the second, and the pairs of one of each on the same unit.
    """

    first: Ints
    second: Ints
    shared: Ints
    first_inside: Ints
    second_inside: Ints
    same_unit: Ints

    def select(self, chosen: Bools) -> "SetOverlaps":
        """Return some of the pairs."""
        return SetOverlaps(*(getattr(self, column.name)[chosen] for column in fields(self)))

    def shared_by(self, first: Ints, second: Ints) -> Ints:
        """Return the number of members in common, for pairs of different sets in any order."""
        low, high = np.minimum(first, second), np.maximum(first, second)
        if not len(self.first):
            return np.zeros(low.shape, dtype=np.int64)
        width = max(int(self.second.max()), int(high.max(initial=0))) + 1
        keys, wanted = self.first * width + self.second, low * width + high
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, self.shared[place], 0)


def count_entries(pairable: PairableUnits) -> Ints:
    """Count for each entry of `data.cells.members` the judgements that gave the set to that member as a unit."""
    data = pairable.data
    units, columns = np.nonzero(pairable.inside)
    sets = pairable.codes[units, columns] - len(data.labels)
    entries = find_entries(data, sets, pairable.rows[units])
    return np.bincount(entries, minlength=len(data.cells.members))


def find_overlaps(pairable: PairableUnits, counts: Ints) -> SetOverlaps:
    """Find the overlapping pairs among the sets used on pairable units; `counts` as `count_entries` gives them."""
    data = pairable.data
    document_of_set = pairable.document_of_set
    entries = np.flatnonzero(document_of_set[data.cells.set_of_member] != MISSING)
    entries = entries[np.argsort(data.cells.members[entries], kind="stable")]
    sets, members, weights = data.cells.set_of_member[entries], data.cells.members[entries], counts[entries]
    documents = document_of_set[sets]
    dense = _is_dense(members, documents, pairable)
    parts = [_list_pairs(members[~dense], sets[~dense], weights[~dense])]
    parts += [
        _multiply_incidence(members[here], sets[here], weights[here])
        for here in (documents == document for document in sorted_unique(documents[dense]))
    ]
    columns = np.concatenate(parts, axis=1)
    if len(parts) > 1:
        columns = columns[:, np.lexsort((columns[1], columns[0]))]
    return SetOverlaps(*columns)


def find_entries(data: ReliabilityData, sets: Ints, units: Ints) -> Ints:
    """Find the place in `data.cells.members` of each unit in each set, or -1 where it is no member (or no set)."""
    if not len(data.cells.members):
        return np.full(np.broadcast_shapes(sets.shape, units.shape), -1, dtype=np.int64)
    width = len(data.units) + len(data.cells.others)
    keys = data.cells.set_of_member * width + data.cells.members
    wanted = sets * width + units
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[place] == wanted) & (sets >= 0), place, -1)


def _is_dense(members: Ints, documents: Ints, pairable: PairableUnits) -> Bools:
    """Return the entries of documents where listing pairs member by member costs more than a matrix product.

    Prefixes of long chains do this: n sets that share n members are n cubed entries but n squared pairs.
    """
    n, cells = len(pairable.data.documents), pairable.data.cells
    degree = np.bincount(members)[members] if len(members) else members
    listed = np.bincount(documents, weights=degree, minlength=n)
    is_used = (pairable.document_of_set != MISSING) & (np.diff(cells.starts) > 0)
    sets_in = np.bincount(pairable.document_of_set[is_used], minlength=n)
    return (listed > 4.0 * sets_in**2)[documents]


def _list_pairs(members: Ints, sets: Ints, weights: Ints) -> Ints:
    """List the pairs of sets of each member, then add up each pair. The entries are sorted by member."""
    left, right = pairs_in_runs(members)
    if not len(left):
        return np.zeros((6, 0), dtype=np.int64)
    width = int(sets.max()) + 1
    key = sets[left] * width + sets[right]
    if not weights.any():
        key.sort()
        begins = run_starts(key)
        columns = np.zeros((6, len(begins)), dtype=np.int64)
        columns[0], columns[1] = np.divmod(key[begins], width)
        columns[2] = np.diff(begins, append=len(key))
        return columns
    order = np.argsort(key, kind="stable")
    key, left, right = key[order], left[order], right[order]
    begins = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    terms = np.stack((np.ones_like(left), weights[left], weights[right], weights[left] * weights[right]))
    first, second = np.divmod(key[begins], width)
    return np.concatenate((np.stack((first, second)), np.add.reduceat(terms, begins, axis=1)))


def _multiply_incidence(members: Ints, sets: Ints, weights: Ints) -> Ints:
    """Do the same by the incidence matrix of one document, in floats, which are exact for counts."""
    names, row = np.unique(sets, return_inverse=True)
    distinct, column = np.unique(members, return_inverse=True)
    incidence = np.zeros((len(names), len(distinct)))
    weighted = np.zeros_like(incidence)
    incidence[row, column] = 1
    weighted[row, column] = weights
    shared = incidence @ incidence.T
    first, second = np.nonzero(np.triu(shared, 1))
    # nothing is weighted unless units are excluded, and the products of zeros are as dear as others
    first_inside = weighted @ incidence.T if weights.any() else np.zeros_like(shared)
    same_unit = weighted @ weighted.T if weights.any() else first_inside
    counts = (shared, first_inside, first_inside.T, same_unit)
    return np.stack((names[first], names[second], *(c[first, second].astype(np.int64) for c in counts)))
