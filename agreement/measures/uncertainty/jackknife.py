"""The jackknife: a coefficient without each document or unit in turn."""

from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from ..coefficients.alpha_statistics import document_sums_statistics
from ..data.inputs import Data, as_data
from ..options import check_option
from ..results import Result
from ..sums.documents import combine
from ..sums.text_sums import DocumentSums
from ..values import Floats
from .calls import GROUPS, Coefficient, CoefficientCall, check_level, value_or_nan
from .groups import jackknife_error
from .intervals import Jackknife
from .resampling import groups_in_use, resample, sampling_unit


def jackknife(
    data: Data,
    coefficient: Coefficient,
    *arguments: Any,
    by: str = "document",
    level: float = 0.95,
    **options: Any,
) -> Jackknife:
    """Return the coefficient without each document in turn, its bias and its standard error.

    With g groups and values v: the variance is (g - 1)/g times the sum of squared deviations of v from their mean, the
    bias (g - 1)(mean of v - value) (Tukey 1958). Arguments and errors as in `bootstrap`. Standard error, bias and
    interval are None where there are fewer than two groups or a value is undefined.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> jackknife(data, alpha, "nominal")
    <alpha = 0.2414, 95% interval -0.2947 to 0.7774 (jackknife, over 3 documents)>
    """
    data = as_data(data)
    check_option("by", by, GROUPS)
    check_level(level)
    by = sampling_unit(data, by)
    call = CoefficientCall(coefficient, arguments, options)
    result = call(data)
    statistics = call.statistics(data, by)
    if statistics:
        groups, values = list(statistics.groups), statistics.leave_one_out_coefficients()[:, 0]
    else:
        rows = groups_in_use(data, by)
        groups = [(data.documents if by == "document" else data.units)[row] for row in rows.tolist()]
        values = np.array([value_or_nan(call(resample(data, np.delete(rows, g), by))) for g in range(len(rows))])
    return _jackknife(result, by, groups, values, level)


def jackknife_sums(sums: Sequence[DocumentSums], *, level: float = 0.95) -> Jackknife:
    """Return `jackknife` of `alpha` by documents, from the sums of each. Errors as in `bootstrap_sums`.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> jackknife_sums(document_sums(data)) == jackknife(data, alpha)
    True
    """
    check_level(level)
    statistics = document_sums_statistics([sums])
    return _jackknife(
        combine(sums), "document", list(statistics.groups), statistics.leave_one_out_coefficients()[:, 0], level
    )


def _jackknife(result: Result, by: str, groups: list[Hashable], values: Floats, level: float) -> Jackknife:
    g, mean = len(groups), float(values.mean()) if len(values) else float("nan")
    bias = error = low = high = None
    if g > 1 and result.value is not None and np.isfinite(mean):
        bias = (g - 1) * (mean - result.value)
        error = jackknife_error(values)
        reach = NormalDist().inv_cdf((1 + level) / 2) * error
        low, high = result.value - reach, result.value + reach
    note = result.note if result.value is None else _why_no_error(by, groups, values)
    return Jackknife(
        result=result,
        low=low,
        high=high,
        level=level,
        standard_error=error,
        by=by,
        n_groups=g,
        method="jackknife",
        note=note,
        groups=tuple(groups),
        values=tuple(None if np.isnan(value) else float(value) for value in values),
        bias=bias,
    )


def _why_no_error(by: str, groups: list[Hashable], values: Floats) -> str:
    if len(groups) < 2:
        return f"no interval: it takes two {by}s"
    undefined = np.flatnonzero(np.isnan(values))
    return f"no interval: the coefficient is undefined without {by} {groups[undefined[0]]!r}" if len(undefined) else ""
