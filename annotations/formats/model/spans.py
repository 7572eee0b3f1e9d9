"""Spans: a start and an end each, of characters or of tokens."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

type Span = tuple[int, int]


def merge_spans(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """Return the spans in order, one for those that overlap or are at most the gap apart (1: inclusive ends touch)."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def lie_in(inner: Iterable[Span], outer: Sequence[Span]) -> bool:
    """Return whether each of the spans lies in one of the others, which are in order."""
    for start, end in inner:
        number = bisect_right(outer, start, key=lambda span: span[0]) - 1
        if number < 0 or outer[number][1] < end:
            return False
    return True
