"""Words of a document, for formats that count words instead of characters."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise

from annotations.formats.document import Document, Mark, Parts, Place, Stretch
from annotations.formats.links import moved

_RUN = re.compile(r"\S+")
_LINE_END = re.compile("\n")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a document: `[start, end)` each, and for each sentence the number of its first token.

    A token is a run of characters other than white space, cut where a markable, head or segment begins or ends.
    """

    spans: tuple[tuple[int, int], ...]
    sentences: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: tuple[str, ...]

    def of(self, parts: Parts) -> list[tuple[int, int]]:
        """First and last token of each part; parts that hold no token are left out, those that then touch are one."""
        runs: list[tuple[int, int]] = []
        for start, end in parts:
            first, last = bisect_left(self.starts, start), bisect_right(self.ends, end) - 1
            if first > last:
                continue
            if runs and runs[-1][1] + 1 >= first:
                runs[-1] = (runs[-1][0], last)
            else:
                runs.append((first, last))
        return runs

    def by_sentence(self) -> list[range]:
        """The tokens of each sentence."""
        return [range(first, end) for first, end in pairwise([*self.sentences, len(self.spans)])]


def tokens_of(document: Document) -> Tokens:
    """The document's tokens. Sentences are its sentence segments, where it has none its turns, else its lines."""
    parts = [part for mark in document.marks for part in mark.parts]
    heads = [part for mark in document.marks if mark.head for part in mark.head]
    segments = [(segment.start, segment.end) for segment in document.segments]
    return _tokens(document.content, frozenset().union(*parts, *heads, *segments), _sentence_edges(document))


@lru_cache(maxsize=4)  # a document is taken apart by several rules of `losses` and by its writer
def _tokens(content: str, cuts: frozenset[int], edges: tuple[int, ...] | None) -> Tokens:
    """edges: where sentences begin or end; None: at line ends."""
    spans = [run.span() for run in _RUN.finditer(content)]
    if not spans:
        return Tokens((), (), (), (), ())
    starts, ends = zip(*spans, strict=True)
    inside = sorted(cuts.difference(starts, ends))
    words = content.split()
    if inside:
        spans = [piece for start, end in spans for piece in _cut(start, end, inside)]
        starts, ends = zip(*spans, strict=True)
        words = [content[start:end] for start, end in spans]
    if edges is None:
        edges = tuple(line.end() for line in _LINE_END.finditer(content))
    firsts = {0, *(bisect_left(starts, edge) for edge in edges)}
    sentences = tuple(sorted(first for first in firsts if first < len(spans)))
    return Tokens(tuple(spans), sentences, starts, ends, tuple(words))


def _cut(start: int, end: int, inside: list[int]) -> Iterator[tuple[int, int]]:
    first, last = bisect_right(inside, start), bisect_left(inside, end)
    return pairwise((start, *inside[first:last], end))


def _sentence_edges(document: Document) -> tuple[int, ...] | None:
    for kind in ("sentence", "turn"):
        found = tuple(edge for each in document.segments if each.kind == kind for edge in (each.start, each.end))
        if found:
            return found
    return None


def with_sentences(document: Document) -> Document:
    """The document cut into sentences wholly, each said by whom its first word is said by."""
    tokens = tokens_of(document)
    given = [segment for segment in document.segments if segment.kind == "sentence"]
    voices = given or [segment for segment in document.segments if segment.kind == "turn"]
    sentences, number = [], 0
    for words in tokens.by_sentence():
        start, end = tokens.spans[words[0]][0], tokens.spans[words[-1]][1]
        while number + 1 < len(voices) and voices[number + 1].start <= start:
            number += 1
        said = bool(voices) and voices[number].start <= start < voices[number].end
        sentences.append(Stretch("sentence", start, end, speaker=voices[number].speaker if said else ""))
    others = [segment for segment in document.segments if segment.kind != "sentence"]
    segments = sorted([*others, *sentences], key=lambda segment: (segment.start, -segment.end, segment.kind))
    return document if segments == list(document.segments) else replace(document, segments=segments)


def respaced(document: Document) -> Document:
    """The document as token formats give it back: one blank between tokens, one line a sentence."""
    tokens = tokens_of(document)
    words = tokens.words
    content = "\n".join(" ".join(words[sentence.start : sentence.stop]) for sentence in tokens.by_sentence())
    edges = [part for mark in document.marks for part in (*mark.parts, *mark.head)]
    edges += [(segment.start, segment.end) for segment in document.segments]
    if content == document.content and not on_white_space(content, edges):
        return document
    starts = [0, *accumulate(len(word) + 1 for word in words)]

    def placed(parts: Parts) -> Parts:
        return tuple((starts[first], starts[last + 1] - 1) for first, last in tokens.of(parts))

    places: dict[Place, Mark] = {
        mark.place: replace(mark, parts=placed(mark.parts), head=placed(mark.head)) for mark in document.marks
    }
    segments: list[Stretch] = []
    for segment in document.segments:
        for start, end in placed(((segment.start, segment.end),)):
            segments.append(replace(segment, start=start, end=end))
    return moved(replace(document, content=content, segments=segments), places)


def on_white_space(content: str, parts: Iterable[tuple[int, int]]) -> bool:
    """Whether one of them begins or ends on white space."""
    for start, end in parts:  # noqa: SIM110 - `any` takes twice as long, and this is asked of every markable
        if content[start].isspace() or content[end - 1].isspace():
            return True
    return False
