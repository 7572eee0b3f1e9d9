"""Contributors of a pyramid -> the words that they hold. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Span, held_words


def scus_by_word(words: Sequence[Span], contributors: Iterable[tuple[Parts, str]]) -> dict[int, set[str]]:
    """Return the SCUs of each word that has any, by the word's place; `words` are in text order and do not overlap."""
    scus_of_word: dict[int, set[str]] = {}
    for parts, scu in contributors:
        for place in held_words(words, parts):
            scus_of_word.setdefault(place, set()).add(scu)
    return scus_of_word
