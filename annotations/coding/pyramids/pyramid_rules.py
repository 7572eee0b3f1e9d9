"""The rules for the contributors of a pyramid or a peer summary, with the options of the project. No queries."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from annotations.coding.markables.markables import Parts


@dataclass(frozen=True, slots=True)
class Contributor:
    """A contributor: the key of its markable, its parts, and the keys of SCUs."""

    key: str
    parts: Parts
    scus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PyramidViolation:
    """A rule that some contributors break, with the keys of those contributors."""

    code: str
    message: str
    contributors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PyramidOptions:
    """Whether a summary expresses an SCU at most once, and whether a word belongs to at most one SCU."""

    one_contributor: bool
    words_exclusive: bool


type Span = tuple[int, int]


def pyramid_violations(
    contributors: Sequence[Contributor],
    options: PyramidOptions,
    *,
    summaries: Sequence[Span] | None = None,
    scus: Collection[str] | None = None,
) -> Iterator[PyramidViolation]:
    """Yield the violations by the contributors of a pyramid or of a peer summary."""
    # summaries: the spans of the model summaries in text order; None for a peer. scus: the keys of the peer's pyramid;
    # None where naming an SCU creates it.
    if summaries is not None:
        for contributor in contributors:
            if summary_index(contributor.parts, summaries) is None:
                message = f"{contributor.key!r} is not of the words of one summary."
                yield PyramidViolation("across_summaries", message, (contributor.key,))
        if options.one_contributor:
            yield from _second_contributors(contributors, summaries)
    if scus is not None:
        for contributor in contributors:
            for key in contributor.scus:
                if key not in scus:
                    yield PyramidViolation("unknown_scu", f"The pyramid has no SCU {key!r}.", (contributor.key,))
    if options.words_exclusive:
        yield from _shared_words(contributors)


def summary_index(parts: Parts, summaries: Sequence[Span]) -> int | None:
    """Return the index of the summary that contains all the parts; None if none does."""
    start, end = parts[0][0], parts[-1][1]
    return next((index for index, (first, last) in enumerate(summaries) if first <= start and end <= last), None)


def held_words(words: Sequence[Span], parts: Parts) -> Iterator[int]:
    """Yield the indices of the words that share a character with the parts; a word in two parts comes twice."""
    for start, end in parts:
        yield from range(bisect_right(words, start, key=itemgetter(1)), bisect_left(words, end, key=itemgetter(0)))


def contributing_summaries(
    contributors: Iterable[Contributor], summaries: Sequence[Span], scus: Iterable[str] = ()
) -> dict[str, list[int]]:
    """Return the indices of the summaries of each SCU's contributors, by SCU key; an index for each contributor.

    The weight of an SCU is the number of distinct indices. `scus` are keys to include even without contributors.
    """
    indices: dict[str, list[int]] = {key: [] for key in scus}
    for contributor in contributors:
        index = summary_index(contributor.parts, summaries)
        for key in contributor.scus:
            scu_indices = indices.setdefault(key, [])
            if index is not None:
                scu_indices.append(index)
    return indices


def _second_contributors(contributors: Iterable[Contributor], summaries: Sequence[Span]) -> Iterator[PyramidViolation]:
    contributor_keys: dict[tuple[str, int], list[str]] = defaultdict(list)
    for contributor in contributors:
        summary = summary_index(contributor.parts, summaries)
        if summary is not None:
            for key in contributor.scus:
                contributor_keys[key, summary].append(contributor.key)
    for (key, summary), keys in contributor_keys.items():
        if len(keys) > 1:
            message = f"The SCU {key!r} has a contributor in summary {summary + 1} already; add a part to that one."
            yield PyramidViolation("second_contributor", message, tuple(keys))


def _shared_words(contributors: Iterable[Contributor]) -> Iterator[PyramidViolation]:
    """Yield contributors with several SCUs, and pairs that overlap, in one sweep over their parts."""
    parts: list[tuple[int, int, str]] = []
    for contributor in contributors:
        if len(contributor.scus) > 1:
            yield PyramidViolation(
                "several_scus",
                f"In this project words belong to one SCU; {contributor.key!r} has several.",
                (contributor.key,),
            )
        parts += [(start, end, contributor.key) for start, end in contributor.parts]
    reach, holder = 0, ""
    for start, end, key in sorted(parts):
        if start < reach:
            message = f"In this project words belong to one contributor; {holder!r} and {key!r} share some."
            yield PyramidViolation("words_taken", message, (holder, key))
        if end > reach:
            reach, holder = end, key
