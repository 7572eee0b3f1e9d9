"""Offsets of formats whose programs count UTF-16 units: those written in Java or JavaScript."""

from bisect import bisect_left


class Units:
    """The way from UTF-16 units of a text to its code points and back."""

    def __init__(self, text: str) -> None:
        # Where the characters of two units stand, in code points and in units.
        wide = [place for place, character in enumerate(text) if character > "\uffff"] if not text.isascii() else []
        self.points = wide
        self.units = [place + before for before, place in enumerate(wide)]
        self.length = len(text) + len(wide)

    def point(self, unit: int) -> int | None:
        """Return the code point at which the unit stands; None outside the text and inside a character."""
        before = bisect_left(self.units, unit)
        inside = before > 0 and self.units[before - 1] + 1 == unit
        return None if inside or not 0 <= unit <= self.length else unit - before

    def unit(self, point: int) -> int:
        return point + bisect_left(self.points, point)


def cuts_word(content: str, start: int, end: int) -> bool:
    """Return whether a span begins or ends as few do: with a blank, or inside a word."""
    if content[start].isspace() or content[end - 1].isspace():
        return True
    return _parts_word(content[start - 1 : start + 1]) or _parts_word(content[end - 1 : end + 1])


def _parts_word(pair: str) -> bool:
    """Return whether both are letters of a script with capitals, whose words have blanks between them."""
    return len(pair) == 2 and all(letter.lower() != letter.upper() for letter in pair)
