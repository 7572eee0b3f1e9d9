"""The difference of the coefficients of two rounds, groups of coders or projects, with its interval and a test."""

from math import isnan, sqrt
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
from ..values import Floats, Ints
from .intervals import Comparison, Difference
from .jackknife import NO_SPREAD, LeftOutValues, find_groups, leave_out_groups, satterthwaite, student_quantile
from .resampling import Coefficient, CoefficientCall, check_level, pool_documents, resample, value_or_nan


def difference(
    first: Data,
    second: Data,
    coefficient: Coefficient = alpha,
    *arguments: Any,
    level: float = 0.95,
    original: Original | None = None,
    **options: Any,
) -> Difference:
    """Return the difference of the coefficients of two rounds or groups of coders, first − second, with its interval.

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
    if paired and len(name_pairable_documents(first)) == 1:
        groups = [("component", part) for part in split_shared_components(first, second, original)]
    else:
        groups = [find_groups(data, "document", original) for data in (first, second)]
    left_out = [leave_out_groups(data, call, *of_data) for data, of_data in zip((first, second), groups, strict=True)]
    if paired:
        left_out = [_subtract(results, left_out)]
    return _difference(results, left_out, level)


def _subtract(results: tuple[Result, Result], left_out: list[LeftOutValues]) -> LeftOutValues:
    """Return the difference without each group of either data."""
    names = list(dict.fromkeys([*left_out[0].names, *left_out[1].names]))
    sides = []
    for result, values_without in zip(results, left_out, strict=True):
        values = dict(zip(values_without.names, values_without.values[:, 0].tolist(), strict=True))
        sides.append(np.array([values.get(name, value_or_nan(result)) for name in names], dtype=np.float64))
    return LeftOutValues(left_out[0].by, names, (sides[0] - sides[1])[:, None])


def _difference(results: tuple[Result, Result], left_out: list[LeftOutValues], level: float) -> Difference:
    from scipy.special import stdtr

    paired, (a, b) = len(left_out) == 1, (result.value for result in results)
    low = high = error = p_value = None
    apart = None if a is None or b is None else a - b
    note = _why_no_difference(results, left_out)
    if not note and apart is not None:
        variances = [values.variance(0) for values in left_out]
        error = sqrt(sum(variances))
        if error > NO_SPREAD:
            freedom = satterthwaite(variances, left_out)
            reach = student_quantile(level, freedom) * error
            low, high, p_value = apart - reach, apart + reach, 2 * float(stdtr(freedom, -abs(apart) / error))
        else:
            note = f"no interval: the difference is the same without each {left_out[0].by}"
    by = left_out[0].by if len({values.by for values in left_out}) == 1 else "group"
    n_groups = len(left_out[0].names) if paired else (len(left_out[0].names), len(left_out[1].names))
    return Difference(*results, apart, low, high, level, error, p_value, paired, by, n_groups, note)


def _why_no_difference(results: tuple[Result, Result], left_out: list[LeftOutValues]) -> str:
    for which, result in zip(("first", "second"), results, strict=True):
        if result.value is None:
            return f"the coefficient of the {which} is undefined: {result.note}"
    return next((note for values in left_out for note in (values.why_too_few(), values.why_undefined(0)) if note), "")


def permutation_test(
    first: Data,
    second: Data,
    coefficient: Coefficient = alpha,
    *arguments: Any,
    n: int = 10_000,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Test whether the coefficients of two rounds or conditions differ by more than chance.

    Documents are those with pairable units. Where both have the same ones, each document's two codings change places
    at random (paired); else the documents of both are dealt anew into two lots of the same sizes. The p-value is
    two-sided and counts the data at hand as one assignment, so that it is never 0 (Edgington & Onghena 2007). The
    number of categories of S and AC1, where they are not given, is that of both together in every assignment.
    Raises ValueError for n below 1 and where there is a single document in each: one document can only be dealt whole.
    The p-value is None, with a note, where the coefficient of either is undefined.

    >>> ids = [[1, 1], [1, 2], [1, 1], [2, 1]]
    >>> first = ReliabilityData.from_chain_ids(ids, list("aabb"))
    >>> second = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [1, 1], [2, 2]], list("aabb"))
    >>> permutation_test(first, second, alpha, "jaccard").p_value > 0.2
    True
    """
    first, second = as_data(first), as_data(second)
    if n < 1:
        raise ValueError(f"n is {n}: at least one permutation is needed")
    call = CoefficientCall(coefficient, arguments, options)
    results = [call(data) for data in (first, second)]
    names = [name_pairable_documents(data) for data in (first, second)]
    paired = set(names[0]) == set(names[1])
    if len(names[0]) + len(names[1]) < 3 or (paired and len(names[0]) < 2):
        raise ValueError("there are too few documents to permute: a single one can only be dealt whole")
    a, b = (result.value for result in results)
    difference, p_value, undefined, note = None, None, 0, ""
    if a is None or b is None:
        note = f"the coefficient of the {'first' if a is None else 'second'} is undefined"
    else:
        difference = a - b
        partner = np.array([names[1].index(name) for name in names[0]], dtype=np.int64) if paired else None
        first, second = (resample(data, find_pairable_documents(data), "document") for data in (first, second))
        at_hand, *assigned = _permute_documents(first, second, call, partner, n, seed).tolist()
        defined = np.array([value for value in assigned if not isnan(value)])
        undefined = n - len(defined)
        if isnan(at_hand):
            note = "the coefficient of either is undefined in the documents with pairable units"
        else:
            # ties with the data at hand count, whatever the rounding
            as_far = int((np.abs(defined) >= abs(at_hand) - 1e-12).sum())
            p_value = (as_far + 1) / (len(defined) + 1)
    return Comparison(results[0], results[1], difference, p_value, paired, "document", n, undefined, seed, note)


def _permute_documents(
    first: ReliabilityData, second: ReliabilityData, call: CoefficientCall, partner: Ints | None, n: int, seed: int
) -> Floats:
    """Return the observed difference, and the differences of n random assignments of documents.

    partner: of each document of the first the number of the same one of the second, where they are paired.
    """
    random = np.random.default_rng(seed)
    sizes = len(first.documents), len(second.documents)
    pooled = pool_documents(first, second)
    statistics = call.statistics(pooled, "document")
    number = {document: place for place, document in enumerate(pooled.documents)}
    used = np.array([number[document] for document in statistics.groups] if statistics else [], dtype=np.int64)
    differences = np.empty(n + 1)
    for row in range(n + 1):
        chosen = np.zeros(sum(sizes), dtype=np.bool_)
        if row == 0:
            chosen[: sizes[0]] = True
        elif partner is not None:
            swapped = random.random(sizes[0]) < 0.5
            chosen[: sizes[0]] = ~swapped
            chosen[sizes[0] + partner] = swapped
        else:
            chosen[random.permutation(sum(sizes))[: sizes[0]]] = True
        if statistics:
            a, b = statistics.weighted_coefficients(np.stack((chosen, ~chosen))[:, used].astype(np.float64))[:, 0]
        else:
            lots = (resample(pooled, np.flatnonzero(lot), "document") for lot in (chosen, ~chosen))
            a, b = (value_or_nan(call(lot)) for lot in lots)
        differences[row] = a - b
    return differences
