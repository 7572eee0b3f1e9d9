"""The files of a corpus: which there are, and what is in one."""

from collections.abc import Iterable
from glob import glob
from pathlib import Path

from .judgements import Columns, Judgements
from .parquet import read_parquet
from .tables import read_csv

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
