"""Find, cut and join words and sentences of documents, for formats that count words instead of characters."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain, count, pairwise
from operator import add, attrgetter
from typing import NamedTuple

from annotations.formats.model.document import Document, Mark, Parts, Place, Stretch
from annotations.formats.model.links import move_marks
from annotations.formats.model.spans import Span, lie_in, merge_spans

ATTACHED = re.compile(r"\w[,;!?](?=\s|$)")
# The full stop after an abbreviation such as U.S. may belong to its word.
FULL_STOP = re.compile(r"[^\W\d_]{2}\.\s*$", re.MULTILINE)
PUNCTUATION = "!-/:-@\\[-`{-~\u00ab\u00bb\u2010-\u2027\u2030-\u205e\u3001-\u301f\uff01-\uff0f"
ALONE = re.compile(rf"(?<!\S)[{PUNCTUATION}]+(?!\S)")
# In running text of every language these follow their word directly; French has a space before other marks.
COMMA_OR_STOP_ALONE = re.compile(r"(?<!\S)[,.](?!\S)")
JOINER = "\u200d"

RUN = re.compile(r"\S+")
WITHIN = re.compile(r"\S\S")
LINE_END = re.compile("\n")
_PARTS, _HEAD = attrgetter("parts"), attrgetter("head")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, cut at marks, heads, segments and `cuts`. sentences: the first token of each sentence."""

    sentences: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    words: Sequence[str]

    def find_runs(self, parts: Parts) -> list[tuple[int, int]]:
        """Return the first and last token of each part with tokens; runs that touch are merged."""
        runs: list[tuple[int, int]] = []
        for start, end in parts:
            first, last = bisect_left(self.starts, start), bisect_right(self.ends, end) - 1
            if first <= last:
                runs.append((first, last))
        return merge_spans(runs, gap=1) if len(runs) > 1 else runs

    def by_sentence(self) -> list[range]:
        return [range(first, end) for first, end in pairwise([*self.sentences, len(self.words)])]


def tokenize(document: Document) -> Tokens:
    """Return the tokens. Sentences are the segments of sentences, else turns, else the lines, split at breaks."""
    cuts = frozenset(document.cuts).union(chain.from_iterable(all_parts(document.marks)))
    return _tokenize(document.content, tuple(document.segments), cuts, document.breaks)


@lru_cache(maxsize=8)  # an export writes the codings of a text one after the other
def _tokenize(content: str, segments: tuple[Stretch, ...], cuts: frozenset[int], breaks: tuple[int, ...]) -> Tokens:
    words = content.split()
    lengths = list(map(len, words))
    if sum(lengths) + len(words) - 1 == len(content):
        # If all words are one character apart, as in tokenised text, their lengths give their offsets.
        starts = list(map(add, accumulate(lengths[:-1], initial=0), count()))
    else:
        starts = [run.start() for run in RUN.finditer(content)]
    ends = list(map(add, starts, lengths))
    edges = {edge for segment in segments for edge in (segment.start, segment.end)}
    inside = [edge for edge in edges.union(cuts).difference(starts, ends) if WITHIN.match(content, edge - 1)]
    if inside:
        starts, ends = sorted([*starts, *inside]), sorted([*ends, *inside])
        words = [content[start:end] for start, end in zip(starts, ends, strict=True)]
    kinds = {segment.kind for segment in segments}
    if kind := next((kind for kind in ("sentence", "turn") if kind in kinds), ""):
        parted = [edge for segment in segments if segment.kind == kind for edge in (segment.start, segment.end)]
    else:
        parted = [*(line.end() for line in LINE_END.finditer(content)), *breaks]
    firsts = {0, *(bisect_left(starts, edge) for edge in parted)}
    return Tokens(sorted(first for first in firsts if first < len(words)), starts, ends, words)


def add_sentences(document: Document) -> Document:
    """Return the document cut into sentences completely; a sentence has the speaker of its first word."""
    tokens, segments = tokenize(document), document.segments
    sentences_before = [segment for segment in segments if segment.kind == "sentence"]
    voices = sentences_before or [segment for segment in segments if segment.kind == "turn"]
    sentences, number = [], 0
    for words in tokens.by_sentence():
        start, end = tokens.starts[words[0]], tokens.ends[words[-1]]
        while number + 1 < len(voices) and voices[number + 1].start <= start:
            number += 1
        has_speaker = bool(voices) and voices[number].start <= start < voices[number].end
        sentences.append(Stretch("sentence", start, end, speaker=voices[number].speaker if has_speaker else ""))
    others = [segment for segment in segments if segment.kind != "sentence"]
    cut = sorted([*others, *sentences], key=lambda segment: (segment.start, -segment.end, segment.kind))
    return document if cut == list(segments) else replace(document, segments=cut)


