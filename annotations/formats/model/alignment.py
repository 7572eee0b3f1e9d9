"""Align copies of a text by their characters without white space, in canonical decomposition (NFD)."""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from annotations.formats.model.document import Document, Parts, Stretch
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.links import find_contradictions, move_marks, remove_marks
from annotations.formats.model.spans import merge_spans

# White space, zero-width spaces and byte order marks.
IGNORED = re.compile("[\\s\u200b\ufeff]+")
WORD = re.compile("[^\\s\u200b\ufeff]+")
MAX_SHOWN_LENGTH = 40
MAX_CLUSTER_LENGTH = 50
# The maximum number of edits between near copies, and the minimum number of characters per edit.
MAX_EDITS, NEAR_SHARE = 500, 10
# Shorter runs between two differences count as differing: they may match by chance.
MIN_BLOCK = 8


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The characters of a text that are compared. starts, ends: the offsets of their sources in the text."""

    characters: str
    starts: Sequence[int]
    ends: Sequence[int]


def skeleton_of(text: str) -> Skeleton:
    """Return the characters of a text that are compared, with their offsets."""
    pieces, starts, ends = [], array("l"), array("l")
    for run in WORD.finditer(text):
        word, start = run[0], run.start()
        if word.isascii():
            pieces.append(word)
            starts.extend(range(start, run.end()))
            ends.extend(range(start + 1, run.end() + 1))
            continue
        # The starts of base characters with their marks; long runs of marks are cut, since ordering them is slow.
        edges = [0]
        for place, character in enumerate(word[1:], start=1):
            if not unicodedata.combining(character) or place - edges[-1] == MAX_CLUSTER_LENGTH:
                edges.append(place)
        for first, after in pairwise([*edges, len(word)]):
            decomposed = unicodedata.normalize("NFD", word[first:after])
            pieces.append(decomposed)
            starts.extend([start + first] * len(decomposed))
            ends.extend([start + after] * len(decomposed))
    return Skeleton("".join(pieces), starts, ends)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of characters that both copies share: its start in each copy, and its length."""

    own: int
    other: int
    size: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """The blocks that two copies share. One copy may end before the other; the first block begins both copies."""

    own: Skeleton
    other: Skeleton
    blocks: Sequence[Block]

    @property
    def missing(self) -> int:
        """The number of characters by which the other copy is longer at its end; negative if this copy is longer."""
        last = self.blocks[-1]
        return len(self.other.characters) - last.other - (len(self.own.characters) - last.own)

    @property
    def differing(self) -> int:
        """The number of characters that differ before the end of the shorter copy."""
        gaps = [
            max(block.own - last.own - last.size, block.other - last.other - last.size)
            for last, block in pairwise(self.blocks)
        ]
        last = self.blocks[-1]
        rest = min(len(self.own.characters) - last.own - last.size, len(self.other.characters) - last.other - last.size)
        return sum(gaps) + rest

    def move(self, parts: Parts) -> Parts | None:
        """Return the parts in the other copy; None if a differing character touches them."""
        spans = []
        for start, end in parts:
            first, after = self._find(start, end)
            if first >= after:
                continue
            block = self.blocks[bisect_right(self.blocks, first, key=lambda block: block.own) - 1]
            block_end, shift = block.own + block.size, block.other - block.own
            edges = [edge for edge in (first, after) if edge in (block.own, block_end)]
            if after > block_end or any(
                _is_in_word(self.own, edge) or _is_in_word(self.other, edge + shift) for edge in edges
            ):
                return None
            spans.append((self.other.starts[first + shift], self.other.ends[after + shift - 1]))
        return tuple(merge_spans(spans))

    def shrink(self, segment: Stretch) -> Stretch | None:
        """Return the segment in the other copy, from its first to its last shared character; None if it has none."""
        first, after = self._find(segment.start, segment.end)
        inside = [
            (start - block.own + block.other, end - block.own + block.other)
            for block in self.blocks
            if (start := max(first, block.own)) < (end := min(after, block.own + block.size))
        ]
        if not inside:
            return None
        return replace(segment, start=self.other.starts[inside[0][0]], end=self.other.ends[inside[-1][1] - 1])

    def _find(self, start: int, end: int) -> tuple[int, int]:
        return bisect_right(self.own.ends, start), bisect_left(self.own.starts, end)

    def __str__(self) -> str:
        shorter = min(len(self.own.characters), len(self.other.characters))
        parts = [f"{self.differing} of {shorter} characters differ{'s' * (self.differing == 1)}"] * (self.differing > 0)
        if self.missing:
            number = f"{abs(self.missing)} character{'s' * (abs(self.missing) != 1)}"
            parts.append(f"it ends {number} {'earlier' if self.missing > 0 else 'later'}")
        return " and ".join(parts)


