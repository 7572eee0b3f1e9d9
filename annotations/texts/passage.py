"""A text with markables as pieces that a template shows: nested spans, badges, words. Pure.

It draws what `static/js/coding/text/slices.js` and `view/text.js` draw.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

DEEPEST, MOST_SHIFT = 6, 12
LINE = re.compile(r"[^\n]*\S[^\n]*")
BLANK_LINE = re.compile(r"\s*?\n[^\S\n]*\n")
CLASSES = {"turn": "turn", "header": "text-header", "paragraph": "paragraph"}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block of the text: a turn, a header, a paragraph, or a line that is in none of them."""

    kind: str
    start: int
    end: int
    label: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Badge:
    """A number or sign after the words of a markable; `number` chooses its colour."""

    text: str
    number: int | None = None

    @property
    def look(self) -> str:
        """The class of its colour."""
        return f" chain-{(self.number - 1) % 10 + 1}" if self.number else ""


@dataclass(frozen=True, slots=True)
class Highlight:
    """How a markable is shown: its spans, classes, a title, an anchor, what follows its words."""

    key: str
    parts: Sequence[Sequence[int]]
    classes: str = ""
    title: str = ""
    anchor: str = ""
    badges: Sequence[Badge] = ()
    label: str = ""
    coded: bool = True

    @property
    def start(self) -> int:
        return self.parts[0][0]

    @property
    def end(self) -> int:
        return max(part[1] for part in self.parts)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line: the beginning or end of a span, words, or a badge."""

    kind: str
    text: str = ""
    classes: str = ""
    title: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A block of the text with its pieces; `badges` and `anchor` are those of a turn that is itself a markable."""

    classes: str
    label: str
    speaker: str
    pieces: list[Piece]
    badges: Sequence[Badge] = ()
    anchor: str = ""

    @property
    def is_turn(self) -> bool:
        """Whether label and speaker stand in its margin."""
        return self.classes == "turn"


@dataclass(frozen=True, slots=True)
class Passage:
    """The rows of a text. `classes` are those of the element around them."""

    rows: list[Row]
    classes: str


@dataclass(slots=True)
class _OpenSpan:
    """A span that has begun: its end in the block, the place of its piece, and the deepest underline inside."""

    key: str
    end: int
    place: int
    inside: int = 0


def draw(content: str, segments: Iterable[Stretch], highlights: Sequence[Highlight]) -> Passage:
    """Return the text with these markables, which are in text order."""
    by_key = {one.key: one for one in highlights}
    stretches = blocks(content, segments)
    margins = {(one.start, one.end): one for one in highlights if not one.coded}
    turns = {(stretch.start, stretch.end) for stretch in stretches if stretch.kind == "turn"}
    parts = sorted(
        (start, -end, number, one.key)
        for number, one in enumerate(highlights)
        if one.coded or (one.start, one.end) not in turns
        for start, end in one.parts
    )
    shifts = _shifts(highlights)
    rows, deep, begun, at = [], False, set[str](), 0
    open_parts: list[tuple[int, int, str]] = []
    for stretch in stretches:
        open_parts = [part for part in open_parts if part[1] > stretch.start]
        while at < len(parts) and parts[at][0] < stretch.end:
            open_parts.append((parts[at][0], -parts[at][1], parts[at][3]))
            at += 1
        pieces, depth = _draw_block(content, stretch, open_parts, by_key, shifts, begun)
        deep = deep or depth > 3
        margin = margins.get((stretch.start, stretch.end)) if stretch.kind == "turn" else None
        badges, anchor = (margin.badges, margin.anchor) if margin else ((), "")
        classes = CLASSES.get(stretch.kind, "plain-line")
        rows.append(Row(classes, stretch.label, stretch.speaker, pieces, badges, anchor))
    named = any(len(row.speaker) > 2 for row in rows)
    return Passage(rows, f"{' has-names' if named else ''}{' is-deep' if deep else ''}")


