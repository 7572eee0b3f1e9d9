"""Regular expressions from strangers, searched in time that grows with the text alone.

Understood is a sequence of single characters, escapes and classes, each of which may be repeated (`?`, `*`, `+`,
`{n}`, `{n,}`, `{n,m}`), between `^` and `$`, which stand for line ends. That is what headers of summaries are
found with. Groups, alternatives, back references, look-around, and lazy or possessive repetition are refused.

Such a sequence is an automaton whose states are the bits of one integer, so a character costs a few operations on
integers whatever came before: nothing is tried twice. Of the matches at one place the longest is taken.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

LONGEST_PATTERN = 200
LONGEST_TEXT = 200_000
LONGEST_MATCH = 1000
MOST_MATCHES = 1000
MOST_STEPS = 64
LAST = "\U0010ffff"

type Ranges = tuple[tuple[str, str], ...]


class NotUnderstood(ValueError):
    """A pattern that is not searched, or not in this text; the message says why."""


def matches(pattern: str, text: str) -> list[tuple[int, int]]:
    """The stretches `[start, end)` that match, none of them overlapping, the earliest first. Raises NotUnderstood."""
    if len(text) > LONGEST_TEXT:
        raise NotUnderstood(f"no text of more than {LONGEST_TEXT:,} characters is searched")
    steps, line_start, line_end = _parsed(pattern)
    forward = _Automaton(steps)
    found: list[tuple[int, int]] = []
    end = 0
    for begin in _begins(_Automaton(steps[::-1]), text, line_start, line_end):
        if begin >= end:
            end = _longest(forward, text, begin, line_end)
            found.append((begin, end))
            if len(found) > MOST_MATCHES:
                raise NotUnderstood(f"it is found more than {MOST_MATCHES} times")
    return found


@dataclass(frozen=True, slots=True)
class _Step:
    """One character of a match. optional: it may be missing; again: it may come more than once."""

    ranges: Ranges
    optional: bool = False
    again: bool = False


@dataclass(slots=True)
class _Automaton:
    """Bit i of a state: the steps before i are done and step i may come; the last bit: all are done."""

    steps: Sequence[_Step]
    optional: int = 0
    again: int = 0
    start: int = 0
    done: int = 0
    masks: dict[str, int] = field(default_factory=dict)
    bits: dict[Ranges, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, step in enumerate(self.steps):
            self.optional |= step.optional << place
            self.again |= step.again << place
            self.bits[step.ranges] = self.bits.get(step.ranges, 0) | 1 << place
        self.done = 1 << len(self.steps)
        self.start = self._passed(1)

    def after(self, state: int, character: str) -> int:
        """The state after one more character; 0 where nothing can match any more."""
        mask = self.masks.get(character)
        if mask is None:
            mask = sum(
                bits for ranges, bits in self.bits.items() if any(low <= character <= high for low, high in ranges)
            )
            self.masks[character] = mask
        taken = state & mask
        return self._passed(taken << 1 | taken & self.again)

    def _passed(self, state: int) -> int:
        """The state with those that follow when optional steps are passed over: a sum's carry runs through them."""
        return state | (((state & self.optional) + self.optional) ^ self.optional)


def _begins(backward: _Automaton, text: str, line_start: bool, line_end: bool) -> list[int]:
    """Where matches begin: the text is read from its end."""
    found, state = [], 0
    for place in range(len(text), -1, -1):
        if state & backward.done and (not line_start or place == 0 or text[place - 1] == "\n"):
            found.append(place)
        if not line_end or place == len(text) or text[place] == "\n":
            state |= backward.start
        if place:
            state = backward.after(state, text[place - 1])
    return found[::-1]


def _longest(forward: _Automaton, text: str, begin: int, line_end: bool) -> int:
    """The end of the longest match that begins there."""
    state, end = forward.start, begin
    for place in range(begin, min(len(text), begin + LONGEST_MATCH) + 1):
        if state & forward.done and (not line_end or place == len(text) or text[place] == "\n"):
            end = place
        if place < len(text):
            state = forward.after(state, text[place])
        if not state:
            return end
    if end == begin or begin + LONGEST_MATCH < len(text):
        raise NotUnderstood(f"what it finds is longer than {LONGEST_MATCH} characters")
    return end


# From here on: reading a pattern.

QUANTIFIER = re.compile(r"([*+?])|\{(\d{1,3})(?:(,)(\d{1,3})?)?\}", re.ASCII)
DIGITS: Ranges = (("0", "9"),)
WORDS: Ranges = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))
SPACES: Ranges = (("\t", "\r"), (" ", " "))
LINE_ENDS: Ranges = (("\n", "\n"), ("\r", "\r"), ("\x85", "\x85"), ("\u2028", "\u2029"))


