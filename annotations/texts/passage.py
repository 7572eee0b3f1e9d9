"""A text with markables as pieces for a template: nested spans, badges, words. Pure.

The result looks like the coding page of `static/js/coding/text/slices.js` and `view/text.js`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

MAX_DEPTH, MAX_SHIFT = 6, 12
LINE = re.compile(r"[^\n]*\S[^\n]*")
BLANK_LINE = re.compile(r"\s*?\n[^\S\n]*\n")
CLASSES = {"turn": "turn", "header": "text-header", "paragraph": "paragraph"}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block of the text: a turn, a header, a paragraph, or a line outside of these."""

    kind: str
    start: int
    end: int
    label: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Badge:
    """A number or sign after the words of a markable; `number` selects its colour."""

    text: str
    number: int | None = None

    @property
    def look(self) -> str:
        """The CSS class of its colour."""
        return f" chain-{(self.number - 1) % 10 + 1}" if self.number else ""


@dataclass(frozen=True, slots=True)
class Highlight:
    """The appearance of a markable: its spans, classes, title, anchor, and the badges and label after its words."""

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
    """A block of the text with its pieces; `badges` and `anchor` are set for a turn that is itself a markable."""

    classes: str
    label: str
    speaker: str
    pieces: list[Piece]
    badges: Sequence[Badge] = ()
    anchor: str = ""

    @property
    def is_turn(self) -> bool:
        """Whether label and speaker are in its margin."""
        return self.classes == "turn"


@dataclass(frozen=True, slots=True)
class Passage:
    """The rows of a text. `classes` belong to the element around them."""

    rows: list[Row]
    classes: str


@dataclass(slots=True)
class _OpenSpan:
    """A span that has begun: its end in the block, the index of its piece, and the depth of spans inside."""

    key: str
    end: int
    place: int
    inside: int = 0


def draw(content: str, segments: Iterable[Stretch], highlights: Sequence[Highlight]) -> Passage:
    """Return the text with these markables, which are in text order."""
    by_key = {highlight.key: highlight for highlight in highlights}
    stretches = blocks(content, segments)
    margins = {(highlight.start, highlight.end): highlight for highlight in highlights if not highlight.coded}
    turns = {(stretch.start, stretch.end) for stretch in stretches if stretch.kind == "turn"}
    parts = sorted(
        (start, -end, number, highlight.key)
        for number, highlight in enumerate(highlights)
        if highlight.coded or (highlight.start, highlight.end) not in turns
        for start, end in highlight.parts
    )
    shifts = _shifts(highlights)
    rows, deep, begun, n_begun = [], False, set[str](), 0
    open_parts: list[tuple[int, int, str]] = []
    for stretch in stretches:
        open_parts = [part for part in open_parts if part[1] > stretch.start]
        while n_begun < len(parts) and parts[n_begun][0] < stretch.end:
            open_parts.append((parts[n_begun][0], -parts[n_begun][1], parts[n_begun][3]))
            n_begun += 1
        pieces, depth = _draw_block(content, stretch, open_parts, by_key, shifts, begun)
        deep = deep or depth > 3
        margin = margins.get((stretch.start, stretch.end)) if stretch.kind == "turn" else None
        badges, anchor = (margin.badges, margin.anchor) if margin else ((), "")
        classes = CLASSES.get(stretch.kind, "plain-line")
        rows.append(Row(classes, stretch.label, stretch.speaker, pieces, badges, anchor))
    named = any(len(row.speaker) > 2 for row in rows)
    return Passage(rows, f"{' has-names' if named else ''}{' is-deep' if deep else ''}")


def blocks(content: str, segments: Iterable[Stretch]) -> list[Stretch]:
    """Return the blocks of a text, which cover all except white space. Turns take precedence over paragraphs."""
    segments = list(segments)
    spoken = [segment for segment in segments if segment.kind == "sentence" and segment.speaker]
    main = "turn" if any(segment.kind == "turn" for segment in segments) else "sentence" if spoken else "paragraph"
    wanted = [
        Stretch("turn" if seg.kind == "sentence" else seg.kind, seg.start, seg.end, seg.label, seg.speaker)
        for seg in segments
        if seg.kind in (main, "header")
    ]
    result: list[Stretch] = []
    position = 0
    for block in sorted(wanted, key=lambda block: (block.start, -block.end)):
        if block.start >= position:
            result += [*_lines(content, position, block.start), block]
            position = block.end
    return [*result, *_lines(content, position, len(content))]


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
    """Return the pieces of a block, from left to right, and the maximum depth of underlines."""
    # A span that crosses the end of an open one is split there. `begun`: markables with an anchor.
    pieces: list[Piece] = []
    open_spans, position = [_OpenSpan("", stretch.end, 0)], stretch.start

    def write(end: int) -> None:
        nonlocal position
        if end > position:
            pieces.append(Piece("words", content[position:end]))
            position = end

    def begin(key: str, end: int) -> None:
        open_spans.append(_OpenSpan(key, end, len(pieces)))
        highlight = by_key[key]
        pieces.append(Piece("open", title=highlight.title, anchor="" if key in begun else highlight.anchor))
        begun.add(key)

    def close(end: int) -> _OpenSpan:
        span = open_spans.pop()
        highlight = by_key[span.key]
        depth = span.inside + highlight.coded
        open_spans[-1].inside = max(open_spans[-1].inside, depth)
        classes = f"depth-{min(max(depth, 1), MAX_DEPTH)} {highlight.classes}".rstrip()
        pieces[span.place] = replace(pieces[span.place], classes=classes)
        if span.end == end == highlight.end:
            pieces.extend(_followers(highlight, shifts[span.key]))
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
    """Return the offset of each markable's badges, which follow those of inner markables with the same end."""
    taken: dict[int, int] = {}
    shifts = {}
    for highlight in reversed(highlights):
        shifts[highlight.key] = taken.get(highlight.end, 0)
        taken[highlight.end] = shifts[highlight.key] + sum(len(badge.text) for badge in highlight.badges)
    return shifts


def _followers(highlight: Highlight, shift: int) -> Iterator[Piece]:
    """Yield the label and badges after the words of a markable."""
    if highlight.label:
        yield Piece("label", highlight.label)
    for badge in highlight.badges:
        moved = f" shift-{min(shift, MAX_SHIFT)}" if shift and not highlight.label else ""
        yield Piece("badge", badge.text, f"{badge.look}{moved}")
        shift += len(badge.text)
