"""How two rounds, groups of coders or projects differ: the difference of two coefficients with its interval."""

from math import sqrt
from typing import Any

import numpy as np

from ..coefficients.alpha import alpha
from ..data.components import (
    Original,
    find_pairable_documents,
    merge_documents,
    name_pairable_documents,
    split_shared_components,
)
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..results import Result
from .calls import Coefficient, CoefficientCall, check_level
from .default_interval import satterthwaite, student_quantile
from .groups import NO_SPREAD, Groups, LeftOutValues, find_groups, leave_out_groups
from .intervals import Difference


def difference(
    first: Data,
    second: Data,
    coefficient: Coefficient = alpha,
    *arguments: Any,
    level: float = 0.95,
    original: Original | None = None,
    **options: Any,
) -> Difference:
    """Return how the coefficients of two rounds or groups of coders differ, first − second, with its interval.

    Where both have pairable units in the same documents, each is left out of both at once, and the interval is the
    jackknife's of the difference: se = sqrt((G - 1)/G sum (d(g) - mean of d(g))^2), t of Student's distribution with
    G - 1 degrees of freedom (Tukey 1958). Where these are other documents the variances of both are added, with the
    degrees of freedom of Welch 1947. Groups are those of `interval`, with `original` as there; of one document that
    both have, the connected components of all values in either. The scale is the plain one. The p-value is two-sided,
    of t = difference/se; `permutation_test` needs no such distribution.

    There is no interval, and the note says why, where a coefficient is undefined, also without some group, for fewer
    than three documents or eight components, and where nothing that is left out moves the difference. Raises ValueError
    for a level outside 0 to 1, and as the coefficient does.

    >>> documents = list("aabbccdd")
    >>> first = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [1, 1]] * 2, documents)
    >>> second = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 2], [1, 2]] * 2, documents)
    >>> difference(first, second, alpha, "masi").paired
    True
    """
    first, second = as_data(first), as_data(second)
    check_level(level)
    if original is not None:
        first, second = merge_documents(first, original), merge_documents(second, original)
    call = CoefficientCall(coefficient, arguments, options)
    results = call(first), call(second)
    paired = set(name_pairable_documents(first)) == set(name_pairable_documents(second))
    groups = (
        _shared_groups(first, second, original)
        if paired
        else [find_groups(data, "document", original) for data in (first, second)]
    )
    left_out = [leave_out_groups(data, call, one) for data, one in zip((first, second), groups, strict=True)]
    if paired:
        left_out = [_subtract(results, left_out)]
    return _difference(results, left_out, level)


def _shared_groups(first: ReliabilityData, second: ReliabilityData, original: Original | None) -> list[Groups]:
    """Return the groups of both, which have pairable units in the same documents, by the same names."""
    by = "document"
    if len(name_pairable_documents(first)) == 1:
        by = "component"
        first, second = split_shared_components(first, second, original)
    return [Groups(by, data, find_pairable_documents(data)) for data in (first, second)]


def _subtract(results: tuple[Result, Result], left_out: list[LeftOutValues]) -> LeftOutValues:
    """Return the difference without each group that either has."""
    names = list(dict.fromkeys([*left_out[0].names, *left_out[1].names]))
    sides = []
    for result, one in zip(results, left_out, strict=True):
        values = dict(zip(one.names, one.values[:, 0].tolist(), strict=True))
        whole = float("nan") if result.value is None else result.value
        sides.append(np.array([values.get(name, whole) for name in names], dtype=np.float64))
    return LeftOutValues(left_out[0].by, names, (sides[0] - sides[1])[:, None])


def _difference(results: tuple[Result, Result], left_out: list[LeftOutValues], level: float) -> Difference:
    from scipy.special import stdtr

    paired, (a, b) = len(left_out) == 1, (result.value for result in results)
    low = high = error = p_value = None
    apart = None if a is None or b is None else a - b
    note = _why_no_difference(results, left_out)
    if not note and apart is not None:
        variances = [one.variance(0) for one in left_out]
        error = sqrt(sum(variances))
        if error > NO_SPREAD:
            freedom = satterthwaite(variances, left_out)
            reach = student_quantile(level, freedom) * error
            low, high, p_value = apart - reach, apart + reach, 2 * float(stdtr(freedom, -abs(apart) / error))
        else:
            note = f"no interval: the difference is the same without each {left_out[0].by}"
    return Difference(
        first=results[0],
        second=results[1],
        difference=apart,
        low=low,
        high=high,
        level=level,
        standard_error=error,
        p_value=p_value,
        paired=paired,
        by=left_out[0].by if len({one.by for one in left_out}) == 1 else "group",
        n_groups=len(left_out[0].names) if paired else (len(left_out[0].names), len(left_out[-1].names)),
        note=note,
    )


def _why_no_difference(results: tuple[Result, Result], left_out: list[LeftOutValues]) -> str:
    for which, result in zip(("first", "second"), results, strict=True):
        if result.value is None:
            return f"the coefficient of the {which} is undefined: {result.note}"
    notes = [note for one in left_out for note in (one.why_too_few(), one.why_undefined(0)) if note]
    return notes[0] if notes else ""
