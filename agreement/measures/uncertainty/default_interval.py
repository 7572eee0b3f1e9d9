"""The interval of a coefficient: the jackknife's standard error, on the logarithm of the disagreement ratio.

What a percentile of resamples and a normal interval lack where texts are few, and what breaks the bootstrap-t where
agreement is high, is in docs/measures.md, with the shares of simulated intervals that cover.
"""

from collections.abc import Mapping, Sequence
from itertools import compress
from math import exp, sqrt
from typing import Any, overload

from ..coefficients.alpha_statistics import document_sums_statistics
from ..data.components import Original, merge_documents
from ..data.inputs import Data, as_data
from ..options import check_option
from ..results import Result
from ..sums.documents import combine
from ..sums.sufficient_statistics import SufficientStatistics
from ..sums.text_sums import DistanceSums, DocumentSums
from ..values import Bools
from .calls import Coefficient, CoefficientCall, Coefficients, check_level
from .intervals import Interval
from .jackknife import NO_SPREAD, LeftOutValues, find_groups, leave_out_coders, leave_out_groups, named_results

BY = ("document", "component")
SAMPLES = ("groups", "coders", "both")
# the largest exponent whose power is a number
_LARGEST = 700.0


@overload
def interval(
    data: Data,
    coefficient: Coefficient,
    *arguments: Any,
    by: str = ...,
    sample: str = ...,
    level: float = ...,
    original: Original | None = ...,
    **options: Any,
) -> Interval: ...


@overload
def interval(
    data: Data,
    coefficient: Coefficients,
    *arguments: Any,
    by: str = ...,
    sample: str = ...,
    level: float = ...,
    original: Original | None = ...,
    **options: Any,
) -> dict[str, Interval]: ...


def interval(
    data: Data,
    coefficient: Coefficient | Coefficients,
    *arguments: Any,
    by: str = "document",
    sample: str = "groups",
    level: float = 0.95,
    original: Original | None = None,
    **options: Any,
) -> Interval | dict[str, Interval]:
    """Return a coefficient with its interval: the jackknife over documents, on the logarithm of disagreement.

    With a = 1 - value, which is Do/De of alpha and (1 - Ao)/(1 - Ae) of the kappas, AC1 and beta, and a(g) the same
    without the g-th of G groups: se = sqrt((G - 1)/G sum (a(g) - mean of a(g))^2) (Tukey 1958), and the interval is
    from 1 - a exp(t se/a) to 1 - a exp(-t se/a), t of Student's distribution with G - 1 degrees of freedom. It is never
    above 1, and nothing in it is random.

    `coefficient` is a function of data that returns a Result, or a mapping of them (`alphas`); further arguments are
    passed on to it. Those of this library are computed from sums over the groups, in one pass; others, and alpha with a
    callable, are computed anew without each group. Where the categories are not given, AC1 and S keep those of all the
    data.

    Groups are the documents with pairable units. `by="component"` takes the connected components of the coders' values
    (`split_components`) instead, and so does one document that has all pairable units. `original` returns what a
    document, unit or other member is a copy of, as where each round of a text is a document: answers to one text are
    not independent, so that its documents are one group, and components with copies of one unit or member are one.
    `sample` is "groups" where the coders are the ones that are meant; "coders", who are then left out one by one, with
    one less than their number as degrees of freedom; or "both", the sum of the two variances with degrees of freedom by
    Satterthwaite 1946. Of three coders this says next to nothing.

    There is no interval, and the note says why, for fewer than three documents or coders or eight components, where no
    disagreement was observed, and where the coefficient is undefined without some group, or the same without each.
    Raises ValueError for an unknown option and for a level outside 0 to 1.

    >>> ids = [[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]]
    >>> interval(ReliabilityData.from_chain_ids(ids, list("aabbcc")), alpha, "jaccard")
    <alpha = 0.5926, 95% interval -1.6874 to 0.9382 (jackknife, log scale, over 3 documents)>
    """
    data = as_data(data)
    check_option("by", by, BY)
    check_option("sample", sample, SAMPLES)
    check_level(level)
    if original is not None:
        data = merge_documents(data, original)
    call = CoefficientCall(coefficient, arguments, options)
    estimate = call(data)
    samples = []
    if sample != "coders":
        samples.append(leave_out_groups(data, call, *find_groups(data, by, original)))
    if sample != "groups":
        samples.append(leave_out_coders(data, call))
    intervals = {
        name: _log_interval(result, samples, column, level)
        for column, (name, result) in enumerate(named_results(estimate).items())
    }
    return intervals[""] if isinstance(estimate, Result) else intervals


