"""Corrections of a text: the changed words and the new offsets of markables. Pure.

A correction is a list of edits in text order that neither overlap nor touch. Offsets refer to the text before the
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
# The deleted and new tokens of one correction: comparing them takes quadratic time.
MAX_CHANGED_TOKENS = 1000
END_OF_EDIT, GROWTH_OF_EDIT = attrgetter("end"), attrgetter("growth")
EDIT_FIELDS = {"start", "end", "old", "new", "segments"}


@dataclass(frozen=True, slots=True)
class Edit:
    """The replacement of words of a text. `end` is exclusive; it equals `start` for an insertion."""

    # segments: the segments with an edge at the insertion that include the new words.

    start: int
    old: str
    new: str
    segments: tuple[Span, ...] = ()
    # The end of the old words and the growth of the text in characters, stored as every markable needs both.
    end: int = field(init=False)
    growth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", self.start + len(self.old))
        object.__setattr__(self, "growth", len(self.new) - len(self.old))

    @property
    def core(self) -> Span:
        """The span of the old words without the beginning and end that the new words share."""
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
    """Return the edits in a payload of the log. Raise OperationRejected if the payload has another shape."""
    edits = payload.get("edits")
    if payload.keys() != {"edits"} or not isinstance(edits, list) or not 0 < len(edits) <= MAX_EDITS:
        raise OperationRejected("bad_payload", f"a correction has 1 to {MAX_EDITS} edits.")
    parsed = tuple(_parse_edit(edit) for edit in edits)
    if any(edit.end > following.start for edit, following in pairwise(parsed)):
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
    """Return the span of `old` without the common beginning and end."""
    shorter = min(len(old), len(new))
    start = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    n_left = shorter - start
    n_equal = next((index for index in range(n_left) if old[-1 - index] != new[-1 - index]), n_left)
    return start, len(old) - n_equal


def find_edits(before: str, after: str) -> list[Edit]:
    """Return the smallest edits that turn `before` into `after`. Raise TooManyDifferences."""
    # A line end counts as one character: browsers send CRLF for LF.
    positions = _normalized_positions(before)
    after = after.replace("\r\n", "\n").replace("\r", "\n")
    normalized = before.replace("\r\n", "\n").replace("\r", "\n")
    start, end = _differing(normalized, after)
    if normalized == after:
        return []
    kept = len(normalized) - end
    # Move the edges outwards where they cut words.
    while start and (is_inside_word(normalized, start) or is_inside_word(after, start)):
        start -= 1
    while kept and (is_inside_word(normalized, len(normalized) - kept) or is_inside_word(after, len(after) - kept)):
        kept -= 1
    end = len(normalized) - kept
    edits, position = [], start
    old_tokens, new_tokens = _tokens(normalized[start:end]), _tokens(after[start : len(after) - kept])
    for run in compare_lists(old_tokens, new_tokens, MAX_CHANGED_TOKENS):
        length = sum(map(len, run.old))
        if not run.equal:
            first, last = positions[position], positions[position + length]
            edits.append(Edit(first, before[first:last], "".join(run.new)))
        position += length
    if len(edits) > MAX_EDITS or sum(len(edit.old) + len(edit.new) for edit in edits) > MAX_EDITED_CHARACTERS:
        raise TooManyDifferences
    return edits


def _normalized_positions(content: str) -> Sequence[int]:
    """Return the offset of each character and of the end; a line end counts as one character."""
    if "\r" not in content:
        return range(len(content) + 1)
    return [*(match.start() for match in re.finditer(r"\r\n|.", content, re.DOTALL)), len(content)]


def is_inside_word(content: str, position: int) -> bool:
    """Return whether the position is between two characters of one word."""
    return (
        0 < position < len(content)
        and is_word_character(content[position - 1])
        and is_word_character(content[position])
    )


def _tokens(content: str) -> list[str]:
    """Return the words of the content and each character between them."""
    in_words = {character: is_word_character(character) for character in set(content)}
    tokens, start = [], 0
    for position, (before, after) in enumerate(pairwise(content), 1):
        if not (in_words[before] and in_words[after]):
            tokens.append(content[start:position])
            start = position
    return [*tokens, content[start:]] if content else []


def apply_edits(content: str, edits: Sequence[Edit]) -> str:
    pieces, position = [], 0
    for edit in edits:
        pieces += [content[position : edit.start], edit.new]
        position = edit.end
    return "".join([*pieces, content[position:]])


def map_span(span: Span, edits: Sequence[Edit]) -> Span | None:
    """Return the span after the edits; None if an edit cuts or empties it."""
    # Text before an edit stays, text after it moves, a span around it grows or shrinks. Words inserted at an edge are
    # outside, unless the span is a segment that includes them. Of an edit beyond the span, only the characters that
    # change count.
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
    """Return the spans after the edits; None if one of them cannot be mapped."""
    mapped = [map_span((start, end), edits) for start, end in spans]
    return [span for span in mapped if span is not None] if None not in mapped else None


def map_parts(parts: Iterable[Sequence[int]], edits: Sequence[Edit]) -> tuple[Span, ...] | None:
    """Return the parts of a markable after the edits, merged where they touch; None if one cannot be mapped."""
    mapped = map_spans(parts, edits)
    return None if mapped is None else tuple(merge_spans(mapped))


def map_key(key: str, edits: Sequence[Edit]) -> str | None:
    """Return the key of a markable after the edits; None if it cannot be mapped."""
    old = split_key(key)
    parts = map_parts(old.parts, edits) if old else None
    return markable_key(old.level, parts) if old and parts else None


def map_decision(decision: Decision, edits: Sequence[Edit]) -> Decision | None:
    """Return the decision after the edits; None if its markable is gone."""
    key = map_key(decision.markable, edits)
    if key is None:
        return None
    moved = replace(decision, markable=key, head=tuple(map_spans(decision.head, edits) or ()))
    return map_links(moved, lambda target: map_key(target, edits))


def map_links(decision: Decision, new_key: Callable[[str], str | None]) -> Decision:
    """Return the decision with the new keys of its targets, without targets that have none."""
    relations = ((relation, map_targets(readings, new_key)) for relation, readings in decision.relations)
    return replace(
        decision,
        pointers=map_targets(decision.pointers, new_key),
        relations=tuple((relation, readings) for relation, readings in relations if readings),
    )
