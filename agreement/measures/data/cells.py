"""The cells of reliability data as integers: the judgement of each coder on each unit.

They are any values at all, or chains that share no unit: what a coder's ids are when each unit has one id. Two chains
of one coder are disjoint, so only chains of different coders meet, and those that do are found by sorting the pairs of
chains that the units are in: a unit tells which two chains of two coders share it. That is linear in the judgements.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan

import numpy as np

from ..values import Bools, Floats, Ints, Label, Readings, Value
from .arrays import row_starts, run_offsets, run_starts

MISSING = -1
# Each reading is a bit of an integer with a sign.
MAX_READINGS = 62
_NOTHING = ("NAType", "NaTType")


@dataclass(frozen=True, eq=False)
class ReadingBits:
    """The sets with several readings, and the readings of each member as bits.

    `counts` is the number of readings of each set: 1 where it is a set and no more. `bits` has an entry for each of
    `Cells.members`, whose bit i is set where the member is in reading i. No two readings of a set are equal.
    """

    counts: Ints
    bits: Ints

    def __post_init__(self) -> None:
        for array in (self.counts, self.bits):
            array.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of any values: labels, and sets that may overlap.

    `codes` has the shape (units, coders): -1 is missing, the labels come first, then the sets, whose members are
    in the compressed rows `members[starts[s]:starts[s + 1]]`, sorted. A member below the number of units is that
    unit; the rest are `others`. Where a value has several readings its set is that of the members of all, and
    `readings` says which is in which; it is None where no value has several.
    """

    codes: Ints
    labels: tuple[Label, ...]
    starts: Ints
    members: Ints
    others: tuple[Label, ...]
    readings: ReadingBits | None = None

    def __post_init__(self) -> None:
        for array in (self.codes, self.starts, self.members):
            array.flags.writeable = False

    @classmethod
    def from_values(
        cls, units: Sequence[Hashable], coders: Sequence[Hashable], rows: Sequence[Sequence[Value | None]], members: str
    ) -> "Cells":
        """Return the cells of rows of values; the arguments and errors are those of `ReliabilityData.from_values`."""
        labels: dict[Label, int] = {}
        sets: dict[frozenset[Hashable] | Readings, int] = {}
        codes = np.array(
            [_encode_row(unit, coders, row, labels, sets, members) for unit, row in zip(units, rows, strict=True)],
            dtype=np.int64,
        ).reshape(len(units), len(coders))
        number = {unit: row for row, unit in enumerate(units)}
        # iteration over a set is not stable between runs, so the other members get an order of their own
        unions = [value.members if isinstance(value, Readings) else value for value in sets]
        others = sorted({m for union in unions for m in union if m not in number}, key=_sort_key)
        number |= {member: len(units) + i for i, member in enumerate(others)}
        packed = [
            pack_readings([number[member] for member in reading] for reading in value.sets)
            if isinstance(value, Readings)
            else (1, sorted(number[member] for member in value), [1] * len(value))
            for value in sets
        ]
        counts = np.array([count for count, _, _ in packed], dtype=np.int64)
        bits = np.array([bit for _, _, own in packed for bit in own], dtype=np.int64)
        return cls(
            codes=np.where(codes < MISSING, len(labels) - 2 - codes, codes),
            labels=tuple(labels),
            starts=row_starts([len(union) for _, union, _ in packed]),
            members=np.array([member for _, union, _ in packed for member in union], dtype=np.int64),
            others=tuple(others),
            readings=ReadingBits(counts, bits) if (counts > 1).any() else None,
        )

    def to_cells(self) -> "Cells":
        """Return the cells themselves, the form that every coefficient accepts."""
        return self

    def select_coders(self, columns: list[int]) -> "Cells":
        """Return the values of some of the coders."""
        return replace(self, codes=self.codes[:, columns])

    @cached_property
    def set_of_member(self) -> Ints:
        """For each entry of `members`, the set it belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def set_at(self, number: int) -> tuple[list[int], int, list[int]]:
        """Return the members of a set, the number of its readings, and the bits of each member if there are several."""
        entries = slice(*self.starts[number : number + 2].tolist())
        members: list[int] = self.members[entries].tolist()
        if self.readings is None or self.readings.counts[number] == 1:
            return members, 1, []
        return members, int(self.readings.counts[number]), self.readings.bits[entries].tolist()

    def readings_of(self, sets: Ints, entries: Ints) -> ReadingBits | None:
        """Return the readings of some of the sets, whose members are these entries of `members`."""
        if self.readings is None or (self.readings.counts[sets] == 1).all():
            return None
        return ReadingBits(self.readings.counts[sets], self.readings.bits[entries])


def keep_others(members: Ints, others: Sequence[Label], n_units: int) -> tuple[Ints, tuple[Label, ...]]:
    """Return the members renumbered, and the names of the other members that are still used."""
    outside = members >= n_units
    used, place = np.unique(members[outside], return_inverse=True)
    members = members.copy()
    members[outside] = n_units + place
    return members, tuple(others[other] for other in (used - n_units).tolist())


def pack_readings(readings: Iterable[Iterable[int]]) -> tuple[int, list[int], list[int]]:
    """Return the number of different readings, all members, ascending, and their bits; too many are a ValueError."""
    ordered = sorted({tuple(sorted(members)) for members in readings})
    if len(ordered) > MAX_READINGS:
        raise ValueError(f"{len(ordered)} readings of one unit, and there may be {MAX_READINGS}")
    bits: dict[int, int] = {}
    for number, members in enumerate(ordered):
        for member in members:
            bits[member] = bits.get(member, 0) | 1 << number
    union = sorted(bits)
    return len(ordered), union, [bits[member] for member in union]


def unpack_readings[M](count: int, members: Iterable[M], bits: Iterable[int]) -> list[list[M]]:
    """Return the members of each reading."""
    pairs = list(zip(members, bits, strict=True))
    return [[member for member, own in pairs if own >> number & 1] for number in range(count)]


def _encode_row(
    unit: Hashable,
    coders: Sequence[Hashable],
    row: Sequence[Value | None],
    labels: dict[Label, int],
    sets: dict[frozenset[Hashable] | Readings, int],
    members: str,
) -> list[int]:
    """Return a row of integers: -1 missing, 0 and up the labels, -2 and down the sets."""
    if len(row) != len(coders):
        raise ValueError(f"unit {unit!r} has {len(row)} values for {len(coders)} coders")
    codes = []
    for coder, value in zip(coders, row, strict=True):
        if _is_missing(value):
            codes.append(MISSING)
            continue
        if isinstance(value, Readings) and members == "labels":
            raise ValueError(f"unit {unit!r}, coder {coder!r}: readings have units as members, not labels")
        try:
            known = frozenset(value) if isinstance(value, set | list | frozenset) else value
            if isinstance(known, frozenset | Readings) and members == "units":
                codes.append(-2 - sets.setdefault(known, len(sets)))
            else:
                codes.append(labels.setdefault(known, len(labels)))
        except TypeError:
            of_set = isinstance(value, set | list)
            what = "a set of things that cannot be members" if of_set else "neither label nor set"
            raise ValueError(f"unit {unit!r}, coder {coder!r}: a {type(value).__name__} is {what}")
    return codes


def _is_missing(value: object) -> bool:
    """Return whether a cell is missing: None, NaN, or pandas' values for them."""
    return value is None or (isinstance(value, float) and isnan(value)) or type(value).__name__ in _NOTHING


