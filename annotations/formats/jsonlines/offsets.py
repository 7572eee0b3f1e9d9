"""How offsets are counted, and whether the mentions of a file look as if they were counted otherwise."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from annotations.formats.syntax.units import Units, cuts_word

INCLUSIVE, EXCLUSIVE, FROM_ONE = "inclusive", "exclusive", "from-1"
CHARACTERS, LAST_CHARACTER, UTF_16 = "characters", "characters-inclusive", "utf-16"
# Of so many mentions one has to begin or end oddly for a finding.
ODD_SHARE = 10


class Convention(NamedTuple):
    """A way to count: the number of the first unit, and what is added to the last offset of a mention."""

    label: str
    in_words: bool
    first: int = 0
    added: int = 0

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return `[start, end)` from 0."""
        return first - self.first, last - self.first + self.added


CONVENTIONS = {
    INCLUSIVE: Convention("words, the last one included (OntoNotes)", True, added=1),
    EXCLUSIVE: Convention("words, the end not included", True),
    FROM_ONE: Convention("words counted from 1, the last one included", True, first=1, added=1),
    CHARACTERS: Convention("characters of “text”, the end not included", False),
    LAST_CHARACTER: Convention("characters of “text”, the last one included", False, added=1),
    UTF_16: Convention("UTF-16 units of “text” (JavaScript, Java), the end not included", False),
}


class RawMention(NamedTuple):
    """The offsets of a mention, the first unit that these may name, how many there are, and its words in the file."""

    first: int
    last: int
    base: int
    length: int
    words: str = ""


class Spans:
    """What offsets count: the words of a text, or its characters."""

    def __init__(self, words: Sequence[str], content: str, *, in_words: bool) -> None:
        self.content = content
        self.units = words if in_words else content
        self.has_letter = [any(map(str.isalnum, word)) for word in words] if in_words else []

    @cached_property
    def solid(self) -> str:
        """The text without white space."""
        return "".join("".join(self.units).split())

    @cached_property
    def before(self) -> array[int]:
        """How much of the solid text stands before each word or character."""
        return array("Q", accumulate((len("".join(unit.split())) for unit in self.units), initial=0))

    def is_equal(self, start: int, end: int, words: str) -> bool:
        """Return whether these words stand there, whatever white space is between them."""
        words = "".join(words.split())
        start, end = self.before[start], self.before[end]
        return end - start == len(words) and self.solid[start:end] == words

    def is_odd(self, start: int, end: int) -> bool:
        """Return whether a mention begins or ends as few do: with a sign, a blank, or inside a word."""
        if self.has_letter:
            return not (self.has_letter[start] and self.has_letter[end - 1])
        return cuts_word(self.content, start, end)


@dataclass(slots=True)
class Evidence:
    """What all mentions of a file that were read by one convention say of how their offsets are counted."""

    convention: str
    mentions: int = 0
    of_one_word: int = 0
    said: int = 0
    has_text: bool = False
    impossible: set[str] = field(default_factory=set)
    odd: Counter[str] = field(default_factory=Counter)
    matching: Counter[str] = field(default_factory=Counter)

    def add(self, mentions: Sequence[RawMention], spans: Spans, *, has_text: bool) -> None:
        """Count the mentions of a text."""
        self.mentions += len(mentions)
        self.said += sum(bool(mention.words) for mention in mentions)
        self.has_text |= has_text
        units = None if CONVENTIONS[self.convention].in_words else Units(spans.content)
        for name in alternatives(self.convention):
            for mention in mentions:
                place = to_span(name, mention, units)
                if place is None:
                    self.impossible.add(name)
                    continue
                self.odd[name] += spans.is_odd(*place)
                if mention.words:
                    self.matching[name] += spans.is_equal(*place, mention.words)
                if name == self.convention:
                    self.of_one_word += place[1] - place[0] == 1

    def doubts(self) -> Iterator[tuple[str, str, bool]]:
        """Yield what speaks against how mentions were read, what can be done, and whether something is left out."""
        others = [name for name in alternatives(self.convention) if name != self.convention]
        if self.said:
            same = self.matching[self.convention]
            best = max(others, key=lambda name: self.matching[name])
            message = f"{self.said - same} of {self.said} mentions are other words than the file says"
            if self.matching[best] > same:
                yield message, f"{self.matching[best]} of them are the same with offsets={best}", False
                return
            if same:
                if same < self.said:
                    yield message, "read as numbered", False
                return
            yield f"{self.said} mentions have a third value that is not their words", "left out", True
        others = [name for name in others if name not in self.impossible]
        if self.mentions and not self.of_one_word and EXCLUSIVE in others:
            ways = f"offsets={EXCLUSIVE}" + f" or offsets={CHARACTERS}" * self.has_text
            yield f"none of the {self.mentions} mentions is one word", f"if ends are not included, say {ways}", False
            return
        odd = self.odd[self.convention]
        best = min(others, key=lambda name: self.odd[name], default="")
        if best and odd * ODD_SHARE >= self.mentions and odd > 2 * self.odd[best]:
            where = "with a sign" if CONVENTIONS[self.convention].in_words else "inside a word or with a blank"
            message = f"{odd} of {self.mentions} mentions begin or end {where}"
            yield message, f"with offsets={best} {self.odd[best]} would: say which is right", False


def alternatives(convention: str) -> list[str]:
    """Return the conventions that count the same units."""
    return [name for name, other in CONVENTIONS.items() if other.in_words == CONVENTIONS[convention].in_words]


def to_span(convention: str, mention: RawMention, units: Units | None) -> tuple[int, int] | None:
    """Return the words or characters of a mention, `[start, end)` from 0; None where none stand there."""
    span: tuple[int | None, int | None] = CONVENTIONS[convention].span(mention.first, mention.last)
    if convention == UTF_16 and units is not None:
        span = units.point(mention.first), units.point(mention.last)
    start, end = span
    if start is None or end is None or not 0 <= start < end <= mention.length:
        return None
    return start + mention.base, end + mention.base
