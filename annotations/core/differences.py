"""The smallest difference between two lists (Myers 1986). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A bound on the comparisons of equal entries, as repetitive lists have many.
MAX_STEPS = 4_000_000


class TooManyDifferences(ValueError):
    """Two lists differ in more entries than the caller allows."""


@dataclass(frozen=True, slots=True)
class Run[Entry]:
    """Consecutive entries of two lists that are equal, or that replace each other; then one may be empty."""

    equal: bool
    old: Sequence[Entry]
    new: Sequence[Entry]


def compare_lists[Entry](old: Sequence[Entry], new: Sequence[Entry], most: int) -> list[Run[Entry]]:
    """Return the runs of both lists in order; equal and replaced runs alternate.

    The time grows with the square of the number of differing entries. Raise TooManyDifferences for more than `most`.
    """
    runs, row, column = [], 0, 0
    for first, second, length in _matches(old, new, most):
        if first > row or second > column:
            runs.append(Run(False, old[row:first], new[column:second]))
        if length:
            runs.append(Run(True, old[first : first + length], new[second : second + length]))
        row, column = first + length, second + length
    return runs


def _matches[Entry](old: Sequence[Entry], new: Sequence[Entry], most: int) -> list[tuple[int, int, int]]:
    """Return the start of equal entries in both lists, and their number; last, both ends with the number 0."""
    if abs(len(old) - len(new)) > most:
        raise TooManyDifferences
    furthest = {1: 0}
    trace: list[Mapping[int, int]] = []
    steps = 0
    for distance in range(most + 1):
        trace.append(dict(furthest))
        for diagonal in range(-distance, distance + 1, 2):
            down = diagonal == -distance or (diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1])
            first = row = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            column = row - diagonal
            while row < len(old) and column < len(new) and old[row] == new[column]:
                row, column = row + 1, column + 1
            furthest[diagonal] = row
            steps += row - first
            if row >= len(old) and column >= len(new):
                return _traced(trace, len(old), len(new))
            if steps > MAX_STEPS:
                raise TooManyDifferences
    raise TooManyDifferences


def _traced(trace: Sequence[Mapping[int, int]], row: int, column: int) -> list[tuple[int, int, int]]:
    """Return the matches on the path to both ends, from the furthest points for each number of changes."""
    matches = [(row, column, 0)]
    for distance in range(len(trace) - 1, 0, -1):
        furthest, diagonal = trace[distance], row - column
        down = diagonal == -distance or (diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1])
        previous = furthest[diagonal + 1] if down else furthest[diagonal - 1]
        start = previous + (not down)
        if row > start:
            matches.append((start, start - diagonal, row - start))
        row, column = previous, previous - (diagonal + 1 if down else diagonal - 1)
    if row:
        matches.append((0, 0, row))
    return matches[::-1]
