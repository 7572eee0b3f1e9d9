"""Tokenization: the words of contributors, which are also the units of the reliability of pyramids."""

import unicodedata

# The level of the words of summaries.
WORD_LEVEL = "word"
# Between two letters or digits these characters do not end a word: don't, U.S., 2,500, walk-out.
JOINERS = frozenset("'’.,:/-\u2010\u2011\u00b7")
# Scripts without spaces between words, where each character counts as one: Thai to Lao, Burmese, Khmer, kana, Han.
UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x1950, 0x19DF),
    (0x3040, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3134F),
)


def token_spans(content: str) -> list[tuple[int, int]]:
    """Return the `[start, end)` of words in code points. A word is a run of letters, digits and their marks."""
    spans: list[tuple[int, int]] = []
    position, length = 0, len(content)
    while position < length:
        start = position
        if not content[position].isalnum():
            position += 1
            continue
        position = _after_marks(content, position + 1)
        if not _is_unspaced(content[start]):
            while position < length:
                following = position + (content[position] in JOINERS)
                if following >= length or not content[following].isalnum() or _is_unspaced(content[following]):
                    break
                position = _after_marks(content, following + 1)
        spans.append((start, position))
    return spans


def _after_marks(content: str, position: int) -> int:
    """Return the first position from `position` on that is no combining mark."""
    while position < len(content) and unicodedata.category(content[position]).startswith("M"):
        position += 1
    return position


def is_word_character(character: str) -> bool:
    """Return whether the character continues a word: a letter, digit or mark of a script with spaces between words."""
    return (character.isalnum() or unicodedata.category(character).startswith("M")) and not _is_unspaced(character)


def _is_unspaced(character: str) -> bool:
    return character > "\u0dff" and any(first <= ord(character) <= last for first, last in UNSPACED)
