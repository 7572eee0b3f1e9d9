"""Agreement in counts: how often each coder found each SCU in a peer summary (Passonneau et al. 2005)."""

from collections.abc import Hashable
from numbers import Real

from agreement.measures.coefficients import alpha
from agreement.measures.data import ReliabilityData
from agreement.measures.results import Result


def count_dice(a: Hashable, b: Hashable) -> float:
    """The Dice distance of two counts: 1 - 2 min(a, b)/(a + b), and 0 for two zeros.

    It is the Dice distance of two bags of a and b equal things (Dice 1945): coders who both find an SCU, one of them
    more often, agree in part. Raises ValueError for what is no number from 0.

    >>> count_dice(1, 3), count_dice(0, 2), count_dice(0, 0)
    (0.5, 1.0, 0.0)
    """
    first, second = _count(a), _count(b)
    return 0.0 if first == second else 1.0 - 2.0 * min(first, second) / (first + second)


def count_alpha(data: ReliabilityData) -> Result:
    """Krippendorff's alpha of counts with `count_dice` as the distance: `alpha(data, count_dice)`.

    Values are numbers from 0: how often the coder found the unit. `bootstrap` and `jackknife` compute it from sums, as
    they do with `alpha` and a distance that has a name. Raises ValueError for other values.

    >>> counts = [[1, 1], [2, 1], [0, 0], [0, 1]]
    >>> count_alpha(ReliabilityData.from_values("abcd", ["Ann", "Bob"], counts, ["peer"] * 4))
    <alpha = 0.4286: 4 units, 2 coders, 8 judgements, 3 values>
    """
    return alpha(data, count_dice)


def _count(value: Hashable) -> float:
    if not isinstance(value, Real) or value < 0:
        raise ValueError(f"{value!r} is no count")
    return float(value)
