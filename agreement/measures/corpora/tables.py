"""Judgements from a CSV file, or from a table in memory, by pandas."""

import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..extras import require
from .judgements import Columns, Factor, Judgements

if TYPE_CHECKING:
    import pandas as pd


def read_csv(path: str | Path, columns: Columns) -> Judgements:
    """Return the judgements of a CSV file in UTF-8 with a header (tab-separated if .tsv, or so compressed: .csv.gz).

    Names are text as they stand, so that all files of a corpus are read alike; an empty field is missing. Raises
    ValueError for what cannot be read so, and for a column that is not there; ImportError, naming the extra,
    where pandas is not installed.
    """
    require("pandas", f"{path}: reading a CSV file")
    import pandas as pd

    separator = "\t" if ".tsv" in Path(path).suffixes else ","
    try:
        header = pd.read_csv(path, sep=separator, nrows=0, encoding="utf-8-sig")
        found = columns.find([str(name) for name in header.columns])
        table = pd.read_csv(
            path,
            sep=separator,
            usecols=list(found.names()),
            dtype=str,
            keep_default_na=False,
            na_values=[""],
            encoding="utf-8-sig",
            low_memory=False,
            skip_blank_lines=False,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise ValueError(str(error).strip()) from error
    return Judgements(found, {name: _factorize(table[name], found) for name in found.names()}, _line_name)


def from_table(table: "pd.DataFrame", columns: Columns) -> Judgements:
    """Return the judgements of a table with one judgement a row. Raises ValueError as `read_csv` does."""
    found = columns.find([str(name) for name in table.columns])
    names = table.index

    def row_name(row: int) -> str:
        return f"{names.name or 'row'} {names[row]}"

    return Judgements(found, {name: _factorize(table[name], found) for name in found.names()}, row_name)


def _factorize(column: "pd.Series", columns: Columns) -> Factor:
    import pandas as pd

    if pd.api.types.is_float_dtype(column.dtype):
        try:
            numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
            return Factor.from_floats(numbers, whole=column.name != columns.label)
        except ValueError as error:
            raise ValueError(f"column {column.name!r}: {error}")
    if pd.api.types.is_integer_dtype(column.dtype):
        return Factor.from_numbers(column.fillna(0).to_numpy(dtype=np.int64), column.isna().to_numpy())
    codes, names = pd.factorize(column)
    return Factor(codes, names.tolist(), "text")


def _line_name(row: int) -> str:
    return f"line {row + 2}"