@overload
def interval_sums(
    sums: Sequence[DocumentSums], *, by: str = ..., level: float = ..., original: Original | None = ...
) -> Interval: ...


@overload
def interval_sums(
    sums: Mapping[str, Sequence[DocumentSums]],
    *,
    by: str = ...,
    level: float = ...,
    original: Original | None = ...,
) -> dict[str, Interval]: ...


def interval_sums(
    sums: Sequence[DocumentSums] | Mapping[str, Sequence[DocumentSums]],
    *,
    by: str = "document",
    level: float = 0.95,
    original: Original | None = None,
) -> Interval | dict[str, Interval]:
    """Return `interval` of `alpha` from the sums of each document: the same digits, without the data.

    A mapping has such sums of several distances, by name, of the same documents. Sums of one document have nothing to
    leave out: those of its components are `documents_sums(split_components(data))`, with `by="component"`. Raises
    ValueError for sums of different parameters or documents, and as `interval` does.

    >>> ids = [[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]]
    >>> data = ReliabilityData.from_chain_ids(ids, list("aabbcc"))
    >>> interval_sums(document_sums(data, "masi")) == interval(data, alpha, "masi")
    True
    """
    check_option("by", by, BY)
    check_level(level)
    several = sums if isinstance(sums, Mapping) else {"": sums}
    if not several:
        return {}
    statistics = document_sums_statistics([DistanceSums.from_sequence(of_one) for of_one in several.values()])
    if original is not None:
        statistics = statistics.merge_groups(original)
    left_out = [LeftOutValues.from_statistics(by, statistics)]
    intervals = {
        name: _log_interval(combine(of_documents), left_out, column, level)
        for column, (name, of_documents) in enumerate(several.items())
    }
    return intervals if isinstance(sums, Mapping) else intervals[""]


def interval_statistics(
    result: Result,
    statistics: SufficientStatistics,
    used: Bools,
    level: float = 0.95,
    *,
    original: Original | None = None,
) -> Interval:
    """Return the interval of a coefficient over documents from the sums of each, as `interval` does from data.

    `used` says which of the documents have pairable units: what is left out in turn. `original` is that of `interval`.
    Raises ValueError as there.
    """
    check_level(level)
    names = set(compress(statistics.groups, used.tolist()))
    if original is not None:
        statistics, names = statistics.merge_groups(original), set(map(original, names))
    return _log_interval(result, [LeftOutValues.from_statistics("document", statistics, names)], 0, level)


def _log_interval(result: Result, samples: Sequence[LeftOutValues], column: int, level: float) -> Interval:
    """Return the interval of one coefficient from what it is without each group, of one or two kinds."""
    low = high = error = None
    note = _why_no_interval(result, samples, column)
    if not note and result.value is not None:
        variances = [sample.variance(column) for sample in samples]
        spread, disagreement = sqrt(sum(variances)), 1 - result.value
        reach = student_quantile(level, satterthwaite(variances, samples)) * spread / disagreement
        if spread <= NO_SPREAD:
            note = f"no interval: the coefficient is the same without each {samples[0].by}"
        elif reach < _LARGEST:
            error = spread
            low, high = 1 - disagreement * exp(reach), 1 - disagreement * exp(-reach)
        else:
            note = "no interval: it is wider than numbers reach"
    by = samples[0].by if len(samples) == 1 else "both"
    return Interval(result, low, high, level, error, by, len(samples[0].names), note=note)


def _why_no_interval(result: Result, samples: Sequence[LeftOutValues], column: int) -> str:
    if result.value is None:
        return result.note
    notes = [sample.why_too_few() for sample in samples]
    if result.value >= 1:
        notes.append(f"no interval: {'no disagreement was observed' if result.value == 1 else 'the value is above 1'}")
    notes += [sample.why_undefined(column) for sample in samples]
    return next(filter(None, notes), "")


def satterthwaite(variances: Sequence[float], samples: Sequence[LeftOutValues]) -> float:
    """Return the degrees of freedom of the sum of independent variances (Satterthwaite 1946); of one, its own."""
    spread = sum(v**2 / s.degrees_of_freedom for v, s in zip(variances, samples, strict=True))
    return sum(variances) ** 2 / spread if spread else min(sample.degrees_of_freedom for sample in samples)


def student_quantile(level: float, degrees_of_freedom: float) -> float:
    """Return how many standard errors to either side hold `level` of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))
