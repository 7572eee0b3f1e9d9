"""How far each coder is from the others in each text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import Extract
from agreement.measures.sums.distributions import pair_distances
from agreement.measures.values import Floats
from agreement.reports.request.basis import cached, cached_by_text, comparison, pairable_units, pick_texts, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve


@dataclass(frozen=True, slots=True)
class TextDistances:
    """The mean distances in one text: of each coder's values to those of the others, and of all pairs of coders.

    A coder who shares no item with another there has None. Coders stand in the order of the extract.
    """

    text: TextEntry
    coders: tuple[float | None, ...]
    mean: float | None


@dataclass(frozen=True, slots=True)
class _Sums:
    """What the distances of each coder add up to in a text, and how many there are; each pair counts for both."""

    totals: Floats
    numbers: Floats


def compute_text_distances(extract: Extract, parameters: Parameters) -> list[TextDistances]:
    """Return the mean distances in each chosen text, in the order of the project. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("distances by text", parameters), lambda: _compute(extract, parameters))


def _compute(extract: Extract, parameters: Parameters) -> list[TextDistances]:
    texts = pick_texts(extract, parameters)
    key = ("distances of coders", replace(parameters, texts="", rounds=""), extract.coders)
    of_texts = cached_by_text(texts, key, lambda missing: _sum_distances(extract, parameters, missing))
    return [_means(text, sums) for text, sums in zip(texts, of_texts, strict=True)]


def _means(text: TextEntry, sums: _Sums) -> TextDistances:
    coders = tuple(
        total / number if number else None
        for total, number in zip(sums.totals.tolist(), sums.numbers.tolist(), strict=True)
    )
    number = float(sums.numbers.sum())
    return TextDistances(text, coders, float(sums.totals.sum()) / number if number else None)


def _sum_distances(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry]) -> list[_Sums]:
    data = select_data(extract, parameters, texts)
    pairable = pairable_units(data, parameters)
    found = pair_distances(pairable, comparison(parameters))
    totals, numbers = np.zeros((2, len(texts), len(data.coders)))
    documents = pairable.documents[found.units]
    for columns in (found.first, found.second):
        np.add.at(totals, (documents, columns), found.distances)
        np.add.at(numbers, (documents, columns), 1)
    return [_Sums(totals[row], numbers[row]) for row in range(len(texts))]
