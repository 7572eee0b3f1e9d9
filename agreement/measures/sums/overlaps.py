"""Which sets share members, and how many: all that the distance between two sets needs.

The cost follows the pairs of sets that do share a member. Two sets of different documents never do.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from agreement.measures.cells import MISSING
from agreement.measures.data import ReliabilityData
from agreement.measures.values import Bools, Ints, each_once


@dataclass(frozen=True)
class Pairable:
    """The units that enough coders coded, two unless said otherwise.

    `rows` are the units' rows in the data, `documents` their documents, `codes` their cells and `coders` the
    number of coders of each. `inside` has the shape of `codes`: is the value a set that the unit is in?
    """

    data: ReliabilityData
    rows: Ints
    documents: Ints
    codes: Ints
    coders: Ints
    inside: Bools

    @classmethod
    def of(cls, data: ReliabilityData, least: int = 2) -> Self:
        """The units that at least so many coders coded."""
        coders = (data.codes != MISSING).sum(axis=1)
        rows = np.flatnonzero(coders >= least)
        codes = data.codes[rows]
        return cls(
            data=data,
            rows=rows,
            documents=data.document_of_unit[rows],
            codes=codes,
            coders=coders[rows],
            inside=_entry_of(data, codes - len(data.labels), rows[:, None]) >= 0,
        )

    def document_of_set(self) -> Ints:
        """For each set of the data the document it is used in, or -1; the empty set may have any."""
        found = np.full(len(self.data.cells.starts) - 1, MISSING, dtype=np.int64)
        units, columns = np.nonzero(self.codes >= len(self.data.labels))
        found[self.codes[units, columns] - len(self.data.labels)] = self.documents[units]
        return found


@dataclass(frozen=True)
class Overlaps:
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

    def shared_by(self, first: Ints, second: Ints) -> Ints:
        """The number of members in common, for pairs of different sets in any order."""
        low, high = np.minimum(first, second), np.maximum(first, second)
        if not len(self.first):
            return np.zeros(low.shape, dtype=np.int64)
        width = max(int(self.second.max()), int(high.max(initial=0))) + 1
        keys, wanted = self.first * width + self.second, low * width + high
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[place] == wanted, self.shared[place], 0)


def entry_counts(pairable: Pairable) -> Ints:
    """For each entry of `data.cells.members`, how many judgements gave the set to that member as a unit."""
    data = pairable.data
    units, columns = np.nonzero(pairable.inside)
    sets = pairable.codes[units, columns] - len(data.labels)
    entries = _entry_of(data, sets, pairable.rows[units])
    return np.bincount(entries, minlength=len(data.cells.members))


def overlaps(pairable: Pairable, counts: Ints) -> Overlaps:
    """The overlapping pairs among the sets used on pairable units; `counts` as `entry_counts` gives them."""
    data = pairable.data
    document_of_set = pairable.document_of_set()
    entries = np.flatnonzero(document_of_set[data.cells.set_of_member] != MISSING)
    entries = entries[np.argsort(data.cells.members[entries], kind="stable")]
    sets, members, weights = data.cells.set_of_member[entries], data.cells.members[entries], counts[entries]
    documents = document_of_set[sets]
    dense = _is_dense(members, documents, sets, len(data.documents))
    parts = [_sparse(members[~dense], sets[~dense], weights[~dense])]
    parts += [
        _dense(members[here], sets[here], weights[here])
        for here in (documents == document for document in each_once(documents[dense]))
    ]
    found = np.concatenate(parts, axis=1)
    if len(parts) > 1:
        found = found[:, np.lexsort((found[1], found[0]))]
    return Overlaps(*found)


def _entry_of(data: ReliabilityData, sets: Ints, units: Ints) -> Ints:
    """The place in `data.cells.members` of each unit in each set, or -1 where it is not a member (or not a set)."""
    if not len(data.cells.members):
        return np.full(np.broadcast_shapes(sets.shape, units.shape), -1, dtype=np.int64)
    width = len(data.units) + len(data.cells.others)
    keys = data.cells.set_of_member * width + data.cells.members
    wanted = sets * width + units
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[place] == wanted) & (sets >= 0), place, -1)


def _is_dense(members: Ints, documents: Ints, sets: Ints, n_documents: int) -> Bools:
    """The entries of documents where listing pairs member by member costs more than a matrix product.

    Prefixes of long chains do this: n sets that share n members are n cubed entries but n squared pairs.
    """
    degree = np.bincount(members)[members] if len(members) else members
    listed = np.bincount(documents, weights=degree, minlength=n_documents)
    distinct, first = np.unique(sets, return_index=True)
    sets_in = np.bincount(documents[first], minlength=n_documents) if len(distinct) else listed
    return (listed > 4.0 * sets_in**2)[documents]


def _sparse(members: Ints, sets: Ints, weights: Ints) -> Ints:
    """List the pairs of sets of each member, then add up each pair. The entries are sorted by member."""
    n = len(members)
    later = np.searchsorted(members, members, side="right") - np.arange(n) - 1
    left = np.repeat(np.arange(n), later)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(later) - later, later)
    if not len(left):
        return np.zeros((6, 0), dtype=np.int64)
    width = int(sets.max()) + 1
    key = sets[left] * width + sets[right]
    order = np.argsort(key, kind="stable")
    key, left, right = key[order], left[order], right[order]
    begins = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    terms = np.stack((np.ones_like(left), weights[left], weights[right], weights[left] * weights[right]))
    first, second = np.divmod(key[begins], width)
    return np.concatenate((np.stack((first, second)), np.add.reduceat(terms, begins, axis=1)))


def _dense(members: Ints, sets: Ints, weights: Ints) -> Ints:
    """The same from the incidence matrix of one document, in floats, which are exact for counts."""
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
