"""Reliability data from tables with one judgement per row: a CSV file, an export, a query."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..values import Ints, Label, is_number
from .arrays import factorize_integers, first_positions
from .cells import MISSING, Cells
from .partitions import Content, Partition
from .tables import ColumnTable, Factor

if TYPE_CHECKING:
    import pandas as pd

type DataFields = tuple[Sequence[Hashable], Sequence[Hashable], Sequence[Hashable], Ints, Content, Mapping[Label, str]]


def parse_records(
    read: Callable[[list[str]], ColumnTable],
    document: str | None,
    unit: str | Sequence[str],
    coder: str,
    label: str | None,
    chain: str | None,
) -> DataFields:
    """Return the fields of `ReliabilityData`: units, coders, documents, document of each unit, content, label places.

    `read` returns the columns of these names, as many as there are. The label that has a place is the first that is no
    number.
    """
    unit_columns = [unit] if isinstance(unit, str) else list(unit)
    named = (document, "document"), (label, "label"), (chain, "chain")
    table = read([*unit_columns, coder, *(column or default for column, default in named)])
    documents, labels, chains = (table.find(column, default) for column, default in named)
    if labels is None and chains is None:
        raise ValueError(f"there is neither a column 'chain' nor a column 'label' among {list(table.header)}")
    units, unit_of_row = _factorize_units(table, unit_columns)
    coders, coder_of_row = _find_names(table, coder)
    document_of_unit = np.zeros(len(units), dtype=np.int64)
    names: Sequence[Hashable] = [None]
    if documents is not None:
        column = document or "document"
        names, document_of_row = _find_names(table, column)
        document_of_unit[unit_of_row] = document_of_row
        elsewhere = np.flatnonzero(document_of_unit[unit_of_row] != document_of_row)
        if len(elsewhere):
            row = elsewhere[0]
            where = names[document_of_row[row]], names[document_of_unit[unit_of_row[row]]]
            raise ValueError(
                f"{table.row_name(row)}: unit {units[unit_of_row[row]]!r} is in two documents: {where[0]!r} and"
                f" {where[1]!r}; if documents use the same names, name units by both: unit={[column, *unit_columns]}"
                f" (--unit {','.join([column, *unit_columns])})"
            )
    place = unit_of_row * len(coders) + coder_of_row
    counts = np.bincount(place, minlength=1)
    if counts.max() > 1:
        twice = int(counts.argmax())
        of_unit, of_coder = divmod(twice, len(coders))
        first, second = np.flatnonzero(place == twice)[:2].tolist()
        what = f"unit {units[of_unit]!r}, coder {coders[of_coder]!r}: the judgement comes twice"
        raise ValueError(f"{table.row_name(second)}: {what}, first in {table.row_name(first)}")
    shape = (len(units), len(coders))
    ids = np.full(shape, MISSING, dtype=np.int64) if chains is None else pivot(place, chains[1], shape)
    content: Content = Partition.from_ids(ids, document_of_unit, len(names))
    places: dict[Label, str] = {}
    if labels is not None:
        content = overlay_sets(content.to_cells(), pivot(place, labels[1], shape), tuple(labels[0]))
        text = next((number for number, name in enumerate(labels[0]) if not is_number(name)), None)
        if text is not None:
            places[labels[0][text]] = table.row_name(int((labels[1] == text).argmax()))
    return tuple(units), tuple(coders), tuple(names) if units else (), document_of_unit, content, places


def frame_table(records: "pd.DataFrame", label: str, columns: Sequence[str]) -> ColumnTable:
    """Return some columns of a DataFrame. Raises ValueError for fractions where they are no labels."""

    def row_name(row: int) -> str:
        return f"{records.index.name or 'row'} {records.index[row]}"

    factors = {name: _factorize(records[name], name == label) for name in columns if name in records.columns}
    return ColumnTable(list(records.columns), factors, row_name)


def _factorize(column: "pd.Series", is_label: bool) -> Factor:
    """Return the distinct entries of a column, by first appearance, and the place of each row's."""
    import pandas as pd

    if column.dtype == np.int64:
        return factorize_integers(column.to_numpy())
    numbers, distinct = pd.factorize(column)
    names = distinct.tolist()
    if not is_label and pd.api.types.is_float_dtype(column.dtype):
        fraction = next((name for name in names if not float(name).is_integer()), None)
        if fraction is not None:
            raise ValueError(f"column {column.name!r} has {fraction}: take text (dtype=str) or whole numbers")
    return names, numbers.astype(np.int64, copy=False)


def _find_names(table: ColumnTable, column: str) -> Factor:
    """Return a column in which no row is without an entry."""
    names, numbers = table.factor(column)
    if len(numbers) and numbers.min() < 0:
        raise ValueError(f"{table.row_name(int(numbers.argmin()))}: there is no {column}")
    return names, numbers


def _factorize_units(table: ColumnTable, columns: list[str]) -> Factor:
    """Return what `_find_names` does; of several columns the names are tuples."""
    factors = [_find_names(table, column) for column in columns]
    if len(factors) == 1:
        return factors[0]
    key = np.zeros(len(factors[0][1]), dtype=np.int64)
    for names, numbers in factors:
        key = key * len(names) + numbers
    keys, of_row = factorize_integers(key)
    first = first_positions(of_row, len(keys))
    parts = [[names[n] for n in numbers[first].tolist()] for names, numbers in factors]
    return list(zip(*parts, strict=True)), of_row


def pivot(place: Ints, numbers: NDArray[np.integer[Any]], shape: tuple[int, int]) -> Ints:
    """Return the numbers of rows in a table of units and coders, -1 where it has no entry."""
    table = np.full(shape[0] * shape[1], MISSING, dtype=np.int64)
    table[place] = numbers
    return table.reshape(shape)


def overlay_sets(sets: Cells, codes: Ints, labels: tuple[Hashable, ...]) -> Cells:
    """Return cells of labels, with the sets in their place where there are any; unused labels are dropped."""
    codes = np.where(sets.codes == MISSING, codes, MISSING)
    used = np.zeros(len(labels), dtype=np.bool_)
    used[codes[codes != MISSING]] = True
    number = np.append(np.cumsum(used) - 1, MISSING)
    return Cells(
        codes=np.where(sets.codes == MISSING, number[codes], sets.codes + int(used.sum())),
        labels=tuple(label for label, one in zip(labels, used.tolist(), strict=True) if one),
        starts=sets.starts,
        members=sets.members,
        others=(),
    )
