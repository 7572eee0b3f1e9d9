"""The files of a corpus, and the judgements of a file or of a table in memory.

DuckDB reads Parquet files: columns come as numbers, and a name is made once, not in each row.
"""

from collections.abc import Iterable
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..data.tables import CsvFile
from .judgements import Columns, Factor, Judgements

if TYPE_CHECKING:
    import pandas as pd

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..extras import require
from ..values import Bools
from .judgements import factorize

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


PARQUET = (".parquet", ".pq")
CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
FLOATS = ("FLOAT", "DOUBLE")
TEXT = ("VARCHAR", "UUID")
# Up to so many names are looked for in a list, which DuckDB does once for an entry of a Parquet dictionary. Of more the
# hashes are taken in place of the names, if they are as many; else those of other text with the same names in it.
_FEW = 256
_HASHES = ("hash({})", "hash({} || '+')", "hash({} || '-')")


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
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Factor.from_floats(numbers, str(column.name), columns)
    if pd.api.types.is_integer_dtype(column.dtype):
        return Factor.from_numbers(column.fillna(0).to_numpy(dtype=np.int64), column.isna().to_numpy())
    codes, names = pd.factorize(column)
    return Factor(codes, names.tolist(), "text")


def read_parquet(path: str | Path, columns: Columns) -> Judgements:
    """Return the judgements of a Parquet file.

    Raises ImportError, naming the extra, where DuckDB is not installed; OSError for a file that cannot be opened; and
    ValueError for what is no Parquet, has not the columns, or has them in types that are neither text nor whole numbers
    (a label may be any number, or a boolean).
    """
    for package in ("duckdb", "pandas"):
        require(package, f"{path}: reading a Parquet file")
    import duckdb

    Path(path).open("rb").close()  # DuckDB takes a name for a pattern, and has errors of its own
    with _connect(os.getpid()).cursor() as connection:
        try:
            quoted = str(path).replace("'", "''")
            connection.execute(f"create temp view judgements as select * from read_parquet('{quoted}')")  # noqa: S608
            described = connection.execute("describe judgements").fetchall()
            types = {name: str(type_) for name, type_, *_ in described}
            found = columns.find(list(types))
            factors = {name: _read_column(connection, name, types[name], found) for name in found.names()}
            return Judgements(found, factors)
        except duckdb.Error as error:
            raise ValueError(str(error).splitlines()[0]) from error


@cache
def _connect(process: int) -> "DuckDBPyConnection":  # noqa: ARG001 - a forked process needs a database of its own
    """Return a database in memory for this process. One thread: several processes read several files."""
    import duckdb

    return duckdb.connect(config={"threads": 1})


def _read_column(connection: "DuckDBPyConnection", column: str, type_: str, columns: Columns) -> Factor:
    quoted = '"' + column.replace('"', '""') + '"'
    if type_ in TEXT or (type_ == "BOOLEAN" and column == columns.label):
        return _read_text(connection, f"{quoted}::varchar", nameless=column in (columns.chain, *columns.units))
    if type_ in INTEGERS:
        return Factor.from_numbers(*_fetch(connection, f"{quoted}::bigint"))
    if type_ in FLOATS:
        numbers, missing = _fetch(connection, f"{quoted}::double")
        return Factor.from_floats(np.where(missing, np.nan, numbers), column, columns)
    if type_ == '"NULL"':
        return Factor.from_numbers(*_fetch(connection, "null::bigint"))
    raise ValueError(f"column {column!r} is of type {type_}: take text or whole numbers")


def _read_text(connection: "DuckDBPyConnection", text: str, *, nameless: bool) -> Factor:
    """Return the factor of text; a range replaces the names of a long column if they are not wanted."""
    few = f"select distinct {text} from judgements where {text} is not null limit {_FEW + 1}"  # noqa: S608
    names = [name for (name,) in connection.execute(few).fetchall()]
    if len(names) > _FEW:
        return _read_hashes(connection, text, nameless=nameless)
    connection.execute("set variable names = ?", [names])
    places, missing = _fetch(connection, f"list_position(getvariable('names'), {text})" if names else "null::integer")
    return Factor(np.where(missing, 0, places) - 1, names, "text")


def _read_hashes(connection: "DuckDBPyConnection", text: str, *, nameless: bool) -> Factor:
    names = f"select distinct {text} as name from judgements where {text} is not null"  # noqa: S608
    connection.execute(f"create or replace temp table names as {names}")
    [(n,)] = connection.execute("select count(*) from names").fetchall()
    [(n_missing,)] = connection.execute(f"select count(*) - count({text}) from judgements").fetchall()  # noqa: S608
    for hashed in _HASHES:
        number = hashed.format(text)
        hashes, missing = _fetch(connection, f"if({text} is null, null, {number})" if n_missing else number)
        codes, distinct = factorize(hashes, missing)
        if len(distinct) == n:  # no two of the names have one hash
            break
    else:
        raise ValueError(f"{n:,} texts cannot be told apart")
    if nameless:
        return Factor(codes, range(n), "text")
    of_hash = dict(connection.execute(f"select {hashed.format('name')}, name from names").fetchall())  # noqa: S608
    return Factor(codes, [of_hash[value] for value in distinct.tolist()], "text")


def _fetch(connection: "DuckDBPyConnection", expression: str) -> tuple[NDArray[Any], Bools]:
    """Return a column, and where it is missing."""
    read: dict[str, Any] = connection.execute(f"select {expression} as entry from judgements").fetchnumpy()  # noqa: S608
    entries = read["entry"]
    return np.ma.getdata(entries), np.ma.getmaskarray(entries)
