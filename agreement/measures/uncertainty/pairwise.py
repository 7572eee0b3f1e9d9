"""One coefficient of each two coders."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.inputs import Data, as_data
from ..data.subsets import select_coders
from ..displays import Display, Point
from ..extras import require
from ..results import Result, format_defined
from .calls import Coefficient

if TYPE_CHECKING:
    import pandas as pd


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
        """How many pairs have a value: the mean is of these."""
        return sum(result.value is not None for result in self.results.values())

    def to_frame(self) -> "pd.DataFrame":
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
