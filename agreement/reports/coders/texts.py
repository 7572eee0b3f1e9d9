"""How far each coder is from the others in each text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures.sums.distributions import pair_distances
from agreement.measures.values import Floats
from agreement.reports.items.items import SHARE_DIGITS
from agreement.reports.request.basis import comparison, pairable_units, pick_texts, remembered, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve


@dataclass(frozen=True, slots=True)
class TextDistances:
    """The mean distances in one text: of each coder's values to those of the others, and of all pairs of coders.

    A coder who shares no item with another there has None. Coders stand in the order of the extract.
    """

    text: Document
    coders: tuple[float | None, ...]
    mean: float | None


@dataclass(frozen=True, eq=False)
class _Sums:
    """What the distances of each coder add up to in each text, and how many there are: (texts, coders).

    Each pair counts for both of its coders.
    """

    texts: Sequence[Document]
    totals: Floats
    numbers: Floats

    @cached_property
    def means(self) -> Floats:
        """The mean of all pairs in each text, NaN where there is none."""
        numbers = self.numbers.sum(axis=1)
        means: Floats = np.divide(
            self.totals.sum(axis=1), numbers, out=np.full(len(numbers), np.nan), where=numbers > 0
        )
        return means

    def describe(self, row: int) -> TextDistances:
        """Return the distances in one text."""
        totals, numbers = self.totals[row].tolist(), self.numbers[row].tolist()
        coders = tuple(total / number if number else None for total, number in zip(totals, numbers, strict=True))
        mean = float(self.means[row]) if any(numbers) else None
        return TextDistances(self.texts[row], coders, mean)


def compute_text_distances(extract: ProjectAnswers, parameters: Parameters) -> list[TextDistances]:
    """Return the mean distances in each chosen text, in the order of the project. Raises InvalidParameter."""
    sums = _read(*resolve(extract, parameters))
    return [sums.describe(row) for row in range(len(sums.texts))]


def find_farthest_texts(
    extract: ProjectAnswers, parameters: Parameters, most: int | None = None
) -> tuple[list[TextDistances], int]:
    """Return the texts with most disagreement, and how many have any distance. Raises InvalidParameter.

    most: so many at most; None: all that have any.
    """
    sums = _read(*resolve(extract, parameters))
    rows = np.flatnonzero(~np.isnan(sums.means))
    # of texts with equal distances the first one comes first, whatever last digits say
    order = rows[np.argsort(-sums.means[rows].round(SHARE_DIGITS), kind="stable")][:most].tolist()
    return [sums.describe(row) for row in order], len(rows)


def _read(extract: ProjectAnswers, parameters: Parameters) -> _Sums:
    return remembered(extract, ("distances by text", parameters), lambda: _read_sums(extract, parameters))


def _read_sums(answers: ProjectAnswers, parameters: Parameters) -> _Sums:
    texts = pick_texts(answers, parameters)
    data = select_data(answers, parameters, texts)
    pairable = pairable_units(data, parameters)
    found = pair_distances(pairable, comparison(parameters))
    documents, n_coders = pairable.documents[found.units], len(data.coders)
    size = len(texts) * n_coders
    totals, numbers = np.zeros((2, len(texts), n_coders))
    for columns in (found.first, found.second):
        places = documents * n_coders + columns
        totals += np.bincount(places, found.distances, size).reshape(totals.shape)
        numbers += np.bincount(places, minlength=size).reshape(totals.shape)
    return _Sums(texts, totals, numbers)
