"""The jackknife: a coefficient without each document, component, unit or coder in turn, and the interval from it.

What a percentile of resamples and a normal interval lack where texts are few, and what breaks the bootstrap-t where
agreement is high, is in docs/measures.md, with the shares of simulated intervals that cover.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from math import exp, sqrt
from statistics import NormalDist
from typing import Any, overload

import numpy as np

from ..coefficients.alpha_statistics import document_sums_statistics
from ..data.cells import MISSING
from ..data.components import Original, find_pairable_documents, find_pairable_units, merge_documents, split_components
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..data.subsets import select_units, without_coder
from ..options import check_option
from ..results import Result, pluralize
from ..sums.sufficient_statistics import SufficientStatistics
from ..sums.text_sums import DocumentSums
from ..sums.totals import combine
from ..values import Bools, Floats
from .intervals import Interval, Jackknife
from .resampling import (
    GROUPS,
    Coefficient,
    CoefficientCall,
    Coefficients,
    check_level,
    groups_in_use,
    resample,
    sampling_unit,
    value_or_nan,
)

# A standard error that is not more than this is rounding: nothing that was left out made a difference.
NO_SPREAD = 1e-12
# Of fewer the spread says next to nothing, and an interval would seem surer than it is.
LEAST = {"document": 3, "component": 8, "coder": 3}
BY = ("document", "component")
SAMPLES = ("groups", "coders", "both")
# the largest exponent whose power is a number
_LARGEST = 700.0


@dataclass(frozen=True, eq=False)
class LeftOutValues:
    """The coefficients without each of some groups, (groups, coefficients), NaN where undefined."""

    by: str
    names: Sequence[Hashable]
    values: Floats

    @classmethod
    def from_statistics(
        cls, by: str, statistics: SufficientStatistics, names: Container[Hashable] | None = None
    ) -> LeftOutValues:
        """Return the coefficients without each of the groups, or of those with these names."""
        rows = [row for row, name in enumerate(statistics.groups) if names is None or name in names]
        return cls(by, [statistics.groups[row] for row in rows], statistics.leave_one_out_coefficients()[rows])

    @classmethod
    def from_parts(
        cls, by: str, names: Sequence[Hashable], call: CoefficientCall, parts: Iterable[ReliabilityData]
    ) -> LeftOutValues:
        """Return the coefficients of the data without each of the groups, given these parts."""
        values = [defined_values(call(part)) for part in parts]
        return cls(by, names, np.array(values, dtype=np.float64).reshape(len(values), len(values[0]) if values else 1))

    def why_too_few(self) -> str:
        """Return the note on too few groups, or nothing."""
        return why_too_few(len(self.names), LEAST[self.by], self.by)

    def why_undefined(self, column: int) -> str:
        """Return the note on a group without which a coefficient is undefined, or nothing."""
        undefined = np.flatnonzero(np.isnan(self.values[:, column]))
        if len(undefined):
            which = f"{self.by} {self.names[int(undefined[0])]!r}"
            return f"no interval: the coefficient is undefined without {which}"
        return ""

    def variance(self, column: int) -> float:
        """Return the jackknife's variance: (g - 1)/g times the sum of squared deviations from their mean."""
        return jackknife_error(self.values[:, column]) ** 2

    @property
    def degrees_of_freedom(self) -> int:
        """The number of groups less one."""
        return len(self.names) - 1


def why_too_few(n: int, least: int, noun: str) -> str:
    """Return the note on too few groups for an interval, or nothing."""
    there = f"there {'is' if n == 1 else 'are'} {n}"
    return "" if n >= least else f"no interval: it takes {pluralize(least, noun)}, and {there}"


def jackknife_error(values: Floats) -> float:
    """Return the jackknife's standard error, from the figure without each group (Tukey 1958)."""
    g = len(values)
    return sqrt((g - 1) / g * float(((values - values.mean()) ** 2).sum()))


def find_groups(data: ReliabilityData, by: str, original: Original | None = None) -> tuple[str, ReliabilityData]:
    """Return the kind of the groups, and the data with each group as a document.

    They are the documents; the connected components, where one document has all pairable units or `by` asks for them.
    `original` is that of `split_components`.
    """
    if by == "component" or len(find_pairable_documents(data)) == 1:
        return "component", split_components(data, original)
    return "document", data


def leave_out_groups(data: ReliabilityData, call: CoefficientCall, by: str, grouped: ReliabilityData) -> LeftOutValues:
    """Return the coefficients without each group that has pairable units; groups are the documents of `grouped`."""
    used = find_pairable_documents(grouped).tolist()
    names = [grouped.documents[group] for group in used]
    statistics = call.statistics(grouped, "document")
    if statistics:
        return LeftOutValues.from_statistics(by, statistics, set(names))
    parts = (select_units(data, grouped.document_of_unit != group) for group in used)
    return LeftOutValues.from_parts(by, names, call, parts)


