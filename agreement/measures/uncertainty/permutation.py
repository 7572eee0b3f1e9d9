"""A permutation test of the difference of two coefficients."""

from typing import Any

import numpy as np

from agreement.measures.coefficients.alpha import alpha
from agreement.measures.data.inputs import Data, as_data
from agreement.measures.data.reliability_data import ReliabilityData
from agreement.measures.sums.sufficient_statistics import SufficientStatistics
from agreement.measures.uncertainty.calls import Coefficient, CoefficientCall, value_or_nan
from agreement.measures.uncertainty.intervals import Comparison
from agreement.measures.uncertainty.resampling import pool_documents, resample
from agreement.measures.values import Floats, Ints


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
    first, second = as_data(first), as_data(second)
    if n < 1:
        raise ValueError(f"n is {n}: at least one permutation is needed")
    call = CoefficientCall(coefficient, arguments, options)
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
        differences = _permute_documents(first, second, call, paired, n, seed)
        defined = differences[~np.isnan(differences)]
        undefined = n - len(defined)
        # ties with the data at hand count, whatever the rounding
        as_far = int((np.abs(defined) >= abs(difference) - 1e-12).sum())
        p_value = (as_far + 1) / (len(defined) + 1)
    return Comparison(results[0], results[1], difference, p_value, paired, "document", n, undefined, seed, note)


def _permute_documents(
    first: ReliabilityData,
    second: ReliabilityData,
    call: CoefficientCall,
    paired: bool,
    n: int,
    seed: int,
) -> Floats:
    """Return the differences of n random assignments of documents."""
    random = np.random.default_rng(seed)
    sizes = len(first.documents), len(second.documents)
    pooled = pool_documents(first, second)
    statistics = call.statistics(pooled, "document")
    used = _document_positions(pooled, statistics) if statistics else None
    partner = np.array([second.documents.index(document) for document in first.documents]) if paired else None
    differences = np.empty(n)
    for row in range(n):
        chosen = np.zeros(sum(sizes), dtype=np.bool_)
        if partner is not None:
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
