"""Detect the columns of words and chains in the many dialects of CoNLL coreference files."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

BEGIN = re.compile(
    r"#\s*begin document\s*(?:\((?P<quoted>.*)\)|(?P<plain>[^;]*?))\s*(?:;\s*(?:part\s*(?P<part>\d+)\s*;?)?)?\s*$"
)
END = re.compile(r"#\s*end document\b")
NONE = ("", "-", "_", "*")
# The minimum columns of files of the shared task, and of files that count as cut from one of them.
TASK_COLUMNS = 11
STANDARD_COLUMNS = 5
# The column of the words, from 0: after document, part and number, or in short forms by their number of columns.
TASK_WORD_COLUMN = 3
SHORT_WORD_COLUMN = {2: 0, 3: 1}
MAX_COMMENT_LENGTH = 1000
LINES_LOOKED_AT = 1000
MAX_COUNTER_LENGTH = 18
# The number of a token, also of a part of a word, a page or a sentence: 7, 7-8, 7.1, 2-7, w7.
TOKEN_NUMBER = re.compile(r"\w?\d+(?:[-._:]\d+)*")
DIGITS = re.compile(r"\d+")
# The placeholder for words in releases without them.
BLANK = re.compile(r"_+")
# Fewer placeholders may be words of a text.
MIN_BLANKS = 4
BLANKS = re.compile(r" +")
CHAINS = re.compile(r"(?:\([^()|]++\)?|[^()|]++\)|\|)++")

Column = Sequence[Sequence[str]]
type Run = tuple[int, Sequence[str]]  # the number of the first line, and the lines


class Columns(NamedTuple):
    """The columns of words, from 0 (-1: none), and chains, from the last (1). is_plain: words have the usual column."""

    words: int
    chains: int
    is_plain: bool


def split(line: str) -> list[str]:
    """Return the cells of a line, split at tabs if it has one, else at blanks, but not at other white space.

    Blanks around the cells are removed.
    """
    if "\t" not in line:
        return BLANKS.split(line.strip(" "))
    return [cell.strip(" ") for cell in line.split("\t")] if " " in line else line.split("\t")


def is_boundary(line: str) -> bool:
    return line.startswith("#") and len(line) <= MAX_COMMENT_LENGTH and bool(BEGIN.match(line) or END.match(line))


def part(lines: Iterable[str]) -> list[Run]:
    """Return the runs of consecutive lines of tokens, and each other line as a run of its own."""
    runs: list[Run] = []
    tokens: list[str] = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("#") or not line.strip(" \t"):
            runs.append((number, [line]))
            tokens = []
        else:
            if not tokens:
                runs.append((number, tokens))
            tokens.append(line)
    return runs


class Layout:
    """The columns of the documents of a file, and their first lines of tokens by the lines of '#begin document'."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.first_lines: dict[int, int] = {}
        documents: list[list[str]] = []
        begin = 0
        for number, lines in runs:
            line = lines[0]
            if line.startswith("#"):
                if is_boundary(line):
                    begin = number if BEGIN.match(line) else 0
            elif begin and line.strip(" \t"):
                if begin not in self.first_lines:
                    self.first_lines[begin] = number
                    documents.append([])
                documents[-1] += lines
        rows: dict[int, list[list[list[str]]]] = {}  # the first rows, by number of columns and document
        left = dict.fromkeys(range(TASK_COLUMNS + 1), LINES_LOOKED_AT)
        for document in documents:
            kind = _kind(len(split(document[0])))
            looked_at = list(map(split, document[: left[kind]]))
            left[kind] -= len(looked_at)
            rows.setdefault(kind, []).append([row for row in looked_at if len(row) >= min(kind, STANDARD_COLUMNS)])
        self._columns = {kind: _find_columns(kind, documents) for kind, documents in rows.items()}

    def columns(self, number: int) -> Columns:
        return self._columns[_kind(number)]


def _kind(columns: int) -> int:
    """Return the key that groups documents: in the shared task, the number of columns varies with the verbs."""
    return min(columns, TASK_COLUMNS)