def leave_out_coders(data: ReliabilityData, call: CoefficientCall) -> LeftOutValues:
    """Return the coefficients without each coder of a pairable unit."""
    judged = (data.codes[find_pairable_units(data)] != MISSING).any(axis=0)
    used = np.flatnonzero(judged).tolist()
    parts = (without_coder(data, column) for column in used)
    return LeftOutValues.from_parts("coder", [data.coders[column] for column in used], call, parts)


def named_results(estimate: Result | Mapping[str, Result]) -> dict[str, Result]:
    """Return the results of a coefficient by name; a single result has the name ""."""
    return {"": estimate} if isinstance(estimate, Result) else dict(estimate)


def defined_values(estimate: Any) -> list[float]:
    """Return the values of one or several results, NaN where they are undefined."""
    return [value_or_nan(result) for result in named_results(estimate).values()]


def jackknife(
    data: Data, coefficient: Coefficient, *arguments: Any, by: str = "document", level: float = 0.95, **options: Any
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
        return _jackknife(result, LeftOutValues.from_statistics(by, statistics), level)
    rows = groups_in_use(data, by)
    names = [(data.documents if by == "document" else data.units)[row] for row in rows.tolist()]
    parts = (resample(data, np.delete(rows, place), by) for place in range(len(rows)))
    return _jackknife(result, LeftOutValues.from_parts(by, names, call, parts), level)


def jackknife_sums(sums: Sequence[DocumentSums], *, level: float = 0.95) -> Jackknife:
    """Return `jackknife` of `alpha` by documents, from the sums of each. Errors as in `bootstrap_sums`.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    >>> jackknife_sums(document_sums(data)) == jackknife(data, alpha)
    True
    """
    check_level(level)
    left_out = LeftOutValues.from_statistics("document", document_sums_statistics([sums]))
    return _jackknife(combine(sums), left_out, level)


def _jackknife(result: Result, left_out: LeftOutValues, level: float) -> Jackknife:
    g, by, values = len(left_out.names), left_out.by, left_out.values[:, 0]
    bias = error = low = high = None
    note = result.note
    if result.value is not None:
        note = left_out.why_undefined(0) if g > 1 else f"no interval: it takes two {by}s"
        if not note:
            bias = (g - 1) * (float(values.mean()) - result.value)
            error = jackknife_error(values)
            reach = NormalDist().inv_cdf((1 + level) / 2) * error
            low, high = result.value - reach, result.value + reach
    groups, without = tuple(left_out.names), tuple(None if np.isnan(value) else float(value) for value in values)
    return Jackknife(
        result, low, high, level, error, by, g, method="jackknife", note=note, groups=groups, values=without, bias=bias
    )


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
    intervals = _log_intervals(named_results(estimate), samples, level)
    return intervals[""] if isinstance(estimate, Result) else intervals


@overload
def interval_sums(
    sums: Sequence[DocumentSums], *, by: str = ..., level: float = ..., original: Original | None = ...
) -> Interval: ...


@overload
def interval_sums(
    sums: Mapping[str, Sequence[DocumentSums]], *, by: str = ..., level: float = ..., original: Original | None = ...
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
    statistics = document_sums_statistics(list(several.values()))
    if original is not None:
        statistics = statistics.merge_groups(original)
    results = {name: combine(of_documents) for name, of_documents in several.items()}
    intervals = _log_intervals(results, [LeftOutValues.from_statistics(by, statistics)], level)
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
    samples = [LeftOutValues.from_statistics("document", statistics, names)]
    return _log_intervals({"": result}, samples, level)[""]


def _log_intervals(
    results: Mapping[str, Result], samples: Sequence[LeftOutValues], level: float
) -> dict[str, Interval]:
    """Return the intervals of coefficients; the columns of the samples are their values without each group."""
    return {name: _log_interval(result, samples, k, level) for k, (name, result) in enumerate(results.items())}


def _log_interval(result: Result, samples: Sequence[LeftOutValues], column: int, level: float) -> Interval:
    """Return the interval of one coefficient from its values without each group, for one or two kinds of groups."""
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
    """Return the degrees of freedom of a sum of independent variances (Satterthwaite 1946)."""
    spread = sum(v**2 / s.degrees_of_freedom for v, s in zip(variances, samples, strict=True))
    return sum(variances) ** 2 / spread if spread else min(sample.degrees_of_freedom for sample in samples)


def student_quantile(level: float, degrees_of_freedom: float) -> float:
    """Return the two-sided quantile of Student's distribution at `level`, in standard errors."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))
