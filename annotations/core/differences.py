"""Which entries of two lists differ: as few as possible (Myers 1986). Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Equal entries that are passed over, many of them again and again where a list repeats itself.
MAX_STEPS = 4_000_000


class TooManyDifferences(ValueError):
    """Two lists that differ in more entries than somebody wants to compare."""


@dataclass(frozen=True, slots=True)
class Run[Entry]:
    """Entries of two lists that are equal, or that replace each other, of which one may be empty."""

    equal: bool
    old: Sequence[Entry]
    new: Sequence[Entry]


def compare_lists[Entry](old: Sequence[Entry], new: Sequence[Entry], most: int) -> list[Run[Entry]]:
    """Return the runs of which both lists consist, in order; equal and other ones alternate.

    It takes time by the square of the entries that differ. Raise TooManyDifferences where these are more than `most`.
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
    """Return where equal entries begin in both lists, and how many they are; at last the ends of both, and none."""
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
    """Return the matches on the way to the ends of both lists, by what was reached after each number of changes."""
    matches = [(row, column, 0)]
    for distance in range(len(trace) - 1, 0, -1):
        furthest, diagonal = trace[distance], row - column
        down = diagonal == -distance or (diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1])
        before = furthest[diagonal + 1] if down else furthest[diagonal - 1]
        start = before + (not down)
        if row > start:
            matches.append((start, start - diagonal, row - start))
        row, column = before, before - (diagonal + 1 if down else diagonal - 1)
    if row:
        matches.append((0, 0, row))
    return matches[::-1]
