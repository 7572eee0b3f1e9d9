"""A text with the chains that coders gave one markable, or with the SCUs that have a word: pieces for a template."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agreement.data.pyramids.pyramids import PyramidAnnotation, read_pyramids
from agreement.data.pyramids.scu_words import scus_by_word
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Contributor, summary_index
from annotations.models import Project, Text
from annotations.texts.keywords import covered_text

# A turn or a summary: start, end, label, speaker.
type Stretches = Sequence[tuple[int, int, str, str]]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A run of the text under the same markables.

    `badges` are the coders whose chain has a markable that ends here, `of` those whose chain has any, for the script.
    """

    words: str
    marked: bool
    current: bool
    badges: Sequence[int]
    of: str


@dataclass(frozen=True, slots=True)
class Line:
    """A turn, or all of a text that has none."""

    label: str
    speaker: str
    pieces: Sequence[TextPiece]


def build_lines(
    content: str, turns: Stretches, parts: Mapping[int, Parts], holders: Mapping[int, Iterable[int]], current: int
) -> list[Line]:
    """Return the text in lines of pieces.

    parts: the parts of each markable that is shown. holders: by markable the numbers of the coders whose chain it is
    in. current: the markable the page is about.
    """
    spans = [
        (start, end, markable, end == max(stop for _, stop in of_markable))
        for markable, of_markable in parts.items()
        for start, end in of_markable
    ]

    def numbers(markables: Iterable[int]) -> list[int]:
        return sorted({number for markable in markables for number in holders.get(markable, ())})

    lines = []
    for start, end, label, speaker in sorted(turns) or [(0, len(content), "", "")]:
        inside = [span for span in spans if span[0] < end and span[1] > start]
        cuts = {start, end, *(max(span[0], start) for span in inside), *(min(span[1], end) for span in inside)}
        pieces = []
        for left, right in pairwise(sorted(cuts)):
            covering = [span for span in inside if span[0] <= left and span[1] >= right]
            over = [markable for _, _, markable, _ in covering]
            ending = [markable for _, last, markable, is_last in covering if is_last and last == right]
            of = " ".join(map(str, numbers(over)))
            pieces.append(TextPiece(content[left:right], bool(over), current in over, numbers(ending), of))
        lines.append(Line(label, speaker, pieces))
    return lines


def scus_by_coder(project: Project, about: Text, parts: Parts, coders: Sequence[str]) -> list[dict[str, Any]]:
    """Return for each coder the SCUs that hold one of the words, and their contributors. Six queries."""
    pyramids = read_pyramids(project, about.docset.slug if about.docset else "")
    own = {one.coder: one for one in pyramids.own}
    return [_describe_scus(own.get(coder), about.content, parts) for coder in coders]


def _describe_scus(annotation: PyramidAnnotation | None, content: str, parts: Parts) -> dict[str, Any]:
    if annotation is None:
        return {"scus": [], "contributors": []}
    pairs = [(one.parts, key) for one in annotation.contributors for key in one.scus]
    keys = set().union(*scus_by_word([(start, end) for start, end in parts], pairs).values())
    contributors = [one for one in annotation.contributors if keys.intersection(one.scus)]

    def in_summary(one: Contributor) -> tuple[str, str]:
        place = summary_index(one.parts, annotation.docset.stretches)
        return "" if place is None else annotation.docset.summaries[place], covered_text(content, one.parts)

    scus = [
        {
            "label": label,
            "weight": annotation.pyramid.weights[key],
            "contributors": [in_summary(one) for one in contributors if key in one.scus],
        }
        for key, label in annotation.labels.items()
        if key in keys
    ]
    return {"scus": scus, "contributors": contributors}


def summary_lines(
    content: str, summaries: Stretches, of_coders: Mapping[int, Sequence[Contributor]], unit: Parts
) -> list[Line]:
    """Return the summaries with the contributors of these coders, by their numbers, and the unit."""
    spans: dict[int, Parts] = {0: unit}
    holders: dict[int, list[int]] = {}
    for number, contributors in of_coders.items():
        for one in contributors:
            holders[len(spans)] = [number]
            spans[len(spans)] = one.parts
    return build_lines(content, summaries, spans, holders, 0)
