"""Agreement in counts: how often each coder found each SCU in a peer summary (Passonneau et al. 2005)."""

from collections.abc import Hashable

import numpy as np

from ..data.cells import MISSING
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..data.subsets import number_labels
from ..options import Options
from ..results import Result
from ..sums.overlaps import PairableUnits
from ..sums.sufficient_statistics import (
    SufficientStatistics,
    hstack_sums,
    register_statistics,
    sparse_sums,
)
from ..values import Floats, is_number, parse_number
from .alpha import alpha
from .alpha_statistics import alpha_from_sums
from .callable_distances import callable_unit_disagreements


def count_dice(a: Hashable, b: Hashable) -> float:
    """Return the Dice distance of two counts: 1 - 2 min(a, b)/(a + b), and 0 for two zeros.

    It is the Dice distance of two bags of a and b equal things (Dice 1945): coders who both find an SCU, one of them
    more often, agree in part. Raises ValueError for what is no number from 0.

    >>> count_dice(1, 3), count_dice(0, 2), count_dice(0, 0)
    (0.5, 1.0, 0.0)
    """
    first, second = _count(a), _count(b)
    return 0.0 if first == second else 1.0 - 2.0 * min(first, second) / (first + second)


def _count_statistics(data: ReliabilityData, by: str) -> SufficientStatistics:
    """Return the sums of `count_alpha`: the observed sum, and the judgements with each count."""
    data = _as_counts(data)
    used, options = PairableUnits.from_data(data), Options(count_dice)
    terms = np.array(list(callable_unit_disagreements(data, count_dice, options).values()), dtype=np.float64)
    groups, names = used.group_by(by)
    n_groups, n_labels = len(names), len(data.labels)
    rows, columns = np.nonzero(used.codes != MISSING)
    labels = sparse_sums(groups[rows], used.codes[rows, columns], np.ones(len(rows)), (n_groups, n_labels))
    observed = np.bincount(groups, weights=terms, minlength=n_groups)[:, None]
    apart = np.array([[count_dice(a, b) for b in data.labels] for a in data.labels]).reshape(n_labels, n_labels)

    def coefficients(sums: Floats) -> Floats:
        counts = sums[:, 1:]
        return alpha_from_sums(sums[:, 0], ((counts @ apart) * counts).sum(axis=1), counts.sum(axis=1))[:, None]

    statistics = SufficientStatistics(names, hstack_sums(observed, labels), ("",), coefficients)
    return statistics.select_groups(np.bincount(groups, minlength=n_groups) > 0)


@register_statistics(_count_statistics)
def count_alpha(data: Data) -> Result:
    """Return Krippendorff's alpha of counts with `count_dice` as the distance: `alpha(data, count_dice)`.

    Values are numbers from 0: how often the coder found the unit. `bootstrap` and `jackknife` compute it from sums, as
    they do with `alpha` and a distance that has a name. Raises ValueError for other values.

    >>> counts = [[1, 1], [2, 1], [0, 0], [0, 1]]
    >>> count_alpha(ReliabilityData.from_values("abcd", ["Ann", "Bob"], counts, ["peer"] * 4))
    <alpha = 0.4286: 4 units, 2 coders, 8 judgements, 3 values>
    """
    data = _as_counts(data)
    return alpha(data, count_dice)


def _as_counts(data: Data) -> ReliabilityData:
    """Return the data with labels in text as numbers."""
    return number_labels(as_data(data), "counts are numbers")


def _count(value: Hashable) -> float:
    if not is_number(value) or parse_number(value) < 0:
        raise ValueError(f"{value!r} is no count")
    return parse_number(value)
