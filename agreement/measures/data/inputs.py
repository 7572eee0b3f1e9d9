"""The input of the library: reliability data, or a table."""

from collections.abc import Sequence
from sys import modules
from typing import TYPE_CHECKING, Any

import numpy as np

from .reliability_data import ReliabilityData

if TYPE_CHECKING:
    import pandas as pd

type Data = "ReliabilityData | pd.DataFrame | np.ndarray[Any, Any] | Sequence[Sequence[Any]]"

ACCEPTED = (
    "give ReliabilityData, a DataFrame (units as its index, coders as its columns), or a list or array with a row for"
    " each unit and a column for each coder"
)


def as_data(data: Data) -> ReliabilityData:
    """Return reliability data unchanged, or create them from a table: units in rows, coders in columns.

    A DataFrame is read by `ReliabilityData.from_frame`; a list of lists or an array is one document whose units and
    coders are named by their numbers. A cell is a label, a set, or None or NaN (missing). The package krippendorff has
    coders in rows: give its arrays transposed. Raises TypeError for anything else, saying what is accepted, and
    ValueError for rows of different length and as `from_frame` does.

    >>> as_data([["a", "a"], ["a", {"b", "c"}], [None, "a"]])
    <ReliabilityData: 3 units, 2 coders, 1 document, 2 values>
    """
    if isinstance(data, ReliabilityData):
        return data
    pandas = modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return ReliabilityData.from_frame(data)
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return _read_rows(data.tolist(), data.shape[1])
    if isinstance(data, list | tuple) and all(isinstance(row, list | tuple | np.ndarray) for row in data):
        rows = [row.tolist() if isinstance(row, np.ndarray) else list(row) for row in data]
        width = len(rows[0]) if rows else 0
        for number, row in enumerate(rows):
            if len(row) != width:
                raise ValueError(f"row {number} has {len(row)} cells where the first has {width}")
        return _read_rows(rows, width)
    what = f"array of {data.ndim} dimensions" if isinstance(data, np.ndarray) else type(data).__name__
    raise TypeError(f"{what} is no reliability data: {ACCEPTED}")


def _read_rows(rows: list[list[Any]], n_coders: int) -> ReliabilityData:
    return ReliabilityData.from_values(range(len(rows)), range(n_coders), rows, [None] * len(rows))
