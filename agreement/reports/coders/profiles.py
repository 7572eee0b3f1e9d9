"""How each coder codes: what they did in each text, of which a table keeps the counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement.data.answers.answers import CoderAnswers
from agreement.data.answers.contents import TextEntry
from agreement.data.extract.extract import Extract
from agreement.data.storage.records import TextRecords
from agreement.measures.data.arrays import distinct_rows
from agreement.measures.values import Ints
from agreement.reports.coders.timing import select_times
from agreement.reports.items.patterns import restrict_to_categories
from agreement.reports.request.basis import cached, pick_texts, read_rows, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

LONGEST_CHAIN = 10  # from here on chains are counted together
FARTHEST_LINK = 20  # and links
# What is counted of each coder in each text.
COUNTED = ("judgements", "category", "ambiguous", "chain length", "link distance")


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


def compute_profiles(extract: Extract, parameters: Parameters) -> list[Profile]:
    """Return how each coder codes. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("profiles", parameters), lambda: _build_profiles(extract, parameters))


def read_coder_counts(extract: Extract, parameters: Parameters) -> TextRecords:
    """Return the `number` of everything that coders did in each of the chosen texts.

    Its name is the coder, what is counted, one of COUNTED, and a value: a category of the scheme by its place, the
    length of a chain or how far a link goes back, else 0. extract and parameters: as `resolve` returns them.
    """
    # neither the coefficient nor its options matter, but for what makes a value
    of_values = replace(restrict_to_categories(parameters), readings=parameters.readings, unmarked=parameters.unmarked)

    def compute(some: Sequence[TextEntry]) -> TextRecords:
        return _count_in_texts(extract, of_values, some)

    return read_rows(extract, of_values, TextRecords, ["coders"], pick_texts(extract, parameters), compute)


def _build_profiles(extract: Extract, parameters: Parameters) -> list[Profile]:
    found = read_coder_counts(extract, parameters)
    names: Sequence[Any] = found.names
    numbers: defaultdict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for (coder, kind, value), number in zip(names, found.sum_by_name("number").tolist(), strict=True):
        if number:
            numbers[coder, kind][value] = int(number)
    profiles = []
    for coder in extract.coders:
        of_kind = {kind: dict(sorted(numbers[coder, kind].items())) for kind in COUNTED}
        named = Counter({extract.categories[place]: n for place, n in of_kind["category"].items()})
        profiles.append(
            Profile(
                coder,
                of_kind["judgements"].get(0, 0),
                {name: named[name] for name in extract.countable},
                of_kind["chain length"],
                of_kind["link distance"],
                of_kind["ambiguous"].get(0, 0),
            )
        )
    return profiles


def _count_in_texts(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry]) -> TextRecords:
    coders = frozenset(extract.coders)
    places: dict[tuple[str, str, int], int] = {}
    rows: list[tuple[int, int, int]] = []  # text, name, number

    def add(text: int, coder: str, kind: str, values: Ints) -> None:
        distinct, counts = np.unique(values, return_counts=True)
        rows.extend(
            (text, places.setdefault((coder, kind, value), len(places)), count)
            for value, count in zip(distinct.tolist(), counts.tolist(), strict=True)
        )

    if extract.has_chains:
        data = select_data(extract, _whole_chains(extract, parameters), texts)
        sizes, ambiguous = np.diff(data.cells.starts), _find_ambiguous(texts)
        for column, coder in enumerate(map(str, data.coders)):
            is_unambiguous = np.array([unit not in ambiguous[coder] for unit in data.units], dtype=np.bool_)
            is_chain = (data.codes[:, column] >= len(data.labels)) & is_unambiguous
            of_text, code = distinct_rows(data.document_of_unit[is_chain], data.codes[is_chain, column])[0]
            lengths = sizes[code - len(data.labels)]
            places_of_texts, starts = np.unique(of_text, return_index=True)
            for place, of_place in zip(places_of_texts.tolist(), np.split(lengths, starts)[1:], strict=True):
                add(place, coder, "chain length", of_place)
    for place, text in enumerate(texts):
        for work in text.answers.coder_answers:
            if work.coder not in coders:  # who has begun since the versions were read counts at the next look
                continue
            add(place, work.coder, "judgements", np.zeros(len(work.unit), dtype=np.int64))
            add(place, work.coder, "category", _given_numbers(extract, work))
            add(place, work.coder, "ambiguous", np.zeros(int(work.is_ambiguous.sum()), dtype=np.int64))
            if extract.kind == "pointers":
                inside = work.link_to < len(text.answers.units)
                add(place, work.coder, "link distance", (work.unit[work.link_of] - work.link_to)[inside])
    text_of, name, number = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T
    sizes_of_texts = np.bincount(text_of, minlength=len(texts))
    return TextRecords.of([text.pk for text in texts], sizes_of_texts, tuple(places), name=name, number=number)


def mean_seconds(extract: Extract, parameters: Parameters, times: TextRecords) -> dict[str, float | None]:
    """Return each coder's time at work in the chosen texts over the judgements there, where the log has any time.

    times: as `read_times` returns them of the project. Raises InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("seconds", parameters), lambda: _mean_seconds(extract, parameters, times))


def _mean_seconds(extract: Extract, parameters: Parameters, times: TextRecords) -> dict[str, float | None]:
    times = select_times(times, pick_texts(extract, parameters))
    if not len(times.documents):
        return dict.fromkeys(extract.coders)
    counts = read_coder_counts(extract, parameters)
    judgements = counts.tabulate([(coder, "judgements", 0) for coder in extract.coders], "number")
    seconds = times.tabulate(extract.coders, "seconds", ~times["is_judgement"])
    totals = seconds.sum(axis=0)
    numbers = np.where(seconds > 0, judgements, 0.0).sum(axis=0)
    return {
        coder: total / number if number else None
        for coder, total, number in zip(extract.coders, totals.tolist(), numbers.tolist(), strict=True)
    }


def _given_numbers(extract: Extract, work: CoderAnswers) -> Ints:
    """Return the categories that a coder gave, by their numbers; of sets of labels each label."""
    if extract.kind != "labels":
        return work.category
    others = np.setdiff1d(np.arange(len(work.unit)), work.link_of)
    return np.concatenate((work.link_to, work.category[others]))


def _find_ambiguous(texts: Sequence[TextEntry]) -> Mapping[str, set[str]]:
    """Return the units to which each coder gave several readings or indices: their values are unions of chains."""
    ambiguous: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        for work in text.answers.coder_answers:
            if len(work.link_of):
                places = work.unit[np.flatnonzero(work.is_ambiguous)]
                ambiguous[work.coder].update(text.answers.units[place] for place in places.tolist())
    return ambiguous


def _whole_chains(extract: Extract, parameters: Parameters) -> Parameters:
    """Return whole chains with their first members, which a score of clusters compares."""
    return replace(parameters, chains="full", top="chain") if extract.kind == "pointers" else parameters


def _mean(counts: Mapping[int, int]) -> float | None:
    total = sum(counts.values())
    return sum(size * count for size, count in counts.items()) / total if total else None
