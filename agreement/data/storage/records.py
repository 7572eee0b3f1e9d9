"""Records of many texts, of which a text has any number: its items, counts of its coders, times of judgements."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
_TEXT = np.dtype([("records", "<i8")])


@dataclass(frozen=True, eq=False)
class TextRecords:
    """Records of many texts in one array, text by text, to be stored: `sizes` says how many each text has.

    `name` of a record is a place in `names`, or NO_NAME; its other fields are for whoever makes the records to say.
    """

    documents: Sequence[Hashable]
    names: Sequence[Hashable]
    sizes: Ints
    records: NDArray[np.void]

    @classmethod
    def of(
        cls, documents: Sequence[Hashable], sizes: Sequence[int] | Ints, names: Sequence[Hashable], **fields: Any
    ) -> Self:
        """Return records with these fields, all of which are arrays of one length; `name` is one of them.

        >>> of_two = TextRecords.of([1, 2], [2, 1], ["ann", "bob"], name=np.array([0, 1, 0]), number=np.ones(3))
        >>> of_two.select(np.array([1])).records.tolist()
        [(0, 1.0)]
        """
        kind = np.dtype([(name, array.dtype, array.shape[1:]) for name, array in fields.items()])
        records = np.zeros(len(fields["name"]), kind)
        for name, array in fields.items():
            records[name] = array
        return cls(documents, names, np.asarray(sizes, dtype=np.int64), records)

    @property
    def text(self) -> Ints:
        """The place of the text of each record."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def tabulate(self, names: Sequence[Hashable], field: str, chosen: Bools | None = None) -> Floats:
        """Return the sums of a field by text and name, (texts, names): of all records, or of those that are chosen.

        Records of other names are left out.
        """
        place = {name: number for number, name in enumerate(names)}
        column = np.array([*(place.get(name, NO_NAME) for name in self.names), NO_NAME], dtype=np.int64)
        of_name = column[self.records["name"]]
        rows = of_name != NO_NAME if chosen is None else (of_name != NO_NAME) & chosen
        shape = len(self.documents), len(names)
        places = self.text[rows] * shape[1] + of_name[rows]
        sums: Floats = np.bincount(places, weights=self.records[field][rows], minlength=shape[0] * shape[1])
        return sums.reshape(shape)

    def select(self, rows: Ints) -> Self:
        """Return the records of some of the texts, in this order."""
        sizes = self.sizes[rows]
        begins = (np.cumsum(self.sizes) - self.sizes)[rows]
        places = np.repeat(begins, sizes) + run_offsets(sizes)
        documents = [self.documents[row] for row in rows.tolist()]
        return type(self)(documents, self.names, sizes, self.records[places])

    def exchange(self, rows: Ints, new: Self) -> Self:
        """Return the records with those of `new` for the texts at some places, in ascending order."""
        names = {name: number for number, name in enumerate(self.names)}
        added = _rename(new, names)
        begins = np.cumsum(self.sizes) - self.sizes
        parts, first = [], 0
        for row, (begin, end) in zip(rows.tolist(), pairwise(np.cumsum([0, *new.sizes]).tolist()), strict=True):
            parts += [self.records[first : begins[row]], added[begin:end]]
            first = int(begins[row] + self.sizes[row])
        sizes = self.sizes.copy()
        sizes[rows] = new.sizes
        return type(self)(self.documents, tuple(names), sizes, np.concatenate([*parts, self.records[first:]]))

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the records of all parts."""
        names: dict[Hashable, int] = {}
        records = np.concatenate([_rename(part, names) for part in parts])
        documents = [document for part in parts for document in part.documents]
        return cls(documents, tuple(names), np.concatenate([part.sizes for part in parts]), records)

    def to_bytes(self) -> bytes:
        """Return all of it as bytes."""
        sizes = np.zeros(len(self.sizes), _TEXT)
        sizes["records"] = self.sizes
        form = {"fields": self.records.dtype.descr}
        return pack(form, {"documents": self.documents, "names": self.names}, [sizes, self.records])

    @classmethod
    def from_bytes(cls, stored: bytes) -> Self:
        """Return what was made bytes of. Raises ValueError for bytes that are damaged or of another version."""
        _, names, (sizes, records) = unpack(stored, lambda form: [_TEXT, _read_type(form["fields"])])
        return cls(names["documents"], tuple(names["names"]), sizes["records"], records)


def _rename(part: TextRecords, names: dict[Hashable, int]) -> NDArray[np.void]:
    """Return the records with the numbers that `names` gives their names, which it has afterwards."""
    if list(part.names) == list(names)[: len(part.names)]:
        return part.records
    numbers = [names.setdefault(name, len(names)) for name in part.names]
    records = part.records.copy()
    records["name"] = np.array([*numbers, NO_NAME], dtype=np.int64)[part.records["name"]]
    return records


def _read_type(fields: Sequence[Sequence[Any]]) -> np.dtype[np.void]:
    """Return the type of records from the description that JSON has of it."""
    return np.dtype([(name, kind, *(tuple(shape) for shape in shapes)) for name, kind, *shapes in fields])
