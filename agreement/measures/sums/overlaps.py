"""Overlaps of sets: the numbers of shared members, from which distances of sets are computed.

The cost follows the pairs of sets that do share a member. Two sets of different documents never do.

Two values with several readings are at distance 1 unless some reading of one shares a member with one of the other, or
a reading is the empty set. What empty readings have in common depends on the numbers of readings alone, and is known
from counts of each kind of value, over all documents; the pairs that share a member are compared one by one.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..data.arrays import pairs_in_runs, run_offsets, run_starts, sorted_unique
from ..data.cells import MISSING, Cells, ReadingBits, pack_readings, unpack_readings
from ..data.reliability_data import ReliabilityData
from ..distances import distance_from_empty, distance_from_sizes, match_readings
from ..options import Options
from ..values import Bools, Floats, Ints


@dataclass(frozen=True)
class PairableUnits:
    """The units with enough coders, two by default.

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
        """Return the units with at least `least` coders."""
        coders = (data.codes != MISSING).sum(axis=1)
        rows = np.flatnonzero(coders >= least)
        return cls(data, rows, data.document_of_unit[rows], data.codes[rows], coders[rows])

    @cached_property
    def inside(self) -> Bools:
        """Whether each value is a set with its unit as a member, in the shape of `codes`."""
        inside = np.zeros(self.codes.shape, dtype=np.bool_)
        units, columns = np.nonzero(self.codes >= len(self.data.labels))  # of many coders few judged a unit
        sets = self.codes[units, columns] - len(self.data.labels)
        inside[units, columns] = find_entries(self.data, sets, self.rows[units]) >= 0
        return inside

    @cached_property
    def overlaps(self) -> "SetOverlaps":
        """The overlapping pairs of sets, no unit being excluded."""
        return find_overlaps(self)

    @cached_property
    def different(self) -> tuple[Ints, Ints, Ints]:
        """The pairs of judgements of one unit with different codes: its place, and the columns of the coders."""
        units, left, right = self.pair_judgements()
        different = np.flatnonzero(self.codes[units, left] != self.codes[units, right])
        return units[different], left[different], right[different]

    def pair_judgements(self) -> tuple[Ints, Ints, Ints]:
        """Return all pairs of judgements of one unit. The cost follows these: of many coders few may have judged it."""
        units, columns = np.nonzero(self.codes != MISSING)
        earlier, later = pairs_in_runs(units)
        return units[earlier], columns[earlier], columns[later]

    def group_by(self, by: str) -> tuple[Ints, Sequence[Hashable]]:
        """Return the group of each unit, and the names of the groups: documents, or units where `by` is "unit"."""
        if by == "unit":
            return np.arange(len(self.rows)), [self.data.units[row] for row in self.rows.tolist()]
        return self.documents, self.data.documents

    def set_sizes(self) -> Ints:
        """Return the size of the set of each cell, -1 without a set, in the shape of `codes`."""
        sets = np.maximum(self.codes - len(self.data.labels), -1)
        return np.append(np.diff(self.data.cells.starts), -1)[sets]

    @cached_property
    def document_of_set(self) -> Ints:
        """For each set of the data the document it is used in, or -1; the empty set may have any."""
        documents = np.full(len(self.data.cells.starts) - 1, MISSING, dtype=np.int64)
        units, columns = np.nonzero(self.codes >= len(self.data.labels))
        documents[self.codes[units, columns] - len(self.data.labels)] = self.documents[units]
        return documents


@dataclass(frozen=True)
class SetOverlaps:
    """Pairs of sets `first` < `second` with `shared` > 0 common members, in ascending order.

    `excluded` counts for each entry of the data's `members` the judgements that gave the set to that member as a unit:
    0 where no units are excluded. The other three count judgements whose unit is one of the shared members: those with
    the first set, those with the second, and the pairs of one of each on the same unit.
    """

    excluded: Ints

    first: Ints
    second: Ints
    shared: Ints
    first_inside: Ints
    second_inside: Ints
    same_unit: Ints

    def shared_by(self, first: Ints, second: Ints) -> Ints:
        """Return the number of members in common, for pairs of different sets in any order."""
        low, high = np.minimum(first, second), np.maximum(first, second)
        width = max(int(self.second.max(initial=0)), int(high.max(initial=0))) + 1
        return np.append(self.shared, 0)[_find_keys(self.first * width + self.second, low * width + high)]


