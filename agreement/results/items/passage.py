"""A text with the chains that coders gave one markable, or with the SCUs that have a word: pieces for a template."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agreement.data.pyramids.pyramids import PyramidAnnotation, read_pyramids
from agreement.data.pyramids.words import scus_by_word
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Contributor, summary_index
from annotations.models import Project, Text
from annotations.texts.keywords import covered_text


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


@dataclass(frozen=True, slots=True)
class ScuContent:
    """An SCU of a coder: its weight, and what its contributors say, each with the name of its summary."""

    label: str
    weight: int
    contributors: tuple[tuple[str, str], ...]


def scus_by_coder(project: Project, about: Text, parts: Parts, coders: Sequence[str]) -> list[dict[str, Any]]:
    """Return for each coder the SCUs that hold one of the words, and their contributors. Six queries."""
    docset = about.docset.slug if about.docset else ""
    own = {one.coder: one for one in read_pyramids(project, docset).own}
    return [_coder_scus(own.get(coder), about.content, parts) for coder in coders]


def _coder_scus(annotation: PyramidAnnotation | None, content: str, parts: Parts) -> dict[str, Any]:
    if annotation is None:
        return {"scus": [], "contributors": []}
    words = [(start, end) for start, end in parts]
    pairs = [(one.parts, key) for one in annotation.contributors for key in one.scus]
    keys = set().union(*scus_by_word(words, pairs).values())
    contributors = [one for one in annotation.contributors if keys.intersection(one.scus)]
    contents = [
        ScuContent(
            label,
            annotation.pyramid.weights[key],
            tuple(
                (_summary_name(annotation, one), covered_text(content, one.parts))
                for one in contributors
                if key in one.scus
            ),
        )
        for key, label in annotation.labels.items()
        if key in keys
    ]
    return {"scus": contents, "contributors": contributors}


def _summary_name(annotation: PyramidAnnotation, one: Contributor) -> str:
    place = summary_index(one.parts, annotation.docset.stretches)
    return "" if place is None else annotation.docset.summaries[place]


def summary_lines(
    content: str,
    summaries: Sequence[tuple[int, int, str, str]],
    of_coders: Mapping[int, Sequence[Contributor]],
    unit: Parts,
) -> list[Line]:
    """Return the summaries with the contributors of these coders, by their numbers, and the unit."""
    spans: dict[int, list[tuple[int, int]]] = {0: [(start, end) for start, end in unit]}
    holders: dict[int, list[int]] = {}
    for number, contributors in of_coders.items():
        for one in contributors:
            spans[len(spans)] = [(start, end) for start, end in one.parts]
            holders[len(spans) - 1] = [number]
    return build_lines(content, summaries, spans, holders, 0)
