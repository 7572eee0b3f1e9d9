"""Who agrees with whom, who stands apart, and how each coder works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from agreement.extract import Extract, Place
from agreement.measures import (
    ReliabilityData,
    Result,
    b_cubed,
    blanc,
    ceaf_e,
    ceaf_m,
    cohen_kappa,
    conll_average,
    lea,
    leave_one_out,
    link_kappa,
    muc,
    observed_agreement,
)
from agreement.measures.comparisons import LeaveOneOut, of_coders
from agreement.measures.values import Bools, Ints, each_once
from agreement.parameters import Parameters, WrongParameter
from agreement.reports.basis import (
    categories_of,
    coders_of,
    coefficient_of,
    data_of,
    effective,
    kept,
    texts_of,
)
from annotations.progress import Progress

SCORES: dict[str, Callable[..., Any]] = {
    "muc": muc,
    "b_cubed": b_cubed,
    "ceaf_m": ceaf_m,
    "ceaf_e": ceaf_e,
    "lea": lea,
    "blanc": blanc,
    "conll_average": conll_average,
}
# Of two coders, besides the coefficient that the parameters ask for.
MEASURES = ("coefficient", "observed_agreement", "cohen_kappa", "link_kappa", *SCORES)
LONGEST_CHAIN = 10  # from here on chains are counted together
FARTHEST_LINK = 20  # and links


@dataclass(frozen=True, slots=True)
class Matrix:
    """A measure of each two coders, `coders` in an order that puts those who agree beside each other."""

    measure: str
    coders: tuple[str, ...]
    values: Mapping[frozenset[str], float | None]

    def value(self, first: str, second: str) -> float | None:
        """That of two coders, in either order; None also for a coder with themself."""
        return self.values.get(frozenset((first, second)))

    def against_rest(self, coder: str) -> float | None:
        """The mean over the pairs that the coder is in."""
        found = [value for pair, value in self.values.items() if coder in pair and value is not None]
        return sum(found) / len(found) if found else None


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


def measures_for(answers: str) -> tuple[str, ...]:
    """The measures of two coders that a scheme allows: scores of chains need chains."""
    return MEASURES if answers != "categories" else ("coefficient", "observed_agreement", "cohen_kappa")


def check_measure(extract: Extract, measure: str) -> None:
    """Raise WrongParameter unless the scheme allows the measure."""
    if measure not in measures_for(extract.answers):
        raise WrongParameter("measure", f"{measure!r} is not one of {', '.join(measures_for(extract.answers))}.")


def matrix(
    extract: Extract,
    parameters: Parameters,
    measure: str = "coefficient",
    progress: Progress | None = None,
) -> Matrix:
    """The measure of each two coders. Raises WrongParameter. `progress` is told how many pairs are done, of how many.

    A coreference score is the F1, on whole chains with their first member; a member of several chains counts in
    the first. Coders are ordered by average linkage of 1 less the measure.
    """
    check_measure(extract, measure)
    parameters = effective(extract, parameters)
    return kept(extract, ("matrix", parameters, measure), lambda: _matrix(extract, parameters, measure, progress))


def _matrix(extract: Extract, parameters: Parameters, measure: str, progress: Progress | None) -> Matrix:
    coders = coders_of(extract, parameters)
    of_pair = _measure(extract, parameters, measure)
    pairs = list(combinations(coders, 2))
    values: dict[frozenset[str], float | None] = {}
    for done, pair in enumerate(pairs):
        if progress:
            progress(done, len(pairs))
        values[frozenset(pair)] = of_pair(*pair)
    return Matrix(measure, _clustered(coders, values), values)


def _measure(extract: Extract, parameters: Parameters, measure: str) -> Callable[[str, str], float | None]:
    if measure in SCORES or measure == "link_kappa":
        data = data_of(extract, _chains(extract, parameters))
        clusters = {coder: data.clusters(coder) for coder in data.coders}
        both = _judged_by_both(data)
        if measure == "link_kappa":
            return lambda a, b: link_kappa(*_common(clusters, both(a, b), a, b), duplicates="first").value
        score = SCORES[measure]
        return lambda a, b: float(score(*_common(clusters, both(a, b), a, b)).f1)
    data = data_of(extract, parameters)
    others: dict[str, Callable[..., Result]] = {
        "observed_agreement": partial(observed_agreement, missing=parameters.missing),
        "cohen_kappa": partial(cohen_kappa, missing=parameters.missing),
    }
    coefficient = others.get(measure) or coefficient_of(parameters)
    column = {coder: number for number, coder in enumerate(data.coders)}
    return lambda a, b: coefficient(of_coders(data, [column[a], column[b]])).value


type Clusters = Mapping[Hashable, Sequence[frozenset[Hashable]]]


def _judged_by_both(data: ReliabilityData) -> Callable[[str, str], tuple[set[Hashable], set[Hashable]]]:
    """A function that gives the units that two coders both judged, and those that they did not."""
    column = {coder: number for number, coder in enumerate(data.coders)}

    def both(a: str, b: str) -> tuple[set[Hashable], set[Hashable]]:
        judged = (data.codes[:, [column[a], column[b]]] >= 0).all(axis=1)
        common, apart = ({data.units[row] for row in np.flatnonzero(these).tolist()} for these in (judged, ~judged))
        return common, apart

    return both


def _common(
    clusters: Mapping[Hashable, Clusters], judged: tuple[set[Hashable], set[Hashable]], a: str, b: str
) -> tuple[Clusters, Clusters]:
    """The chains of two coders over what both judged: what one was not given, or has not come to, is no miss."""
    common, apart = judged
    first, second = (
        {
            document: [cluster - apart for cluster in found if cluster & common]
            for document, found in clusters[coder].items()
        }
        for coder in (a, b)
    )
    return first, second


def _chains(extract: Extract, parameters: Parameters) -> Parameters:
    """Whole chains with their first members, which a score of clusters compares."""
    return replace(parameters, chains="full", top="chain") if extract.answers == "pointers" else parameters


def _clustered(coders: tuple[str, ...], values: Mapping[frozenset[str], float | None]) -> tuple[str, ...]:
    """The coders in the order of a dendrogram; as they are where a pair has no value."""
    if len(coders) < 3 or any(value is None for value in values.values()):
        return coders
    apart = np.array([1.0 - float(values[frozenset(pair)] or 0.0) for pair in combinations(coders, 2)])
    apart -= min(apart.min(), 0.0)
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

    tree = optimal_leaf_ordering(linkage(apart, "average"), apart)
    return tuple(coders[leaf] for leaf in leaves_list(tree).tolist())


def without_each(extract: Extract, parameters: Parameters) -> LeaveOneOut:
    """The coefficient without each coder in turn. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    return kept(
        extract,
        ("without each", parameters),
        lambda: leave_one_out(data_of(extract, parameters), coefficient_of(parameters), by="coder"),
    )


