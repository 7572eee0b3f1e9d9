"""A permutation test of the difference of two coefficients."""

from math import isnan
from typing import Any

import numpy as np

from ..coefficients.alpha import alpha
from ..data.components import find_pairable_documents, name_pairable_documents
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..sums.sufficient_statistics import SufficientStatistics
from ..values import Floats, Ints
from .calls import Coefficient, CoefficientCall, value_or_nan
from .intervals import Comparison
from .resampling import pool_documents, resample


def permutation_test(
    first: Data,
    second: Data,
    coefficient: Coefficient = alpha,
    *arguments: Any,
    n: int = 10_000,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Test if the coefficients of two rounds or conditions differ more than by chance.

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
        defined = np.array([one for one in assigned if not isnan(one)])
        undefined = n - len(defined)
        if isnan(at_hand):
            note = "the coefficient of either is undefined in the documents with pairable units"
        else:
            # ties with the data at hand count, whatever the rounding
            as_far = int((np.abs(defined) >= abs(at_hand) - 1e-12).sum())
            p_value = (as_far + 1) / (len(defined) + 1)
    return Comparison(results[0], results[1], difference, p_value, paired, "document", n, undefined, seed, note)


def _permute_documents(
    first: ReliabilityData,
    second: ReliabilityData,
    call: CoefficientCall,
    partner: Ints | None,
    n: int,
    seed: int,
) -> Floats:
    """Return the difference of the documents as they are, and those of n random assignments of them.

    partner: of each document of the first the number of the same one of the second, where they are paired.
    """
    random = np.random.default_rng(seed)
    sizes = len(first.documents), len(second.documents)
    pooled = pool_documents(first, second)
    statistics = call.statistics(pooled, "document")
    used = _document_positions(pooled, statistics) if statistics else None
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


def _document_positions(data: ReliabilityData, statistics: SufficientStatistics) -> Ints:
    """Return the numbers of the documents that the statistics have."""
    number = {document: i for i, document in enumerate(data.documents)}
    return np.array([number[document] for document in statistics.groups], dtype=np.int64)
