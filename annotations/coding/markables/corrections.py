"""Corrections of a text: which words change, and where markables are afterwards. Pure.

A correction is a list of edits in text order, that neither overlap nor touch. Offsets are those of the text before the
correction and count code points. `static/js/workbench/saving/corrections.js` maps keys by the same rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import attrgetter
from typing import Any

from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.log.payloads import is_span
from annotations.coding.markables.tokenization import is_word_character
from annotations.coding.readings import map_targets
from annotations.core.differences import TooManyDifferences, compare_lists
from annotations.core.text import is_storable
from annotations.formats.model.keys import markable_key, split_key
from annotations.formats.model.spans import Span, merge_spans

MAX_EDITS = 200
MAX_EDITED_CHARACTERS = 20_000
# Deleted and new tokens of one correction: the search for them takes time by the square of their number.
MAX_CHANGED_TOKENS = 1000
END_OF_EDIT, GROWTH_OF_EDIT = attrgetter("end"), attrgetter("growth")
EDIT_FIELDS = {"start", "end", "old", "new", "segments"}


@dataclass(frozen=True, slots=True)
class Edit:
    """Words of a text that are replaced. `end` is exclusive; equal to `start` where words are inserted."""

    # segments: those with an edge at the insertion that take the new words in.

    start: int
    old: str
    new: str
    segments: tuple[Span, ...] = ()
    # Where the old words end, and by how many characters the text grows: both are needed for each markable.
    end: int = field(init=False)
    growth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", self.start + len(self.old))
        object.__setattr__(self, "growth", len(self.new) - len(self.old))

    @property
    def core(self) -> Span:
        """What remains of the old words without what they begin and end with like the new ones."""
        start, end = _differing(self.old, self.new)
        return self.start + start, self.start + end

    def payload(self) -> dict[str, Any]:
        return {
            "start": self.start,
            "end": self.end,
            "old": self.old,
            "new": self.new,
            "segments": [list(span) for span in self.segments],
        }


def correction_payload(edits: Sequence[Edit]) -> dict[str, Any]:
    return {"edits": [edit.payload() for edit in edits]}


def parse_correction(payload: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Return the edits of a payload of the log. Raise OperationRejected if it has another shape."""
    edits = payload.get("edits")
    if payload.keys() != {"edits"} or not isinstance(edits, list) or not 0 < len(edits) <= MAX_EDITS:
        raise OperationRejected("bad_payload", f"a correction has 1 to {MAX_EDITS} edits.")
    parsed = tuple(_parse_edit(edit) for edit in edits)
    if any(one.end > other.start for one, other in pairwise(parsed)):
        raise OperationRejected("bad_payload", "the edits of a correction stand in text order.")
    return parsed


def _parse_edit(value: Any) -> Edit:
    match value:
        case {"start": int(start), "end": int(end), "old": str(old), "new": str(new), "segments": list(segments)} if (
            value.keys() == EDIT_FIELDS
            and 0 <= start == end - len(old)
            and old != new
            and is_storable(old)
            and is_storable(new)
            and all(map(is_span, segments))
        ):
            return Edit(start, old, new, tuple((first, last) for first, last in segments))
    raise OperationRejected("bad_payload", "an edit has start, end, old and new words, and segments.")


def _differing(old: str, new: str) -> Span:
    """Return the span of `old` without the beginning and end that both have."""
    shorter = min(len(old), len(new))
    start = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    most = shorter - start
    after = next((place for place in range(most) if old[-1 - place] != new[-1 - place]), most)
    return start, len(old) - after


def find_edits(before: str, after: str) -> list[Edit]:
    """Return the words by which the versions differ, as few as possible. Raise TooManyDifferences."""
    # Line ends are compared as one character each: forms send others than were sent to them.
    positions = _normalized_positions(before)
    after = after.replace("\r\n", "\n").replace("\r", "\n")
    normalized = before.replace("\r\n", "\n").replace("\r", "\n")
    start, end = _differing(normalized, after)
    if normalized == after:
        return []
    kept = len(normalized) - end
    # the edges of what differs move out of words that they cut
    while start and (is_inside_word(normalized, start) or is_inside_word(after, start)):
        start -= 1
    while kept and (is_inside_word(normalized, len(normalized) - kept) or is_inside_word(after, len(after) - kept)):
        kept -= 1
    end = len(normalized) - kept
    edits, place = [], start
    old_tokens, new_tokens = _tokens(normalized[start:end]), _tokens(after[start : len(after) - kept])
    for run in compare_lists(old_tokens, new_tokens, MAX_CHANGED_TOKENS):
        length = sum(map(len, run.old))
        if not run.equal:
            first, last = positions[place], positions[place + length]
            edits.append(Edit(first, before[first:last], "".join(run.new)))
        place += length
    if len(edits) > MAX_EDITS or sum(len(edit.old) + len(edit.new) for edit in edits) > MAX_EDITED_CHARACTERS:
        raise TooManyDifferences
    return edits


