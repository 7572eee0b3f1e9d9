"""The keys by which tables name markables: level and parts, `phrase:12-18,20-25`."""

import re
from itertools import pairwise

from annotations.formats.document import Parts, Place

PARTS = re.compile(r"\d{1,9}-\d{1,9}(?:,\d{1,9}-\d{1,9})*", re.ASCII)
KEY = re.compile(rf"([-\w]{{1,100}}):({PARTS.pattern})", re.ASCII)


def shown_parts(parts: Parts) -> str:
    """Parts as a key has them: `12-18,20-25`."""
    return ",".join(f"{start}-{end}" for start, end in parts)


def parts_of(shown: str) -> Parts | None:
    """The parts that this says, or None where `shown_parts` would not say them so."""
    if PARTS.fullmatch(shown) is None:
        return None
    spans = [span.split("-") for span in shown.split(",")]
    parts = tuple((int(start), int(end)) for start, end in spans)
    ordered = all(start < end for start, end in parts) and all(one[1] < other[0] for one, other in pairwise(parts))
    return parts if ordered and shown_parts(parts) == shown else None


def key_of(place: Place) -> str:
    """The key of a markable."""
    return f"{place.level}:{shown_parts(place.parts)}"


def place_of(key: str) -> Place | None:
    """Level and parts that a key names, or None where it is no key as `key_of` writes it."""
    found = KEY.fullmatch(key)
    parts = parts_of(found[2]) if found else None
    return Place(found[1], parts) if found and parts else None
