"""Two copies of one text that differ in white space, line ends, byte order marks or composed characters.

Coders' programs save one text in several ways, and tokenizers part its words differently. What all copies share is the
sequence of characters without white space, taken apart canonically (NFD): by that they are aligned.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from annotations.formats.model.document import Document, Finding, FormatError, Mark, Parts, Place
from annotations.formats.model.links import find_contradictions, move_marks, remove_marks
from annotations.formats.model.spans import merge_spans

# White space and what takes no room: zero width spaces and byte order marks.
IGNORED = re.compile("[\\s\u200b\ufeff]+")
WORD = re.compile("[^\\s\u200b\ufeff]+")
LONGEST_SHOWN = 40
LONGEST_CLUSTER = 50


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The characters of a text that count. starts, ends: where what each is of begins and ends in the text."""

    characters: str
    starts: Sequence[int]
    ends: Sequence[int]


def skeleton_of(text: str) -> Skeleton:
    """Return the characters of a text that count, each with its place."""
    pieces, starts, ends = [], array("l"), array("l")
    for run in WORD.finditer(text):
        word, start = run[0], run.start()
        if word.isascii():
            pieces.append(word)
            starts.extend(range(start, run.end()))
            ends.extend(range(start + 1, run.end() + 1))
            continue
        for first, after in pairwise(_cluster_edges(word)):
            decomposed = unicodedata.normalize("NFD", word[first:after])
            pieces.append(decomposed)
            starts.extend([start + first] * len(decomposed))
            ends.extend([start + after] * len(decomposed))
    return Skeleton("".join(pieces), starts, ends)


def _cluster_edges(word: str) -> list[int]:
    """Return where a base character with its marks begins. Long rows of marks are cut, as it takes long to order them.

    (The square of their number.)
    """
    edges = [0]
    for place, character in enumerate(word[1:], start=1):
        if not unicodedata.combining(character) or place - edges[-1] == LONGEST_CLUSTER:
            edges.append(place)
    return [*edges, len(word)]


def align(document: Document, content: str, source: str) -> Document:
    """Return the document over another copy of its text, `content` of `source`, with a finding where they differ.

    Raises FormatError naming the first character that another one stands for.
    """
    if document.content == content:
        return document
    own, other = skeleton_of(document.content), skeleton_of(content)
    if own.characters != other.characters:
        raise FormatError(
            f"the text differs from {source}: {_describe(document.content, own, content, other)}", document.file
        )

    def moved(parts: Parts) -> Parts:
        spans = []
        for start, end in parts:
            first, after = bisect_right(own.ends, start), bisect_left(own.starts, end)
            if first < after:
                spans.append((other.starts[first], other.ends[after - 1]))
        return tuple(merge_spans(spans))

    places: dict[Place, Mark] = {}
    empty = set[Place]()
    for mark in document.marks:
        parts = moved(mark.parts)
        if parts:
            places[mark.place] = replace(mark, parts=parts, head=moved(mark.head))
        else:
            empty.add(mark.place)
    segments = [
        replace(segment, start=span[0], end=span[1])
        for segment in document.segments
        for span in moved(((segment.start, segment.end),))
    ]
    findings = [*document.findings, _difference(document, content, source)]
    if empty:
        message = f"{len(empty)} markable{'s' * (len(empty) > 1)} of white space alone"
        findings.append(Finding("left-out", message, document.file, fix="left out", left_out=True))
    remaining = remove_marks(document, empty)
    findings += [*_joined(remaining.marks, places, document.file), *find_contradictions(remaining, places)]
    aligned = replace(remaining, content=content, segments=segments, findings=findings)
    return move_marks(aligned, places)


def _joined(marks: Sequence[Mark], places: Mapping[Place, Mark], file: str) -> list[Finding]:
    count = len(marks) - len({places[mark.place].place for mark in marks})
    stand = "markable stands" if count == 1 else "markables stand"
    message = f"{count} {stand} on the words of another once their text is aligned"
    return [Finding("joined", message, file, fix="they are one markable now")] if count else []


def _difference(document: Document, content: str, source: str) -> Finding:
    """Return in what the copies differ, and where first."""
    own = document.content
    kinds = []
    if ("\ufeff" in own) != ("\ufeff" in content):
        kinds.append("a byte order mark")
    if ("\r" in own) != ("\r" in content):
        kinds.append("line ends (CR, LF)")
    own, content = (text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n") for text in (own, content))
    if IGNORED.sub("", own) != IGNORED.sub("", content):
        kinds.append("composed characters (NFC, NFD)")
    if IGNORED.findall(own) != IGNORED.findall(content) or len(own.split()) != len(content.split()):
        kinds.append("white space")
    lines = enumerate(zip(own.split("\n"), content.split("\n"), strict=False), start=1)
    line = next((number for number, (one, two) in lines if one != two), None)
    message = f"the text differs from {source} in {' and '.join(kinds) or 'white space'}"
    return Finding("aligned", message, document.file, line, "that text stays, and offsets are moved to it")


def _describe(text: str, own: Skeleton, content: str, other: Skeleton) -> str:
    """Return the first words in which another character stands, with its code points."""
    pairs = zip(own.characters, other.characters, strict=False)
    shorter = min(len(own.characters), len(other.characters))
    number = next((number for number, (one, two) in enumerate(pairs) if one != two), shorter)
    # A base character with another mark is another character.
    while number and any(
        map(unicodedata.combining, own.characters[number : number + 1] + other.characters[number : number + 1])
    ):
        number -= 1
    (here, words_here), (there, words_there) = _place(text, own, number), _place(content, other, number)
    return f"word {here} is {words_here} here, {f'word {there} ' if there != here else ''}{words_there} there"


def _place(text: str, skeleton: Skeleton, number: int) -> tuple[int, str]:
    """Return the number of the word in which a character stands, and the word with that character's code points."""
    if number >= len(skeleton.characters):
        return len(WORD.findall(text)) + 1, "the end"
    start, end = skeleton.starts[number], skeleton.ends[number]
    count, word = next((count, word) for count, word in enumerate(WORD.finditer(text), start=1) if word.end() > start)
    shown = word[0] if end - word.start() <= LONGEST_SHOWN else text[start : start + LONGEST_SHOWN]
    points = " ".join(f"U+{ord(character):04X}" for character in text[start : min(end, start + LONGEST_SHOWN)])
    return count, f"{shown[:LONGEST_SHOWN]!r} ({points})"
