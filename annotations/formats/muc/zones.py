"""The zones of a MUC document, and where in them coreference is coded."""

import re
from bisect import bisect_right
from collections.abc import Sequence

# HEADER is a header that MUC has no tag for; unlike the zones it may cross other tags.
SEGMENT_KINDS = {"HEADER": "header", "TURN": "turn", "P": "paragraph", "S": "sentence"}
SEGMENT_TAGS = {"header": "HEADER", "turn": "TURN", "paragraph": "p", "sentence": "s"}
BODIES = ("TXT", "TEXT")
HEADERS = (
    "AN", "CO", "CODER", "DATE", "DATELINE", "DD", "DOCID", "DOCNO", "G", "GV", "HL", "IN", "NWORDS", "PREAMBLE", "RE",
    "SLUG", "SO", "ST", "STORYID", "TRAILER",
)  # fmt: skip
CODED = ("HL", "DATELINE")
TABLE_LINE = re.compile(r"(?:\A|(?<=[\r\n]))@[^\r\n]*")

type Span = tuple[int, int]


def coded_spans(zones: Sequence[tuple[str, int, int]], content: str) -> list[Span]:
    """Return the stretches in which MUC-6 codes coreference, in text order."""
    coded: list[Span] = []
    dates = 0
    for name, start, end in zones:
        dates += name == "DD"
        if name in BODIES:
            position = start
            for line in TABLE_LINE.finditer(content[start:end]):
                coded.append((position, start + line.start()))
                position = start + line.end()
            coded.append((position, end))
        elif name in CODED or (name == "DD" and dates == 2):
            coded.append((start, end))
    return coded


def lies_inside(start: int, end: int, stretches: Sequence[Span]) -> bool:
    """Return whether it lies in one of the stretches, which are in text order."""
    number = bisect_right(stretches, start, key=lambda stretch: stretch[0]) - 1
    return number >= 0 and end <= stretches[number][1]
