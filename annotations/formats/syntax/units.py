"""Offsets in UTF-16 units, as programs in Java or JavaScript count them."""

from bisect import bisect_left


class Units:
    """The conversion of offsets in a text between UTF-16 units and code points."""

    def __init__(self, text: str) -> None:
        # The offsets of the characters of two units, in code points and in units.
        wide = [place for place, character in enumerate(text) if character > "\uffff"] if not text.isascii() else []
        self.points = wide
        self.units = [place + before for before, place in enumerate(wide)]
        self.length = len(text) + len(wide)

    def point(self, unit: int) -> int | None:
        """Return the offset in code points of an offset in units; None outside the text or inside a character."""
        before = bisect_left(self.units, unit)
        inside = before > 0 and self.units[before - 1] + 1 == unit
        return None if inside or not 0 <= unit <= self.length else unit - before

    def unit(self, point: int) -> int:
        return point + bisect_left(self.points, point)


def cuts_word(content: str, start: int, end: int) -> bool:
    """Return whether a span begins or ends oddly: with white space, or inside a word."""
    if content[start].isspace() or content[end - 1].isspace():
        return True
    return _parts_word(content[start - 1 : start + 1]) or _parts_word(content[end - 1 : end + 1])


def _parts_word(pair: str) -> bool:
    """Return whether both characters are letters of a script with capitals, where blanks separate words."""
    return len(pair) == 2 and all(letter.lower() != letter.upper() for letter in pair)
