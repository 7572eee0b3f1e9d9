"""What a pyramid may be: which contributors go together, by the options of the project. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotations.marking import Parts


@dataclass(frozen=True, slots=True)
class Contributor:
    """Words that express SCUs: the key of their markable, its parts, and the keys of the SCUs."""

    key: str
    parts: Parts
    scus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with some contributors, which are named by their keys."""

    code: str
    message: str
    contributors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """one_contributor: a summary says an SCU at one place only. words_exclusive: a word belongs to one SCU only."""

    one_contributor: bool
    words_exclusive: bool


type Span = tuple[int, int]


def faults(
    contributors: Sequence[Contributor],
    options: Options,
    *,
    summaries: Sequence[Span] | None = None,
    scus: Collection[str] | None = None,
) -> Iterator[Fault]:
    """What is wrong with the contributors of a pyramid, or of a peer summary.

    summaries: where the model summaries stand, in text order; None for a peer. scus: those of the pyramid that a peer
    is held against; None where a contributor makes an SCU by naming it.
    """
    if summaries is not None:
        yield from _across(contributors, summaries)
        if options.one_contributor:
            yield from _doubles(contributors, summaries)
    if scus is not None:
        for one in contributors:
            for key in one.scus:
                if key not in scus:
                    yield Fault("unknown_scu", f"The pyramid has no SCU {key!r}.", (one.key,))
    if options.words_exclusive:
        yield from _shared(contributors)


def summary_of(parts: Parts, summaries: Sequence[Span]) -> int | None:
    """The place of the summary that holds all the parts; None where none does."""
    start, end = parts[0][0], parts[-1][1]
    return next((place for place, (first, last) in enumerate(summaries) if first <= start and end <= last), None)


def _across(contributors: Iterable[Contributor], summaries: Sequence[Span]) -> Iterator[Fault]:
    for one in contributors:
        if summary_of(one.parts, summaries) is None:
            yield Fault("across_summaries", f"{one.key!r} is not of the words of one summary.", (one.key,))


def _doubles(contributors: Iterable[Contributor], summaries: Sequence[Span]) -> Iterator[Fault]:
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for one in contributors:
        summary = summary_of(one.parts, summaries)
        if summary is not None:
            for key in one.scus:
                found[key, summary].append(one.key)
    for (key, summary), keys in found.items():
        if len(keys) > 1:
            message = f"The SCU {key!r} has a contributor in summary {summary + 1} already; add a part to that one."
            yield Fault("second_contributor", message, tuple(keys))


def _shared(contributors: Iterable[Contributor]) -> Iterator[Fault]:
    """Contributors that are of several SCUs, or overlap: one sweep over their parts."""
    parts: list[tuple[int, int, str]] = []
    for one in contributors:
        if len(one.scus) > 1:
            yield Fault(
                "several_scus", f"In this project words belong to one SCU; {one.key!r} has several.", (one.key,)
            )
        parts += [(start, end, one.key) for start, end in one.parts]
    reach, holder = 0, ""
    for start, end, key in sorted(parts):
        if start < reach:
            message = f"In this project words belong to one contributor; {holder!r} and {key!r} share some."
            yield Fault("words_taken", message, (holder, key))
        if end > reach:
            reach, holder = end, key
