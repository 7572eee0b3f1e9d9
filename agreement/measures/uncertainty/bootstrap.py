"""The bootstrap: the variation of a coefficient over random samples of documents.

Documents are the unit of sampling: what is coded in one text hangs together. Where there is one document, units are.
A coefficient that follows from sums over groups is computed from these sums; any other is computed anew for each
replicate.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from ..coefficients.alpha_statistics import document_sums_statistics
from ..data.inputs import Data, as_data
from ..options import check_option
from ..results import Result
from ..sums.sufficient_statistics import SufficientStatistics
from ..sums.text_sums import DocumentSums
from ..sums.totals import combine
from ..values import Floats
from .intervals import Interval
from .jackknife import defined_values, jackknife_error, named_results
from .resampling import (
    GROUPS,
    Coefficient,
    CoefficientCall,
    Coefficients,
    check_level,
    check_replicates,
    draw_counts,
    groups_in_use,
    percentile_bounds,
    resample,
    sampling_unit,
)

METHODS = ("percentile", "t")
# replicates are computed in blocks of about so many numbers, which keeps memory small
_BLOCK_SIZE = 500_000
# what an executor is handed at a time
_BLOCKS_A_TASK = 8

type Report = Callable[[int, int], object]


@overload
def bootstrap(
    data: Data,
    coefficient: Coefficient,
    *arguments: Any,
    by: str = ...,
    method: str = ...,
    n: int = ...,
    seed: int = ...,
    level: float = ...,
    executor: Executor | None = ...,
    report: Report | None = ...,
    **options: Any,
) -> Interval: ...


@overload
def bootstrap(
    data: Data,
    coefficient: Coefficients,
    *arguments: Any,
    by: str = ...,
    method: str = ...,
    n: int = ...,
    seed: int = ...,
    level: float = ...,
    executor: Executor | None = ...,
    report: Report | None = ...,
    **options: Any,
) -> dict[str, Interval]: ...


def bootstrap(
    data: Data,
    coefficient: Coefficient | Coefficients,
    *arguments: Any,
    by: str = "document",
    method: str = "percentile",
    n: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    executor: Executor | None = None,
    report: Report | None = None,
    **options: Any,
) -> Interval | dict[str, Interval]:
    """Return the interval of a coefficient over random samples of the documents, drawn with replacement.

    `interval` covers better where there are few documents; the percentiles are what others report.

    `coefficient` is a function of data that returns a Result, or a mapping of them (`alphas`); further arguments are
    passed on to it. `by` is "document", or "unit"; where there is one document units are drawn in any case. Those that
    the coefficient makes no use of are not drawn. A document or unit that is drawn twice counts as two: chains of two
    copies of a document share nothing, and two copies of a unit are in the same chains. The same `seed` makes the same
    draws (Efron & Tibshirani 1993, chapter 13).

    `method` is "percentile", or "t": how many of its own standard errors, by the jackknife, each replicate is from the
    value says how many of its own the value may be off (chapter 12). Replicates in which these do not vary are left
    out as undefined.

    The coefficients of this library are computed from sums over documents, so that replicates cost next to nothing;
    others, and alpha with a callable, are computed n times. Replicates are drawn in blocks, the first from `seed` and
    each other one from a seed of its own, so that an `executor` of processes or of a cluster, which draws and adds up
    the sums of blocks, draws the same; the last digit may be another where NumPy has another number of threads.
    `report` is called with the number of replicates so far, and n.

    Raises ValueError for an unknown option, n below 2, a level outside 0 to 1, and where units would have to be drawn
    for a coefficient that has no such sums and values that are sets; with "t" also for any that has no such sums.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> bootstrap(data, alpha, "jaccard", n=500)
    <alpha = 0.5926, 95% interval 0.4211 to 1.0000 (percentile bootstrap, 500 replicates of 3 documents)>
    """
    data = as_data(data)
    check_option("by", by, GROUPS)
    check_option("method", method, METHODS)
    check_replicates(n)
    check_level(level)
    by = sampling_unit(data, by)
    call = CoefficientCall(coefficient, arguments, options)
    estimate = call(data)
    results = named_results(estimate)
    statistics = call.statistics(data, by)
    if method == "t" and not statistics:
        raise ValueError("the bootstrap-t is for coefficients that are computed from sums: use interval or percentiles")
    groups = np.arange(len(statistics.groups)) if statistics else groups_in_use(data, by)
    replicates, random = np.full((n, len(results)), np.nan), np.random.default_rng(seed)
    if len(groups) and statistics:
        replicates = _replicate_statistics(statistics, n, seed, executor, report)
    elif len(groups):
        for row in range(n):
            drawn = np.repeat(groups, draw_counts(random, len(groups)))
            replicates[row] = defined_values(call(resample(data, drawn, by)))
            if report is not None:
                report(row + 1, n)
    intervals = {
        name: _percentile_interval(result, replicates[:, i], level, by, len(groups), seed)
        for i, (name, result) in enumerate(results.items())
    }
    if method == "t" and statistics:
        errors = _standard_errors(statistics, n, seed) if len(groups) else np.full_like(replicates, np.nan)
        columns = statistics.leave_one_out_coefficients().T
        own = [jackknife_error(column) if len(column) else np.nan for column in columns]
        intervals = {name: _studentise(base, own[i], errors[:, i]) for i, (name, base) in enumerate(intervals.items())}
    return intervals[""] if isinstance(estimate, Result) else intervals


class _Draws(TypedDict, total=False):
    n: int
    seed: int
    level: float
    executor: Executor | None
    report: Report | None


@overload
def bootstrap_sums(sums: Sequence[DocumentSums], **options: Unpack[_Draws]) -> Interval: ...


@overload
def bootstrap_sums(sums: Mapping[str, Sequence[DocumentSums]], **options: Unpack[_Draws]) -> dict[str, Interval]: ...


def bootstrap_sums(
    sums: Sequence[DocumentSums] | Mapping[str, Sequence[DocumentSums]],
    *,
    n: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    executor: Executor | None = None,
    report: Report | None = None,
) -> Interval | dict[str, Interval]:
    """Return `bootstrap` of `alpha` by documents, from the sums of each: the same draws and digits.

    The sums stand in the order that their documents have in the data. A mapping has such sums of several distances, by
    name, of the same documents: all are drawn at once, as `bootstrap` of `alphas` does. A single document has nothing
    to draw from here, where `bootstrap` draws units: its interval is None. `executor` and `report` are as there.

    Raises ValueError as `bootstrap` does, and for sums of different parameters or documents.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> bootstrap_sums(document_sums(data, "jaccard")) == bootstrap(data, alpha, "jaccard")
    True
    """
    check_replicates(n)
    check_level(level)
    several = sums if isinstance(sums, Mapping) else {"": sums}
    intervals = {}
    if several:
        statistics = document_sums_statistics(list(several.values()))
        groups, n_documents = len(statistics.groups), len(next(iter(several.values())))
        nothing = np.full((n, len(several)), np.nan)
        can_draw = n_documents > 1 and groups
        drawn = _replicate_statistics(statistics, n, seed, executor, report) if can_draw else nothing
        intervals = {
            name: _percentile_interval(combine(of_documents), drawn[:, i], level, "document", groups, seed)
            for i, (name, of_documents) in enumerate(several.items())
        }
    return intervals if isinstance(sums, Mapping) else intervals[""]


def _replicate_statistics(
    statistics: SufficientStatistics, n: int, seed: int, executor: Executor | None, report: Report | None
) -> Floats:
    """Return the coefficients of n random samples, (samples, coefficients)."""
    n_blocks = _count_blocks(statistics.sums, n)
    tasks = [range(first, min(first + _BLOCKS_A_TASK, n_blocks)) for first in range(0, n_blocks, _BLOCKS_A_TASK)]
    compute = partial(_sum_blocks, statistics.sums, n, seed)
    replicates: list[Floats] = []
    done = 0
    for blocks in executor.map(compute, tasks) if executor else map(compute, tasks):
        replicates += map(statistics.coefficients, blocks)
        done += sum(map(len, blocks))
        if report is not None:
            report(done, n)
    return np.concatenate(replicates)


def _sum_blocks(sums: Any, n: int, seed: int, blocks: Sequence[int]) -> list[Floats]:
    """Return the sums of the samples of each of these blocks: (samples, columns)."""
    return [np.asarray(_draw_block(sums, n, seed, block) @ sums) for block in blocks]


def _rows_of_block(sums: Any) -> int:
    rows: int = max(1, _BLOCK_SIZE // max(sums.shape))
    return rows


def _count_blocks(sums: Any, n: int) -> int:
    return -(-n // _rows_of_block(sums))


def _draw_block(sums: Any, n: int, seed: int, block: int) -> Floats:
    """Return the samples of one block of n: the count of each group in each sample, (samples, groups).

    Each has a generator of its own, so that its samples are the same wherever they are drawn.
    """
    rows, groups = _rows_of_block(sums), sums.shape[0]
    random = np.random.default_rng([seed, block] if block else seed)
    weights = np.empty((min(rows, n - block * rows), groups))
    for row in weights:
        row[:] = draw_counts(random, groups)
    return weights


def _standard_errors(statistics: SufficientStatistics, n: int, seed: int) -> Floats:
    """Return the jackknife's standard error of each replicate, (replicates, coefficients), NaN where undefined."""
    errors = []
    for block in range(_count_blocks(statistics.sums, n)):
        for counts in _draw_block(statistics.sums, n, seed, block):
            drawn = np.flatnonzero(counts)
            without = np.repeat(counts[None, :], len(drawn), axis=0)
            without[np.arange(len(drawn)), drawn] -= 1
            values, times = statistics.weighted_coefficients(without), counts[drawn, None]
            g = counts.sum()
            spread = (times * (values - (times * values).sum(axis=0) / g) ** 2).sum(axis=0)
            errors.append(np.sqrt((g - 1) / g * spread))
    return np.stack(errors)


