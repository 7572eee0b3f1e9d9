"""Markables that coders make: their keys, and what a text allows. Pure but for the class that it fills."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from annotations.models import Level, Markable

MOST_PARTS = 20
_KEY = re.compile(r"([-\w]+):(\d{1,9}-\d{1,9}(?:,\d{1,9}-\d{1,9})*)", re.ASCII)

type Parts = Sequence[Sequence[int]]


class BadMark(ValueError):
    """Words that cannot be a markable; the message says why."""


def key_of(level: str, parts: Parts) -> str:
    """The key of a markable: its level and parts, "phrase:10-14,20-25"."""
    return f"{level}:{','.join(f'{start}-{end}' for start, end in parts)}"


def parts_of(key: str) -> tuple[str, list[list[int]]] | None:
    """Level and parts that a key names, or None where it is no key as `key_of` writes it."""
    match = _KEY.fullmatch(key)
    if match is None:
        return None
    level, spans = match[1], [[int(number) for number in span.split("-")] for span in match[2].split(",")]
    return (level, spans) if key_of(level, spans) == key else None


def mark(key: str, levels: Mapping[str, Level], length: int) -> Markable:
    """The unsaved markable that a coder makes by naming it, in a text of `length` code points. Raises BadMark."""
    found = parts_of(key)
    level = levels.get(found[0]) if found else None
    if found is None or level is None:
        raise BadMark(f"The text has no markable {key!r}, and its coders mark none like it.")
    _, parts = found
    check_parts(parts, length)
    if len(parts) > MOST_PARTS:
        raise BadMark(f"A markable has at most {MOST_PARTS} parts.")
    return Markable(level=level, key=key, parts=parts, start=parts[0][0], end=parts[-1][1], predefined=False)


def check_parts(parts: Parts, length: int) -> None:
    """Raise BadMark unless the parts are runs of words inside the text, in its order, with something in between."""
    if any(start >= end for start, end in parts) or any(one[1] >= other[0] for one, other in pairwise(parts)):
        raise BadMark("The parts of a markable are not empty, stand in the order of the text and do not touch.")
    if parts[-1][1] > length:
        raise BadMark(f"The text has {length} characters; the markable ends at {parts[-1][1]}.")


def within(head: Parts, parts: Parts) -> bool:
    """Whether every part of the head lies in some part of the markable."""
    return all(any(start <= one and other <= end for start, end in parts) for one, other in head)
