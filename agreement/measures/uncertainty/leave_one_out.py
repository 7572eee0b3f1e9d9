"""One coefficient without each coder, document or category in turn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..coefficients.alpha import alpha
from ..data.inputs import Data, as_data
from ..data.subsets import remove_label, select_coders
from ..displays import Display, Point
from ..options import check_option
from ..results import Result, format_defined, format_equality
from .calls import Coefficient
from .resampling import resample

LEFT_OUT = ("coder", "document", "category")


@dataclass(frozen=True)
class LeftOut:
    """A coefficient without one coder, document or category. `change` is its value less that of all the data."""

    name: Hashable
    result: Result
    change: float | None


@dataclass(frozen=True)
class LeaveOneOut(Display):
    """A coefficient of all the data, and without each coder, document or category in turn."""

    result: Result
    by: str
    parts: tuple[LeftOut, ...]

    @classmethod
    def from_results(cls, whole: Result, by: str, results: Mapping[Hashable, Result]) -> LeaveOneOut:
        """Return the result of all the data beside the results without each name."""
        parts = []
        for name, result in results.items():
            change = None if result.value is None or whole.value is None else result.value - whole.value
            parts.append(LeftOut(name, result, change))
        return cls(whole, by, tuple(parts))

    def __repr__(self) -> str:
        rest = ", ".join(f"without {part.name} {format_defined(part.result.value)}" for part in self.parts)
        return f"<{self.result.coefficient} {format_equality(self.result.value)}{': ' if rest else ''}{rest}>"

    def _rows(self) -> Mapping[str, object]:
        rows = {f"without {part.name}": format_defined(part.result.value) for part in self.parts}
        return {self.result.coefficient: format_defined(self.result.value), **rows}

    def _points(self) -> Sequence[Point]:
        without = (Point(f"without {part.name}", part.result.value) for part in self.parts)
        return [Point(self.result.coefficient, self.result.value), *without]


def leave_one_out(
    data: Data, coefficient: Coefficient = alpha, *arguments: Any, by: str = "coder", **options: Any
) -> LeaveOneOut:
    """Return a coefficient without each coder, document or category (label) in turn.

    Further arguments are passed on to the coefficient.

    What hurts agreement shows as a rise without it. Without a category the judgements that gave it are missing.
    Raises ValueError for another `by`.

    >>> rows = [["x", "x", "y"], ["y", "y", "y"], ["x", "x", "x"], ["x", "x", "y"]]
    >>> data = ReliabilityData.from_values("ABCD", ["Ann", "Bob", "Cid"], rows, ["text"] * 4)
    >>> leave_one_out(data, by="coder")
    <alpha = 0.3714: without Ann 0.1250, without Bob 0.1250, without Cid 1.0000>
    """
    data = as_data(data)
    check_option("by", by, LEFT_OUT)
    whole = coefficient(data, *arguments, **options)
    names: tuple[Hashable, ...]
    if by == "coder":
        names = tuple(data.coders)
        rest = [select_coders(data, [c for c in range(len(names)) if c != left]) for left in range(len(names))]
    elif by == "document":
        names = tuple(data.documents)
        rest = [resample(data, np.delete(np.arange(len(names)), left), by) for left in range(len(names))]
    else:
        names = tuple(data.labels)
        rest = [remove_label(data, left) for left in range(len(names))]
    results = (coefficient(part, *arguments, **options) for part in rest)
    return LeaveOneOut.from_results(whole, by, dict(zip(names, results, strict=True)))
