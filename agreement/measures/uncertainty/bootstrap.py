"""How far a coefficient can be trusted: the bootstrap, the jackknife and a permutation test.

Documents are the unit of sampling: what is coded in one text hangs together. Where there is one document, units are.
A coefficient that follows from sums over groups is computed from these sums; any other is computed anew for each
replicate.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import NormalDist
from typing import Any, overload

import numpy as np

from agreement.measures.cells import MISSING
from agreement.measures.chance import (
    bennett_kappa,
    beta_kappa,
    gwet_kappa,
    observed_kappa,
    own_kappa,
    pooled_kappa,
    scott_kappa,
    statistics_by,
    weighted_kappa,
)
from agreement.measures.coefficients import alpha, alphas
from agreement.measures.counts import count_alpha
from agreement.measures.data import ReliabilityData
from agreement.measures.intervals import Comparison, Interval, Jackknife
from agreement.measures.kappas import (
    bennett_s,
    beta,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    multi_kappa,
    observed_agreement,
    scott_pi,
)
from agreement.measures.options import check
from agreement.measures.resampling import (
    alpha_statistics,
    alphas_statistics,
    count_statistics,
    documents_in_use,
    pooled_documents,
    resampled,
    sums_statistics,
)
from agreement.measures.results import Result
from agreement.measures.statistics import Statistics
from agreement.measures.sums import DocumentSums, combine
from agreement.measures.values import Floats, Ints

GROUPS = ("document", "unit")
# replicates are computed in blocks of about so many numbers, which keeps memory small
_BLOCK = 500_000

type Coefficient = Callable[..., Result]
type Coefficients = Callable[..., Mapping[str, Result]]

# how the sums of each coefficient are found; the arguments are those of the coefficient, after the data and `by`
_STATISTICS: dict[Callable[..., Any], Callable[..., Statistics | None]] = {
    alpha: alpha_statistics,
    alphas: alphas_statistics,
    count_alpha: count_statistics,
    observed_agreement: statistics_by(observed_kappa),
    bennett_s: statistics_by(bennett_kappa),
    scott_pi: statistics_by(scott_kappa),
    cohen_kappa: statistics_by(weighted_kappa),
    fleiss_kappa: statistics_by(pooled_kappa),
    multi_kappa: statistics_by(own_kappa),
    beta: statistics_by(beta_kappa),
    gwet_ac1: statistics_by(gwet_kappa),
}


@overload
def bootstrap(
    data: ReliabilityData,
    coefficient: Coefficient,
    *arguments: Any,
    by: str = ...,
    n: int = ...,
    seed: int = ...,
    level: float = ...,
    **options: Any,
) -> Interval: ...


@overload
def bootstrap(
    data: ReliabilityData,
    coefficient: Coefficients,
    *arguments: Any,
    by: str = ...,
    n: int = ...,
    seed: int = ...,
    level: float = ...,
    **options: Any,
) -> dict[str, Interval]: ...


def bootstrap(
    data: ReliabilityData,
    coefficient: Coefficient | Coefficients,
    *arguments: Any,
    by: str = "document",
    n: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    **options: Any,
) -> Interval | dict[str, Interval]:
    """The percentile interval of a coefficient over random samples of the documents, drawn with replacement.

    `coefficient` is a function of data that returns a Result, or a mapping of them (`alphas`); further arguments are
    passed on to it. `by` is "document", or "unit"; where there is one document units are drawn in any case. Those that
    the coefficient makes no use of are not drawn. A document or unit that is drawn twice counts as two: chains of two
    copies of a document share nothing, and two copies of a unit are in the same chains. The same `seed` makes the same
    draws (Efron & Tibshirani 1993, chapter 13).

    The coefficients of this library are computed from sums over documents, so that replicates cost next to nothing;
    others, and alpha with a callable, are computed n times.
    Raises ValueError for an unknown option, n below 2, a level outside 0 to 1, and where units would have to be drawn
    for a coefficient that has no such sums and values that are sets.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> bootstrap(data, alpha, "jaccard", n=500)
    <alpha = 0.5926, 95% interval 0.4211 to 1.0000 (500 bootstrap replicates of 3 documents)>
    """
    check("by", by, GROUPS)
    _check_replicates(n)
    _check_level(level)
    by = _grouping(data, by)
    call = _Call(coefficient, arguments, options)
    found = call(data)
    results = {"": found} if isinstance(found, Result) else dict(found)
    statistics = call.statistics(data, by)
    groups = np.arange(len(statistics.groups)) if statistics else _groups(data, by)
    if not len(groups):
        replicates = np.full((n, len(results)), np.nan)
    elif statistics:
        replicates = _from_statistics(statistics, n, seed)
    else:
        replicates = _computed_anew(data, call, list(results), by, groups, n, seed)
    intervals = {
        name: _interval(result, replicates[:, i], level, by, len(groups), seed)
        for i, (name, result) in enumerate(results.items())
    }
    return intervals[""] if isinstance(found, Result) else intervals


@overload
def bootstrap_sums(sums: Sequence[DocumentSums], *, n: int = ..., seed: int = ..., level: float = ...) -> Interval: ...


@overload
def bootstrap_sums(
    sums: Mapping[str, Sequence[DocumentSums]], *, n: int = ..., seed: int = ..., level: float = ...
) -> dict[str, Interval]: ...


def bootstrap_sums(
    sums: Sequence[DocumentSums] | Mapping[str, Sequence[DocumentSums]],
    *,
    n: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval | dict[str, Interval]:
    """`bootstrap` of `alpha` by documents, from the sums that were kept of each: the same draws and digits.

    The sums stand in the order that their documents have in the data. A mapping has such sums of several distances, by
    name, of the same documents: all are drawn at once, as `bootstrap` of `alphas` does. A single document has nothing
    to draw from here, where `bootstrap` draws units: its interval is None. Raises ValueError as `bootstrap` does, for
    sums of different parameters or documents and for an ordered distance.

    >>> from agreement.measures import document_sums
    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> bootstrap_sums(document_sums(data, "jaccard")) == bootstrap(data, alpha, "jaccard")
    True
    """
    _check_replicates(n)
    _check_level(level)
    several = sums if isinstance(sums, Mapping) else {"": sums}
    found = {}
    if several:
        statistics = sums_statistics(list(several.values()))
        groups, n_documents = len(statistics.groups), len(next(iter(several.values())))
        nothing = np.full((n, len(several)), np.nan)
        drawn = _from_statistics(statistics, n, seed) if n_documents > 1 and groups else nothing
        found = {
            name: _interval(combine(of_documents), drawn[:, i], level, "document", groups, seed)
            for i, (name, of_documents) in enumerate(several.items())
        }
    return found if isinstance(sums, Mapping) else found[""]


def jackknife(
    data: ReliabilityData,
    coefficient: Coefficient,
    *arguments: Any,
    by: str = "document",
    level: float = 0.95,
    **options: Any,
) -> Jackknife:
    """The coefficient without each document in turn, its bias and its standard error.

    With g groups and values v: the variance is (g - 1)/g times the sum of squared deviations of v from their mean, the
    bias (g - 1)(mean of v - value) (Tukey 1958). Arguments and errors as in `bootstrap`. Standard error, bias and
    interval are None where there are fewer than two groups or a value is undefined.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> jackknife(data, alpha, "nominal")
    <alpha = 0.2414, 95% interval -0.2947 to 0.7774 (jackknife over 3 documents)>
    """
    check("by", by, GROUPS)
    _check_level(level)
    by = _grouping(data, by)
    call = _Call(coefficient, arguments, options)
    result = call(data)
    statistics = call.statistics(data, by)
    if statistics:
        groups, values = list(statistics.groups), statistics.without_each()[:, 0]
    else:
        rows = _groups(data, by)
        groups = [(data.documents if by == "document" else data.units)[row] for row in rows.tolist()]
        values = np.array([_value(call(resampled(data, np.delete(rows, g), by))) for g in range(len(rows))])
    return _jackknife(result, by, groups, values, level)


def jackknife_sums(sums: Sequence[DocumentSums], *, level: float = 0.95) -> Jackknife:
    """`jackknife` of `alpha` by documents, from the sums that were kept of each. Errors as in `bootstrap_sums`.

    >>> from agreement.measures import document_sums
    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> jackknife_sums(document_sums(data)) == jackknife(data, alpha)
    True
    """
    _check_level(level)
    statistics = sums_statistics([sums])
    return _jackknife(combine(sums), "document", list(statistics.groups), statistics.without_each()[:, 0], level)


def _jackknife(result: Result, by: str, groups: list[Hashable], values: Floats, level: float) -> Jackknife:
    g, mean = len(groups), float(values.mean()) if len(values) else float("nan")
    bias = error = low = high = None
    if g > 1 and result.value is not None and np.isfinite(mean):
        bias = (g - 1) * (mean - result.value)
        error = sqrt((g - 1) / g * float(((values - mean) ** 2).sum()))
        reach = NormalDist().inv_cdf((1 + level) / 2) * error
        low, high = result.value - reach, result.value + reach
    found = tuple(None if np.isnan(value) else float(value) for value in values)
    return Jackknife(result, low, high, level, error, by, tuple(groups), found, bias)


def permutation_test(
    first: ReliabilityData,
    second: ReliabilityData,
    coefficient: Coefficient = alpha,
    *arguments: Any,
    n: int = 10_000,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Is the coefficient of two rounds or conditions as different as it is by chance?

    Where both have the same documents, each document's two codings change places at random (paired); else the
    documents of both are dealt anew into two lots of the same sizes. The p-value is two-sided and counts the data at
    hand as one assignment, so that it is never 0 (Edgington & Onghena 2007).
    Raises ValueError for n below 1 and where there is a single document in each: one document can only be dealt whole.
    The p-value is None, with a note, where the coefficient of either is undefined.

    >>> ids = [[1, 1], [1, 2], [1, 1], [2, 1]]
    >>> first = ReliabilityData.from_chain_ids(ids, list("aabb"))
    >>> second = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [1, 1], [2, 2]], list("aabb"))
    >>> permutation_test(first, second, alpha, "jaccard").p_value > 0.2
    True
    """
    if n < 1:
        raise ValueError(f"n is {n}: at least one permutation is needed")
    call = _Call(coefficient, arguments, options)
    results = [call(data) for data in (first, second)]
    paired = set(first.documents) == set(second.documents)
    if len(first.documents) + len(second.documents) < 3 or (paired and len(first.documents) < 2):
        raise ValueError("there are too few documents to permute: a single one can only be dealt whole")
    a, b = (result.value for result in results)
    difference, p_value, undefined, note = None, None, 0, ""
    if a is None or b is None:
        note = f"the coefficient of the {'first' if a is None else 'second'} is undefined"
    else:
        difference = a - b
        found = _permuted(first, second, call, paired, n, seed)
        defined = found[~np.isnan(found)]
        undefined = n - len(defined)
        # ties with the data at hand count, whatever the rounding
        as_far = int((np.abs(defined) >= abs(difference) - 1e-12).sum())
        p_value = (as_far + 1) / (len(defined) + 1)
    return Comparison(results[0], results[1], difference, p_value, paired, "document", n, undefined, seed, note)


