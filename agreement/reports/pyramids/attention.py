"""The SCUs on whose words coders disagree most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agreement.data.pyramids.pyramids import DocsetInfo, PyramidAnnotation, Pyramids, read_word_spans
from agreement.reports.items.items import Items

MAX_TEXTS = 5  # that are looked into, those with the largest share first


@dataclass(frozen=True, slots=True)
class DisputedScu:
    """An SCU of a coder: the share of the disagreement that its words have, and how many coders have its very words.

    `n_coders` made pyramids of the docset, this coder among them; `n_alike` counts this coder too.
    """

    docset: DocsetInfo
    coder: str
    label: str
    weight: int
    share: float
    n_alike: int
    n_coders: int


def list_disputed_scus(pyramids: Pyramids, items: Items, most: int) -> list[DisputedScu]:
    """Return the SCUs of submitted pyramids by the disagreement on their words, items being words. One query.

    Of SCUs that have most of their words in common only the first is listed.
    """
    share_of_text = np.bincount(items.text, weights=items.share_of(...), minlength=len(items.texts))
    places = [int(place) for place in np.argsort(-share_of_text, kind="stable")[:MAX_TEXTS] if share_of_text[place] > 0]
    words = read_word_spans([items.texts[place].pk for place in places])
    found: list[tuple[float, DisputedScu, frozenset[int]]] = []
    for place in places:
        rows = np.flatnonzero(items.text == place)
        share = dict(zip(items.unit[rows].tolist(), items.share_of(rows).tolist(), strict=True))
        text = items.texts[place].pk
        annotations = [one for one in pyramids.own if one.submitted and one.docset.text == text]
        found += _scus_of_docset(annotations, words[text], share)
    found.sort(key=lambda one: (-one[0], one[1].docset.slug, one[1].label.casefold(), one[1].coder))
    chosen: list[tuple[DisputedScu, frozenset[int]]] = []
    for score, scu, units in found:
        if len(chosen) == most or score <= 0:
            break
        if not any(len(units & other) * 2 > min(len(units), len(other)) for _, other in chosen):
            chosen.append((scu, units))
    return [scu for scu, _ in chosen]


def _scus_of_docset(
    annotations: list[PyramidAnnotation], words: Mapping[int, tuple[int, int]], share: Mapping[int, float]
) -> list[tuple[float, DisputedScu, frozenset[int]]]:
    """Return each coder's SCUs with the share of their words and these words."""
    units, spans = list(words), list(words.values())
    alike: dict[frozenset[int], set[str]] = defaultdict(set)
    scus: list[tuple[PyramidAnnotation, str, frozenset[int]]] = []
    for one in annotations:
        for key, places in one.word_places(spans).items():
            if places:
                own = frozenset(units[place] for place in places)
                alike[own].add(one.coder)
                scus.append((one, key, own))
    found = []
    for one, key, own in scus:
        score = sum(share.get(unit, 0.0) for unit in own)
        labelled = DisputedScu(
            one.docset, one.coder, one.labels[key], one.pyramid.weights[key], score, len(alike[own]), len(annotations)
        )
        found.append((score, labelled, own))
    return found
