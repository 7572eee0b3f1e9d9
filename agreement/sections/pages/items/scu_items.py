"""One word or contributor of a pyramid for people to read: the SCUs that each coder has it in, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement import passage
from agreement.contributors import words_of_scus
from agreement.pyramids import Built, read
from agreement.words import words_of
from annotations.marking import Parts
from annotations.models import Project, Text
from annotations.pyramids import Contributor, summary_of


@dataclass(frozen=True, slots=True)
class SaidOfSCU:
    """An SCU of a coder: its weight, and what its contributors say, each with the name of its summary."""

    label: str
    weight: int
    said: tuple[tuple[str, str], ...]


def scus_of(project: Project, about: Text, parts: Parts, coders: Sequence[str]) -> list[dict[str, Any]]:
    """For each coder the SCUs that hold one of the words, and their contributors. Six queries."""
    docset = about.docset.slug if about.docset else ""
    own = {one.coder: one for one in read(project, docset).own}
    return [_of_coder(own.get(coder), about.content, parts) for coder in coders]


def _of_coder(built: Built | None, content: str, parts: Parts) -> dict[str, Any]:
    if built is None:
        return {"scus": [], "contributors": []}
    words = [(start, end) for start, end in parts]
    pairs = [(one.parts, key) for one in built.contributors for key in one.scus]
    keys = set().union(*words_of_scus(words, pairs).values())
    contributors = [one for one in built.contributors if keys.intersection(one.scus)]
    found = [
        SaidOfSCU(
            label,
            built.pyramid.weights[key],
            tuple((_summary(built, one), words_of(content, one.parts)) for one in contributors if key in one.scus),
        )
        for key, label in built.labels.items()
        if key in keys
    ]
    return {"scus": found, "contributors": contributors}


def _summary(built: Built, one: Contributor) -> str:
    place = summary_of(one.parts, built.docset.stretches)
    return "" if place is None else built.docset.summaries[place]


def lines(
    content: str,
    summaries: Sequence[tuple[int, int, str, str]],
    of_coders: Mapping[int, Sequence[Contributor]],
    unit: Parts,
) -> list[passage.Line]:
    """The summaries with the contributors of these coders, by their numbers, and the unit."""
    spans: dict[int, list[tuple[int, int]]] = {0: [(start, end) for start, end in unit]}
    holders: dict[int, list[int]] = {}
    for number, contributors in of_coders.items():
        for one in contributors:
            spans[len(spans)] = [(start, end) for start, end in one.parts]
            holders[len(spans) - 1] = [number]
    return passage.lines(content, summaries, spans, holders, 0)
