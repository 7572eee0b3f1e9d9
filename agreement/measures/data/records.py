"""Reliability data from tables with one judgement per row: a CSV file, an export, a query."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from agreement.measures.cells import MISSING, Cells, Content, dense_numbers, first_rows
from agreement.measures.partitions import Partition
from agreement.measures.values import Ints

if TYPE_CHECKING:
    import pandas as pd

type Parts = tuple[Sequence[Hashable], Sequence[Hashable], Sequence[Hashable], Ints, Content]


def parts_of_records(
    records: "pd.DataFrame",
    document: str | None,
    unit: str | Sequence[str],
    coder: str,
    label: str | None,
    chain: str | None,
) -> Parts:
    """What `ReliabilityData` is made of: units, coders, documents, document of each unit, content."""
    document, label, chain = (
        _column(records, name, given) for name, given in (("document", document), ("label", label), ("chain", chain))
    )
    if label is None and chain is None:
        raise ValueError(f"there is neither a column 'chain' nor a column 'label' among {list(records.columns)}")
    units, unit_of_row = _units(records, [unit] if isinstance(unit, str) else list(unit))
    coders, coder_of_row = _numbers(records, coder)
    documents: list[Hashable] = [None]
    document_of_row: Ints = np.zeros(len(records), dtype=np.int64)
    if document is not None:
        documents, document_of_row = _numbers(records, document)
    document_of_unit = np.zeros(len(units), dtype=np.int64)
    document_of_unit[unit_of_row] = document_of_row
    elsewhere = np.flatnonzero(document_of_unit[unit_of_row] != document_of_row)
    if len(elsewhere):
        row = elsewhere[0]
        names = (documents[document_of_row[row]], documents[document_of_unit[unit_of_row[row]]])
        what = f"unit {units[unit_of_row[row]]!r} is in two documents: {names[0]!r} and {names[1]!r}"
        raise ValueError(f"{_place(records, row)}: {what}")
    place = unit_of_row * len(coders) + coder_of_row
    _check_once(records, place, units, coders)
    shape = (len(units), len(coders))
    chains = _spread(place, records[chain], shape)[0] if chain else np.full(shape, MISSING, dtype=np.int64)
    content: Content = Partition.of_ids(chains, document_of_unit, len(documents))
    if label is not None:
        codes, labels = _spread(place, records[label], shape)
        content = _beside(content.cells(), codes, labels)
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
    """The columns of a CSV file that `parts_of_records` needs, for the same arguments. See `ReliabilityData`."""
    import pandas as pd

    names = [*([unit] if isinstance(unit, str) else unit), coder]
    names += [given or usual for given, usual in ((document, "document"), (label, "label"), (chain, "chain"))]
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


def _place(records: "pd.DataFrame", row: int) -> str:
    return f"{records.index.name or 'row'} {records.index[row]}"


def _column(records: "pd.DataFrame", usual: str, given: str | None) -> str | None:
    """The column's name, or None if it was not asked for and is not there."""
    if given is not None and given not in records.columns:
        raise ValueError(f"there is no column {given!r} among {list(records.columns)}")
    return given if given is not None else usual if usual in records.columns else None


def _numbers(records: "pd.DataFrame", column: str) -> tuple[list[Hashable], Ints]:
    """The distinct entries of a column, in the order of their first appearance, and the place of each row's."""
    import pandas as pd

    if column not in records.columns:
        raise ValueError(f"there is no column {column!r} among {list(records.columns)}")
    given = records[column].to_numpy() if records[column].dtype == np.int64 else None
    if given is not None and len(given):
        found = dense_numbers(given)
        if found:
            return list(found[0]), found[1]
    numbers, names = pd.factorize(records[column])
    if len(numbers) and numbers.min() < 0:
        raise ValueError(f"{_place(records, int(numbers.argmin()))}: there is no {column}")
    return names.tolist(), numbers.astype(np.int64, copy=False)


def _units(records: "pd.DataFrame", columns: list[str]) -> tuple[list[Hashable], Ints]:
    """As `_numbers`; of several columns the names are tuples."""
    import pandas as pd

    if len(columns) == 1:
        return _numbers(records, columns[0])
    found = [_numbers(records, column) for column in columns]
    key = np.zeros(len(records), dtype=np.int64)
    for names, numbers in found:
        key = key * len(names) + numbers
    of_row, keys = pd.factorize(key)
    first = first_rows(of_row, len(keys))
    parts = [[names[n] for n in numbers[first].tolist()] for names, numbers in found]
    return list(zip(*parts, strict=True)), of_row.astype(np.int64, copy=False)


def _check_once(records: "pd.DataFrame", place: Ints, units: list[Hashable], coders: list[Hashable]) -> None:
    counts = np.bincount(place, minlength=1)
    if counts.max() > 1:
        twice = int(counts.argmax())
        unit, coder = divmod(twice, len(coders))
        first, second = np.flatnonzero(place == twice)[:2].tolist()
        what = f"unit {units[unit]!r}, coder {coders[coder]!r}: the judgement comes twice"
        raise ValueError(f"{_place(records, second)}: {what}, first in {_place(records, first)}")


def _spread(place: Ints, column: "pd.Series", shape: tuple[int, int]) -> tuple[Ints, tuple[Hashable, ...]]:
    """The entries of a column as numbers in a table of units and coders, -1 where there is none, and their names."""
    import pandas as pd

    numbers, names = pd.factorize(column)
    table = np.full(shape[0] * shape[1], MISSING, dtype=np.int64)
    table[place] = numbers
    return table.reshape(shape), tuple(names.tolist())


def _beside(sets: Cells, codes: Ints, labels: tuple[Hashable, ...]) -> Cells:
    """Cells of labels, with the sets in their place where there are any; only labels that are left count."""
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
