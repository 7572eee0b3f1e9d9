"""Judgements as integer columns of a corpus file: coder, document, unit and value."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.arrays import sorted_unique
from ..data.cells import MISSING, Content, Partition
from ..data.findings import find_lookalikes
from ..data.reliability_data import ReliabilityData
from ..data.tables import overlay_sets, pivot
from ..values import Bools, Ints, parse_number

# An array of so many places for each row is filled rather than sorted.
_PLACES_PER_ROW = 8


@dataclass(frozen=True)
class Columns:
    """What the columns of a corpus are called.

    A unit is what has one name in one document: of several columns, where `unit` has several. `chain` has the id of a
    chain, and `label` a category, which is the value where there is no chain; left out, they are the columns of these
    names, if there are such, and one of both there must be.
    """

    document: str = "document"
    unit: str | Sequence[str] = "unit"
    coder: str = "coder"
    chain: str | None = None
    label: str | None = None

    @property
    def units(self) -> tuple[str, ...]:
        """The columns that name a unit."""
        return (self.unit,) if isinstance(self.unit, str) else tuple(self.unit)

    def find(self, existing: Sequence[str]) -> "Columns":
        """Return the columns with `chain` and `label` as in a file, None for a column that the file lacks.

        Raises ValueError for a column that is not there.
        """
        chain, label = (
            column or (default if default in existing else None)
            for column, default in ((self.chain, "chain"), (self.label, "label"))
        )
        if chain is None and label is None:
            raise ValueError(f"there is neither a column 'chain' nor a column 'label' among {list(existing)}")
        found = Columns(self.document, self.units, self.coder, chain, label)
        for column in found.names():
            if column not in existing:
                raise ValueError(f"there is no column {column!r} among {list(existing)}")
        return found

    def names(self) -> tuple[str, ...]:
        """Return the columns that are to be read, each once."""
        return tuple(filter(None, dict.fromkeys((self.document, *self.units, self.coder, self.chain, self.label))))


@dataclass(frozen=True, eq=False)
class Factor:
    """A column in integers: the place of each row's entry among the different `names`, -1 where it has none.

    `names` is a range where nobody will ask what the names are. `kind` is "text" or "numbers".
    """

    codes: NDArray[np.integer[Any]]
    names: Sequence[Hashable]
    kind: str

    @classmethod
    def from_numbers(cls, numbers: NDArray[Any], missing: Bools | None = None) -> "Factor":
        """Return the factor of an array of numbers, some of them missing."""
        complete = missing is None or not missing.any()
        if complete and len(numbers) and np.issubdtype(numbers.dtype, np.signedinteger):
            low, high = int(numbers.min()), int(numbers.max())
            if high - low <= _PLACES_PER_ROW * len(numbers) + 1024:
                shifted, present = numbers - low, np.zeros(high - low + 1, dtype=np.bool_)
                present[shifted] = True
                names = np.flatnonzero(present)
                codes = shifted if len(names) == len(present) else (np.cumsum(present) - 1)[shifted]
                return cls(codes, (names + low).tolist(), "numbers")
        codes, distinct = factorize(numbers, missing)
        return cls(codes, distinct.tolist(), "numbers")

    @classmethod
    def from_floats(cls, numbers: NDArray[np.floating[Any]], column: str, columns: Columns) -> "Factor":
        """Return the factor of floats, NaN where one is missing. Raises ValueError for a fraction that is no label."""
        missing = np.isnan(numbers)
        if column == columns.label:
            return cls.from_numbers(numbers, missing)
        given = numbers[~missing]
        fractions = np.flatnonzero((given != np.floor(given)) | (abs(given) >= 2.0**63))
        if len(fractions):
            raise ValueError(f"column {column!r}: it has {given[fractions[0]]}: take text or whole numbers")
        integers = np.zeros(len(numbers), dtype=np.int64)
        integers[~missing] = given
        return cls.from_numbers(integers, missing)

    def parse_numbers(self, row_name: Callable[[int], str]) -> "Factor":
        """Return the factor with numbers as names. Raises ValueError for an entry that is no number, with its row."""
        if self.kind == "numbers":
            return self
        numbers = np.zeros(len(self.names))
        for place, name in enumerate(self.names):
            try:
                numbers[place] = parse_number(name)
            except ValueError as error:
                row = row_name(int((self.codes == place).argmax()))
                raise ValueError(f"{row}: {error}, and the distance is of numbers")
        values, codes = np.unique(numbers, return_inverse=True)
        return Factor(np.append(codes, MISSING)[self.codes], values.tolist(), "numbers")


@dataclass(frozen=True, eq=False)
class Judgements:
    """The judgements of whole documents, one a row; `row_name` says where a row is: "line 7"."""

    columns: Columns
    factors: Mapping[str, Factor]
    row_name: Callable[[int], str] = field(default=lambda row: f"row {row + 1}")

    def __len__(self) -> int:
        return len(self.factors[self.columns.document].codes)

    @property
    def kinds(self) -> dict[str, str]:
        """The type of each column that all files must share, by its role; "" where it is unknown."""
        columns = self.columns
        roles = {"document": columns.document, "coder": columns.coder, "label": columns.label}
        factors = {role: self.factors[column] if column else None for role, column in roles.items()}
        kinds = {role: (codes.kind if codes.names else "") if codes else "nothing" for role, codes in factors.items()}
        return kinds | {"chain": "ids" if columns.chain else "nothing"}

    @property
    def unit_notes(self) -> tuple[str, ...]:
        """Suspicious names of units, where names are known."""
        factors = (self.factors[column] for column in self.columns.units)
        return tuple(note for factor in factors for note in find_lookalikes("unit", factor.names))

    def to_data(self, *, numbers: bool = False) -> ReliabilityData:
        """Return the reliability data, with unnamed units; labels become numbers if `numbers` is true.

        Raises ValueError, naming the row, for one without document, unit or coder and for a judgement that comes twice.
        """
        columns, factors = self.columns, self.factors
        for column in (columns.document, *columns.units, columns.coder):
            codes = factors[column].codes
            if len(codes) and codes.min() < 0:
                raise ValueError(f"{self.row_name(int(codes.argmin()))}: there is no {column}")
        documents, coders = factors[columns.document], factors[columns.coder]
        unit_of_row, document_of_unit = self._number_units(documents)
        n_units, n_coders = len(document_of_unit), len(coders.names)
        place = coders.codes.astype(np.int64) * n_units + unit_of_row
        self._check_unique(place, n_units * n_coders)
        shape = (n_coders, n_units)
        if columns.chain is None:
            chains = np.full(shape, MISSING, dtype=np.int64)
        else:
            chains = pivot(place, self._number_chains(documents, n_units), shape)
        content: Content = Partition.from_ids(chains.T, document_of_unit, len(documents.names))
        if columns.label is not None:
            label = factors[columns.label].parse_numbers(self.row_name) if numbers else factors[columns.label]
            codes_of_labels = np.ascontiguousarray(pivot(place, label.codes, shape).T)
            content = overlay_sets(content.to_cells(), codes_of_labels, tuple(label.names))
        return ReliabilityData(range(n_units), tuple(coders.names), list(documents.names), document_of_unit, content)

    def _number_units(self, documents: Factor) -> tuple[Ints, Ints]:
        """Return the number of each row's unit, by document and name, and the document of each unit."""
        first, *others = (self.factors[column] for column in self.columns.units)
        numbers, n = first.codes, len(first.names)
        for factor in others:
            keys = numbers.astype(np.int64) * len(factor.names) + factor.codes
            names = sorted_unique(keys)
            numbers, n = np.searchsorted(names, keys), len(names)
        return _number_pairs(documents.codes, numbers, len(documents.names), n)

    def _number_chains(self, documents: Factor, n_units: int) -> NDArray[np.integer[Any]]:
        """Return an id for the chain of each row: small numbers by document where names are local to documents."""
        factor = self.factors[self.columns.chain or ""]
        n = len(documents.names)
        if n * len(factor.names) <= _PLACES_PER_ROW * n_units:
            return factor.codes
        given = factor.codes >= 0
        numbers, document_of_chain = _number_pairs(documents.codes[given], factor.codes[given], n, len(factor.names))
        ids = np.full(len(factor.codes), MISSING, dtype=np.int64)
        ids[given] = numbers - np.searchsorted(document_of_chain, np.arange(n))[documents.codes[given]]
        return ids

    def _check_unique(self, place: Ints, n: int) -> None:
        seen = np.zeros(n, dtype=np.bool_)
        seen[place] = True
        if np.count_nonzero(seen) == len(place):
            return
        _, firsts, number = np.unique(place, return_index=True, return_inverse=True)
        second = int(np.flatnonzero(firsts[number] != np.arange(len(place)))[0])
        first = int(firsts[number[second]])
        columns = (self.columns.document, *self.columns.units, self.columns.coder)
        named = {role: self.factors[role] for role in columns if not isinstance(self.factors[role].names, range)}
        what = ", ".join(f"{column} {factor.names[factor.codes[second]]!r}" for column, factor in named.items())
        rows = self.row_name(second), self.row_name(first)
        raise ValueError(f"{rows[0]}: {what}: the judgement comes twice, first in {rows[1]}")


