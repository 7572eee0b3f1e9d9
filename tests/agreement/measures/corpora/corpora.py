"""Small corpora in files: rows of judgements, and how they are written."""

from pathlib import Path

import duckdb
import pandas as pd

from agreement.measures import ReliabilityData, documents_sums

COLUMNS = ("document", "unit", "coder", "chain", "label")


def frame_of(rows):
    """Return a table of rows as COLUMNS, without columns that nothing is in."""
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.drop(columns=[name for name in ("chain", "label") if rows and frame[name].isna().all()])


def write_parquet(path: Path, frame):
    """Write a table, its text as text and its whole numbers as such; return the path."""
    with duckdb.connect() as connection:
        connection.register("rows", frame)
        connection.execute(f"copy rows to '{path}' (format parquet)")
    return path


def write_csv(path: Path, frame):
    """Write a table, an empty field for what is missing; return the path."""
    frame.to_csv(path, index=False)
    return path


def sums_of(frame, options):
    """Return the sums of a whole table that is read at once, a unit being named by its document too."""
    data = ReliabilityData.from_records(frame, unit=["document", "unit"])
    conventions = {"exclude_unit": options.exclude_unit, "empty": options.empty, "thirds": options.thirds}
    return documents_sums(data, options.distances, **conventions).sort()
