"""A coefficient with its arguments, and the sums from which it follows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..data.reliability_data import ReliabilityData
from ..results import Result
from ..sums.sufficient_statistics import SufficientStatistics, find_statistics

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
        compute = find_statistics(coefficient)
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
