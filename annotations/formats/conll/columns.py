"""Where the words stand in CoNLL files of coreference, of which there are many dialects."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

BEGIN = re.compile(
    r"#\s*begin document\s*(?:\((?P<quoted>.*)\)|(?P<plain>[^;]*?))\s*(?:;\s*(?:part\s*(?P<part>\d+)\s*;?)?)?\s*$"
)
END = re.compile(r"#\s*end document\b")
NONE = ("", "-", "_", "*")
# The shared task has at least so many columns; what has this many is taken for cut from one of its files.
TASK_COLUMNS = 11
STANDARD_COLUMNS = 5
# Where the words stand, from 0, in lines of so many columns, and in those of the shared task.
USUAL_WORD_COLUMN = {2: 0, 3: 1, STANDARD_COLUMNS: 3}
LONGEST_COMMENT = 1000
LINES_LOOKED_AT = 1000
# The number of a token, also of a part of a word, a page or a sentence: 7, 7-8, 7.1, 2-7, w7.
TOKEN_NUMBER = re.compile(r"\w?\d+(?:[-._:]\d+)*")
DIGITS = re.compile(r"\d+")

Column = Sequence[Sequence[str]]


def split(line: str) -> list[str]:
    """Return the cells of a line: parted by tabs where it has one, else by white space."""
    return line.split("\t") if "\t" in line else line.split()


def is_boundary(line: str) -> bool:
    """Return whether a document begins or ends with the line."""
    return line.startswith("#") and len(line) <= LONGEST_COMMENT and bool(BEGIN.match(line) or END.match(line))


@dataclass(frozen=True)
class Layout:
    """The columns of all documents of a file.

    first_lines: the number of the first line of tokens, by that of the line with which a document begins.
    rows: the cells of the first lines, by the number of columns and by document.
    """

    first_lines: Mapping[int, int]
    rows: Mapping[int, Sequence[Sequence[Sequence[str]]]]

    @classmethod
    def of(cls, lines: Sequence[str]) -> "Layout":
        """Return the layout of a file."""
        first_lines: dict[int, int] = {}
        rows: dict[int, list[list[list[str]]]] = {}
        counts: dict[int, int] = {}
        begin = columns = 0
        for number, line in enumerate(lines, start=1):
            if line.startswith("#"):
                if is_boundary(line):
                    begin = number if BEGIN.match(line) else 0
            elif begin and line.strip():
                if begin not in first_lines:
                    first_lines[begin] = number
                    columns = len(split(line))
                    rows.setdefault(_kind(columns), []).append([])
                kind = _kind(columns)
                if counts.get(kind, 0) < LINES_LOOKED_AT:
                    counts[kind] = counts.get(kind, 0) + 1
                    cells = split(line)
                    if len(cells) >= min(columns, STANDARD_COLUMNS):
                        rows[kind][-1].append(cells)
        return cls(first_lines, rows)

    def word_column(self, columns: int) -> int:
        """Return the column of the words, from 0, in documents of so many columns; -1 where none can be it."""
        return self._word_columns[_kind(columns)]

    @cached_property
    def _word_columns(self) -> dict[int, int]:
        return {kind: _word_column(kind, documents) for kind, documents in self.rows.items()}


def usual_word_column(columns: int) -> int:
    """Return where the words are expected, from 0, in lines of so many columns; -1 where there is no such place."""
    return USUAL_WORD_COLUMN.get(min(columns, STANDARD_COLUMNS), -1)


def _kind(columns: int) -> int:
    """Return by what documents are looked at together: sentences of the shared task have columns for their verbs."""
    return min(columns, TASK_COLUMNS)


def _word_column(kind: int, documents: Iterable[Sequence[Sequence[str]]]) -> int:
    """Return the column of the words, from 0, of the documents of a file that have equally many columns."""
    looked_at = [rows for rows in documents if rows]
    width = min((len(row) - 1 for rows in looked_at for row in rows), default=0)
    columns: list[Column] = [[[row[place].strip() for row in rows] for rows in looked_at] for place in range(width)]
    usual = usual_word_column(kind)
    # The columns before the words are known: document, part and number, or the number alone.
    if 0 <= usual < width and not _is_placeholder(columns[usual]):
        before = columns[:usual]
        if kind == TASK_COLUMNS or (all(map(_is_numeric, before[-1:])) and all(map(_is_name, before[:-2]))):
            return usual
    # Further right are tags and speakers.
    candidates = [
        number for number, column in enumerate(columns[: STANDARD_COLUMNS - 1]) if not _is_placeholder(column)
    ]
    telling = [
        number for number in candidates if not _is_numeric(columns[number]) and not _is_constant(columns[number])
    ]
    if telling:
        return telling[0]
    if 0 <= usual < width:
        return usual
    return candidates[0] if len(candidates) == 1 else -1


def _is_placeholder(column: Column) -> bool:
    return all(cell in NONE for cells in column for cell in cells)


def _is_numeric(column: Column) -> bool:
    return all(TOKEN_NUMBER.fullmatch(cell) for cells in column for cell in cells)


def _is_constant(column: Column) -> bool:
    """Return whether a column says the same in every line of a document."""
    return all(len(set(cells)) == 1 for cells in column)


def _is_name(column: Column) -> bool:
    """Return whether a column has the name of its document, with or without a number of the line."""
    return _is_constant([[DIGITS.sub("", cell) for cell in cells] for cells in column])
