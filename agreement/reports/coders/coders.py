"""Agreement of pairs of coders, figures without each coder, and confusion of categories."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from agreement.data.documents import Document
from agreement.data.project_answers import CHAINED, ProjectAnswers
from agreement.data.texts import read_markings
from agreement.measures import Interval, LeaveOneOut, Result, cohen_kappa, link_kappa, observed_agreement
from agreement.measures.coreference.scores import count_texts
from agreement.measures.sums.patterns import LabelPatterns
from agreement.measures.values import Ints, Label
from agreement.reports import basis, coreference
from agreement.reports.coreference import SCORES, common_texts, find_clusters, pair_clusters
from agreement.reports.fields import copy_fields
from agreement.reports.parameters import Parameters, check_choice
from agreement.reports.request import cached_report, remembered_report, resolve
from annotations.core.processes.progress import Progress, reported

# Measures of two coders, in addition to the coefficient of the parameters.
CHAIN_MEASURES = ("link_kappa", *SCORES)
MEASURES = ("coefficient", "observed_agreement", "cohen_kappa", *CHAIN_MEASURES)
NO_PAIR = "one of the two has nothing that counts"
NO_INTERVAL_OF_LINKS = "no interval: pairs of markables of one text are not independent"


@dataclass(frozen=True, slots=True)
class PairMatrix:
    """A measure of each pair of coders; the order of `coders` puts coders who agree next to each other."""

    measure: str
    coders: tuple[str, ...]
    values: Mapping[frozenset[str], float | None]

    def value(self, first: str, second: str) -> float | None:
        """Return the value of two coders, in either order; None if undefined, and for a coder with themself."""
        return self.values.get(frozenset((first, second)))

    def of_coder(self, coder: str) -> list[float]:
        """Return the defined values of the coder's pairs."""
        return [value for pair, value in self.values.items() if coder in pair and value is not None]

    def against_rest(self, coder: str) -> float | None:
        """Return the mean over the coder's pairs with a value; None if there are none."""
        values = self.of_coder(coder)
        return sum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class PairFigure:
    """A measure of two coders with its interval; without one, both ends are None and the note says why."""

    measure: str
    value: float | None
    low: float | None
    high: float | None
    note: str


def measures_for(kind: str) -> tuple[str, ...]:
    """Return the measures of two coders for this kind of answers; measures of chains need chains."""
    return tuple(name for name in MEASURES if kind in CHAINED or name not in CHAIN_MEASURES)


def compute_pair_matrix(
    extract: ProjectAnswers,
    parameters: Parameters,
    measure: str = "coefficient",
    progress: Progress | None = None,
    *,
    muc6: bool = False,
) -> PairMatrix:
    """Return the measure of each pair of coders, ordered by average linkage of 1 - measure. Raises InvalidParameter."""
    check_choice("measure", measure, measures_for(extract.kind))
    extract, parameters = resolve(extract, parameters)

    def compute() -> PairMatrix:
        if measure in CHAIN_MEASURES:
            of_pair = _chain_measure(extract, parameters, measure, muc6=muc6)
        else:
            of_pair = _value_measure(extract, parameters, measure)
        pairs = list(combinations(extract.coders, 2))
        values = {frozenset(pair): of_pair(*pair) for pair in reported(pairs, progress)}
        return PairMatrix(measure, _order_by_similarity(extract.coders, values), values)

    return basis.remembered(extract, ("matrix", parameters, measure, muc6), compute)


def measure_pair(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str, *, muc6: bool = False
) -> list[PairFigure]:
    """Return every measure of two coders with its interval; the first is the key. Raises InvalidParameter."""
    measures = measures_for(extract.kind)
    extract, parameters = resolve(extract, replace(parameters, coders=f"{first},{second}"))
    if len(extract.coders) < 2:
        return [PairFigure(measure, None, None, None, NO_PAIR) for measure in measures]

    def compute() -> list[PairFigure]:
        data, figures = basis.select_data(extract, parameters), []
        for measure in (name for name in measures if name not in CHAIN_MEASURES):
            interval = basis.interval_over_texts(data, _coefficient(parameters, measure))
            figures.append(copy_fields(PairFigure, interval, measure=measure))
        if "link_kappa" in measures:
            texts = common_texts(extract, basis.pick_texts(extract, parameters), first, second)
            markings = read_markings(extract, texts, (first, second)) if muc6 else None
            key, response = pair_clusters(find_clusters(extract, texts), texts, first, second, markings)
            value = link_kappa(key, response, duplicates="first").value
            figures.append(PairFigure("link_kappa", value, None, None, NO_INTERVAL_OF_LINKS))
            for name, score in SCORES.items():
                found = coreference.overall_figures(count_texts(score, key, response))
                figures.append(PairFigure(name, found.f1, found.low, found.high, found.notes))
        return figures

    return basis.remembered(extract, ("pair", parameters, first, second, muc6), compute)