def _studentise(percentile: Interval, error: float, errors: Floats) -> Interval:
    """Return the bootstrap-t interval, from one of percentiles, its standard error and those of its replicates."""
    low = high = None
    note, value = percentile.note, percentile.value
    usable = np.zeros(len(errors), dtype=np.bool_)
    if value is not None:
        # a spread that is only rounding is none
        usable = np.isfinite(errors) & (errors > 1e-9) & np.isfinite(percentile.replicates)
        if np.isfinite(error) and np.count_nonzero(usable) > 1:
            shifts = (percentile.replicates[usable] - value) / errors[usable]
            least, most = percentile_bounds(shifts, percentile.level)
            low, high = value - most * error, value - least * error
        else:
            note = note or "no interval: the coefficient does not vary over samples, or is undefined without some group"
    undefined = len(errors) - int(np.count_nonzero(usable))
    own = float(error) if low is not None else None
    return replace(
        percentile, low=low, high=high, standard_error=own, method="bootstrap-t", n_undefined=undefined, note=note
    )


def _percentile_interval(
    result: Result, replicates: Floats, level: float, by: str, n_groups: int, seed: int
) -> Interval:
    defined = replicates[~np.isnan(replicates)]
    low = high = error = None
    if len(defined) > 1 and result.value is not None:
        low, high = percentile_bounds(defined, level)
        error = float(defined.std(ddof=1))
    note = result.note if result.value is None else "" if len(defined) > 1 else "no interval: no replicate has a value"
    n, undefined = len(replicates), len(replicates) - len(defined)
    return Interval(result, low, high, level, error, by, n_groups, n, undefined, seed, "percentile", note, replicates)
