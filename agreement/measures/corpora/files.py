"""The files of a corpus: which there are, and the judgements in one, or in a table in memory."""

from collections.abc import Iterable
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..data.tables import CsvFile
from .judgements import Columns, Factor, Judgements
from .parquet import read_parquet

if TYPE_CHECKING:
    import pandas as pd

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def find_files(patterns: Iterable[str | Path]) -> list[Path]:
    """Return the files of these names and patterns (`corpus/*.parquet`, `corpus/**/*.csv`), each once, by name.

    Raises FileNotFoundError for a pattern that no file has.

    >>> find_files(["README.md", "README.m?"])
    [PosixPath('README.md')]
    """
    files: set[Path] = set()
    for pattern in map(str, patterns):
        named = [pattern] if Path(pattern).is_file() else glob(pattern, recursive=True)  # noqa: PTH207 - from any folder
        found = [path for path in map(Path, named) if not path.is_dir()]
        if not found:
            raise FileNotFoundError(f"there is no file {pattern!r}")
        files.update(found)
    return sorted(files)


def read_judgements(path: str | Path, columns: Columns) -> Judgements:
    """Return the judgements of a Parquet or CSV file. Raises ValueError and OSError, which name the file."""
    try:
        if str(path).endswith(PARQUET):
            return read_parquet(path, columns)
        if str(path).endswith(CSV):
            return read_csv(path, columns)
        raise ValueError(f"it is called neither {', '.join(PARQUET + CSV[:-1])} nor {CSV[-1]}")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(f"{path}: {error}") from error


def read_csv(path: str | Path, columns: Columns) -> Judgements:
    """Return the judgements of a CSV file with a header, whose names are text as they stand.

    Raises ValueError for what cannot be read so, and for a column that is not there.
    """
    names = (columns.document, *columns.units, columns.coder, columns.chain or "chain", columns.label or "label")
    file = CsvFile(path, names)
    found = columns.find(file.header)
    table = file.columns(found.names())
    factors = {name: Factor(codes, given, "text") for name, (given, codes) in table.factors.items()}
    return Judgements(found, factors, table.row_name)


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
