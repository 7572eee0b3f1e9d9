"""Words of a document, for formats that count words instead of characters."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from operator import add, attrgetter

from annotations.formats.model.document import Document, Mark, Parts, Place, Stretch
from annotations.formats.model.links import move_marks
from annotations.formats.model.spans import merge_spans
from annotations.formats.syntax.caching import cache_recent

_RUN = re.compile(r"\S+")
_LINE_END = re.compile("\n")
_PARTS, _HEAD = attrgetter("parts"), attrgetter("head")


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a document: `[start, end)` each, and for each sentence the number of its first token.

    A token is a run of characters other than white space, cut where a markable, head or segment begins or ends, and
    where the document says. Two of these are equal only if they are one object.
    """

    spans: tuple[tuple[int, int], ...]
    sentences: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: tuple[str, ...]

    def find_runs(self, parts: Parts) -> list[tuple[int, int]]:
        """Return the first and last token of each part.

        Parts that hold no token are left out, those that then touch are one.
        """
        runs: list[tuple[int, int]] = []
        for start, end in parts:
            first, last = bisect_left(self.starts, start), bisect_right(self.ends, end) - 1
            if first <= last:
                runs.append((first, last))
        return merge_spans(runs, gap=1) if len(runs) > 1 else runs

    def by_sentence(self) -> list[range]:
        """Return the tokens of each sentence."""
        return [range(first, end) for first, end in pairwise([*self.sentences, len(self.spans)])]


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """The runs of a text between white space."""

    spans: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: tuple[str, ...]
    edges: frozenset[int]


def tokenize(document: Document) -> Tokens:
    """Return the document's tokens.

    Sentences are its sentence segments, where it has none its turns, else its lines, parted at its breaks.
    """
    parts, segments = all_parts(document.marks), tuple(document.segments)
    return _tokenize(document.content, parts, segments, document.cuts, document.breaks)


@cache_recent
def _tokenize(
    content: str,
    parts: tuple[tuple[int, int], ...],
    segments: tuple[Stretch, ...],
    cuts: tuple[int, ...],
    breaks: tuple[int, ...],
) -> Tokens:
    edges, of_sentences = _segment_edges(segments)
    inside = edges.union(chain.from_iterable(parts), cuts) - _find_runs(content).edges
    return _cut_runs(content, tuple(sorted(inside)), of_sentences, breaks if of_sentences is None else ())


@cache_recent
def _segment_edges(segments: tuple[Stretch, ...]) -> tuple[frozenset[int], tuple[int, ...] | None]:
    """Return where segments begin or end, and where those do that are sentences; None: none are."""
    edges = frozenset([edge for segment in segments for edge in (segment.start, segment.end)])
    for kind in ("sentence", "turn"):
        sentence_edges = [edge for each in segments if each.kind == kind for edge in (each.start, each.end)]
        if sentence_edges:
            return edges, tuple(sentence_edges)
    return edges, None


@cache_recent
def _find_runs(content: str) -> _Runs:
    words = tuple(content.split())
    lengths = list(map(len, words))
    if sum(lengths) + len(words) - 1 == len(content):
        # One character between all words, as in a text of tokens: their lengths say where they stand.
        starts = tuple([start + number for number, start in enumerate(accumulate(lengths[:-1], initial=0))])
    else:
        starts = tuple([run.start() for run in _RUN.finditer(content)])
    ends = tuple(map(add, starts, lengths))
    return _Runs(tuple(zip(starts, ends, strict=True)), starts, ends, words, frozenset(starts) | frozenset(ends))


@cache_recent
def _cut_runs(content: str, inside: tuple[int, ...], edges: tuple[int, ...] | None, breaks: tuple[int, ...]) -> Tokens:
    """Return the tokens of a text.

    inside: where the runs of the text are cut. edges: where sentences begin or end; None: at line ends, and at breaks.
    """
    runs = _find_runs(content)
    spans, starts, ends, words = runs.spans, runs.starts, runs.ends, runs.words
    if inside and spans:
        spans = tuple(piece for start, end in spans for piece in _cut_run(start, end, inside))
        starts, ends = tuple(start for start, _ in spans), tuple(end for _, end in spans)
        words = tuple(content[start:end] for start, end in spans)
    if edges is None:
        edges = tuple(line.end() for line in _LINE_END.finditer(content))
    firsts = {0, *(bisect_left(starts, edge) for edge in (*edges, *breaks))}
    return Tokens(spans, tuple(sorted(first for first in firsts if first < len(spans))), starts, ends, words)