def _sort_key(name: Hashable) -> tuple[str, str]:
    return type(name).__name__, repr(name)


@dataclass(frozen=True, eq=False)
class ChainPairs:
    """The pairs of chains of two coders that share units; `weight` sums up 1 / (coders of a shared unit - 1)."""

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
        """Whether every coder judged every unit."""
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
            yield ChainPairs(i, j, first, second, shared, weight)

    def equal(self, met: ChainPairs) -> Bools:
        """Return which pairs of chains are equal."""
        first, second = self.sizes[met.i][met.first], self.sizes[met.j][met.second]
        same: Bools = (met.shared == first) & (met.shared == second)
        return same

    def select_coders(self, columns: list[int]) -> "Partition":
        """Return the chains of some of the coders."""
        sizes, documents = ([arrays[c] for c in columns] for arrays in (self.sizes, self.documents))
        return Partition(self.chains[columns], tuple(sizes), tuple(documents))

    def move_to_documents(self, document_of_unit: Ints) -> "Partition":
        """Return the chains in other documents, none of which cuts a chain."""
        documents = []
        for chains, sizes in zip(self.chains, self.sizes, strict=True):
            document, coded = np.zeros(len(sizes), dtype=np.int64), chains != MISSING
            document[chains[coded]] = document_of_unit[coded]
            documents.append(document)
        return Partition(self.chains, self.sizes, tuple(documents))

    def to_cells(self) -> Cells:
        """Return the chains as sets of units, each distinct set once."""
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
        names, number = np.flatnonzero(counts), (np.cumsum(counts > 0) - 1)[key]
        counts = counts[names]
    else:
        names, number, counts = np.unique(key, return_inverse=True, return_counts=True)
    chains[coded] = number
    return chains, counts, names // max(width, 1)