def _is_in_word(skeleton: Skeleton, number: int) -> bool:
    """Return whether the characters before and at the index belong to one word."""
    if not 0 < number < len(skeleton.characters) or skeleton.ends[number - 1] < skeleton.starts[number]:
        return False
    before, after = skeleton.characters[number - 1], skeleton.characters[number]
    return bool(unicodedata.combining(after)) or (before.isalnum() and after.isalnum())


def match(own: Skeleton, other: Skeleton, limit: int) -> Alignment | None:
    """Return the alignment of the copies up to the end of one; None if it takes more than `limit` edits."""
    a, b = own.characters, other.characters
    way = _find_way(a, b, limit)
    if way is None:
        return None
    rest = len(a) - way.here + len(b) - way.there
    # Neither copy ends early if a path to both ends takes fewer edits than the rest has characters.
    most = min(limit, way.edits + rest - 1)
    if rest and abs(len(a) - len(b)) <= most:
        way = _find_way(a, b, most, to_both_ends=True) or way

    def is_sure(block: Block) -> bool:
        at_end = (block.own + block.size, block.other + block.size) == (len(a), len(b))
        return block.size >= MIN_BLOCK or at_end or block.own == block.other == 0

    return Alignment(own, other, list(filter(is_sure, way.blocks())))


@dataclass(frozen=True, slots=True)
class _Way:
    """A path of insertions and deletions through two texts. reached: the extent of each diagonal before each edit."""

    reached: Sequence[Mapping[int, int]]
    here: int
    there: int

    @property
    def edits(self) -> int:
        return len(self.reached) - 1

    def blocks(self) -> list[Block]:
        blocks, here, there = list[Block](), self.here, self.there
        for edits in range(self.edits, -1, -1):
            before, diagonal = self.reached[edits], here - there
            first, first_there = _step(before, diagonal, edits)
            if here > first or not edits:
                blocks.append(Block(first, first_there, here - first))
            is_insertion = before.get(diagonal + 1) == first
            here, there = (first, first_there - 1) if is_insertion else (first - 1, first_there)
        return blocks[::-1]


def _find_way(a: str, b: str, limit: int, *, to_both_ends: bool = False) -> _Way | None:
    """Return the path to the end of one text, or of both, with the fewest edits (Myers); None above `limit`."""
    reached = {1: 0}  # the virtual diagonal before the first characters
    trace = list[Mapping[int, int]]()
    for edits in range(limit + 1):
        trace.append(reached)
        before, reached = reached, {}
        for diagonal in range(-edits, edits + 1, 2):
            here, there = _step(before, diagonal, edits)
            size = count_common(a, here, b, there)
            reached[diagonal] = here + size
            ends = (here + size == len(a), there + size == len(b))
            if all(ends) if to_both_ends else any(ends):
                return _Way(trace, here + size, there + size)
    return None


def _step(before: Mapping[int, int], diagonal: int, edits: int) -> tuple[int, int]:
    """Return the point that one more edit reaches on a diagonal: an insertion, or a deletion if it reaches further."""
    inserts = diagonal == -edits or (diagonal != edits and before[diagonal - 1] < before[diagonal + 1])
    here = before[diagonal + 1] if inserts else before[diagonal - 1] + 1
    return here, here - diagonal


def count_common(a: str, here: int, b: str, there: int) -> int:
    """Return the number of equal characters from the two positions on."""
    size, step = 0, 1
    most = min(len(a) - here, len(b) - there)
    while step:
        end = size + step
        if end <= most and a[here + size : here + end] == b[there + size : there + end]:
            size, step = end, 2 * step
        else:
            step //= 2
    return size


