"""The jackknife: a coefficient without each document, component, unit or coder in turn."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from ..coefficients.alpha_statistics import document_sums_statistics
from ..data.cells import MISSING
from ..data.components import Original, find_pairable_documents, find_pairable_units, split_components
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..data.subsets import select_units, without_coder
from ..options import check_option
from ..results import Result, pluralize
from ..sums.documents import combine
from ..sums.sufficient_statistics import SufficientStatistics
from ..sums.text_sums import DocumentSums
from ..values import Floats
from .calls import GROUPS, Coefficient, CoefficientCall, check_level, value_or_nan
from .intervals import Jackknife
from .resampling import groups_in_use, resample, sampling_unit

# A standard error that is not more than this is rounding: nothing that was left out made a difference.
NO_SPREAD = 1e-12
# Of fewer the spread says next to nothing, and an interval would seem surer than it is.
LEAST = {"document": 3, "component": 8, "coder": 3}


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
        """Return the coefficients of the parts of data that are left without each of the groups."""
        values = [defined_values(call(part)) for part in parts]
        return cls(by, names, np.array(values, dtype=np.float64).reshape(len(values), len(values[0]) if values else 1))

    def why_too_few(self) -> str:
        """Return that there are too few groups, or nothing."""
        return why_too_few(len(self.names), LEAST[self.by], self.by)

    def why_undefined(self, column: int) -> str:
        """Return without which group one of the coefficients is undefined, or nothing."""
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
        """One less than there are groups."""
        return len(self.names) - 1


def why_too_few(n: int, least: int, noun: str) -> str:
    """Return that there is no interval of fewer than so many, or nothing where there are enough."""
    there = f"there {'is' if n == 1 else 'are'} {n}"
    return "" if n >= least else f"no interval: it takes {pluralize(least, noun)}, and {there}"


def jackknife_error(values: Floats) -> float:
    """Return the jackknife's standard error, from the figure without each group (Tukey 1958)."""
    g = len(values)
    return sqrt((g - 1) / g * float(((values - values.mean()) ** 2).sum()))


def find_groups(data: ReliabilityData, by: str, original: Original | None = None) -> tuple[str, ReliabilityData]:
    """Return what the groups are, and the data with each group as a document.

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
    """Return the results of a coefficient by name: a single one has none."""
    return {"": estimate} if isinstance(estimate, Result) else dict(estimate)


def defined_values(estimate: Any) -> list[float]:
    """Return the values of one or several results, NaN where they are undefined."""
    return [value_or_nan(result) for result in named_results(estimate).values()]


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
        groups=tuple(left_out.names),
        values=tuple(None if np.isnan(value) else float(value) for value in values),
        bias=bias,
    )
