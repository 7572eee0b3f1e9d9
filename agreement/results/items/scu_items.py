"""One word or contributor of a pyramid for people to read: the SCUs that each coder has it in, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.data.pyramids.pyramids import PyramidAnnotation, read_pyramids
from agreement.data.pyramids.scu_words import scus_by_word
from agreement.results.items import passage
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Contributor, summary_index
from annotations.models import Project, Text
from annotations.texts.keywords import covered_text


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
) -> list[passage.Line]:
    """Return the summaries with the contributors of these coders, by their numbers, and the unit."""
    spans: dict[int, list[tuple[int, int]]] = {0: [(start, end) for start, end in unit]}
    holders: dict[int, list[int]] = {}
    for number, contributors in of_coders.items():
        for one in contributors:
            spans[len(spans)] = [(start, end) for start, end in one.parts]
            holders[len(spans) - 1] = [number]
    return passage.build_lines(content, summaries, spans, holders, 0)
