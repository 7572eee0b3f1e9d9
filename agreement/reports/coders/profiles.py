"""How each coder codes, and how far each is from the others in each text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures.data.arrays import distinct_rows
from agreement.measures.sums.distributions import pair_distances
from agreement.measures.values import Bools, Floats, Ints
from agreement.reports.items.items import SHARE_DIGITS
from agreement.reports.overall.course import seconds_per_judgement
from agreement.reports.request.basis import comparison, pairable_units, pick_texts, remembered, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve
from annotations.coding.active_time import Activity

LONGEST_CHAIN = 10  # from here on chains are counted together
FARTHEST_LINK = 20  # and links


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


def compute_profiles(answers: ProjectAnswers, parameters: Parameters) -> list[Profile]:
    """Return how each coder codes. Raises InvalidParameter."""
    answers, parameters = resolve(answers, parameters)
    return remembered(answers, ("profiles", parameters), lambda: _build_profiles(answers, parameters))


def _build_profiles(answers: ProjectAnswers, parameters: Parameters) -> list[Profile]:
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
    """Return of each coder how many links go back by how many units; none where coders do not point."""
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
    """Return of each coder how many chains in the chosen texts have how many members.

    What is ambiguous is in a union of chains, and left out.
    """
    if not answers.has_chains:
        return [{} for _ in answers.coders]
    columns = chosen.columns
    coder_of_mark = chosen.column_of_coding[columns.coding_of_mark]
    width = len(answers.coders) + 1
    ambiguous = columns.units["key"][columns.unit_of_mark[is_ambiguous]] * width + coder_of_mark[is_ambiguous]
    # neither the coefficient nor its options matter, but for what makes a value
    of_values = replace(Parameters(), readings=parameters.readings, unmarked=parameters.unmarked)
    of_values = replace(of_values, without=parameters.without, question=parameters.question)
    data = select_data(answers, _whole_chains(answers, of_values), pick_texts(answers, parameters))
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


def mean_seconds(
    answers: ProjectAnswers, parameters: Parameters, work: Mapping[tuple[int, str], Activity]
) -> dict[str, float | None]:
    """Return each coder's time at work in the chosen texts over the judgements there, where the log has any time.

    Raises InvalidParameter.
    """
    answers, parameters = resolve(answers, parameters)
    return seconds_per_judgement(answers, pick_texts(answers, parameters), work)


def _whole_chains(extract: ProjectAnswers, parameters: Parameters) -> Parameters:
    """Return whole chains with their first members, which a score of clusters compares."""
    return replace(parameters, chains="full", top="chain") if extract.kind == "pointers" else parameters


def _mean(counts: Mapping[int, int]) -> float | None:
    total = sum(counts.values())
    return sum(size * count for size, count in counts.items()) / total if total else None


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