def _find_columns(kind: int, documents: Iterable[Sequence[Sequence[str]]]) -> Columns:
    """Return the columns of words and chains in the documents of one kind."""
    looked_at = [rows for rows in documents if rows]
    # As many columns as the shortest row has.
    columns: list[Column] = list(zip(*(zip(*rows, strict=False) for rows in looked_at), strict=False))
    usual = _usual_word_column(kind, columns[:-1])
    chains = _chain_column(looked_at, len(columns) - 1 - max(usual, 0))
    del columns[len(columns) - chains :]
    if usual < 0 and chains > 1:
        usual = _usual_word_column(kind + 1 - chains, columns)
    if usual < 0:
        return Columns(_first_words(columns), chains, is_plain=False)
    return Columns(-1 if _is_blank(columns[usual]) else usual, chains, is_plain=True)


def _usual_word_column(kind: int, columns: Sequence[Column]) -> int:
    """Return the usual column of words if the columns before it are the usual ones, too; else -1."""
    usual = SHORT_WORD_COLUMN.get(kind, TASK_WORD_COLUMN)
    if usual >= len(columns) or not _stands_before_words(columns[:usual]):
        return -1
    return -1 if usual == TASK_WORD_COLUMN and _is_counter(columns[usual]) else usual


def _stands_before_words(columns: Sequence[Column]) -> bool:
    """Return whether the columns are name, part and number of the shared task, or a short form's number, or none."""
    *before, number = columns or [[]]
    return _is_numeric(number) and all(
        _is_name(column) or (place == 1 and _is_numeric(column)) for place, column in enumerate(before)
    )


def _first_words(columns: Sequence[Column]) -> int:
    """Return the first column that can hold words; -1 if there is none, or the choice is ambiguous."""
    after_number = False
    for place, column in enumerate(columns):
        if _is_numeric(column):
            after_number = True
        elif after_number and _is_blank(column):
            return -1
        elif not _is_placeholder(column) and not _is_name(column):
            return place
    candidates = [place for place, column in enumerate(columns) if not _is_placeholder(column)]
    if TASK_WORD_COLUMN in candidates and _stands_before_words(columns[:TASK_WORD_COLUMN]):
        return TASK_WORD_COLUMN
    return candidates[0] if len(candidates) == 1 else -1


def _chain_column(documents: Sequence[Sequence[Sequence[str]]], last: int) -> int:
    """Return the column of chains, counted from the last: 1, or up to `last` if the last column has no bracket."""
    rows = [row for rows in documents for row in rows]
    if any("(" in row[-1] or ")" in row[-1] for row in rows):
        return 1
    for place in range(2, last + 1):
        cells = {row[-place] for row in rows}.difference(NONE)
        if cells and all(CHAINS.fullmatch(cell) and DIGITS.search(cell) for cell in cells):
            return place
    return 1


def _cells(column: Column) -> set[str]:
    return set(chain.from_iterable(column))


def _is_placeholder(column: Column) -> bool:
    return all(cell in NONE or BLANK.fullmatch(cell) for cell in _cells(column))


def _is_blank(column: Column) -> bool:
    """Return whether the words of a column have been replaced by placeholders."""
    cells = [cell for cells in column for cell in cells]
    return len(cells) >= MIN_BLANKS and all(map(BLANK.fullmatch, cells))


def _is_numeric(column: Column) -> bool:
    return all(map(TOKEN_NUMBER.fullmatch, _cells(column)))


def _is_counter(column: Column) -> bool:
    """Return whether a column has numbers that never decrease, such as numbers of sentences or tokens."""
    are_numbers = all(cell.isdecimal() and len(cell) <= MAX_COUNTER_LENGTH for cell in _cells(column))
    pairs = [pair for cells in column for pair in pairwise(cells)]
    return are_numbers and bool(pairs) and all(int(number) <= int(following) for number, following in pairs)


def _is_name(column: Column) -> bool:
    """Return whether a column has the name of its document: one value for each document, digits apart."""
    return all(len({DIGITS.sub("", cell) for cell in set(cells)}) == 1 for cells in column)