def blocks(content: str, segments: Iterable[Stretch]) -> list[Stretch]:
    """Return the blocks of a text: they cover all that is not white space. Turns win over paragraphs."""
    segments = list(segments)
    spoken = [one for one in segments if one.kind == "sentence" and one.speaker]
    main = "turn" if any(one.kind == "turn" for one in segments) else "sentence" if spoken else "paragraph"
    wanted = [
        Stretch("turn" if one.kind == "sentence" else one.kind, one.start, one.end, one.label, one.speaker)
        for one in segments
        if one.kind in (main, "header")
    ]
    result: list[Stretch] = []
    at = 0
    for one in sorted(wanted, key=lambda one: (one.start, -one.end)):
        if one.start >= at:
            result += [*_lines(content, at, one.start), one]
            at = one.end
    return [*result, *_lines(content, at, len(content))]


def _lines(content: str, start: int, end: int) -> Iterator[Stretch]:
    for match in LINE.finditer(content, start, end):
        begins_line = match.start() == 0 or content[match.start() - 1] == "\n"
        words = match.group()
        first = match.start() + (0 if begins_line else len(words) - len(words.lstrip()))
        last = match.start() + len(words.rstrip())
        kind = "paragraph" if BLANK_LINE.match(content, last, last + 100) else "rest"
        yield Stretch(kind, first, last)


def _draw_block(
    content: str,
    stretch: Stretch,
    parts: Iterable[tuple[int, int, str]],
    by_key: Mapping[str, Highlight],
    shifts: Mapping[str, int],
    begun: set[str],
) -> tuple[list[Piece], int]:
    """Return the pieces of a block, from left to right, and how many underlines are nested in it."""
    # A span that crosses an open one is cut where that ends, and goes on. `begun`: markables with an anchor.
    pieces: list[Piece] = []
    open_spans, at = [_OpenSpan("", stretch.end, 0)], stretch.start

    def write(end: int) -> None:
        nonlocal at
        if end > at:
            pieces.append(Piece("words", content[at:end]))
            at = end

    def begin(key: str, end: int) -> None:
        open_spans.append(_OpenSpan(key, end, len(pieces)))
        one = by_key[key]
        pieces.append(Piece("open", title=one.title, anchor="" if key in begun else one.anchor))
        begun.add(key)

    def close(end: int) -> _OpenSpan:
        span = open_spans.pop()
        one = by_key[span.key]
        depth = span.inside + one.coded
        open_spans[-1].inside = max(open_spans[-1].inside, depth)
        classes = f"depth-{min(max(depth, 1), DEEPEST)} {one.classes}".rstrip()
        pieces[span.place] = replace(pieces[span.place], classes=classes)
        if span.end == end == one.end:
            pieces.extend(_followers(one, shifts[span.key]))
        pieces.append(Piece("close"))
        return span

    def close_until(limit: int) -> None:
        while len(open_spans) > 1 and (end := min(span.end for span in open_spans[1:])) <= limit:
            write(end)
            lowest = next(number for number, span in enumerate(open_spans) if number and span.end == end)
            closed = [close(end) for _ in open_spans[lowest:]]
            for span in reversed(closed):
                if span.end > end:
                    begin(span.key, span.end)

    for start, end, key in parts:
        if start < stretch.end and end > stretch.start:
            close_until(max(start, stretch.start))
            write(max(start, stretch.start))
            begin(key, min(end, stretch.end))
    close_until(stretch.end)
    write(stretch.end)
    return pieces, open_spans[0].inside


def _shifts(highlights: Sequence[Highlight]) -> dict[str, int]:
    """Return how far the badges of each markable move aside for those that end with it, the inner ones first."""
    taken: dict[int, int] = {}
    shifts = {}
    for one in reversed(highlights):
        shifts[one.key] = taken.get(one.end, 0)
        taken[one.end] = shifts[one.key] + sum(len(badge.text) for badge in one.badges)
    return shifts


def _followers(one: Highlight, shift: int) -> Iterator[Piece]:
    """Yield what stands after the words of a markable."""
    if one.label:
        yield Piece("label", one.label)
    for badge in one.badges:
        moved = f" shift-{min(shift, MOST_SHIFT)}" if shift and not one.label else ""
        yield Piece("badge", badge.text, f"{badge.look}{moved}")
        shift += len(badge.text)
