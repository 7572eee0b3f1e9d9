"""A coder's pyramid beside the agreed one of the same docset: which SCUs match, and how the others differ. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from agreement.data.pyramids.pyramids import PyramidAnnotation
from agreement.measures import match_sets
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Span, held_words

type Words = frozenset[int]

# How a coder's pyramid differs from the agreed one: first in whole SCUs, then in contributors of SCUs that match.
KINDS = {
    "missing": "SCU missing",
    "fused": "SCU fused with another",
    "split": "SCU split off",
    "extra": "SCU not in the agreed pyramid",
    "elsewhere": "contributor in another SCU",
    "omitted": "contributor missing",
    "added": "contributor not in the agreed pyramid",
    "shorter": "contributor with fewer words",
    "longer": "contributor with more words",
}


@dataclass(frozen=True, slots=True)
class HeldWords:
    """The words of a contributor, by their places, in one of its SCUs."""

    scu: str
    parts: Parts
    words: Words


class PyramidByWords:
    """A pyramid as sets of words. SCUs without words are in no figure: `n_empty` of them."""

    def __init__(self, annotation: PyramidAnnotation, words: Sequence[Span]) -> None:
        places = annotation.word_places(list(words))
        self.annotation = annotation
        self.scus: dict[str, Words] = {key: frozenset(own) for key, own in places.items() if own}
        self.n_empty = len(places) - len(self.scus)
        self.contributors = [
            HeldWords(scu, one.parts, held)
            for one in annotation.contributors
            if (held := frozenset(held_words(words, one.parts)))
            for scu in one.scus
        ]

    @property
    def labels(self) -> Mapping[str, str]:
        return self.annotation.labels

    @cached_property
    def scus_of_word(self) -> dict[int, list[str]]:
        """The SCUs of each word that has any."""
        found: dict[int, list[str]] = defaultdict(list)
        for key, words in self.scus.items():
            for word in words:
                found[word].append(key)
        return found

    def holder_of(self, words: Words, besides: str | None = None) -> str:
        """Return the SCU that has at least half of some words, of several the one with most; empty where none has."""
        counts = Counter(key for word in words for key in self.scus_of_word.get(word, ()) if key != besides)
        key, most = min(counts.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
        return key if 2 * most >= len(words) else ""


class MatchCounts(NamedTuple):
    """What is counted of a coder's pyramid and the agreed one: SCUs, and words once for each SCU that they are in.

    `identical` of the `matched` SCUs have the same words. `matched_words` are in both of two SCUs that match.
    """

    agreed: int = 0
    own: int = 0
    matched: int = 0
    identical: int = 0
    agreed_words: int = 0
    own_words: int = 0
    matched_words: int = 0

    @classmethod
    def total(cls, counts: Iterable[MatchCounts]) -> MatchCounts:
        """Return the sums of some counts."""
        return cls(*map(sum, zip(cls(), *counts, strict=True)))


@dataclass(frozen=True, slots=True)
class ScuDifference:
    """In what a coder's pyramid differs from the agreed one, one of KINDS: the SCUs of both, empty where there is none.

    `parts` are those of the contributor, where the difference is one of a contributor.
    """

    kind: str
    agreed: str
    own: str
    parts: Parts = ()


@dataclass(frozen=True, eq=False)
class PyramidComparison:
    """A coder's pyramid beside the agreed one. `partners` are the coder's SCUs by those of the agreed one."""

    own: PyramidByWords
    counts: MatchCounts
    partners: Mapping[str, str]
    differences: tuple[ScuDifference, ...]


def compare_pyramids(agreed: PyramidByWords, own: PyramidByWords) -> PyramidComparison:
    """Return which SCUs of a coder match those of the agreed pyramid, and how the others differ.

    SCUs match as those of two coders: each with one of the other at most, so that the sum of the Jaccard coefficients
    of their words is as large as it can be (`match_sets`).
    """
    matches = [one for one in match_sets(agreed.scus, own.scus) if one.matched]
    partners = {str(one.first): str(one.second) for one in matches}
    counts = MatchCounts(
        agreed=len(agreed.scus),
        own=len(own.scus),
        matched=len(matches),
        identical=sum(one.relation == "identity" for one in matches),
        agreed_words=sum(map(len, agreed.scus.values())),
        own_words=sum(map(len, own.scus.values())),
        matched_words=sum(one.shared for one in matches),
    )
    return PyramidComparison(own, counts, partners, tuple(_find_differences(agreed, own, partners)))


def _find_differences(
    agreed: PyramidByWords, own: PyramidByWords, partners: Mapping[str, str]
) -> Iterator[ScuDifference]:
    """Yield what SCUs without a partner are, then how the contributors of SCUs that match differ.

    Where a contributor is in an SCU without a match, that SCU is the difference.
    """
    matched = {second: first for first, second in partners.items()}
    for key, words in agreed.scus.items():
        if key not in partners:
            holder = own.holder_of(words)
            yield ScuDifference("fused" if holder else "missing", key, holder)
    for key, words in own.scus.items():
        if key not in matched:
            holder = agreed.holder_of(words)
            yield ScuDifference("split" if holder else "extra", holder, key)
    for one, partner, other in _contributors_apart(agreed, own, partners):
        if not other or other in matched:
            kind = "shorter" if other is None else "elsewhere" if other else "omitted"
            yield ScuDifference(kind, one.scu, other or partner, one.parts)
    for one, partner, other in _contributors_apart(own, agreed, matched):
        # where another SCU of the agreed pyramid has it, it is what that one lacks
        if not other:
            yield ScuDifference("longer" if other is None else "added", partner, one.scu, one.parts)


def _contributors_apart(
    side: PyramidByWords, other: PyramidByWords, partners: Mapping[str, str]
) -> Iterator[tuple[HeldWords, str, str | None]]:
    """Yield contributors of a side that are not wholly in the SCU that matches theirs, with that.

    Third is the other SCU that has one of which the SCU that matches has nothing, None where that has some of it.
    """
    for one in side.contributors:
        if one.scu in partners:
            partner = partners[one.scu]
            shared = len(one.words & other.scus[partner])
            if shared < len(one.words):
                yield one, partner, None if shared else other.holder_of(one.words, besides=partner)
