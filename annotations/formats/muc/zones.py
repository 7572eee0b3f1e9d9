"""Where in the zones of a MUC document coreference is coded, and where MIN, the least words of a markable, stand."""

import re
from collections.abc import Sequence
from itertools import pairwise

from annotations.formats.model.spans import Span

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
SPANS = re.compile(r"\d{1,9}-\d{1,9}(?:,\d{1,9}-\d{1,9}){0,99}", re.ASCII)
LONGEST_MIN = 1000
MOST_ALTERNATIVES = 5
MOST_PLACES = 100


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


def least_words(spans: Sequence[Span], words: str) -> str:
    """Return a head as MIN has it: on one line."""
    return " ".join(" ".join(words[start:end] for start, end in spans).split())


def parse_spans(minspan: str, least: str, words: str) -> list[Span]:
    """Return what MINSPAN says, if it says something that fits MIN."""
    if not SPANS.fullmatch(minspan):
        return []
    spans = [(int(start), int(end)) for start, _, end in (span.partition("-") for span in minspan.split(","))]
    edges = [edge for span in spans for edge in span]
    fits = all(one < other for one, other in pairwise(edges)) and edges[-1] <= len(words)
    return spans if fits and least_words(spans, words) == least else []


def find_spans(least: str, words: str) -> tuple[list[Span], bool]:
    """Return where MIN stands in the words of the markable, and whether it does so several times."""
    flat = " ".join(words.split())
    for alternative in (least, *least.split("|", MOST_ALTERNATIVES)[:MOST_ALTERNATIVES]):
        wanted = " ".join(alternative.split())
        places = _find_places(wanted, flat) if 0 < len(wanted) <= LONGEST_MIN else []
        if places:
            edges = (places[0], places[0] + len(wanted) - 1)
            start, last = (_position_in_words(words, flat, edge) for edge in edges)
            return [(start, last + 1)], len(places) > 1
    return [], False


def _find_places(wanted: str, words: str) -> list[int]:
    """Return the first places as whole words, else the first at all."""
    places: list[int] = []
    at = words.find(wanted)
    while at >= 0 and len(places) < MOST_PLACES:
        places.append(at)
        at = words.find(wanted, at + 1)
    padded = f" {words} "

    def whole(at: int) -> bool:
        begins = not (padded[at].isalnum() and wanted[0].isalnum())
        return begins and not (wanted[-1].isalnum() and padded[at + len(wanted) + 1].isalnum())

    return [at for at in places if whole(at)] or places


def _position_in_words(words: str, flat: str, position: int) -> int:
    """Return where in the words a character stands that stands here when all white space is one blank."""
    before = flat.count(" ", 0, position)
    within = position - (flat.rfind(" ", 0, position) + 1)
    return len(words) - len(words.split(None, before)[before]) + within
