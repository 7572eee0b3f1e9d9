"""Where the edits of a correction are: what is deleted or inserted beside equal words has several places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from annotations.coding.markables.corrections import Edit, is_inside_word, map_span
from annotations.formats.model.spans import Span
from annotations.models import Segment

# How far deleted words are shifted along equal ones ("the the"), so that they cut through nothing.
FARTHEST_SHIFT = 50


def place_edits(content: str, edits: Sequence[Edit], spans: Sequence[Span]) -> Iterator[Edit]:
    """Yield the edits, those that only delete or only insert where they cut through least.

    Where such words stand beside equal ones ("the the"), it is open which of them are the new or deleted ones.
    """
    for number, edit in enumerate(edits):
        if edit.new and edit.old:
            yield edit
            continue
        before = edits[number - 1].end + 1 if number else 0
        after = edits[number + 1].start - 1 if number + 1 < len(edits) else len(content)
        candidates = [each for each in _shifted(content, edit) if before <= each.start and each.end <= after]
        if not candidates:
            yield edit
            continue
        near = [
            (start, end)
            for start, end in spans
            if start < edit.end + FARTHEST_SHIFT and edit.start - FARTHEST_SHIFT < end
        ]
        yield min([edit, *candidates], key=lambda each: (*_damage(content, each, near), each != edit))


def _damage(content: str, edit: Edit, spans: Iterable[Span]) -> tuple[int, int, int]:
    """Return how many spans the edit deletes or cuts, how many words it cuts, and how many spans it changes."""
    spans = list(spans)
    lost = sum(map_span(span, [edit]) is None for span in spans)
    in_words = is_inside_word(content, edit.start) + is_inside_word(content, edit.end)
    return lost, in_words, sum(start < edit.end and edit.start < end for start, end in spans)


def _shifted(content: str, edit: Edit) -> Iterator[Edit]:
    """Yield the edits that make the same text, nearest first to each side."""
    start, words = edit.start, edit.old or edit.new
    while start and edit.start - start < FARTHEST_SHIFT and content[start - 1] == words[-1]:
        start, words = start - 1, words[-1] + words[:-1]
        yield _moved(edit, start, words)
    start, words, end = edit.start, edit.old or edit.new, edit.end
    while end < len(content) and start - edit.start < FARTHEST_SHIFT and content[end] == words[0]:
        start, words, end = start + 1, words[1:] + words[0], end + 1
        yield _moved(edit, start, words)


def _moved(edit: Edit, start: int, words: str) -> Edit:
    return Edit(start, words, "") if edit.old else Edit(start, "", words)


def add_segments(edits: Iterable[Edit], segments: Iterable[Segment]) -> Iterator[Edit]:
    """Yield the edits, insertions with the segments that take them in: of two of a kind that touch, the first."""
    starting: dict[int, list[Segment]] = defaultdict(list)
    ending: dict[int, list[Segment]] = defaultdict(list)
    for segment in segments:
        starting[segment.start].append(segment)
        ending[segment.end].append(segment)
    for edit in edits:
        if edit.old:
            yield edit
            continue
        before, after = ending[edit.start], starting[edit.start]
        kinds = {segment.kind for segment in before}
        following = {(one.start, one.end) for one in after if one.kind in kinds}
        spans = {(one.start, one.end) for one in (*before, *after)} - following
        yield replace(edit, segments=tuple(sorted(spans)))
