"""A coefficient of parts of the data: of each two coders, and without each coder, document or category."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..coefficients.alpha import alpha
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..data.subsets import remove_label, select_coders, without_coder
from ..extras import require
from ..options import check_option
from ..results import Display, Point, Result, format_defined, format_equality
from .resampling import Coefficient, resample

if TYPE_CHECKING:
    import pandas as pd

LEFT_OUT = ("coder", "document", "category")


@dataclass(frozen=True)
class Pairwise(Display):
    """A coefficient of each two coders: `results` by pair, in the order of `coders`."""

    coders: tuple[Hashable, ...]
    results: Mapping[tuple[Hashable, Hashable], Result]

    def __getitem__(self, pair: tuple[Hashable, Hashable]) -> Result:
        """Return the result of two coders, in either order."""
        return self.results[pair if pair in self.results else (pair[1], pair[0])]

    @property
    def mean(self) -> float | None:
        """The mean over the `n_defined` pairs where it is defined (of Cohen's kappa: Light 1971), None without any."""
        values = [result.value for result in self.results.values() if result.value is not None]
        return sum(values) / len(values) if values else None

    @property
    def n_defined(self) -> int:
        """The number of pairs with a value, which the mean covers."""
        return sum(result.value is not None for result in self.results.values())

    def to_frame(self) -> pd.DataFrame:
        """Return the values, coders by coders; NaN on the diagonal and where undefined."""
        require("pandas", "a DataFrame")
        import pandas as pd

        frame = pd.DataFrame(np.nan, index=list(self.coders), columns=list(self.coders))
        for (a, b), result in self.results.items():
            if result.value is not None:
                frame.loc[a, b] = frame.loc[b, a] = result.value
        return frame

    def __repr__(self) -> str:
        name = next(iter(self.results.values())).coefficient if self.results else "nothing"
        of = "" if self.n_defined == len(self.results) else f" of {self.n_defined} that have one"
        return f"<{name} of {len(self.results)} pairs of coders, mean {format_defined(self.mean)}{of}>"

    def _cells(self) -> Sequence[Sequence[str]]:
        rows = [
            [str(a), *("" if a == b else format_defined(self[a, b].value) for b in self.coders)] for a in self.coders
        ]
        return [["", *map(str, self.coders)], *rows]

    def _points(self) -> Sequence[Point]:
        return [Point(f"{a}, {b}", result.value) for (a, b), result in self.results.items()]


def pairwise(data: Data, coefficient: Coefficient, *arguments: Any, **options: Any) -> Pairwise:
    """Return a coefficient of each two coders alone; further arguments are passed on to it.

    >>> rows = [["x", "x", "y"], ["y", "y", "y"], ["x", "x", "x"]]
    >>> data = ReliabilityData.from_values("ABC", ["Ann", "Bob", "Cid"], rows, ["text"] * 3)
    >>> pairwise(data, alpha).to_frame().loc["Ann"].tolist()
    [nan, 1.0, 0.4444444444444444]
    """
    data = as_data(data)
    return Pairwise(
        coders=tuple(data.coders),
        results={
            (data.coders[i], data.coders[j]): coefficient(select_coders(data, [i, j]), *arguments, **options)
            for i, j in combinations(range(len(data.coders)), 2)
        },
    )


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
    parts: dict[str, tuple[Sequence[Hashable], Callable[[int], ReliabilityData]]] = {
        "coder": (data.coders, partial(without_coder, data)),
        "document": (data.documents, lambda left: resample(data, np.delete(np.arange(len(data.documents)), left), by)),
        "category": (data.labels, partial(remove_label, data)),
    }
    names, without = parts[by]
    results = {name: coefficient(without(place), *arguments, **options) for place, name in enumerate(names)}
    return LeaveOneOut.from_results(whole, by, results)
