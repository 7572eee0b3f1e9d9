"""Tables with a header: the rows of a CSV file, and columns as numbers of their names."""

import csv
import gzip
import io
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import batched, count, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..values import Ints
from .cells import MISSING

if TYPE_CHECKING:
    import _csv

SEPARATORS = (",", ";", "\t")
BATCH_ROWS = 100

# The distinct names of a column, by first appearance, and the place of each row's among them, -1 where it has none.
type Factor = tuple[Sequence[Hashable], Ints]


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Some columns of a table, by name. `header` has the names of all its columns."""

    header: Sequence[Hashable]
    factors: Mapping[str, Factor]
    row_name: Callable[[int], str]

    def factor(self, column: str) -> Factor:
        """Return a column. Raises ValueError where there is none of this name."""
        if column not in self.factors:
            raise ValueError(f"there is no column {column!r} among {list(self.header)}")
        return self.factors[column]

    def find(self, column: str | None, default: str) -> Factor | None:
        """Return a column; if none is asked for the one of the default name, or None where there is none."""
        return self.factor(column) if column is not None else self.factors.get(default)


class CsvFile:
    """A CSV file with a header, in UTF-8 or, with a byte order mark, in UTF-16; compressed if its name ends in .gz.

    Columns are parted by commas, semicolons or tabs: by what makes most `known` names of the header, or by what a first
    line such as `sep=;` says. A cell is text as it stands. Raises ValueError, naming the line, for what is no table.
    """

    def __init__(self, path: str | Path, known: Collection[str]) -> None:
        content = Path(path).read_bytes()
        try:
            self.text = _decode(gzip.decompress(content) if str(path).endswith(".gz") else content)
        except (EOFError, zlib.error) as error:
            raise ValueError(str(error)) from error
        first, end, _ = self.text.partition("\n")
        declared = re.fullmatch(r'"?sep=(.)"?\r?', first, re.IGNORECASE)
        self.begin = len(first + end) if declared else 0
        headers = {}
        for separator in declared[1] if declared else SEPARATORS:
            with suppress(csv.Error):
                headers[separator] = next(filter(any, self._reader(separator)), [])
        self.separator, self.header = max(
            headers.items(),
            key=lambda item: (sum(name in known for name in item[1]), len(item[1])),
            default=(",", []),
        )
        if not self.header:
            raise ValueError("there is no header")

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows after the header, each with the line in which it begins; rows without a word are skipped."""
        reader, n_before, width = self._reader(self.separator), int(self.begin > 0), None
        line = 1 + n_before
        try:
            for cells in reader:
                if any(cells):
                    if width is not None and len(cells) != width:
                        raise ValueError(f"line {line}: {len(cells)} cells where the header has {width}")
                    if width is not None:
                        yield line, cells
                    width = len(self.header)
                line = 1 + n_before + reader.line_num
        except csv.Error as error:
            raise ValueError(f"line {line}: {error}") from error

    def columns(self, names: Collection[str]) -> ColumnTable:
        """Return the named columns that the table has; an empty cell is missing.

        Raises ValueError for a name that two columns have.
        """
        places = {name: self.header.index(name) for name in names if name in self.header}
        for name in places:
            if self.header.count(name) > 1:
                raise ValueError(f"there are two columns {name!r}")
        # the number of a name is that of names before it; the empty name is missing
        numbers = {name: defaultdict(count().__next__, {"": MISSING}) for name in places}
        codes: dict[str, list[Ints]] = {name: [np.zeros(0, dtype=np.int64)] for name in places}
        rows = filter(any, self._reader(self.separator))
        try:
            next(rows)
            for batch in batched(rows, BATCH_ROWS):
                cells = list(zip(self.header, *batch, strict=True))
                for name, place in places.items():
                    found = map(numbers[name].__getitem__, cells[place][1:])
                    codes[name].append(np.fromiter(found, np.int64, len(batch)))
        except (csv.Error, ValueError):
            for _ in self.rows():  # says which line
                pass
            raise
        factors = {name: (list(numbers[name])[1:], np.concatenate(codes[name])) for name in places}
        return ColumnTable(self.header, factors, lambda row: f"line {next(islice(self.rows(), row, None))[0]}")

    def _reader(self, separator: str) -> "_csv.Reader":
        text = io.StringIO(self.text, newline="")
        text.seek(self.begin)
        return csv.reader(text, delimiter=separator, strict=True)


def _decode(content: bytes) -> str:
    """Return the text of a file. Raises ValueError, naming the line, for what is in another encoding."""
    name, encoding = "UTF-8", "utf-8-sig"
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        name = encoding = "UTF-16"
    try:
        text = content.decode(encoding)
        nul = text.find("\0")
        if nul < 0:
            return text
        line, what = text[:nul].count("\n") + 1, "there is a NUL character"
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding)
        line, what = before.count("\n") + 1, f"byte 0x{error.object[error.start]:02X} is not {name}"
    raise ValueError(f"line {line}: {what}: save the file as UTF-8")
