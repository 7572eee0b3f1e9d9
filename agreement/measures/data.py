"""The reliability data matrix: units in rows, coders in columns, a label or a set in each cell."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from agreement.measures.values import Ints, Label, Value

if TYPE_CHECKING:
    import pandas as pd

MISSING = -1


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityData:
    """What several coders answered on the same units: the input of every coefficient.

    Use `from_frame`, `from_values` or `from_chain_ids`. A value is a label (any hashable) or a frozenset of
    members: units, or other ids that are not coded themselves. None is a unit the coder did not code, which
    is neither a label nor the empty set. Sets of different documents never share a member.

    The cells are integers: -1 is missing, the labels come first, then the sets, whose members are in the
    compressed rows `members[starts[s]:starts[s + 1]]`, sorted. A member below `len(units)` is that unit;
    the rest are `others`.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [2, 2]], documents=["a", "a", "a"])
    >>> data.to_frame().to_numpy().tolist()
    [[1, 2], [1, 3], [4, 3]]
    >>> [sorted(value) for value in data.values]
    [[0, 1], [0], [1, 2], [2]]
    """

    units: tuple[Hashable, ...]
    coders: tuple[Hashable, ...]
    documents: tuple[Hashable, ...]
    document_of_unit: Ints
    codes: Ints
    labels: tuple[Label, ...]
    starts: Ints
    members: Ints
    others: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        for array in (self.document_of_unit, self.codes, self.starts, self.members):
            array.flags.writeable = False
        self._check_members()

    def __repr__(self) -> str:
        shape = f"{len(self.units)} units, {len(self.coders)} coders, {len(self.documents)} documents"
        return f"<ReliabilityData: {shape}, {self.n_values} values>"

    @classmethod
    def from_frame(cls, frame: "pd.DataFrame", documents: "pd.Series | None" = None) -> Self:
        """Data from a table: index = units, columns = coders, cell = label, frozenset, or None/NaN (missing).

        `documents` is a Series from unit to document; without it everything is one document. Raises
        ValueError, naming the offender, for a unit that comes twice, is in two documents or in none, a cell
        that is not hashable, and a member that sets of two documents share.
        """
        units = frame.index.tolist()
        cells = frame.astype(object).where(frame.notna(), None).to_numpy(dtype=object).tolist()
        of_unit: list[Hashable] = [None] * len(units)
        if documents is not None:
            found = _document_of(documents.index.tolist(), documents.tolist())
            for row, unit in enumerate(units):
                if unit not in found:
                    raise ValueError(f"unit {unit!r} is in no document")
                of_unit[row] = found[unit]
        return cls.from_values(units, frame.columns.tolist(), cells, of_unit)

    @classmethod
    def from_values(
        cls,
        units: Sequence[Hashable],
        coders: Sequence[Hashable],
        values: Iterable[Sequence[Value | None]],
        documents: Sequence[Hashable],
    ) -> Self:
        """Data from rows: for each unit one value per coder (None = missing), and the unit's document.

        Raises ValueError, naming the offender, as `from_frame` does, and for a row of the wrong length.
        """
        rows = list(values)
        if not len(units) == len(rows) == len(documents):
            raise ValueError(f"{len(units)} units, {len(rows)} rows of values, {len(documents)} documents")
        _check_unique(units, coders, documents)
        labels: dict[Label, int] = {}
        sets: dict[frozenset[Hashable], int] = {}
        cells = np.array(
            [_row_codes(unit, coders, row, labels, sets) for unit, row in zip(units, rows, strict=True)],
            dtype=np.int64,
        ).reshape(len(units), len(coders))
        row_of_unit = {unit: row for row, unit in enumerate(units)}
        # iteration over a set is not stable between runs, so the other members get an order of their own
        others = sorted({m for value in sets for m in value if m not in row_of_unit}, key=_stable)
        number = row_of_unit | {member: len(units) + i for i, member in enumerate(others)}
        members = [sorted(number[member] for member in value) for value in sets]
        return cls(
            units=tuple(units),
            coders=tuple(coders),
            documents=tuple(dict.fromkeys(documents)),
            document_of_unit=_numbered(documents),
            codes=np.where(cells < MISSING, len(labels) - 2 - cells, cells),
            labels=tuple(labels),
            starts=_starts([len(value) for value in sets]),
            members=np.array([member for value in members for member in value], dtype=np.int64),
            others=tuple(others),
        )

    @classmethod
    def from_chain_ids(cls, ids: ArrayLike, documents: Sequence[Hashable]) -> Self:
        """Data from an integer array (units, coders): -1 is missing, and the value of a unit is the set of
        the units of its document to which the coder gave the same id.

        Units and coders are named by their row and column number. Raises ValueError for an array of another
        shape or with other negative numbers, and where there is not one document per row.
        """
        table = np.asarray(ids)
        if table.ndim != 2 or (table.size and not np.issubdtype(table.dtype, np.integer)):
            raise ValueError("the ids must be an array of integers with two dimensions: units and coders")
        if len(documents) != len(table):
            raise ValueError(f"{len(table)} rows of ids, {len(documents)} documents")
        if (table < MISSING).any():
            row, column = np.argwhere(table < MISSING)[0].tolist()
            raise ValueError(f"unit {row}, coder {column}: id {table[row, column]} is neither -1 nor an id")
        document_of_unit = _numbered(documents)
        codes = np.full(table.shape, MISSING, dtype=np.int64)
        chains: dict[bytes, int] = {}
        for column in range(table.shape[1]):
            rows = np.flatnonzero(table[:, column] != MISSING)
            order = rows[np.lexsort((table[rows, column], document_of_unit[rows]))]
            key = np.stack((document_of_unit[order], table[order, column]))
            cuts = np.flatnonzero((key[:, 1:] != key[:, :-1]).any(axis=0)) + 1
            for first, last in pairwise([0, *cuts.tolist(), len(order)]):
                chain = order[first:last]
                if len(chain):
                    codes[chain, column] = chains.setdefault(chain.tobytes(), len(chains))
        return cls(
            units=tuple(range(len(table))),
            coders=tuple(range(table.shape[1])),
            documents=tuple(dict.fromkeys(documents)),
            document_of_unit=document_of_unit,
            codes=codes,
            labels=(),
            starts=_starts([len(chain) // 8 for chain in chains]),
            members=np.frombuffer(b"".join(chains), dtype=np.int64).copy(),
            others=(),
        )

    @property
    def n_values(self) -> int:
        """The number of distinct values."""
        return len(self.labels) + len(self.starts) - 1

    @cached_property
    def set_of_member(self) -> Ints:
        """For each entry of `members`, the set it belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The distinct values in the order of their integers in `to_frame`, which count from 1.

        Sets come first, compared member by member in the order of the units, a set that ends after one that
        goes on: the order of Passonneau 2004, Table 2. Labels follow in the order of first appearance.
        """
        return tuple(self.value(code) for code in self._canonical)

    def value(self, code: int) -> Value:
        """The label or set that a cell of `codes` stands for."""
        if code < len(self.labels):
            return self.labels[code]
        return frozenset(self._member(m) for m in self._set_members(code - len(self.labels)))

    def to_frame(self) -> "pd.DataFrame":
        """The canonical matrix: for each unit and coder the integer of the value, or <NA> (missing)."""
        import pandas as pd

        number = np.zeros(self.n_values + 1, dtype=np.int64)  # the last place is read by -1, missing
        number[self._canonical] = np.arange(1, self.n_values + 1)
        index = pd.Index(list(self.units), tupleize_cols=False)
        columns = pd.Index(list(self.coders), tupleize_cols=False)
        frame = pd.DataFrame(number[self.codes], index=index, columns=columns).astype("Int64")
        return frame.mask(self.codes == MISSING)

    @cached_property
    def _canonical(self) -> list[int]:
        end = len(self.units) + len(self.others)
        sets = sorted(range(len(self.starts) - 1), key=lambda s: [*self._set_members(s), end])
        return [len(self.labels) + s for s in sets] + list(range(len(self.labels)))

    def _set_members(self, s: int) -> list[int]:
        members: list[int] = self.members[self.starts[s] : self.starts[s + 1]].tolist()
        return members

    def _member(self, member: int) -> Hashable:
        return self.units[member] if member < len(self.units) else self.others[member - len(self.units)]

    def _check_members(self) -> None:
        """Raise ValueError if a member belongs to two documents."""
        rows, columns = np.nonzero(self.codes >= len(self.labels))
        if not len(rows) or len(self.documents) == 1:
            return
        n = len(self.documents)
        key = (self.codes[rows, columns] - len(self.labels)) * n + self.document_of_unit[rows]
        sets, documents = np.divmod(np.unique(key), n)
        sizes = np.diff(self.starts)[sets]
        offset = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        members = np.concatenate(
            (self.members[np.repeat(self.starts[sets], sizes) + offset], np.arange(len(self.units)))
        )
        documents = np.concatenate((np.repeat(documents, sizes), self.document_of_unit))
        members, documents = np.divmod(np.unique(members * n + documents), n)
        twice = np.flatnonzero(members[1:] == members[:-1])
        if len(twice):
            first, second = (self.documents[d] for d in documents[twice[0] : twice[0] + 2].tolist())
            raise ValueError(f"{self._member(int(members[twice[0]]))!r} is in documents {first!r} and {second!r}")


def _row_codes(
    unit: Hashable,
    coders: Sequence[Hashable],
    row: Sequence[Value | None],
    labels: dict[Label, int],
    sets: dict[frozenset[Hashable], int],
) -> list[int]:
    """A row of integers: -1 missing, 0 and up the labels, -2 and down the sets."""
    if len(row) != len(coders):
        raise ValueError(f"unit {unit!r} has {len(row)} values for {len(coders)} coders")
    codes = []
    for coder, value in zip(coders, row, strict=True):
        if value is None or (isinstance(value, float) and isnan(value)):
            codes.append(MISSING)
        elif isinstance(value, frozenset):
            codes.append(-2 - sets.setdefault(value, len(sets)))
        else:
            try:
                codes.append(labels.setdefault(value, len(labels)))
            except TypeError:
                kind = type(value).__name__
                raise ValueError(f"unit {unit!r}, coder {coder!r}: a {kind} is neither a label nor a frozenset")
    return codes


def _document_of(units: Sequence[Hashable], documents: Sequence[Hashable]) -> dict[Hashable, Hashable]:
    found: dict[Hashable, Hashable] = {}
    for unit, document in zip(units, documents, strict=True):
        if found.setdefault(unit, document) != document:
            raise ValueError(f"unit {unit!r} is in two documents: {found[unit]!r} and {document!r}")
    return found


def _check_unique(units: Sequence[Hashable], coders: Sequence[Hashable], documents: Sequence[Hashable]) -> None:
    _document_of(units, documents)
    for noun, names in (("unit", units), ("coder", coders)):
        seen: set[Hashable] = set()
        for name in names:
            if name in seen:
                raise ValueError(f"{noun} {name!r} comes twice")
            seen.add(name)


def _numbered(names: Sequence[Hashable]) -> Ints:
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def _starts(sizes: list[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _stable(name: Hashable) -> tuple[str, str]:
    return type(name).__name__, repr(name)
