"""Records of many texts, of which a text has any number: its items, counts of its coders, times of judgements."""

from __future__ import annotations

from collections.abc import Buffer, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from agreement.measures.data.arrays import run_offsets
from agreement.measures.sums.storage import pack, unpack
from agreement.measures.values import Bools, Floats, Ints

# In place of a name, where a record has none.
NO_NAME = -1
_SIZE = np.dtype("<i8")


def narrow(numbers: Ints) -> Ints:
    """Return whole numbers in the smallest signed type that holds them all, which is how tables keep small ones.

    >>> narrow(np.array([3, -1, 127])).dtype, narrow(np.array([200])).dtype
    (dtype('int8'), dtype('int16'))
    """
    ends = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= ends[0] and ends[1] <= np.iinfo(kind).max:
            return numbers.astype(kind, copy=False)
    return numbers.astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class TextRecords:
    """Records of many texts, text by text, to be stored: `sizes` says how many each text has.

    `columns` has an array of each field, whose first axis is that of the records, with whole numbers as `narrow` makes
    them. Each record has a `name`: a place in `names`, or NO_NAME; its other fields are for whoever makes the records
    to say.
    """

    documents: Sequence[Hashable]
    names: Sequence[Hashable]
    sizes: Ints
    columns: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls, documents: Sequence[Hashable], sizes: Sequence[int] | Ints, names: Sequence[Hashable], **columns: Any
    ) -> Self:
        """Return records with these fields, all of which are arrays of one length; `name` is one of them.

        Whole numbers may be of any type.

        >>> of_two = TextRecords.of([1, 2], [2, 1], ["ann", "bob"], name=np.array([0, 1, 0]), number=np.ones(3))
        >>> of_two.select(np.array([1]))["number"].tolist()
        [1.0]
        """
        narrowed = {field: narrow(column) if column.dtype.kind == "i" else column for field, column in columns.items()}
        return cls(documents, names, np.asarray(sizes, dtype=np.int64), narrowed)

    def __getitem__(self, field: str) -> NDArray[Any]:
        """Return the field of all records, in their order, whole numbers in 64 bits."""
        column = self.columns[field]
        return column.astype(np.int64) if column.dtype.kind == "i" else column

    @property
    def nbytes(self) -> int:
        """The bytes that all fields take."""
        return sum(column.nbytes for column in self.columns.values())

    @property
    def text(self) -> Ints:
        """The place of the text of each record, in the smallest type that holds them all."""
        return np.repeat(narrow(np.arange(len(self.sizes))), self.sizes)

    def tabulate(self, names: Sequence[Hashable], field: str, chosen: Bools | None = None) -> Floats:
        """Return the sums of a field by text and name, (texts, names): of all records, or of those that are chosen.

        Records of other names are left out.
        """
        place = {name: number for number, name in enumerate(names)}
        column = np.array([*(place.get(name, NO_NAME) for name in self.names), NO_NAME], dtype=np.int64)
        is_named = (column != NO_NAME)[self.columns["name"]]
        rows = np.flatnonzero(is_named if chosen is None else is_named & chosen)
        shape = len(self.documents), len(names)
        places = self.text[rows].astype(np.int64) * shape[1] + column[self.columns["name"][rows]]
        sums: Floats = np.bincount(places, weights=self.columns[field][rows], minlength=shape[0] * shape[1])
        return sums.reshape(shape)

    def sum_by_name(self, field: str) -> Floats:
        """Return the sums of a field over all texts, (names,). All records have a name."""
        sums: Floats = np.bincount(self.columns["name"], weights=self.columns[field], minlength=len(self.names))
        return sums

    def select(self, rows: Ints) -> Self:
        """Return the records of some of the texts, in this order."""
        sizes = self.sizes[rows]
        begins = (np.cumsum(self.sizes) - self.sizes)[rows]
        places = np.repeat(begins, sizes) + run_offsets(sizes)
        documents = [self.documents[row] for row in rows.tolist()]
        columns = {field: column[places] for field, column in self.columns.items()}
        return type(self)(documents, self.names, sizes, columns)

    def exchange(self, rows: Ints, new: Self) -> Self:
        """Return the records with those of `new` for the texts at some places, in ascending order."""
        names = {name: number for number, name in enumerate(self.names)}
        added = _rename(new, names)
        ends = np.cumsum(self.sizes)
        # the records before each of these texts and behind the last one, between which the new ones come
        kept = [
            slice(begin, end) for begin, end in zip([0, *ends[rows]], [*(ends - self.sizes)[rows], None], strict=True)
        ]
        chosen = [slice(begin, end) for begin, end in pairwise([0, *np.cumsum(new.sizes)])]

        def exchange_column(old: NDArray[Any], of_new: NDArray[Any]) -> NDArray[Any]:
            parts = [old[kept[0]]]
            for between, behind in zip(chosen, kept[1:], strict=True):
                parts += [of_new[between], old[behind]]
            return np.concatenate(parts)

        sizes = self.sizes.copy()
        sizes[rows] = new.sizes
        columns = {field: exchange_column(column, added[field]) for field, column in self.columns.items()}
        return type(self)(self.documents, tuple(names), sizes, columns)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the records of all parts."""
        names: dict[Hashable, int] = {}
        renamed = [_rename(part, names) for part in parts]
        columns = {field: np.concatenate([part[field] for part in renamed]) for field in parts[0].columns}
        documents = [document for part in parts for document in part.documents]
        return cls(documents, tuple(names), np.concatenate([part.sizes for part in parts]), columns)

    def to_bytes(self) -> bytes:
        """Return all of it as bytes."""
        names, columns = self._drop_unused_names()
        form = {"fields": [(field, column.dtype.str, column.shape[1:]) for field, column in columns.items()]}
        arrays = [self.sizes.astype(_SIZE), *(column.ravel() for column in columns.values())]
        return pack(form, {"documents": self.documents, "names": names}, arrays)

    def _drop_unused_names(self) -> tuple[Sequence[Hashable], Mapping[str, NDArray[Any]]]:
        """Return the names that a record has, and the columns with their places: texts may have had others before."""
        used = np.flatnonzero(np.bincount(self["name"] + 1, minlength=len(self.names) + 1)[1:])
        if len(used) == len(self.names):
            return self.names, self.columns
        place = np.full(len(self.names) + 1, NO_NAME, dtype=np.int64)
        place[used] = np.arange(len(used))
        names = tuple(self.names[number] for number in used.tolist())
        return names, {**self.columns, "name": narrow(place)[self["name"]]}

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Self:
        """Return what was made bytes of. Raises ValueError for bytes that are damaged or of another version."""
        form, names, (sizes, *flat) = unpack(
            stored, lambda form: [_SIZE, *(np.dtype(kind) for _, kind, _ in form["fields"])]
        )
        n = int(sizes.sum())
        columns = {
            field: column.reshape(n, *shape) for (field, _, shape), column in zip(form["fields"], flat, strict=True)
        }
        return cls(names["documents"], tuple(names["names"]), sizes, columns)


def _rename(part: TextRecords, names: dict[Hashable, int]) -> Mapping[str, NDArray[Any]]:
    """Return the columns with the numbers that `names` gives their names, which it has afterwards."""
    if list(part.names) == list(names)[: len(part.names)]:
        return part.columns
    numbers = np.array([*(names.setdefault(name, len(names)) for name in part.names), NO_NAME], dtype=np.int64)
    return {**part.columns, "name": narrow(numbers)[part["name"]]}
