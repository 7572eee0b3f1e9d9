"""Markables in context: some words before, their own, and some words after."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

KEYWORD_WIDTH = 48  # characters of the text on either side of an item in a list
MAX_KEYWORD_LENGTH = 60  # an item in context is cut to this number of characters
NEW_LINE = " / "  # the replacement of a line end

# Partial words at either end of a cut context.
WORD_AT_START, WORD_AT_END = re.compile(r"^\S+"), re.compile(r"\S+$")
LINE_BREAK, WHITE_SPACE = re.compile(r"\s*\n\s*"), re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Keyword:
    """A markable in context: words before, its own, and words after, with the white space between them."""

    before: str
    words: str
    after: str

    def __str__(self) -> str:
        return f"{self.before}[{self.words}]{self.after}"

    def on_its_line(self) -> "Keyword":
        """Return the keyword without the words of other lines, such as another summary's."""
        return Keyword(self.before.rpartition(NEW_LINE)[2], self.words, self.after.partition(NEW_LINE)[0])


def keyword_in_context(content: str, parts: Sequence[Sequence[int]]) -> Keyword:
    """Return the words of a markable in context, which may span lines; a slash separates them."""
    start, end = parts[0][0], parts[-1][1]
    first, last = max(start - KEYWORD_WIDTH, 0), min(end + KEYWORD_WIDTH, len(content))
    before, after = content[first:start], content[end:last]
    if first and not content[first - 1].isspace():
        before = WORD_AT_START.sub("", before) if any(map(str.isspace, before)) else before
    if last < len(content) and not content[last].isspace():
        after = WORD_AT_END.sub("", after) if any(map(str.isspace, after)) else after
    words = covered_text(content, parts)
    if len(words) > MAX_KEYWORD_LENGTH:
        words = f"{words[: MAX_KEYWORD_LENGTH // 2].rstrip()} … {words[-MAX_KEYWORD_LENGTH // 2 :].lstrip()}"
    return Keyword(_on_one_line(before.lstrip()), words, _on_one_line(after.rstrip()))


def _on_one_line(words: str) -> str:
    return WHITE_SPACE.sub(" ", LINE_BREAK.sub(NEW_LINE, words))


def covered_text(content: str, parts: Sequence[Sequence[int]]) -> str:
    """Return the words of a markable, its parts joined by an ellipsis."""
    return " … ".join(" ".join(content[start:end].split()) for start, end in parts)
