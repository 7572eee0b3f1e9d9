"""Contributors of a pyramid -> the words that they hold. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from annotations.coding.markables import Parts

type Span = tuple[int, int]


def scus_by_word(words: Sequence[Span], contributors: Iterable[tuple[Parts, str]]) -> dict[int, set[str]]:
    """Return the SCUs of each word that has any, by the word's place; `words` are in text order and do not overlap.

    A contributor holds every word of which it holds a character.
    """
    starts, ends = [start for start, _ in words], [end for _, end in words]
    scus_of_word: dict[int, set[str]] = {}
    for parts, scu in contributors:
        for start, end in parts:
            for place in range(bisect_right(ends, start), bisect_left(starts, end)):
                scus_of_word.setdefault(place, set()).add(scu)
    return scus_of_word
