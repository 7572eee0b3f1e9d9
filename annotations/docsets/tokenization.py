"""The words of a text: what the reliability of pyramids is measured on, and what contributors are marked by."""

import unicodedata
from collections.abc import Iterator

# Between two letters or digits these do not end a word: don't, U.S., 2,500, walk-out.
JOINERS = frozenset("'’.,:/-\u2010\u2011\u00b7")
# Scripts without spaces between words, whose characters count one by one: Thai to Lao, Burmese, Khmer, kana, Han.
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


def words_of(content: str) -> list[tuple[int, int]]:
    """The words of a text, `[start, end)` in code points, in its order: runs of letters, digits and their marks."""
    return list(_words(content))


def _words(content: str) -> Iterator[tuple[int, int]]:
    place, length = 0, len(content)
    while place < length:
        start = place
        if not content[place].isalnum():
            place += 1
            continue
        place = _after_marks(content, place + 1)
        if not _alone(content[start]):
            while place < length:
                following = place + (content[place] in JOINERS)
                if following >= length or not content[following].isalnum() or _alone(content[following]):
                    break
                place = _after_marks(content, following + 1)
        yield start, place


def _after_marks(content: str, place: int) -> int:
    """The first place from there on that holds no mark of the character before."""
    while place < len(content) and unicodedata.category(content[place]).startswith("M"):
        place += 1
    return place


def _alone(character: str) -> bool:
    return character > "\u0dff" and any(first <= ord(character) <= last for first, last in UNSPACED)
