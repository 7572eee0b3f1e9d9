"""Lists of the API as iterators of rows, or as pandas tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from coindex.client.connection import Connection, in_project

if TYPE_CHECKING:
    import pandas as pd

PAGE = 1000


class Rows[Row](Iterable[Row]):
    """The rows of a list: iterating reads page after page, each time afresh; `frame()` returns a table."""

    def __init__(
        self, connection: Connection, path: str, parameters: Mapping[str, Any], columns: Sequence[str] = ()
    ) -> None:
        self._connection, self._path, self._parameters = connection, path, parameters
        self._columns = columns

    def __iter__(self) -> Iterator[Row]:
        return cast(Iterator[Row], self._connection.pages(self._path, self._parameters))

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame of all rows; a field with keys, such as `attributes`, has a column for each key."""
        return frame_of(cast(Iterable[Mapping[str, Any]], self), self._columns)


class Lists(Connection):
    """A connection with methods for lists."""

    def rows(self, path: str, columns: Sequence[str] = (), **filters: Any) -> Rows[Any]:
        """Return the rows of any list below `/api/v1/`, in pages of a thousand."""
        return Rows(self, path, {"page_size": PAGE, **filters}, columns)

    def rows_in(self, project: str, *parts: str, row_type: type | None = None, **filters: Any) -> Rows[Any]:
        """Return the rows of a list of a project; the fields of `row_type` are the columns."""
        columns = list(row_type.__annotations__) if row_type is not None else []
        return self.rows(in_project(project, *parts), columns, **filters)


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return a DataFrame of rows, with these columns even without rows. Raise ImportError without pandas."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("A DataFrame needs pandas: pip install pandas. Without it iterate over the rows.") from error
    flat, by_keys = [], set[str]()
    for row in rows:
        nested = {name: value for name, value in row.items() if isinstance(value, Mapping)}
        by_keys.update(nested)
        of_keys = {f"{name}.{key}": value for name, values in nested.items() for key, value in values.items()}
        flat.append({name: value for name, value in row.items() if name not in nested} | of_keys)
    names = dict.fromkeys((*columns, *(name for row in flat for name in row)))
    frame: pd.DataFrame = pandas.DataFrame(flat, columns=[name for name in names if name not in by_keys])
    return frame
