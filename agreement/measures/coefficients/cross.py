"""Agreement between two groups of coders: each judgement of one group against each of the other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.cells import MISSING
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..data.subsets import select_coders
from ..distances import number_distance
from ..options import Options
from ..results import Result, nonzero_counts
from ..sums.overlaps import PairableUnits
from ..sums.pairs import sum_groups
from ..sums.sufficient_statistics import (
    SufficientStatistics,
    ValueMasses,
    hstack_sums,
    register_statistics,
    sparse_sums,
)
from ..sums.tables import as_numbers, label_numbers
from ..values import Bools, Floats, Ints
from .alpha import compare_pairs
from .alpha_statistics import count_masses

NOT_BY_BOTH = "not coded by both groups"
# an expected disagreement that is no more is 0 but for rounding
_NONE = 1e-12


@dataclass(frozen=True, eq=False)
class CrossPairs:
    """The units that both groups coded. `in_first` says of each coder whether they are of the first group."""

    data: ReliabilityData
    used: PairableUnits
    in_first: Bools
    options: Options

    @classmethod
    def from_data(
        cls, data: ReliabilityData, first: Sequence[Hashable], second: Sequence[Hashable], options: Options
    ) -> CrossPairs:
        """Return the units of data. Raises ValueError for an unknown coder, an empty group and one who is in both."""
        number = {coder: column for column, coder in enumerate(data.coders)}
        unknown = [coder for coder in (*first, *second) if coder not in number]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no coder of the data")
        columns = [sorted({number[coder] for coder in group}) for group in (first, second)]
        if not all(columns):
            raise ValueError("a group has no coders")
        both = set(columns[0]) & set(columns[1])
        if both:
            raise ValueError(f"{data.coders[min(both)]!r} is in both groups")
        data = as_numbers(select_coders(data, columns[0] + columns[1]), options)
        in_first = np.arange(len(data.coders)) < len(columns[0])
        pairable = PairableUnits.from_data(data)
        coded = pairable.codes != MISSING
        shared = coded[:, in_first].any(axis=1) & coded[:, ~in_first].any(axis=1)
        of_used = {name: getattr(pairable, name)[shared] for name in ("rows", "documents", "codes", "coders")}
        return cls(data, replace(pairable, **of_used), in_first, options)

    @property
    def counts(self) -> tuple[Ints, Ints]:
        """How many coders of each group coded each unit."""
        coded = self.used.codes != MISSING
        return coded[:, self.in_first].sum(axis=1), coded[:, ~self.in_first].sum(axis=1)

    def unit_distances(self) -> Floats:
        """Return for each unit the mean distance between a judgement of one group and one of the other."""
        m, n = self.counts
        units, left, right, distances = compare_pairs(self.used, self.options)
        between = np.flatnonzero(self.in_first[left] != self.in_first[right])
        return sum_groups(units[between], distances[between], len(m)) / (m * n)

    def expected_numbers(self) -> float:
        """Return the mean distance of all pairs of a judgement of the one group and one of the other, of numbers."""
        name, codes = str(self.options.distance), self.used.codes
        of_label = label_numbers(self.used, name)
        counts = [
            np.bincount(part[part != MISSING], minlength=len(of_label)).astype(np.float64)
            for part in (codes[:, self.in_first], codes[:, ~self.in_first])
        ]
        sums = [  # one label at a time: labels squared is too large to keep
            float(counts[0][label]) * float(counts[1] @ number_distance(number, of_label, name))
            for label, number in enumerate(of_label)
            if counts[0][label]
        ]
        return float(sum(sums)) / float(counts[0].sum() * counts[1].sum())

    def statistics(self, by: str) -> tuple[ValueMasses, SufficientStatistics]:
        """Return how often each group uses each value, and the sums from which the coefficient follows."""
        masses, weights = (
            count_masses(self.used, self.options, by, np.where(self.in_first, 0, 1)),
            np.add(*self.counts).astype(np.float64),
        )
        groups = np.tile(masses.group_of_unit, 2)
        terms = np.concatenate((weights * self.unit_distances(), weights))
        fixed = sparse_sums(groups, np.repeat([0, 1], len(weights)), terms, (masses.n_groups, 2))

        def coefficients(sums: Floats) -> Floats:
            observed, expected = observed_and_expected(masses, sums)
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(expected > _NONE, 1 - observed / expected, np.nan)[:, None]

        statistics = SufficientStatistics(
            self.used.group_by(by)[1], hstack_sums(fixed, masses.sums), ("cross alpha",), coefficients
        )
        return masses, statistics.select_groups(np.bincount(masses.group_of_unit, minlength=masses.n_groups) > 0)


def observed_and_expected(masses: ValueMasses, sums: Floats) -> tuple[Floats, Floats]:
    """Return observed and expected disagreement from sums, whose first two columns are the observed ones."""
    totals = masses.totals(sums[:, 2:])
    with np.errstate(invalid="ignore", divide="ignore"):
        common = masses.common_mass(sums[:, 2:])[:, 0, 1] / (totals[:, 0] * totals[:, 1])
        return sums[:, 0] / sums[:, 1], 1 - common


def cross_statistics(
    data: ReliabilityData,
    by: str,
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    distance: str = "nominal",
    **conventions: str,
) -> SufficientStatistics | None:
    """Return the sums of `cross_alpha`, or None for the distances of numbers."""
    options = Options(distance, **conventions)
    return None if options.ordered else CrossPairs.from_data(data, first, second, options).statistics(by)[1]


@register_statistics(cross_statistics)
def cross_alpha(
    data: Data,
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    distance: str = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> Result:
    """Return the agreement between two groups of coders, 1 - Do/De over pairs of one of each.

    Units are those that at least one coder of each group coded; a unit has m judgements of the first and n of the
    second. Do is the mean over the units, each weighted by m + n, of the mean distance of its m n pairs; De is the mean
    distance of all pairs of a judgement of the first group, on any of the units, and one of the second
    (cross-replication reliability: Wong, Paritosh & Aroyo 2021). Of two coders it is Cohen's kappa, weighted by the
    distance; how far the coders of one group agree with each other does not enter.

    `first` and `second` name coders of the data. Options and distances are those of `alpha`, by name. Raises ValueError
    as `alpha` does, for an unknown coder, a group without coders and a coder in both. The value is None, with a note,
    where no unit is coded by both groups and where no disagreement can be expected.

    >>> rows = [["x", "x", "y"], ["y", "y", "y"], ["x", "x", "x"], ["x", "y", "y"]]
    >>> data = ReliabilityData.from_values("ABCD", ["Ann", "Bob", "Cid"], rows, ["text"] * 4)
    >>> cross_alpha(data, ["Ann", "Bob"], ["Cid"])
    <cross alpha = 0.3333: 4 units, 3 coders, 12 judgements, 2 values>
    """
    data = as_data(data)
    if not isinstance(distance, str):
        raise ValueError("the distance between two groups is one of DISTANCES, by name")
    options = Options(distance, exclude_unit, empty, thirds)
    pairs = CrossPairs.from_data(data, first, second, options)
    used, value = pairs.used, None
    observed = expected = None
    if len(used.rows):
        if options.ordered:
            weights = np.add(*pairs.counts).astype(np.float64)
            observed = float(weights @ pairs.unit_distances() / weights.sum())
            expected = pairs.expected_numbers()
        else:
            masses, statistics = pairs.statistics("document")
            total = np.asarray(statistics.sums.sum(axis=0)).reshape(1, -1)
            observed, expected = (float(part[0]) for part in observed_and_expected(masses, total))
        value = 1 - observed / expected if expected > _NONE else None
    note = ""
    if value is None:
        note = "no unit is coded by both groups" if observed is None else "no disagreement can be expected"
    coded = used.codes != MISSING
    return Result(
        "cross alpha",
        value,
        observed,
        expected,
        n_units=len(used.rows),
        n_coders=int(coded.any(axis=0).sum()),
        n_values=len(np.unique(used.codes[coded])),
        n_judgements=int(coded.sum()),
        left_out=nonzero_counts({NOT_BY_BOTH: len(data.units) - len(used.rows)}),
        parameters=options.parameters(),
        note=note,
    )
