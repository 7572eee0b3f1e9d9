"""Text: characters that databases can store, and numbers with nouns."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import TypeGuard

# PostgreSQL rejects NUL, and both databases reject lone surrogates. (Formats have the same rule in `model/text.py`.)
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_storable(value: object) -> TypeGuard[str]:
    """Return whether the value is a text that both databases can store."""
    return isinstance(value, str) and UNSTORABLE.search(value) is None


def one_line(text: str) -> str:
    """Return the text with each run of white space, including line ends, as one space."""
    return " ".join(text.split())


def common_length(*sequences: Sequence[str]) -> int:
    """Return the length of the common beginning of the sequences."""
    return sum(1 for _ in takewhile(lambda entries: len(set(entries)) == 1, zip(*sequences, strict=False)))


def pluralize(count: int, noun: str) -> str:
    """Return the count with the noun, in the plural unless the count is 1: "2 texts"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def letters(number: int) -> str:
    """Return A to Z, then AA, AB and so on, counted from 0."""
    high, low = divmod(number, 26)
    return (letters(high - 1) if high else "") + chr(ord("A") + low)


def natural_key(text: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts numbers in names as numbers: "pilot 2" before "pilot 10"."""
    parts = re.split(r"([0-9]+)", text)
    return [(False, int(part), "") if number % 2 else (True, 0, part) for number, part in enumerate(parts) if part]