@dataclass(frozen=True)
class _Call:
    """A coefficient with its arguments."""

    coefficient: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def __call__(self, data: ReliabilityData) -> Any:
        return self.coefficient(data, *self.arguments, **self.options)

    def statistics(self, data: ReliabilityData, by: str) -> Statistics | None:
        """The sums from which a coefficient of this library follows, or None for any other."""
        coefficient, options = self.coefficient, dict(self.options)
        while isinstance(coefficient, partial) and not coefficient.args:
            options = {**coefficient.keywords, **options}
            coefficient = coefficient.func
        found = _STATISTICS.get(coefficient)
        return found(data, by, *self.arguments, **options) if found else None


def _from_statistics(statistics: Statistics, n: int, seed: int) -> Floats:
    groups, columns = statistics.sums.shape
    rows = max(1, _BLOCK // max(groups, columns))
    random = np.random.default_rng(seed)
    found = []
    for first in range(0, n, rows):
        weights = np.empty((min(rows, n - first), groups))
        for row in weights:
            row[:] = draw(random, groups)
        found.append(statistics.weighted(weights))
    return np.concatenate(found)


def draw(random: np.random.Generator, groups: int) -> Ints:
    """How often each group is in a sample, with replacement, of as many groups."""
    return np.bincount(random.integers(0, groups, groups), minlength=groups)


def _computed_anew(
    data: ReliabilityData, call: "_Call", names: list[str], by: str, groups: Ints, n: int, seed: int
) -> Floats:
    random = np.random.default_rng(seed)
    found = np.empty((n, len(names)))
    for row in range(n):
        chosen = np.repeat(groups, draw(random, len(groups)))
        result = call(resampled(data, chosen, by))
        found[row] = [_value(result)] if isinstance(result, Result) else [_value(result[name]) for name in names]
    return found


def _permuted(
    first: ReliabilityData,
    second: ReliabilityData,
    call: "_Call",
    paired: bool,
    n: int,
    seed: int,
) -> Floats:
    """The differences of n random assignments of documents."""
    random = np.random.default_rng(seed)
    sizes = len(first.documents), len(second.documents)
    pooled = pooled_documents(first, second)
    statistics = call.statistics(pooled, "document")
    used = _places(pooled, statistics) if statistics else None
    partner = np.array([second.documents.index(document) for document in first.documents]) if paired else None
    found = np.empty(n)
    for row in range(n):
        chosen = np.zeros(sum(sizes), dtype=np.bool_)
        if partner is not None:
            swapped = random.random(sizes[0]) < 0.5
            chosen[: sizes[0]] = ~swapped
            chosen[sizes[0] + partner] = swapped
        else:
            chosen[random.permutation(sum(sizes))[: sizes[0]]] = True
        if statistics:
            a, b = statistics.weighted(np.stack((chosen, ~chosen))[:, used].astype(np.float64))[:, 0]
        else:
            lots = (resampled(pooled, np.flatnonzero(lot), "document") for lot in (chosen, ~chosen))
            a, b = (_value(call(lot)) for lot in lots)
        found[row] = a - b
    return found


def _places(data: ReliabilityData, statistics: Statistics) -> Ints:
    """The numbers of the documents that the statistics have."""
    number = {document: i for i, document in enumerate(data.documents)}
    return np.array([number[document] for document in statistics.groups], dtype=np.int64)


def _interval(result: Result, replicates: Floats, level: float, by: str, n_groups: int, seed: int) -> Interval:
    defined = replicates[~np.isnan(replicates)]
    low = high = error = None
    if len(defined) > 1 and result.value is not None:
        low, high = (float(q) for q in np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]))
        error = float(defined.std(ddof=1))
    undefined = len(replicates) - len(defined)
    return Interval(
        result, low, high, level, error, by, n_groups, len(replicates), undefined, seed, replicates=replicates
    )


def _groups(data: ReliabilityData, by: str) -> Ints:
    """The numbers of the documents or units that can be drawn."""
    return documents_in_use(data) if by == "document" else np.flatnonzero((data.codes != MISSING).any(axis=1))


def _grouping(data: ReliabilityData, by: str) -> str:
    return "unit" if len(data.documents) < 2 else by


def _check_replicates(n: int) -> None:
    if n < 2:
        raise ValueError(f"n is {n}: at least two replicates are needed")


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be between 0 and 1")


def _value(result: Result) -> float:
    return float("nan") if result.value is None else result.value
