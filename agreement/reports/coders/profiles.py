"""How each coder codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from agreement.data.project_answers import ProjectAnswers
from agreement.measures.data.arrays import distinct_rows
from agreement.measures.values import Bools, Ints
from agreement.reports.overall.course import seconds_per_judgement
from agreement.reports.request.basis import pick_texts, remembered, select_data
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
