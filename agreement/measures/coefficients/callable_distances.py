"""Alpha with any callable as the distance: every pair of distinct values is compared."""

from collections import Counter
from collections.abc import Hashable
from itertools import combinations
from math import fsum, isfinite

from agreement.measures.cells import MISSING
from agreement.measures.data import ReliabilityData
from agreement.measures.options import Options
from agreement.measures.results import Result
from agreement.measures.sums import alpha_result
from agreement.measures.values import Distance, Value, without


def alpha_of_callable(data: ReliabilityData, distance: Distance, options: Options) -> Result:
    """Alpha as `alpha` defines it; `distance` is called once for each pair of values that differ."""
    compare = _Compare(distance)
    judgements = _judgements(data)
    observed = _mean_distances(judgements, compare, options)
    pooled = Counter(
        without(value, unit) if options.exclude_unit == "both" else value
        for unit, row in judgements.items()
        for value in row.values()
    )
    return alpha_result(
        parameters=options.parameters(),
        observed=fsum(observed.values()),
        expected=fsum(2 * n * m * compare(a, b) for (a, n), (b, m) in combinations(pooled.items(), 2)),
        n_units=len(judgements),
        n_left_out=len(data.units) - len(judgements),
        n_judgements=pooled.total(),
        n_coders=len({coder for row in judgements.values() for coder in row}),
        n_values=len({value for row in judgements.values() for value in row.values()}),
    )


def unit_distances(data: ReliabilityData, distance: Distance, options: Options) -> dict[Hashable, float]:
    """For each pairable unit the distances of all ordered pairs of judgements, over their number less one."""
    return _mean_distances(_judgements(data), _Compare(distance), options)


class _Compare:
    """A callable distance that remembers, and that refuses what is not a distance."""

    def __init__(self, distance: Distance) -> None:
        self._distance = distance
        self._known: dict[frozenset[Value], float] = {}

    def __call__(self, a: Value, b: Value) -> float:
        if a == b:
            return 0.0
        pair = frozenset((a, b))
        if pair not in self._known:
            found = float(self._distance(a, b))
            if not (isfinite(found) and found >= 0):
                raise ValueError(f"the distance between {a!r} and {b!r} is {found}")
            self._known[pair] = found
        return self._known[pair]


def _judgements(data: ReliabilityData) -> dict[Hashable, dict[Hashable, Value]]:
    """The values of each pairable unit by coder."""
    values = [data.value(code) for code in range(data.n_values)]
    rows = {
        unit: {coder: values[c] for coder, c in zip(data.coders, row, strict=True) if c != MISSING}
        for unit, row in zip(data.units, data.codes.tolist(), strict=True)
    }
    return {unit: row for unit, row in rows.items() if len(row) >= 2}


def _mean_distances(
    judgements: dict[Hashable, dict[Hashable, Value]], compare: _Compare, options: Options
) -> dict[Hashable, float]:
    found = {}
    for unit, row in judgements.items():
        values = list(row.values())
        if options.exclude_unit != "none":
            values = [without(value, unit) for value in values]
        total = fsum(compare(a, b) for a, b in combinations(values, 2))
        found[unit] = 2 * total / (len(values) - 1)
    return found
