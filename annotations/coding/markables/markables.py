"""Markables made by coders: the rules for their keys and parts. Builds unsaved rows; makes no queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotations.formats.model.keys import are_in_order, split_key
from annotations.models import Level, Markable

MAX_PARTS = 20

type Parts = Sequence[Sequence[int]]


class InvalidMarkable(ValueError):
    """Parts or a key that cannot be a markable; the message says why."""


def new_markable(key: str, levels: Mapping[str, Level], length: int) -> Markable:
    """Return the unsaved markable of a key that a coder names.

    `levels` are the levels that coders mark, by key; `length` is the length of the text in code points. Raise
    InvalidMarkable if the key names no such level or its parts are not allowed.
    """
    named = split_key(key)
    level = levels.get(named.level) if named else None
    if named is None or level is None:
        raise InvalidMarkable(f"The text has no markable {key!r}, and coders cannot create it.")
    parts = [list(part) for part in named.parts]
    check_parts(parts, length)
    if len(parts) > MAX_PARTS:
        raise InvalidMarkable(f"A markable has at most {MAX_PARTS} parts.")
    return Markable(level=level, key=key, parts=parts, start=parts[0][0], end=parts[-1][1], predefined=False)


def check_parts(parts: Parts, length: int) -> None:
    """Raise InvalidMarkable unless the parts are non-empty, in text order, not adjacent, and within `length`."""
    if not are_in_order(parts):
        raise InvalidMarkable("The parts of a markable are not empty, stand in the order of the text and do not touch.")
    if parts[-1][1] > length:
        raise InvalidMarkable(f"The text has {length} characters; the markable ends at {parts[-1][1]}.")


def lies_within(head: Parts, parts: Parts) -> bool:
    """Return whether every part of the head lies within some part of the markable."""
    return all(any(start <= head_start and head_end <= end for start, end in parts) for head_start, head_end in head)