def _coefficient(parameters: Parameters, measure: str) -> Callable[..., Result]:
    if measure == "coefficient":
        return basis.coefficient_function(parameters)
    return partial({"cohen_kappa": cohen_kappa}.get(measure, observed_agreement), missing=parameters.missing)


def _value_measure(extract: ProjectAnswers, parameters: Parameters, measure: str) -> Callable[[str, str], float | None]:
    data_of, coefficient = basis.data_by_coders(extract, parameters), _coefficient(parameters, measure)
    has_answered = extract.restrict(basis.pick_texts(extract, parameters)).has_answered
    answered = dict(zip(extract.coders, has_answered.T, strict=True))

    def of_pair(a: str, b: str) -> float | None:
        if measure != "coefficient" or not parameters.is_alpha:
            return coefficient(data_of([a, b])).value
        # alpha only uses units that both judged, and few pairs of many coders have texts in common
        both = answered[a] & answered[b]
        return coefficient(data_of([a, b], both)).value if both.any() else None

    return of_pair


def _chain_measure(
    extract: ProjectAnswers, parameters: Parameters, measure: str, *, muc6: bool
) -> Callable[[str, str], float | None]:
    """Return a function of two coders: the kappa of links or the F1 of a score, in their common texts."""
    texts = basis.pick_texts(extract, parameters)
    clusters = find_clusters(extract, texts)
    markings = read_markings(extract, texts, extract.coders) if muc6 else None

    def against_key(key: str, response: str) -> float | None:
        common = common_texts(extract, texts, key, response)
        first, second = pair_clusters(clusters, common, key, response, markings)
        if measure == "link_kappa":
            return link_kappa(first, second, duplicates="first").value
        counted = count_texts(SCORES[measure], first, second)
        return coreference.figures_of(counted, counted.counts.sum(axis=0)).f1

    # by the rules of MUC-6 the value depends on which coder is the key: both directions are averaged
    def in_both_directions(a: str, b: str) -> float | None:
        there, back = against_key(a, b), against_key(b, a)
        return None if there is None or back is None else (there + back) / 2

    return in_both_directions if muc6 else against_key


def _order_by_similarity(coders: tuple[str, ...], values: Mapping[frozenset[str], float | None]) -> tuple[str, ...]:
    """Return the coders in the order of a dendrogram; in the given order if a pair has no value."""
    if len(coders) < 3 or any(value is None for value in values.values()):
        return coders
    apart = np.array([1.0 - float(values[frozenset(pair)] or 0.0) for pair in combinations(coders, 2)])
    apart -= min(apart.min(), 0.0)
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering

    tree = optimal_leaf_ordering(linkage(apart, "average"), apart)
    return tuple(coders[leaf] for leaf in leaves_list(tree).tolist())


@cached_report
def read_patterns(answers: ProjectAnswers, parameters: Parameters) -> LabelPatterns:
    """Return the numbers of coders by category for the units of the chosen texts; documents are keys of texts."""
    place = {name: number for number, name in enumerate(answers.categories)}

    def order(label: Label) -> tuple[int, list[str]]:
        return place.get(str(label), len(place)), sorted(basis.names_of(label))

    def read(p: Parameters, part: ProjectAnswers, texts: Sequence[Document]) -> LabelPatterns:
        data = basis.select_categories(part, p, texts)
        used = np.flatnonzero(np.bincount(data.codes[data.codes >= 0])).tolist()
        return LabelPatterns.from_data(data, sorted((data.labels[code] for code in used), key=order))

    parts = basis.compute_by_parts(answers, parameters, "patterns", read)
    return LabelPatterns.concatenate(parts, sorted({label for part in parts for label in part.labels}, key=order))


