"""Alpha with any callable as the distance: every pair of distinct values is compared."""

from collections import Counter
from collections.abc import Hashable
from itertools import combinations
from math import fsum, isfinite

from ..data.cells import MISSING
from ..data.reliability_data import ReliabilityData
from ..options import Options
from ..results import Result
from ..sums.totals import build_alpha_result
from ..values import Distance, Value, remove_unit


def alpha_of_callable(data: ReliabilityData, distance: Distance, options: Options) -> Result:
    """Return alpha as `alpha` defines it; `distance` is called once for each pair of values that differ."""
    compare = CheckedDistance(distance)
    judgements = _pairable_values(data)
    observed = _sum_by_unit(judgements, compare, options.exclude_unit != "none" and data.has_sets)
    pooled = Counter(
        remove_unit(value, unit) if options.exclude_unit == "both" and data.has_sets else value
        for unit, row in judgements.items()
        for value in row.values()
    )
    values = {value for row in judgements.values() for value in row.values()}
    return build_alpha_result(
        parameters=options.parameters(),
        observed=fsum(observed.values()),
        expected=fsum(2 * n * m * compare(a, b) for (a, n), (b, m) in combinations(pooled.items(), 2)),
        n_units=len(judgements),
        n_left_out=len(data.units) - len(judgements),
        n_judgements=pooled.total(),
        n_coders=len({coder for row in judgements.values() for coder in row}),
        n_values=len(values),
        labels=[label for label in data.labels if label in values],
    )


def callable_unit_disagreements(data: ReliabilityData, distance: Distance, options: Options) -> dict[Hashable, float]:
    """Return for each pairable unit the distances of all ordered pairs of judgements, over their number less one."""
    remove = options.exclude_unit != "none" and data.has_sets
    return _sum_by_unit(_pairable_values(data), CheckedDistance(distance), remove)


class CheckedDistance:
    """A callable distance that remembers, and that refuses what is not a distance."""

    def __init__(self, distance: Distance) -> None:
        self._distance = distance
        self._known: dict[frozenset[Value], float] = {}

    def __call__(self, a: Value, b: Value) -> float:
        if a == b:
            return 0.0
        pair = frozenset((a, b))
        if pair not in self._known:
            distance = float(self._distance(a, b))
            if not (isfinite(distance) and distance >= 0):
                raise ValueError(f"the distance between {a!r} and {b!r} is {distance}")
            self._known[pair] = distance
        return self._known[pair]


def _pairable_values(data: ReliabilityData) -> dict[Hashable, dict[Hashable, Value]]:
    """Return the values of each pairable unit by coder."""
    values = [data.value(code) for code in range(data.n_values)]
    rows = {
        unit: {coder: values[c] for coder, c in zip(data.coders, row, strict=True) if c != MISSING}
        for unit, row in zip(data.units, data.codes.tolist(), strict=True)
    }
    return {unit: row for unit, row in rows.items() if len(row) >= 2}


def _sum_by_unit(
    judgements: dict[Hashable, dict[Hashable, Value]], compare: CheckedDistance, remove: bool
) -> dict[Hashable, float]:
    disagreements = {}
    for unit, row in judgements.items():
        values = list(row.values())
        if remove:
            values = [remove_unit(value, unit) for value in values]
        total = fsum(compare(a, b) for a, b in combinations(values, 2))
        disagreements[unit] = 2 * total / (len(values) - 1)
    return disagreements