def find_overlaps(pairable: PairableUnits, *, exclude_units: bool = False) -> SetOverlaps:
    """Find the overlapping pairs among the sets used on pairable units."""
    data = pairable.data
    counts = np.zeros(len(data.cells.members), dtype=np.int64)
    if exclude_units:
        units, columns = np.nonzero(pairable.inside)
        sets = pairable.codes[units, columns] - len(data.labels)
        counts = np.bincount(find_entries(data, sets, pairable.rows[units]), minlength=len(counts))
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
    return SetOverlaps(counts, *columns)


def find_entries(data: ReliabilityData, sets: Ints, units: Ints) -> Ints:
    """Return the index in `data.cells.members` of each unit in each set, -1 where it is no member."""
    width = len(data.units) + len(data.cells.others)
    return _find_keys(data.cells.set_of_member * width + data.cells.members, sets * width + units)


def list_entries(starts: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the entries of chosen compressed rows: the index of the row among the chosen, and of the entry."""
    sizes = np.diff(starts)[chosen]
    return np.repeat(np.arange(len(chosen)), sizes), np.repeat(starts[chosen], sizes) + run_offsets(sizes)


def _find_keys(keys: Ints, wanted: Ints) -> Ints:
    """Return the index of each wanted number among ascending keys, -1 if absent."""
    if not len(keys):
        return np.full(wanted.shape, -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


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
    """List the pairs of sets of one document by its incidence matrix, in floats, which are exact for counts."""
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


# The number of readings, and 1 where one of them is the empty set.
type ReadingKind = tuple[int, int]
EMPTY_SET, FILLED_SET = (1, 1), (1, 0)


@dataclass(frozen=True, eq=False)
class SetPairs:
    """Pairs of sets whose first set has several readings.

    A second with one reading may be without one of its members: `less` is then 1, and `lost` has the readings of the
    first that this member is in, as bits. `number` says how many ordered pairs of judgements are such a pair.
    """

    first: Ints
    second: Ints
    less: Ints
    lost: Ints
    number: Ints

    @classmethod
    def whole(cls, first: Ints, second: Ints, number: Ints) -> "SetPairs":
        """Return pairs of sets with all their members."""
        return cls(first, second, np.zeros_like(first), np.zeros_like(first), number)


def has_several(cells: Cells, sets: Ints) -> Bools:
    """Return which of the sets have several readings."""
    several: Bools = np.zeros(sets.shape, dtype=np.bool_) if cells.readings is None else cells.readings.counts[sets] > 1
    return several


def find_several(cells: Cells, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """Return which pairs have a set with several readings, and these pairs with that set first."""
    several = has_several(cells, first)
    chosen = np.flatnonzero(several | has_several(cells, second))
    several, first, second = several[chosen], first[chosen], second[chosen]
    return chosen, np.where(several, first, second), np.where(several, second, first)


def compare_readings(
    data: ReliabilityData, pairs: SetPairs, names: Sequence[str], options: Options
) -> dict[str, Floats]:
    """Return the distances of pairs of sets, the first of which has several readings, by name."""
    assert data.cells.readings is not None
    counts = data.cells.readings.counts
    distances = {name: np.ones(len(pairs.first)) for name in names}
    shapes = counts[pairs.first] << 8 | counts[pairs.second]
    for shape in sorted_unique(shapes).tolist():
        chosen = np.flatnonzero(shapes == shape)
        first, second = pairs.first[chosen], pairs.second[chosen]
        k, m = divmod(shape, 1 << 8)
        a, b = _reading_sizes(data.cells, first, k), _reading_sizes(data.cells, second, m)
        shared = _shared_by_readings(data, first, second, k, m)
        b -= pairs.less[chosen, None]
        shared -= (pairs.lost[chosen, None] >> np.arange(k) & 1)[:, :, None]
        for name in names:
            of_readings = distance_from_sizes(
                a[:, :, None], b[:, None, :], shared, name, empty=options.empty, thirds=options.thirds
            )
            distances[name][chosen] = match_readings(of_readings)
    return distances


def _reading_sizes(cells: Cells, sets: Ints, k: int) -> Ints:
    """Return the size of each reading of some sets with k readings."""
    assert cells.readings is not None
    rows, entries = list_entries(cells.starts, sets)
    bits = cells.readings.bits[entries]
    return np.stack([np.bincount(rows[bits >> i & 1 == 1], minlength=len(sets)) for i in range(k)], axis=1)


def _shared_by_readings(data: ReliabilityData, first: Ints, second: Ints, k: int, m: int) -> Ints:
    """Return how many members each reading of the first shares with each of the second, (pairs, k, m)."""
    cells = data.cells
    assert cells.readings is not None
    rows, entries = list_entries(cells.starts, first)
    place = find_entries(data, second[rows], cells.members[entries])
    met = place >= 0
    rows, own, other = rows[met], cells.readings.bits[entries[met]], cells.readings.bits[place[met]]
    shared = np.empty((len(first), k, m), dtype=np.int64)
    for i in range(k):
        for j in range(m):
            shared[:, i, j] = np.bincount(rows[own >> i & other >> j & 1 == 1], minlength=len(first))
    return shared


def remove_units_from_readings(pairable: PairableUnits) -> PairableUnits:
    """Return the units with their values of several readings, without the unit itself in each reading.

    Each such value of a unit becomes a set of its own, which the unit is not in; all other values stay.
    """
    data, cells, readings = pairable.data, pairable.data.cells, pairable.data.cells.readings
    n_labels = len(data.labels)
    if readings is None:
        return pairable
    rows, columns = np.nonzero(cells.codes >= n_labels)
    sets = cells.codes[rows, columns] - n_labels
    several = readings.counts[sets] > 1
    rows, columns, sets = rows[several], columns[several], sets[several]
    kinds, place = np.unique(sets * len(cells.codes) + rows, return_inverse=True)
    sizes, members, bits, counts = [], [], [], []
    for s, unit in zip(*(part.tolist() for part in np.divmod(kinds, len(cells.codes))), strict=True):
        row = slice(cells.starts[s], cells.starts[s + 1])
        whole = unpack_readings(int(readings.counts[s]), cells.members[row].tolist(), readings.bits[row].tolist())
        count, union, own = pack_readings([member for member in reading if member != unit] for reading in whole)
        sizes.append(len(union))
        members += union
        bits += own
        counts.append(count)
    codes = cells.codes.copy()
    codes[rows, columns] = n_labels + len(cells.starts) - 1 + place
    content = replace(
        cells,
        codes=codes,
        starts=np.concatenate((cells.starts, cells.starts[-1] + np.cumsum(sizes, dtype=np.int64))),
        members=np.concatenate((cells.members, np.array(members, dtype=np.int64))),
        readings=ReadingBits(
            np.concatenate((readings.counts, np.array(counts, dtype=np.int64))),
            np.concatenate((readings.bits, np.array(bits, dtype=np.int64))),
        ),
    )
    return replace(pairable, data=replace(data, content=content), codes=codes[pairable.rows])


def pair_overlapping_readings(pairable: PairableUnits, overlap: SetOverlaps) -> Iterator[SetPairs]:
    """Yield, by kind, the pairs of judgements with overlapping sets, one of which has several readings.

    Where units are excluded the sets with several readings are without them already.
    """
    data, cells, counts = pairable.data, pairable.data.cells, overlap.excluded
    n_sets = len(cells.starts) - 1
    codes = pairable.codes - len(data.labels)
    judged = np.bincount(codes[codes >= 0], minlength=n_sets)
    itself = np.flatnonzero(has_several(cells, np.arange(n_sets)) & (judged > 0))
    yield SetPairs.whole(itself, itself, judged[itself] * (judged[itself] - 1))
    some, first, second = find_several(cells, overlap.first, overlap.second)
    if not counts.any():
        yield SetPairs.whole(first, second, 2 * judged[first] * judged[second])
        return
    # judgements of the second: those on units outside it, on units that it alone has, and on one that both have
    inside = np.zeros(n_sets, dtype=np.int64)
    np.add.at(inside, cells.set_of_member, counts)
    in_both = np.where(first == overlap.first[some], overlap.second_inside[some], overlap.first_inside[some])
    yield SetPairs.whole(first, second, 2 * judged[first] * (judged - inside)[second])
    alone = 2 * judged[first] * (inside[second] - in_both)
    yield SetPairs(first, second, np.ones_like(first), np.zeros_like(first), alone)
    pair, entries = list_entries(cells.starts, second)
    place = find_entries(data, first[pair], cells.members[entries])
    met = (place >= 0) & (counts[entries] > 0)
    pair, entries, place = pair[met], entries[met], place[met]
    first, second = first[pair], second[pair]
    assert cells.readings is not None
    lost = cells.readings.bits[place]
    yield SetPairs(first, second, np.ones_like(first), lost, 2 * judged[first] * counts[entries])


def set_kinds(cells: Cells) -> Ints:
    """Return the kind of each set, (sets, 2): a ReadingKind in each row."""
    sizes = np.diff(cells.starts)
    kinds = np.stack((np.ones_like(sizes), sizes == 0), axis=1)
    if cells.readings is not None:
        several = np.flatnonzero(cells.readings.counts > 1)
        counts = cells.readings.counts[several]
        rows, entries = list_entries(cells.starts, several)
        filled = np.bitwise_or.reduceat(cells.readings.bits[entries], run_starts(rows)) if len(several) else counts
        kinds[several] = np.stack((counts, filled != (1 << counts) - 1), axis=1)
    return kinds


def have_several(pairable: PairableUnits) -> Bools:
    """Return which cells have a value of several readings."""
    if pairable.data.cells.readings is None:
        return np.zeros(pairable.codes.shape, dtype=np.bool_)
    sets = pairable.codes - len(pairable.data.labels)
    several: Bools = (sets >= 0) & has_several(pairable.data.cells, np.maximum(sets, 0))
    return several


def kinds_of_readings(pairable: PairableUnits) -> tuple[Ints, Ints]:
    """Return the document and the kind, (judgements, 2), of each judgement of several readings."""
    units, columns = np.nonzero(have_several(pairable))
    sets = pairable.codes[units, columns] - len(pairable.data.labels)
    return pairable.documents[units], set_kinds(pairable.data.cells)[sets]


def pair_kinds(cells: Cells, pairs: SetPairs) -> tuple[Ints, Ints]:
    """Return the kinds of both values of each pair, the second without a member."""
    kinds = set_kinds(cells)
    second = kinds[pairs.second].copy()
    emptied = np.diff(cells.starts)[pairs.second] == pairs.less
    second[emptied] = EMPTY_SET
    return kinds[pairs.first], second


def empty_similarities(first: Ints, second: Ints, name: str, options: Options) -> Floats:
    """Return the similarity of values of these kinds, (..., 2), without shared members; the arrays broadcast.

    Either both empty readings are matched with each other, or each with a reading of the other side that is not empty.
    """
    near = 1 - distance_from_empty(name, options)
    k, m, a, b = first[..., 0], second[..., 0], first[..., 1] > 0, second[..., 1] > 0
    crossed = np.where((k > 1) & (m > 1), 2 * near, near)
    best = np.where(a & b, np.maximum(1.0, crossed), np.where(a | b, near, 0.0))
    similarities: Floats = best / np.maximum(k, m)
    return similarities


def kind_similarities(kinds: Sequence[ReadingKind], name: str, options: Options) -> Floats:
    """Return the similarities of the empty set, any other set and these kinds, without shared members."""
    table = np.array([EMPTY_SET, FILLED_SET, *kinds], dtype=np.int64)
    return empty_similarities(table[:, None], table[None, :], name, options)


def sum_kind_similarities(counts: Floats, similar: Floats) -> Floats:
    """Return the sum of similarities over ordered pairs of different judgements, one of them with several readings.

    `counts` (replicates, 2 + kinds) has the judgements of the empty set, of other sets and of each kind, and `similar`
    is of `kind_similarities`.
    """
    of_pairs = similar.copy()
    of_pairs[:2, :2] = 0  # of two sets that are no readings it is counted elsewhere
    total: Floats = ((counts @ of_pairs) * counts).sum(axis=1) - counts @ np.diag(of_pairs)
    return total