@remembered_report
def leave_out_each_coder(extract: ProjectAnswers, parameters: Parameters) -> LeaveOneOut:
    """Return the coefficient without each coder in turn."""
    intervals = intervals_without_each_coder(extract, parameters)
    rest: dict[Hashable, Result] = {coder: interval.result for coder, interval in intervals.items()}
    return LeaveOneOut.from_results(basis.compute_result(extract, parameters), "coder", rest)


@remembered_report
def intervals_without_each_coder(extract: ProjectAnswers, parameters: Parameters) -> dict[str, Interval]:
    """Return the interval of the coefficient without each coder."""
    others = {coder: [other for other in extract.coders if other != coder] for coder in extract.coders}
    if parameters.is_alpha:
        return {coder: basis.compute_interval_of(extract, parameters, of_rest) for coder, of_rest in others.items()}
    coefficient, data_of = basis.coefficient_function(parameters), basis.data_by_coders(extract, parameters)
    return {coder: basis.interval_over_texts(data_of(of_rest), coefficient) for coder, of_rest in others.items()}


@remembered_report
def confusion_matrix(extract: ProjectAnswers, parameters: Parameters, pair: tuple[str, str] | None = None) -> Ints:
    """Return the confusion matrix of categories; rows are the first of `pair`, or every pair counts in both orders."""
    if pair is None:
        patterns = read_patterns(extract, parameters)
        gives, pairs = gives_names(patterns.labels, extract.countable), patterns.count_pairs()
        first, second = np.nonzero(pairs)
        return count_confused(gives[first], gives[second], pairs[first, second])
    data = basis.select_categories(extract, parameters)
    gives = gives_names(data.labels, extract.countable)
    first, second = (gives[data.codes[:, list(data.coders).index(name)]] for name in pair)
    return count_confused(first, second, np.ones(len(data.units), dtype=np.int64))


@remembered_report
def count_together(extract: ProjectAnswers, parameters: Parameters) -> Ints:
    """Return the counts of two labels given together, (labels, labels); the diagonal has the counts of each label."""
    patterns = read_patterns(extract, parameters)
    gives = gives_names(patterns.labels, extract.countable)[:-1]
    return (gives * patterns.count_judgements()[:, np.newaxis]).T @ gives


def count_confused(first: Ints, second: Ints, counts: Ints) -> Ints:
    """Return the confusion counts of labels: a shared label pairs with itself, other labels pair with each other."""
    both = first * second
    alone, other = first - both, second - both
    confused: Ints = (alone * counts[:, np.newaxis]).T @ other
    return confused + np.diag((both * counts[:, np.newaxis]).sum(axis=0))


def gives_names(labels: Sequence[Label], names: Sequence[str]) -> Ints:
    """Return which categories, or labels of a set, each value has: (values + 1, names), with an empty last row."""
    gives = np.zeros((len(labels) + 1, len(names)), dtype=np.int64)
    for place, name in enumerate(names):
        gives[basis.codes_with(labels, name), place] = 1
    return gives


@dataclass(frozen=True, slots=True)
class AgreementCounts:
    """The units that exactly `n_coders` judged, by the number of coders who gave a category."""

    category: str  # empty: the most frequent category of each unit
    n_coders: int
    units: tuple[int, ...]  # by the number of coders who gave the category

    def at_least(self, k: int) -> int:
        """Return the number of units to which k coders or more gave the category."""
        return sum(self.units[k:])


@remembered_report
def count_agreeing_coders(extract: ProjectAnswers, parameters: Parameters) -> list[AgreementCounts]:
    """Return the units that all, all but one, ... coders gave each category (Poesio & Artstein 2005, Table 2)."""
    patterns = read_patterns(extract, parameters)
    given = [patterns.count_coders(basis.codes_with(patterns.labels, name)) for name in extract.countable]
    most = np.max([np.zeros_like(patterns.n_units), *given], axis=0)
    counted = []
    for n in sorted(set(patterns.n_coders[patterns.n_coders > 1].tolist()), reverse=True):
        rows = patterns.n_coders == n
        for name, of_name in (*zip(extract.countable, given, strict=True), ("", most)):
            units = np.bincount(of_name[rows], weights=patterns.n_units[rows], minlength=n + 1)
            counted.append(AgreementCounts(name, n, tuple(units.astype(np.int64).tolist())))
    return counted
