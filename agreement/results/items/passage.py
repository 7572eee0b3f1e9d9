"""A text with the chains that coders gave one markable: pure, from offsets to pieces that a template shows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A run of the text under the same markables.

    `holders` are the coders whose chain has one of these, `badges` those whose chain has one that ends here.
    """

    words: str
    marked: bool
    current: bool
    badges: tuple[int, ...]
    holders: tuple[int, ...]

    @property
    def of(self) -> str:
        """The holders, for the page's script."""
        return " ".join(map(str, self.holders))


@dataclass(frozen=True, slots=True)
class Line:
    """A turn, or all of a text that has none."""

    label: str
    speaker: str
    pieces: tuple[TextPiece, ...]


Spans = Mapping[int, Iterable[tuple[int, int]]]


def build_lines(
    content: str,
    turns: Iterable[tuple[int, int, str, str]],
    parts: Spans,
    holders: Mapping[int, Iterable[int]],
    current: int,
) -> list[Line]:
    """Return the text in lines of pieces.

    turns: (start, end, label, speaker). parts: the parts of each markable that is shown. holders: by markable
    the numbers of the coders whose chain it is in. current: the markable the page is about.
    """
    stretches = sorted(turns) or [(0, len(content), "", "")]
    return [
        Line(label, speaker, tuple(_split_line(content, start, end, parts, holders, current)))
        for start, end, label, speaker in stretches
    ]


def _split_line(
    content: str, start: int, end: int, parts: Spans, holders: Mapping[int, Iterable[int]], current: int
) -> list[TextPiece]:
    spans_in_line = [
        (max(first, start), min(last, end), last, markable, last == max(stop for _, stop in spans))
        for markable, spans in ((markable, list(spans)) for markable, spans in parts.items())
        for first, last in spans
        if first < end and last > start
    ]
    cuts = sorted({start, end, *(first for first, *_ in spans_in_line), *(last for _, last, *_ in spans_in_line)})
    pieces = []
    for left, right in pairwise(cuts):
        covering = [span for span in spans_in_line if span[0] <= left and span[1] >= right]
        ending = [span for span in covering if span[2] == right and span[4]]
        badges = sorted({number for span in ending for number in holders.get(span[3], ())})
        over = sorted({number for span in covering for number in holders.get(span[3], ())})
        pieces.append(
            TextPiece(
                content[left:right],
                bool(covering),
                any(span[3] == current for span in covering),
                tuple(badges),
                tuple(over),
            )
        )
    return pieces
