"""The keys of markables, in tables and in the database: level and parts, `phrase:12-18,20-25`."""

import re
from collections.abc import Sequence
from itertools import pairwise

from annotations.formats.model.document import Parts, Place

PARTS = re.compile(r"\d{1,9}-\d{1,9}(?:,\d{1,9}-\d{1,9})*", re.ASCII)
KEY = re.compile(rf"([-\w]{{1,100}}):({PARTS.pattern})", re.ASCII)


def format_parts(parts: Sequence[Sequence[int]]) -> str:
    """Return parts as written in a key: `12-18,20-25`."""
    return ",".join(f"{start}-{end}" for start, end in parts)


def parse_parts(text: str) -> Parts | None:
    """Return the parts written in the text, or None if no markable can have them."""
    parts = _split_parts(text) if PARTS.fullmatch(text) else None
    return parts if parts and are_in_order(parts) else None


def _split_parts(text: str) -> Parts | None:
    """Return the parts of a text that matches PARTS, or None if `format_parts` would write them differently."""
    parts = tuple((int(start), int(end)) for start, end in (span.split("-") for span in text.split(",")))
    return parts if format_parts(parts) == text else None


def are_in_order(parts: Sequence[Sequence[int]]) -> bool:
    """Return whether the parts are not empty, are in text order and do not touch."""
    return all(start < end for start, end in parts) and all(part[1] < after[0] for part, after in pairwise(parts))


def markable_key(level: str, parts: Sequence[Sequence[int]]) -> str:
    return f"{level}:{format_parts(parts)}"


def split_key(key: str) -> Place | None:
    """Return the level and parts of a key, parts in any order, or None if `markable_key` would write it differently."""
    match = KEY.fullmatch(key)
    parts = _split_parts(match[2]) if match else None
    return Place(match[1], parts) if match and parts else None


def key_order(key: str) -> tuple[int, int, str]:
    """Return the sort key of a markable's key: text order, with invalid keys first."""
    place = split_key(key)
    start, end = (place.parts[0][0], place.parts[-1][1]) if place else (0, 0)
    return start, -end, key


def parse_key(key: str) -> Place | None:
    """Return the level and parts of a key, or None if no markable can have the key."""
    place = split_key(key)
    return place if place and are_in_order(place.parts) else None
