"""Spans: pairs of start and end, in characters or tokens."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

type Span = tuple[int, int]


def merge_spans(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """Return the spans in order, merged if they overlap or are at most `gap` apart (1 for inclusive ends)."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def lie_in(inner: Iterable[Span], outer: Sequence[Span]) -> bool:
    """Return whether each inner span is within one of the outer spans, which are in order."""
    for start, end in inner:
        number = bisect_right(outer, start, key=lambda span: span[0]) - 1
        if number < 0 or outer[number][1] < end:
            return False
    return True
