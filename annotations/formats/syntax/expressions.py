"""Untrusted regular expressions, searched by RE2 in time that grows with the text alone.

The syntax of RE2 has no back references, look-around or possessive repetition. `^` and `$` match at the edges of
lines. Among the matches at one place, RE2 takes the same match as Perl, Java and Python. The library is imported only
if there is a pattern.
"""

from collections.abc import Iterator
from typing import Any

MAX_PATTERN_LENGTH = 200
MAX_TEXT_LENGTH = 200_000
MAX_MATCH_LENGTH = 1000
MAX_MATCHES = 1000
MAX_INSTRUCTIONS = 1000


class ExpressionError(ValueError):
    """A pattern that is refused, in general or for this text; the message says why."""


def find_matches(pattern: str, text: str) -> list[tuple[int, int]]:
    """Return the matches in text order, without overlaps. Raises ExpressionError."""
    if len(text) > MAX_TEXT_LENGTH:
        raise ExpressionError(f"no text of more than {MAX_TEXT_LENGTH:,} characters is searched")
    expression = _compile(pattern)
    data = text.encode()
    width = len(max(text, default="").encode())  # bytes of the widest character
    matches: list[tuple[int, int]] = []
    offset, position = 0, 0  # one position, in bytes and in characters
    for first, last in _search(expression, data, (MAX_MATCH_LENGTH + 1) * width):
        try:
            start = position + len(data[offset:first].decode())
            end = start + len(data[first:last].decode())
        except UnicodeDecodeError:
            raise ExpressionError("it finds parts of characters") from None
        if start == end:
            raise ExpressionError("it matches empty text")
        if end - start > MAX_MATCH_LENGTH:
            raise ExpressionError(f"what it finds is longer than {MAX_MATCH_LENGTH} characters")
        matches.append((start, end))
        if len(matches) > MAX_MATCHES:
            raise ExpressionError(f"it is found more than {MAX_MATCHES} times")
        offset, position = last, end
    return matches


def _compile(pattern: str) -> Any:
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise ExpressionError(f"it has more than {MAX_PATTERN_LENGTH} characters")
    import re2  # imported only if there is a pattern

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        expression = re2.compile(f"(?m){pattern}", options)
    except re2.error as error:
        raise ExpressionError(f"RE2 refuses it: {error.args[0].decode()}") from None
    re2.purge()  # else the module keeps the last 128 patterns, with the memory of their searches
    if expression.programsize > MAX_INSTRUCTIONS:
        raise ExpressionError("it is too large")
    return expression


def _search(expression: Any, data: bytes, longest: int) -> Iterator[tuple[int, int]]:
    """Yield the matches in bytes. Each search covers twice the longest match, so that the total time is linear."""
    place = 0
    while place <= len(data):
        match = expression.search(data, place, min(place + 2 * longest, len(data)))
        if match is None:
            place += longest + 1
        elif match.start() > place + longest:
            place = match.start()
        else:
            yield match.span()
            place = max(match.end(), place + 1)
