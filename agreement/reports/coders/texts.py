"""How far each coder is from the others in each text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import Extract
from agreement.data.storage.records import TextRecords
from agreement.measures.sums.distributions import pair_distances
from agreement.measures.values import Floats
from agreement.reports.items.items import read_item_rows
from agreement.reports.request.basis import cached, comparison, pairable_units, pick_texts, select_data
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


@dataclass(frozen=True, eq=False)
class _Sums:
    """What the distances of each coder add up to in each text, and how many there are: (texts, coders).

    Each pair counts for both of its coders.
    """

    texts: Sequence[TextEntry]
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


def compute_text_distances(extract: Extract, parameters: Parameters) -> list[TextDistances]:
    """Return the mean distances in each chosen text, in the order of the project. Raises InvalidParameter."""
    sums = _read(*resolve(extract, parameters))
    return [sums.describe(row) for row in range(len(sums.texts))]


def find_farthest_texts(
    extract: Extract, parameters: Parameters, most: int | None = None
) -> tuple[list[TextDistances], int]:
    """Return the texts with most disagreement, and how many have any distance. Raises InvalidParameter.

    most: so many at most; None: all that have any.
    """
    sums = _read(*resolve(extract, parameters))
    rows = np.flatnonzero(~np.isnan(sums.means))
    order = rows[np.argsort(-sums.means[rows], kind="stable")][:most].tolist()
    return [sums.describe(row) for row in order], len(rows)


def _read(extract: Extract, parameters: Parameters) -> _Sums:
    return cached(extract, ("distances by text", parameters), lambda: _read_sums(extract, parameters))


def _read_sums(extract: Extract, parameters: Parameters) -> _Sums:
    texts = pick_texts(extract, parameters)

    def compute(missing: Sequence[TextEntry]) -> TextRecords:
        return _sum_distances(extract, parameters, missing)

    found = read_item_rows(extract, parameters, TextRecords, "distances of coders", texts, compute)
    return _Sums(texts, *(found.tabulate(extract.coders, field) for field in ("total", "number")))


def _sum_distances(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry]) -> TextRecords:
    data = select_data(extract, parameters, texts)
    pairable = pairable_units(data, parameters)
    found = pair_distances(pairable, comparison(parameters))
    totals, numbers = np.zeros((2, len(texts), len(data.coders)))
    documents = pairable.documents[found.units]
    for columns in (found.first, found.second):
        np.add.at(totals, (documents, columns), found.distances)
        np.add.at(numbers, (documents, columns), 1)
    text, coder = np.nonzero(numbers)
    return TextRecords.of(
        [one.pk for one in texts],
        np.bincount(text, minlength=len(texts)),
        data.coders,
        name=coder,
        total=totals[text, coder],
        number=numbers[text, coder],
    )