def profiles(extract: Extract, parameters: Parameters) -> list[Profile]:
    """How each coder codes. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    return kept(extract, ("profiles", parameters), lambda: _profiles(extract, parameters))


def _profiles(extract: Extract, parameters: Parameters) -> list[Profile]:
    texts = texts_of(extract, parameters)
    chains: dict[str, Counter[int]] = {coder: Counter() for coder in coders_of(extract, parameters)}
    if extract.answers != "categories":
        data = data_of(extract, _chains(extract, parameters))
        sizes = np.diff(data.cells.starts)
        for column, coder in enumerate(data.coders):
            codes = data.codes[~_ambiguous(texts, data.units, str(coder)), column]
            chains[str(coder)].update(sizes[each_once(codes[codes >= len(data.labels)]) - len(data.labels)].tolist())
    found = []
    for coder, lengths in chains.items():
        links: Counter[int] = Counter()
        categories: Counter[str] = Counter()
        several = 0
        for text in texts:
            for work in text.answers.work:
                if work.coder == coder:
                    categories.update(extract.categories[number] for number in work.category.tolist())
                    several += int((np.bincount(work.link_of) > 1).sum()) if len(work.link_of) else 0
                    if extract.answers == "pointers":
                        inside = work.link_to < len(text.answers.units)
                        links.update((work.unit[work.link_of] - work.link_to)[inside].tolist())
        found.append(
            Profile(
                coder,
                sum(categories.values()),
                {name: categories[name] for name in extract.categories},
                dict(sorted(lengths.items())),
                dict(sorted(links.items())),
                several,
            )
        )
    return found


def _ambiguous(texts: Sequence[Place], units: Sequence[object], coder: str) -> Bools:
    """The units to which the coder gave several antecedents or indices: their values are unions of chains."""
    found: set[int] = set()
    for text in texts:
        for work in text.answers.work:
            if work.coder == coder and len(work.link_of):
                places = work.unit[np.flatnonzero(np.bincount(work.link_of) > 1)]
                found.update(text.answers.units[place] for place in places.tolist())
    return np.array([unit in found for unit in units], dtype=np.bool_)


def confusion(extract: Extract, parameters: Parameters, pair: tuple[str, str] | None = None) -> Ints:
    """How often category meets category, (categories, categories) in the order of the scheme. Raises WrongParameter.

    Of two coders: rows are those of the first. Of all: each pair of coders on a unit counts once in each order.
    """
    parameters = effective(extract, parameters)
    data = categories_of(extract, parameters)
    number = [extract.categories.index(str(name)) for name in data.labels]
    given = [_one_hot(data, column, number, len(extract.categories)) for column in range(len(data.coders))]
    for name in pair or ():
        if name not in data.coders:
            raise WrongParameter("coders", f"there is no {name!r} in what is coded here.")
    if pair:
        a, b = (list(data.coders).index(name) for name in pair)
        return given[a].T @ given[b]
    total = sum(given, start=np.zeros((len(data.units), len(extract.categories)), dtype=np.int64))
    together: Ints = total.T @ total - sum(one.T @ one for one in given)
    return together


def _one_hot(data: ReliabilityData, column: int, number: list[int], width: int) -> Ints:
    hot = np.zeros((len(data.units), width + 1), dtype=np.int64)
    columns = np.array([*number, width], dtype=np.int64)  # -1 reads the last, which is cut off
    hot[np.arange(len(data.units)), columns[data.codes[:, column]]] = 1
    return hot[:, :width]


def agreed_by(extract: Extract, parameters: Parameters) -> tuple[int, dict[str, list[int]]]:
    """On how many units all coders, all but one, ... none gave a category (Poesio & Artstein 2005, Table 2).

    The number of coders, and by category the numbers of units with so many coders, from all down to none. Units that
    some coder did not judge are left out. Raises WrongParameter.
    """
    parameters = effective(extract, parameters)
    data = categories_of(extract, parameters)
    n = len(data.coders)
    codes = data.codes[(data.codes >= 0).all(axis=1)] if n else data.codes
    found = {}
    for name in extract.categories:
        code = data.labels.index(name) if name in data.labels else -2
        counts = np.bincount((codes == code).sum(axis=1), minlength=n + 1)
        found[name] = counts[::-1].tolist()
    return n, found


def _mean(counts: Mapping[int, int]) -> float | None:
    total = sum(counts.values())
    return sum(size * count for size, count in counts.items()) / total if total else None
