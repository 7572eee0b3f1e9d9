"""How each coder codes, and how far each is from the others in each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures.data.arrays import distinct_rows
from agreement.measures.sums.distributions import pair_distances
from agreement.measures.values import Bools, Floats, Ints
from agreement.reports.items.items import SHARE_DIGITS
from agreement.reports.request.basis import comparison, pairable_units, pick_texts, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import remembered_report


@dataclass(frozen=True, slots=True)
class Profile:
    """How one coder codes: judgements by category, chains by length, links by how many units they go back."""

    coder: str
    n_judgements: int
    categories: Mapping[str, int]
    chain_lengths: Mapping[int, int]
    link_distances: Mapping[int, int]
    n_ambiguous: int

    @property
    def mean_chain(self) -> float | None:
        """The mean number of members of a chain."""
        return _mean(self.chain_lengths)

    @property
    def mean_link(self) -> float | None:
        """The mean number of units that a link goes back."""
        return _mean(self.link_distances)


@remembered_report
def compute_profiles(answers: ProjectAnswers, parameters: Parameters) -> list[Profile]:
    """Return how each coder codes."""
    chosen = answers.restrict(pick_texts(answers, parameters))
    columns, n_coders = chosen.columns, len(answers.coders)
    coder = chosen.column_of_coding[columns.coding_of_mark]
    is_counted = columns.is_judgement & (coder >= 0)
    is_ambiguous = is_counted & (columns.n_readings > 1)
    judgements, ambiguous = (np.bincount(coder[one], minlength=n_coders).tolist() for one in (is_counted, is_ambiguous))
    of_coder, given = _given_categories(chosen, is_counted)
    shape = n_coders, len(answers.categories)
    categories = np.bincount(of_coder * shape[1] + given, minlength=shape[0] * shape[1]).reshape(shape).tolist()
    distances, lengths = _link_distances(chosen), _chain_lengths(answers, parameters, chosen, is_ambiguous)
    return [
        Profile(
            name,
            judgements[place],
            dict(zip(answers.categories, categories[place], strict=True)) if answers.countable else {},
            lengths[place],
            distances[place],
            ambiguous[place],
        )
        for place, name in enumerate(answers.coders)
    ]


def _given_categories(answers: ProjectAnswers, is_counted: Bools) -> tuple[Ints, Ints]:
    """Return the coder and the category of each judgement; of sets of labels of each label."""
    columns = answers.columns
    coder = answers.column_of_coding[columns.coding_of_mark]
    if answers.kind != "labels":
        return coder[is_counted], columns.marks["category"][is_counted].astype(np.int64)
    is_linked = np.zeros(len(columns.marks), dtype=np.bool_)
    is_linked[columns.mark_of_link] = True
    links = np.flatnonzero(is_counted[columns.mark_of_link])
    rest = is_counted & ~is_linked
    return (
        np.concatenate((coder[columns.mark_of_link[links]], coder[rest])),
        np.concatenate((columns.links["to"][links], columns.marks["category"][rest])).astype(np.int64),
    )


def _link_distances(answers: ProjectAnswers) -> list[dict[int, int]]:
    columns = answers.columns
    if answers.kind != "pointers":
        return [{} for _ in answers.coders]
    coder, unit = answers.column_of_coding[columns.coding_of_link], columns.marks["unit"][columns.mark_of_link]
    units = columns.documents["units"][columns.document_of_coding[columns.coding_of_link]]
    inside = (columns.links["to"] < units) & (coder >= 0)
    return _count_by_coder(answers, coder[inside], (unit - columns.links["to"])[inside])


def _chain_lengths(
    answers: ProjectAnswers, parameters: Parameters, chosen: ProjectAnswers, is_ambiguous: Bools
) -> list[dict[int, int]]:
    """Return of each coder how many chains have how many members, without the unions of what is ambiguous."""
    if not answers.has_chains:
        return [{} for _ in answers.coders]
    columns = chosen.columns
    coder_of_mark = chosen.column_of_coding[columns.coding_of_mark]
    width = len(answers.coders) + 1
    ambiguous = columns.units["key"][columns.unit_of_mark[is_ambiguous]] * width + coder_of_mark[is_ambiguous]
    # as a score of clusters compares them, whatever is asked
    whole = replace(parameters, chains="full", top="chain")
    data = select_data(answers, whole, pick_texts(answers, parameters))
    units = np.array(data.units, dtype=np.int64)
    unit, coder = np.nonzero(data.codes >= len(data.labels))
    kept = ~np.isin(units[unit] * width + coder, ambiguous)
    unit, coder = unit[kept], coder[kept]
    sizes = np.diff(data.cells.starts)
    found, _ = distinct_rows(data.document_of_unit[unit], coder, data.codes[unit, coder])
    return _count_by_coder(answers, found[1], sizes[found[2] - len(data.labels)])


def _count_by_coder(answers: ProjectAnswers, coder: Ints, values: Ints) -> list[dict[int, int]]:
    """Return of each coder how often each value comes, ascending."""
    counts: list[dict[int, int]] = [{} for _ in answers.coders]
    least = values.min(initial=0)
    [coders, above], numbers = distinct_rows(coder, values - least)
    for place, value, number in zip(coders.tolist(), (above + least).tolist(), numbers.tolist(), strict=True):
        counts[place][value] = number
    return counts


def _mean(counts: Mapping[int, int]) -> float | None:
    total = sum(counts.values())
    return sum(size * count for size, count in counts.items()) / total if total else None


@dataclass(frozen=True, slots=True)
class TextDistances:
    """The mean distances in one text: of each coder's values to those of the others, and of all pairs of coders.

    Coders stand in the order of the extract.
    """

    text: Document
    coders: tuple[float | None, ...]
    mean: float | None


def compute_text_distances(answers: ProjectAnswers, parameters: Parameters) -> list[TextDistances]:
    """Return the mean distances in each chosen text, in the order of the project. Raises InvalidParameter."""
    texts, totals, numbers = _sum_distances(answers, parameters)
    return [_describe(text, *row) for text, *row in zip(texts, totals, numbers, strict=True)]


def find_farthest_texts(
    answers: ProjectAnswers, parameters: Parameters, most: int | None = None
) -> tuple[list[TextDistances], int]:
    """Return the texts with most disagreement, `most` at most, and how many have any. Raises InvalidParameter."""
    texts, totals, numbers = _sum_distances(answers, parameters)
    rows = np.flatnonzero(numbers.any(axis=1))
    means = totals[rows].sum(axis=1) / numbers[rows].sum(axis=1)
    # of texts with equal distances the first one comes first, whatever last digits say
    order = rows[np.argsort(-means.round(SHARE_DIGITS), kind="stable")][:most].tolist()
    return [_describe(texts[row], totals[row], numbers[row]) for row in order], len(rows)


def _describe(text: Document, totals: Floats, numbers: Floats) -> TextDistances:
    coders = [
        total / number if number else None for total, number in zip(totals.tolist(), numbers.tolist(), strict=True)
    ]
    return TextDistances(text, tuple(coders), float(totals.sum() / numbers.sum()) if numbers.any() else None)


@remembered_report
def _sum_distances(answers: ProjectAnswers, parameters: Parameters) -> tuple[Sequence[Document], Floats, Floats]:
    """Return the sums of distances of each coder in each text, and how many they are of: (texts, coders)."""
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
    return texts, totals, numbers