def normalize_spacing(document: Document) -> Document:
    """Return the document as token formats restore it: one blank between tokens, one line per sentence."""
    tokens = tokenize(document)
    words = tokens.words
    content = "\n".join(" ".join(words[sentence.start : sentence.stop]) for sentence in tokens.by_sentence())
    if content == document.content and not has_white_space_edge(
        content, (*all_parts(document.marks), *((segment.start, segment.end) for segment in document.segments))
    ):
        return document
    starts = [0, *accumulate(len(word) + 1 for word in words)]

    def placed(parts: Parts) -> Parts:
        return tuple((starts[first], starts[last + 1] - 1) for first, last in tokens.find_runs(parts))

    places: dict[Place, Mark] = {
        mark.place: Mark(placed(mark.parts), mark.level, mark.label, placed(mark.head), mark.answer, mark.line)
        for mark in document.marks
    }
    segments = [
        replace(segment, start=start, end=end)
        for segment in document.segments
        for start, end in placed(((segment.start, segment.end),))
    ]
    # Blanks and line ends now separate all words and sentences: cuts and breaks are not needed.
    return move_marks(replace(document, content=content, segments=segments, cuts=(), breaks=()), places)


def join_words(sentences: Iterable[Sequence[str]]) -> tuple[str, list[tuple[int, int]]]:
    """Return the words joined by blanks, one line per sentence with words, and the span of each word."""
    sentences = list(filter(None, sentences))
    starts = accumulate((len(word) + 1 for word in chain.from_iterable(sentences)), initial=0)
    return "\n".join(map(" ".join, sentences)), [(start, after - 1) for start, after in pairwise(starts)]


def all_parts(marks: Sequence[Mark]) -> tuple[tuple[int, int], ...]:
    parts = tuple(chain.from_iterable(map(_PARTS, marks)))
    return (*parts, *chain.from_iterable(map(_HEAD, marks))) if any(map(_HEAD, marks)) else parts


def has_white_space_edge(content: str, parts: Iterable[tuple[int, int]]) -> bool:
    for start, end in parts:  # noqa: SIM110 - `any` takes twice as long, and this runs for every markable
        if content[start].isspace() or content[end - 1].isspace():
            return True
    return False


class Cuts(NamedTuple):
    """The offsets at which the words of a text are cut and at which its sentences begin, in order."""

    cuts: tuple[int, ...]
    breaks: tuple[int, ...]


def find_cuts(content: str, marked: Iterable[Span], *, has_sentences: bool) -> Cuts:
    """Return the cuts of a text.

    marked: the parts of all coders' markables and least words. Words are cut at the edges of these parts, and no
    sentence begins within one. A text that is in words already keeps them. has_sentences: it also has sentences.
    """
    marked = list(marked)
    cuts = {edge for span in marked for edge in span}
    if is_in_words(content, has_sentences=has_sentences):
        return Cuts(tuple(sorted(cuts)), ())
    breaks = set[int]()
    for sentence in _sentences(content):
        breaks.add(sentence[0][0])
        cuts.update(edge for span in sentence for edge in span if not _is_within_character(content, edge))
    merged = merge_spans(marked, gap=-1)
    outside = (place for place in breaks if not lie_in([(place - 1, place + 1)], merged))
    return Cuts(tuple(sorted(cuts)), () if has_sentences else tuple(sorted(outside)))


def is_in_words(content: str, *, has_sentences: bool) -> bool:
    """Return whether white space already separates words from punctuation, with few exceptions such as `Yahoo!`."""
    if not has_sentences and ALONE.search(content) is None:
        return False
    return len(ATTACHED.findall(content)) + len(FULL_STOP.findall(content)) <= len(COMMA_OR_STOP_ALONE.findall(content))


def _sentences(content: str) -> Iterator[list[Span]]:
    """Yield the spans of the words of each sentence; no sentence crosses a line end."""
    from syntok.segmenter import analyze  # imported only if words must be found

    start = 0
    for line in content.split("\n"):
        for paragraph in analyze(line):
            for sentence in paragraph:
                words = [(start + token.offset, start + token.offset + len(token.value)) for token in sentence]
                if words:
                    yield words
        start += len(line) + 1


def _is_within_character(content: str, place: int) -> bool:
    """Return whether a combining mark follows, or a joiner makes one character of two, as in emoji."""
    around = content[max(0, place - 1) : place + 1]
    return JOINER in around or unicodedata.category(content[place : place + 1] or " ").startswith("M")