def _cut_run(start: int, end: int, inside: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    first, last = bisect_right(inside, start), bisect_left(inside, end)
    return pairwise((start, *inside[first:last], end))


def add_sentences(document: Document) -> Document:
    """Return the document cut into sentences wholly, each said by whom its first word is said by."""
    segments = tuple(document.segments)
    cut = _sentence_segments(tokenize(document), segments)
    return document if cut is None else replace(document, segments=cut)


@cache_recent
def _sentence_segments(tokens: Tokens, segments: tuple[Stretch, ...]) -> tuple[Stretch, ...] | None:
    """Return the segments of a text with such sentences; None where they are those that it has."""
    sentences_before = [segment for segment in segments if segment.kind == "sentence"]
    voices = sentences_before or [segment for segment in segments if segment.kind == "turn"]
    sentences, number = [], 0
    for words in tokens.by_sentence():
        start, end = tokens.spans[words[0]][0], tokens.spans[words[-1]][1]
        while number + 1 < len(voices) and voices[number + 1].start <= start:
            number += 1
        has_speaker = bool(voices) and voices[number].start <= start < voices[number].end
        sentences.append(Stretch("sentence", start, end, speaker=voices[number].speaker if has_speaker else ""))
    others = [segment for segment in segments if segment.kind != "sentence"]
    cut = tuple(sorted([*others, *sentences], key=lambda segment: (segment.start, -segment.end, segment.kind)))
    return None if cut == segments else cut


def normalize_spacing(document: Document) -> Document:
    """Return the document as token formats give it back: one blank between tokens, one line a sentence."""
    tokens = tokenize(document)
    words = tokens.words
    content = _join_words(tokens)
    if content == document.content and not have_white_space_edges(
        content, (*all_parts(document.marks), *((segment.start, segment.end) for segment in document.segments))
    ):
        return document
    starts = [0, *accumulate(len(word) + 1 for word in words)]

    def placed(parts: Parts) -> Parts:
        return tuple((starts[first], starts[last + 1] - 1) for first, last in tokens.find_runs(parts))

    places: dict[Place, Mark] = {
        mark.place: replace(mark, parts=placed(mark.parts), head=placed(mark.head)) for mark in document.marks
    }
    segments: list[Stretch] = []
    for segment in document.segments:
        for start, end in placed(((segment.start, segment.end),)):
            segments.append(replace(segment, start=start, end=end))
    # Between all words there is a blank now, and a line end between sentences.
    return move_marks(replace(document, content=content, segments=segments, cuts=(), breaks=()), places)


@cache_recent
def _join_words(tokens: Tokens) -> str:
    """Return one blank between tokens, one line a sentence."""
    words = tokens.words
    return "\n".join(" ".join(words[sentence.start : sentence.stop]) for sentence in tokens.by_sentence())


def all_parts(marks: Sequence[Mark]) -> tuple[tuple[int, int], ...]:
    """Return the parts of all marks and of their heads."""
    parts = tuple(chain.from_iterable(map(_PARTS, marks)))
    return (*parts, *chain.from_iterable(map(_HEAD, marks))) if any(map(_HEAD, marks)) else parts


def has_white_space_edge(content: str, parts: Iterable[tuple[int, int]]) -> bool:
    """Return whether one of them begins or ends on white space."""
    for start, end in parts:  # noqa: SIM110 - `any` takes twice as long, and this is asked of every markable
        if content[start].isspace() or content[end - 1].isspace():
            return True
    return False


# The same for all marks or segments of a document at once.
have_white_space_edges = cache_recent(has_white_space_edge)
