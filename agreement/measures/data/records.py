"""Reliability data from tables with one judgement per row: a CSV file, an export, a query."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..extras import require
from ..values import Ints
from .arrays import factorize_integers, first_positions
from .cells import MISSING, Cells, Content
from .partitions import Partition

if TYPE_CHECKING:
    import pandas as pd

type DataFields = tuple[Sequence[Hashable], Sequence[Hashable], Sequence[Hashable], Ints, Content]


def parse_records(
    records: "pd.DataFrame",
    document: str | None,
    unit: str | Sequence[str],
    coder: str,
    label: str | None,
    chain: str | None,
) -> DataFields:
    """Return the fields of `ReliabilityData`: units, coders, documents, document of each unit, content."""
    document, label, chain = (
        _find_column(records, name, column)
        for name, column in (("document", document), ("label", label), ("chain", chain))
    )
    if label is None and chain is None:
        raise ValueError(f"there is neither a column 'chain' nor a column 'label' among {list(records.columns)}")
    units, unit_of_row = _factorize_units(records, [unit] if isinstance(unit, str) else list(unit))
    coders, coder_of_row = _factorize_column(records, coder)
    documents: list[Hashable] = [None]
    document_of_row: Ints = np.zeros(len(records), dtype=np.int64)
    if document is not None:
        documents, document_of_row = _factorize_column(records, document)
    document_of_unit = np.zeros(len(units), dtype=np.int64)
    document_of_unit[unit_of_row] = document_of_row
    elsewhere = np.flatnonzero(document_of_unit[unit_of_row] != document_of_row)
    if len(elsewhere):
        row = elsewhere[0]
        names = (documents[document_of_row[row]], documents[document_of_unit[unit_of_row[row]]])
        what = f"unit {units[unit_of_row[row]]!r} is in two documents: {names[0]!r} and {names[1]!r}"
        raise ValueError(f"{_row_name(records, row)}: {what}")
    place = unit_of_row * len(coders) + coder_of_row
    _check_unique_judgements(records, place, units, coders)
    shape = (len(units), len(coders))
    chains = _pivot(place, records[chain], shape)[0] if chain else np.full(shape, MISSING, dtype=np.int64)
    content: Content = Partition.from_ids(chains, document_of_unit, len(documents))
    if label is not None:
        codes, labels = _pivot(place, records[label], shape)
        content = overlay_sets(content.to_cells(), codes, labels)
    return tuple(units), tuple(coders), tuple(documents) if units else (), document_of_unit, content


def read_csv(
    path: str | Path,
    *,
    document: str | None = None,
    unit: str | Sequence[str] = "unit",
    coder: str = "coder",
    label: str | None = None,
    chain: str | None = None,
) -> "pd.DataFrame":
    """Return the columns of a CSV file that `parse_records` needs, for the same arguments. See `ReliabilityData`."""
    require("pandas", f"{path}: reading a CSV file")
    import pandas as pd

    names = [*([unit] if isinstance(unit, str) else unit), coder]
    names += [column or default for column, default in ((document, "document"), (label, "label"), (chain, "chain"))]
    try:
        records = pd.read_csv(
            path,
            sep="\t" if str(path).endswith(".tsv") else ",",
            usecols=lambda name: name in names,
            # only an empty field is missing: "None" and "NA" are categories
            keep_default_na=False,
            na_values=[""],
            encoding="utf-8-sig",
            low_memory=False,
            skip_blank_lines=False,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}")
    records.index = pd.RangeIndex(2, len(records) + 2, name="line")
    return records


def _row_name(records: "pd.DataFrame", row: int) -> str:
    return f"{records.index.name or 'row'} {records.index[row]}"


def _find_column(records: "pd.DataFrame", default: str, column: str | None) -> str | None:
    """Return the column's name, or None if it is not required and does not exist."""
    if column is not None and column not in records.columns:
        raise ValueError(f"there is no column {column!r} among {list(records.columns)}")
    return column if column is not None else default if default in records.columns else None


def _factorize_column(records: "pd.DataFrame", column: str) -> tuple[list[Hashable], Ints]:
    """Return the distinct entries of a column, by first appearance, and the place of each row's."""
    import pandas as pd

    if column not in records.columns:
        raise ValueError(f"there is no column {column!r} among {list(records.columns)}")
    integers = records[column].to_numpy() if records[column].dtype == np.int64 else None
    if integers is not None and len(integers):
        factors = factorize_integers(integers)
        if factors:
            return list(factors[0]), factors[1]
    numbers, names = pd.factorize(records[column])
    if len(numbers) and numbers.min() < 0:
        raise ValueError(f"{_row_name(records, int(numbers.argmin()))}: there is no {column}")
    return names.tolist(), numbers.astype(np.int64, copy=False)


def _factorize_units(records: "pd.DataFrame", columns: list[str]) -> tuple[list[Hashable], Ints]:
    """Return what `_factorize_column` does; of several columns the names are tuples."""
    import pandas as pd

    if len(columns) == 1:
        return _factorize_column(records, columns[0])
    factors = [_factorize_column(records, column) for column in columns]
    key = np.zeros(len(records), dtype=np.int64)
    for names, numbers in factors:
        key = key * len(names) + numbers
    of_row, keys = pd.factorize(key)
    first = first_positions(of_row, len(keys))
    parts = [[names[n] for n in numbers[first].tolist()] for names, numbers in factors]
    return list(zip(*parts, strict=True)), of_row.astype(np.int64, copy=False)


def _check_unique_judgements(
    records: "pd.DataFrame", place: Ints, units: list[Hashable], coders: list[Hashable]
) -> None:
    counts = np.bincount(place, minlength=1)
    if counts.max() > 1:
        twice = int(counts.argmax())
        unit, coder = divmod(twice, len(coders))
        first, second = np.flatnonzero(place == twice)[:2].tolist()
        what = f"unit {units[unit]!r}, coder {coders[coder]!r}: the judgement comes twice"
        raise ValueError(f"{_row_name(records, second)}: {what}, first in {_row_name(records, first)}")


def _pivot(place: Ints, column: "pd.Series", shape: tuple[int, int]) -> tuple[Ints, tuple[Hashable, ...]]:
    """Return a column as numbers in a table of units and coders, -1 where it has no entry, and the names."""
    import pandas as pd

    numbers, names = pd.factorize(column)
    table = np.full(shape[0] * shape[1], MISSING, dtype=np.int64)
    table[place] = numbers
    return table.reshape(shape), tuple(names.tolist())


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