def factorize(numbers: NDArray[Any], missing: Bools | None = None) -> tuple[Ints, NDArray[Any]]:
    """Return the place of each entry among the different numbers, -1 where it is missing, and these.

    Entries that repeat the last one cost little.
    """
    import pandas as pd

    if missing is not None and missing.any():
        codes = np.full(len(numbers), MISSING, dtype=np.int64)
        codes[~missing], distinct = factorize(numbers[~missing])
        return codes, distinct
    begins = np.append(True, numbers[1:] != numbers[:-1]) if len(numbers) else np.zeros(0, dtype=np.bool_)
    of_runs, distinct = pd.factorize(numbers[begins])
    return of_runs[np.cumsum(begins) - 1], distinct


def _number_pairs(
    documents: NDArray[np.integer[Any]], names: NDArray[np.integer[Any]], n_documents: int, n_names: int
) -> tuple[Ints, Ints]:
    """Return numbers of the different pairs of document and name, in ascending order, and the document of each.

    The numbers are those of each row. Linear where there are few names, or where each is of one document.
    """
    if n_documents * n_names <= _PLACES_PER_ROW * len(documents) + 1024:
        keys = documents.astype(np.int64) * n_names + names
        present = np.zeros(n_documents * n_names, dtype=np.bool_)
        present[keys] = True
        return (np.cumsum(present) - 1)[keys], np.flatnonzero(present) // max(n_names, 1)
    document_of_name = np.zeros(n_names, dtype=np.int64)
    document_of_name[names] = documents
    if (document_of_name[names] == documents).all():
        used = np.zeros(n_names, dtype=np.bool_)
        used[names] = True
        order = np.flatnonzero(used)
        order = order[np.argsort(document_of_name[order], kind="stable")]
        number = np.zeros(n_names, dtype=np.int64)
        number[order] = np.arange(len(order))
        return number[names], document_of_name[order]
    keys = documents.astype(np.int64) * n_names + names
    pairs, numbers = np.unique(keys, return_inverse=True)
    return numbers, pairs // n_names
