"""How each coder codes, and how far each is from the others in each text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures.data.arrays import distinct_rows
from agreement.measures.sums.distributions import pair_distances
from agreement.measures.values import Bools, Ints
from agreement.reports.request.basis import comparison, pairable_units, pick_texts, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.resolved import remembered_report


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
        return _mean(self.chain_lengths)

    @property
    def mean_link(self) -> float | None:
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
    categories = np.zeros((n_coders, len(answers.categories)), dtype=np.int64)
    np.add.at(categories, (of_coder, given), 1)
    named = [
        dict(zip(answers.categories, row, strict=True)) if answers.countable else {} for row in categories.tolist()
    ]
    lengths, distances = _chain_lengths(answers, parameters, chosen, is_ambiguous), _link_distances(chosen)
    return list(map(Profile, answers.coders, judgements, named, lengths, distances, ambiguous))


def _given_categories(answers: ProjectAnswers, is_counted: Bools) -> tuple[Ints, Ints]:
    """Return the coder and the category of each judgement; of sets of labels of each label."""
    columns = answers.columns
    coder = answers.column_of_coding[columns.coding_of_mark]
    if answers.kind != "labels":
        return coder[is_counted], columns.marks["category"][is_counted].astype(np.int64)
    mark, labels = columns.mark_of_link, columns.links["to"]
    is_whole = is_counted.copy()  # without labels of its own
    is_whole[mark] = False
    links = is_counted[mark]
    given = np.concatenate((labels[links], columns.marks["category"][is_whole]))
    return np.concatenate((coder[mark[links]], coder[is_whole])), given.astype(np.int64)


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


@remembered_report
def compute_text_distances(answers: ProjectAnswers, parameters: Parameters) -> list[TextDistances]:
    """Return the mean distances in each chosen text, in the order of the project."""
    texts = pick_texts(answers, parameters)
    data = select_data(answers, parameters, texts)
    pairable = pairable_units(data, parameters)
    found = pair_distances(pairable, comparison(parameters))
    documents, n_coders = pairable.documents[found.units], len(data.coders)
    totals, numbers = np.zeros((2, len(texts), n_coders))
    for columns in (found.first, found.second):
        places = documents * n_coders + columns
        totals += np.bincount(places, found.distances, totals.size).reshape(totals.shape)
        numbers += np.bincount(places, minlength=totals.size).reshape(totals.shape)
    distances = []
    for text, total, number in zip(texts, totals, numbers, strict=True):
        means = [t / n if n else None for t, n in zip(total.tolist(), number.tolist(), strict=True)]
        mean = float(total.sum() / number.sum()) if number.any() else None
        distances.append(TextDistances(text, tuple(means), mean))
    return distances
