"""Words of a document, for formats that count words instead of characters."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise

from annotations.formats.document import Document, Mark, Parts, Place, Stretch
from annotations.formats.links import moved

_RUN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a document: `[start, end)` each, and for each sentence the number of its first token.

    A token is a run of characters other than white space, cut where a markable, head or segment begins or ends.
    """

    spans: tuple[tuple[int, int], ...]
    sentences: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

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
    content = document.content
    cuts = {edge for mark in document.marks for part in (*mark.parts, *mark.head) for edge in part}
    cuts |= {edge for segment in document.segments for edge in (segment.start, segment.end)}
    inside = sorted(cuts)
    spans: list[tuple[int, int]] = []
    for run in _RUN.finditer(content):
        start, end = run.span()
        first, last = bisect_right(inside, start), bisect_left(inside, end)
        spans += pairwise((start, *inside[first:last], end))
    starts = tuple(start for start, _ in spans)
    firsts = {0} | {bisect_left(starts, begin) for begin in _sentence_starts(document)}
    sentences = tuple(sorted(first for first in firsts if first < len(spans)))
    return Tokens(tuple(spans), sentences, starts, tuple(end for _, end in spans))


def _sentence_starts(document: Document) -> list[int]:
    for kind in ("sentence", "turn"):
        found = [edge for each in document.segments if each.kind == kind for edge in (each.start, each.end)]
        if found:
            return found
    return [position + 1 for position, character in enumerate(document.content) if character == "\n"]


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
    return replace(document, segments=segments)


def respaced(document: Document) -> Document:
    """The document as token formats give it back: one blank between tokens, one line a sentence."""
    tokens = tokens_of(document)
    ends = {first - 1 for first in tokens.sentences[1:]} | {len(tokens.spans) - 1}
    spans, pieces, position = [], [], 0
    for number, (start, end) in enumerate(tokens.spans):
        spans.append((position, position + end - start))
        pieces.append(document.content[start:end] + ("\n" if number in ends else " "))
        position += end - start + 1

    content = "".join(pieces).rstrip("\n")
    edges = [part for mark in document.marks for part in (*mark.parts, *mark.head)]
    edges += [(segment.start, segment.end) for segment in document.segments]
    if content == document.content and not any(_on_white_space(content, edge) for edge in edges):
        return document

    def placed(parts: Parts) -> Parts:
        return tuple((spans[first][0], spans[last][1]) for first, last in tokens.of(parts))

    places: dict[Place, Mark] = {
        mark.place: replace(mark, parts=placed(mark.parts), head=placed(mark.head)) for mark in document.marks
    }
    segments: list[Stretch] = []
    for segment in document.segments:
        for start, end in placed(((segment.start, segment.end),)):
            segments.append(replace(segment, start=start, end=end))
    return moved(replace(document, content=content, segments=segments), places)


def _on_white_space(content: str, part: tuple[int, int]) -> bool:
    """Whether it begins or ends on white space."""
    start, end = part
    return content[start].isspace() or content[end - 1].isspace()
