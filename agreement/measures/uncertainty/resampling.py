"""A coefficient with its arguments, and random samples of the documents or units of reliability data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..data.cells import MISSING, Cells
from ..data.reliability_data import ReliabilityData
from ..results import Result
from ..sums.overlaps import list_entries
from ..sums.sufficient_statistics import STATISTICS, SufficientStatistics
from ..values import Floats, Ints, Value, map_members

GROUPS = ("document", "unit")

type Coefficient = Callable[..., Result]
type Coefficients = Callable[..., Mapping[str, Result]]


@dataclass(frozen=True)
class CoefficientCall:
    """A coefficient with its arguments."""

    coefficient: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def __call__(self, data: ReliabilityData) -> Any:
        return self.coefficient(data, *self.arguments, **self.options)

    def statistics(self, data: ReliabilityData, by: str) -> SufficientStatistics | None:
        """Return the sums from which a coefficient of this library follows, or None for any other."""
        coefficient, options = self.coefficient, dict(self.options)
        while isinstance(coefficient, partial) and not coefficient.args:
            options = {**coefficient.keywords, **options}
            coefficient = coefficient.func
        compute = STATISTICS.get(coefficient)
        return compute(data, by, *self.arguments, **options) if compute else None


def check_replicates(n: int) -> None:
    """Raise ValueError for fewer than two replicates."""
    if n < 2:
        raise ValueError(f"n is {n}: at least two replicates are needed")


def check_level(level: float, name: str = "level") -> None:
    """Raise ValueError, naming the option, for a level outside 0 to 1."""
    if not 0 < level < 1:
        raise ValueError(f"{name} is {level!r}; it must be between 0 and 1")


def value_or_nan(result: Result) -> float:
    """Return the value of a result, NaN where it is None."""
    return float("nan") if result.value is None else result.value


def resample(data: ReliabilityData, chosen: Ints, by: str) -> ReliabilityData:
    """Return the data of the chosen documents or units, by their numbers.

    One that is chosen twice counts as two that share nothing. Raises ValueError for units with sets, whose copies would
    have to be in one set.
    """
    if by == "unit":
        if len(data.cells.starts) > 1:
            raise ValueError("units with sets as values cannot be drawn for this coefficient: draw documents")
        content = Cells(data.codes[chosen], data.labels, data.cells.starts, data.cells.members, ())
        documents = data.document_of_unit[chosen]
        return ReliabilityData(range(len(chosen)), data.coders, data.documents, documents, content)
    order = np.argsort(data.document_of_unit, kind="stable")
    documents = data.document_of_unit[order]
    starts = np.searchsorted(documents, np.arange(len(data.documents) + 1))
    copy, entries = list_entries(starts, chosen)
    rows, place = order[entries], np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - starts[documents]  # of each unit in its document
    first_row = np.searchsorted(copy, np.arange(len(chosen)))
    content = _copy_documents(data.cells, data.codes[rows], copy, place, first_row)
    return ReliabilityData(range(len(rows)), data.coders, range(len(chosen)), copy, content)


def _copy_documents(cells: Cells, codes: Ints, copy: Ints, place: Ints, first_row: Ints) -> Cells:
    """Return the cells of copies of documents: each copy has its own sets."""
    n_labels, n_sets, n_units = len(cells.labels), len(cells.starts) - 1, len(place)
    units, columns = np.nonzero(codes >= n_labels)
    sets = codes[units, columns] - n_labels
    empty = np.diff(cells.starts)[sets] == 0  # the empty set is one value, whichever the copy
    kinds, set_number = np.unique(np.where(empty, 0, copy[units]) * n_sets + sets, return_inverse=True)
    codes = codes.copy()
    codes[units, columns] = n_labels + set_number
    copies, sets = np.divmod(kinds, max(n_sets, 1))
    rows, entries = list_entries(cells.starts, sets)
    members, copy_of_member = cells.members[entries], copies[rows]
    other = members >= n_units
    kinds, number = np.unique(copy_of_member[other] * len(cells.others) + members[other] - n_units, return_inverse=True)
    new = np.empty_like(members)
    new[~other] = first_row[copy_of_member[~other]] + place[members[~other]]
    new[other] = len(codes) + number
    others = tuple((k // len(cells.others), cells.others[k % len(cells.others)]) for k in kinds.tolist())
    starts = np.searchsorted(rows, np.arange(len(sets) + 1))
    return Cells(codes, cells.labels, starts, new, others, cells.readings_of(sets, entries))


def pool_documents(first: ReliabilityData, second: ReliabilityData) -> ReliabilityData:
    """Return the documents of both data as different documents; coders are matched by index."""
    n_coders = max(len(first.coders), len(second.coders))
    units: list[Value] = []
    documents: list[Value] = []
    rows: list[list[Value | None]] = []
    for which, data in enumerate((first, second)):
        values = [_tag_value(data.value(code), which, data.members) for code in range(data.n_values)]
        units += [(which, unit) for unit in data.units]
        documents += [(which, data.documents[d]) for d in data.document_of_unit.tolist()]
        for codes in data.codes.tolist():
            row = [None if code == MISSING else values[code] for code in codes]
            rows.append(row + [None] * (n_coders - len(row)))
    return ReliabilityData.from_values(units, range(n_coders), rows, documents, members=first.members)


def _tag_value(value: Value, which: int, members: str) -> Value:
    return map_members(value, lambda member: (which, member)) if members == "units" else value


def draw_counts(random: np.random.Generator, groups: int) -> Ints:
    """Return the count of each group in a sample, with replacement, of the same number of groups."""
    return np.bincount(random.integers(0, groups, groups), minlength=groups)


def groups_in_use(data: ReliabilityData, by: str) -> Ints:
    """Return the numbers of the documents or units with a judgement, which can be drawn."""
    coded = (data.codes != MISSING).any(axis=1)
    if by == "unit":
        return np.flatnonzero(coded)
    return np.flatnonzero(np.bincount(data.document_of_unit[coded], minlength=len(data.documents)))


def sampling_unit(data: ReliabilityData, by: str) -> str:
    """Return "unit" where there is only one document, else `by`."""
    return "unit" if len(data.documents) < 2 else by


def percentile_bounds(replicates: Floats, level: float) -> tuple[float, float]:
    """Return the two percentiles of the replicates, none of them NaN, that hold `level` between them."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