def align(document: Document, content: str, source: str, *, near: bool = False) -> Document:
    """Return the document moved to another copy of its text, `content` of `source`, with findings on differences.

    One copy may end before the other if no markable is lost. near: a few characters may differ, and markables that
    touch them are left out. Raises FormatError that names the first differing character.
    """
    if document.content == content:
        return document
    own, other = skeleton_of(document.content), skeleton_of(content)
    limit = min(len(own.characters) // NEAR_SHARE, len(other.characters) // NEAR_SHARE, MAX_EDITS)
    alignment = match(own, other, limit if near else 0)
    moved = {mark.place: alignment.move(mark.parts) for mark in document.marks} if alignment else {}
    touched = {place for place, parts in moved.items() if parts is None}
    if alignment is None or (touched and (not near or len(touched) == len(document.marks))):
        message = f"the text differs from {source}: {_describe(document.content, own, content, other)}"
        raise FormatError(f"{message}{_way_out(document, match(own, other, limit), limit)}", document.file)
    empty = {place for place, parts in moved.items() if parts == ()}
    places = {
        mark.place: replace(mark, parts=parts, head=alignment.move(mark.head) or ())
        for mark in document.marks
        if (parts := moved[mark.place])
    }
    segments = [shrunk for segment in document.segments if (shrunk := alignment.shrink(segment))]
    findings = [*document.findings, _difference(document, content, source, alignment)]
    for code, left_out, where in (
        ("left-out", empty, "of white space alone"),
        ("near", touched, f"at characters that differ from {source}"),
    ):
        if left_out:
            message = f"{len(left_out)} markable{'s' * (len(left_out) > 1)} {where}"
            findings.append(Finding(code, message, document.file, fix="left out", left_out=True))
    remaining = remove_marks(document, empty | touched)
    joined = len(remaining.marks) - len({places[mark.place].place for mark in remaining.marks})
    if joined:
        stand = "markable stands" if joined == 1 else "markables stand"
        message = f"{joined} {stand} on the words of another once their text is aligned"
        findings.append(Finding("joined", message, document.file, fix="they are one markable now"))
    findings += find_contradictions(remaining, places)
    return move_marks(replace(remaining, content=content, segments=segments, findings=findings), places)


def _way_out(document: Document, alignment: Alignment | None, limit: int) -> str:
    """Return the end of a refusal: the extent of the difference, and the option that aligns the rest."""
    if alignment is None:
        return f"; the copies are more than {limit} insertions and deletions apart" if limit else ""
    touched = sum(alignment.move(mark.parts) is None for mark in document.marks)
    if touched and touched == len(document.marks):
        return f"; {alignment}, and each markable touches that"
    leaves_out = f" and leaves out {touched} markable{'s' * (touched > 1)}" if touched else ""
    return f"; {alignment}: align=near aligns the rest{leaves_out}"


def _difference(document: Document, content: str, source: str, alignment: Alignment) -> Finding:
    """Return a finding on the differences between the copies, with the first place."""
    own, fix = document.content, "that text stays, and offsets are moved to it"
    if alignment.differing or alignment.missing:
        where = _describe(own, alignment.own, content, alignment.other)
        message = f"the text differs from {source}: {where}; {alignment}"
        # annotations of the missing rest may be lost
        return Finding("aligned-near", message, document.file, fix=fix, left_out=alignment.missing > 0)
    signs = {"\ufeff": "a byte order mark", "\r": "line ends (CR, LF)"}
    kinds = [kind for sign, kind in signs.items() if (sign in own) != (sign in content)]
    own, content = (text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n") for text in (own, content))
    if IGNORED.sub("", own) != IGNORED.sub("", content):
        kinds.append("composed characters (NFC, NFD)")
    if IGNORED.findall(own) != IGNORED.findall(content) or len(own.split()) != len(content.split()):
        kinds.append("white space")
    lines = enumerate(zip(own.split("\n"), content.split("\n"), strict=False), start=1)
    line = next((number for number, (a, b) in lines if a != b), None)
    message = f"the text differs from {source} in {' and '.join(kinds) or 'white space'}"
    return Finding("aligned", message, document.file, line, fix)


def _describe(text: str, own: Skeleton, content: str, other: Skeleton) -> str:
    """Return the first words that differ, with the code points of the differing characters."""
    number = count_common(own.characters, 0, other.characters, 0)
    # A base character with a different mark counts as different.
    while number and any(
        map(unicodedata.combining, own.characters[number : number + 1] + other.characters[number : number + 1])
    ):
        number -= 1
    (here, words_here), (there, words_there) = _place(text, own, number), _place(content, other, number)
    return f"word {here} is {words_here} here, {f'word {there} ' if there != here else ''}{words_there} there"


def _place(text: str, skeleton: Skeleton, number: int) -> tuple[int, str]:
    """Return the number of the word that contains a character, and the word with the character's code points."""
    if number >= len(skeleton.characters):
        return len(WORD.findall(text)) + 1, "the end"
    start, end = skeleton.starts[number], skeleton.ends[number]
    count, word = next((count, word) for count, word in enumerate(WORD.finditer(text), start=1) if word.end() > start)
    shown = word[0] if end - word.start() <= MAX_SHOWN_LENGTH else text[start : start + MAX_SHOWN_LENGTH]
    points = " ".join(f"U+{ord(character):04X}" for character in text[start : min(end, start + MAX_SHOWN_LENGTH)])
    return count, f"{shown[:MAX_SHOWN_LENGTH]!r} ({points})"