def _normalized_positions(content: str) -> Sequence[int]:
    """Return where each character begins, a line end counting as one, and where the last one ends."""
    if "\r" not in content:
        return range(len(content) + 1)
    return [*(match.start() for match in re.finditer(r"\r\n|.", content, re.DOTALL)), len(content)]


def is_inside_word(content: str, position: int) -> bool:
    """Return whether the characters on both sides of the position are of one word."""
    return (
        0 < position < len(content)
        and is_word_character(content[position - 1])
        and is_word_character(content[position])
    )


def _tokens(content: str) -> list[str]:
    """Return words, and each character between them, of which the content consists."""
    in_words = {character: is_word_character(character) for character in set(content)}
    tokens, start = [], 0
    for position, (before, after) in enumerate(pairwise(content), 1):
        if not (in_words[before] and in_words[after]):
            tokens.append(content[start:position])
            start = position
    return [*tokens, content[start:]] if content else []


def apply_edits(content: str, edits: Sequence[Edit]) -> str:
    pieces, place = [], 0
    for edit in edits:
        pieces += [content[place : edit.start], edit.new]
        place = edit.end
    return "".join([*pieces, content[place:]])


def map_span(span: Span, edits: Sequence[Edit]) -> Span | None:
    """Return where the span is after the edits; None where an edit cuts it, or nothing of it would be left."""
    # What is before an edit stays, what is after it moves, what encloses it grows or shrinks. Words that are inserted
    # at an edge are outside, unless the span is a segment that takes them in. Where an edit replaces more than the span
    # has of it, only those of its characters count that change.
    start, end = span
    n_before = bisect_left(edits, start, key=END_OF_EDIT)
    shift = sum(map(GROWTH_OF_EDIT, edits[:n_before]))
    moved_start, moved_end = start + shift, end + shift
    for edit in edits[n_before:]:
        first, last = edit.start, edit.end
        if first > end:
            break
        if span in edit.segments:
            moved_end += edit.growth
            continue
        if first < end and start < last and not (start <= first and last <= end):
            first, last = edit.core
        if last <= start:
            moved_start += edit.growth
            moved_end += edit.growth
        elif first >= end:
            continue
        elif start <= first and last <= end:
            moved_end += edit.growth
        else:
            return None
    return (moved_start, moved_end) if moved_start < moved_end else None


def map_spans(spans: Iterable[Sequence[int]], edits: Sequence[Edit]) -> list[Span] | None:
    """Return where the spans are after the edits; None where one of them cannot be mapped."""
    mapped = [map_span((start, end), edits) for start, end in spans]
    return [span for span in mapped if span is not None] if None not in mapped else None


def map_parts(parts: Iterable[Sequence[int]], edits: Sequence[Edit]) -> tuple[Span, ...] | None:
    """Return where the parts of a markable are after the edits, as one where they touch; None as by `map_spans`."""
    mapped = map_spans(parts, edits)
    return None if mapped is None else tuple(merge_spans(mapped))


def map_key(key: str, edits: Sequence[Edit]) -> str | None:
    """Return the key of a markable after the edits; None where it cannot be mapped."""
    place = split_key(key)
    parts = map_parts(place.parts, edits) if place else None
    return markable_key(place.level, parts) if place and parts else None


def map_decision(decision: Decision, edits: Sequence[Edit]) -> Decision | None:
    """Return the decision after the edits; None where its markable is not there any more."""
    key = map_key(decision.markable, edits)
    if key is None:
        return None
    moved = replace(decision, markable=key, head=tuple(map_spans(decision.head, edits) or ()))
    return map_links(moved, lambda target: map_key(target, edits))


def map_links(decision: Decision, new_key: Callable[[str], str | None]) -> Decision:
    """Return the decision with other keys for its targets, without those for which there is none."""
    relations = ((relation, map_targets(readings, new_key)) for relation, readings in decision.relations)
    return replace(
        decision,
        pointers=map_targets(decision.pointers, new_key),
        relations=tuple((relation, readings) for relation, readings in relations if readings),
    )
