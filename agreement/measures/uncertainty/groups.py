"""What is left out in turn: documents, the connected components of one document, or coders."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ..data.cells import MISSING
from ..data.components import Original, find_pairable_documents, find_pairable_units, split_components
from ..data.reliability_data import ReliabilityData
from ..data.subsets import select_coders, select_units
from ..results import Result, pluralize
from ..values import Floats, Ints
from .calls import CoefficientCall, value_or_nan

# A standard error that is not more than this is rounding: nothing that was left out made a difference.
NO_SPREAD = 1e-12
# Of fewer the spread says next to nothing, and an interval would seem surer than it is.
LEAST = {"document": 3, "component": 8, "coder": 3}


@dataclass(frozen=True, eq=False)
class Groups:
    """Data with its groups as documents, and the numbers of those that have pairable units."""

    by: str
    data: ReliabilityData
    used: Ints


@dataclass(frozen=True, eq=False)
class LeftOutValues:
    """The coefficients without each of some groups, (groups, coefficients), NaN where undefined."""

    by: str
    names: Sequence[Hashable]
    values: Floats

    def why_too_few(self) -> str:
        """Return that there are too few groups, or nothing."""
        n, least = len(self.names), LEAST[self.by]
        if n >= least:
            return ""
        return f"no interval: it takes {pluralize(least, self.by)}, and there {'is' if n == 1 else 'are'} {n}"

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


def jackknife_error(values: Floats) -> float:
    """Return the jackknife's standard error, from the figure without each group (Tukey 1958)."""
    g = len(values)
    return sqrt((g - 1) / g * float(((values - values.mean()) ** 2).sum()))


def find_groups(data: ReliabilityData, by: str, original: Original | None = None) -> Groups:
    """Return the documents with pairable units; the connected components, where there is one or `by` asks for them.

    `original` is that of `split_components`.
    """
    used = find_pairable_documents(data)
    if by == "component" or len(used) == 1:
        parts = split_components(data, original)
        return Groups("component", parts, find_pairable_documents(parts))
    return Groups("document", data, used)


def leave_out_groups(data: ReliabilityData, call: CoefficientCall, groups: Groups) -> LeftOutValues:
    """Return the coefficients without each group that they make use of."""
    documents = groups.data.documents
    statistics = call.statistics(groups.data, "document")
    if statistics:
        wanted = {documents[group] for group in groups.used.tolist()}
        rows = [row for row, name in enumerate(statistics.groups) if name in wanted]
        return LeftOutValues(
            groups.by, [statistics.groups[row] for row in rows], statistics.leave_one_out_coefficients()[rows]
        )
    number = groups.data.document_of_unit
    values = [defined_values(call(select_units(data, number != group))) for group in groups.used.tolist()]
    return LeftOutValues(groups.by, [documents[group] for group in groups.used.tolist()], _stack(values))


def leave_out_coders(data: ReliabilityData, call: CoefficientCall) -> LeftOutValues:
    """Return the coefficients without each coder of a pairable unit."""
    judged = (data.codes[find_pairable_units(data)] != MISSING).any(axis=0)
    used = np.flatnonzero(judged).tolist()
    everybody = range(len(data.coders))
    values = [defined_values(call(select_coders(data, [c for c in everybody if c != left]))) for left in used]
    return LeftOutValues("coder", [data.coders[c] for c in used], _stack(values))


def named_results(estimate: Result | Mapping[str, Result]) -> dict[str, Result]:
    """Return the results of a coefficient by name: a single one has none."""
    return {"": estimate} if isinstance(estimate, Result) else dict(estimate)


def defined_values(estimate: Any) -> list[float]:
    """Return the values of one or several results, NaN where they are undefined."""
    return [value_or_nan(result) for result in named_results(estimate).values()]


def _stack(values: list[list[float]]) -> Floats:
    return np.array(values, dtype=np.float64).reshape(len(values), len(values[0]) if values else 0)