def _inverse(ranges: Ranges) -> Ranges:
    """All other characters."""
    found, low = [], 0
    for first, last in sorted(ranges):
        if low < ord(first):
            found.append((chr(low), chr(ord(first) - 1)))
        low = max(low, ord(last) + 1)
    return (*found, (chr(low), LAST)) if low <= ord(LAST) else tuple(found)


SHORT: dict[str, Ranges] = {"d": DIGITS, "w": WORDS, "s": SPACES}
SHORT |= {key.upper(): _inverse(ranges) for key, ranges in SHORT.items()}
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def _parsed(pattern: str) -> tuple[list[_Step], bool, bool]:
    """The steps, whether a match begins with a line, and whether it ends with one."""
    if len(pattern) > LONGEST_PATTERN:
        raise NotUnderstood(f"it has more than {LONGEST_PATTERN} characters")
    source = pattern.removeprefix("(?m)")
    line_start = source.startswith("^")
    source = source.removeprefix("^")
    steps: list[_Step] = []
    place = 0
    while place < len(source):
        if source[place:] == "$":
            break
        ranges, place = _one(source, place)
        least, most, place = _times(source, place)
        steps += _repeated(ranges, least, most)
        if len(steps) > MOST_STEPS:
            raise NotUnderstood(f"it has more than {MOST_STEPS} steps")
    if all(step.optional for step in steps):
        raise NotUnderstood("it is found everywhere, as nothing")
    return steps, line_start, place < len(source)


def _one(source: str, place: int) -> tuple[Ranges, int]:
    """What one character may be, and the place after it."""
    character = source[place]
    if character == "\\":
        return _escaped(source, place)
    if character == "[":
        return _class(source, place + 1)
    if character == ".":
        return _inverse(LINE_ENDS), place + 1
    if character in "()|^$*+?{":
        raise NotUnderstood(f"{character!r} is not understood at its place {place + 1}")
    return ((character, character),), place + 1


def _escaped(source: str, place: int) -> tuple[Ranges, int]:
    following = source[place + 1 : place + 2]
    if following in SHORT:
        return SHORT[following], place + 2
    if following in CONTROLS:
        return ((CONTROLS[following], CONTROLS[following]),), place + 2
    if not following or following.isalnum():
        raise NotUnderstood(f"'\\{following}' is not understood")
    return ((following, following),), place + 2


def _class(source: str, place: int) -> tuple[Ranges, int]:
    """The ranges of a class whose bracket stands before the place, and the place after it."""
    inverse = source[place : place + 1] == "^"
    ranges: list[tuple[str, str]] = []
    place += inverse
    while place < len(source) and source[place] != "]":
        low, place = _member(source, place)
        if source[place : place + 1] == "-" and source[place + 1 : place + 2] not in ("]", ""):
            high, place = _member(source, place + 1)
            if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
                raise NotUnderstood("a range of a class has no first or no last character")
            if low > high:
                raise NotUnderstood("a range of a class ends before it begins")
            low = ((low[0][0], high[0][0]),)
        ranges += low
    if place >= len(source):
        raise NotUnderstood("a class is not closed")
    if not ranges:
        raise NotUnderstood("a class is empty")
    return (_inverse(tuple(ranges)) if inverse else tuple(sorted(set(ranges)))), place + 1


def _member(source: str, place: int) -> tuple[Ranges, int]:
    if source[place] == "\\":
        return _escaped(source, place)
    if source[place] in "[&^":  # classes within classes, and what cuts them
        raise NotUnderstood(f"{source[place]!r} is not understood within a class")
    return ((source[place], source[place]),), place + 1


def _times(source: str, place: int) -> tuple[int, int | None, int]:
    """How often what stands before the place may come, at least and at most, and the place after that."""
    found = QUANTIFIER.match(source, place)
    if found is None:
        return 1, 1, place
    if source[found.end() : found.end() + 1] in ("?", "+", "*", "{"):
        raise NotUnderstood("lazy and possessive repetition are not understood")
    sign, low, comma, high = found.groups()
    if sign:
        return int(sign == "+"), 1 if sign == "?" else None, found.end()
    least = int(low)
    most = least if not comma else int(high) if high else None
    if most is not None and (most < least or most == 0):
        raise NotUnderstood(f"{found[0]!r} is no number of times")
    return least, most, found.end()


def _repeated(ranges: Ranges, least: int, most: int | None) -> list[_Step]:
    """Steps for something that comes so often. Raises NotUnderstood before there are very many."""
    if max(least, most or 0) > MOST_STEPS:
        raise NotUnderstood(f"it has more than {MOST_STEPS} steps")
    must = [_Step(ranges)] * least
    if most is not None:
        return must + [_Step(ranges, optional=True)] * (most - least)
    return [*must[1:], _Step(ranges, again=True)] if must else [_Step(ranges, optional=True, again=True)]
