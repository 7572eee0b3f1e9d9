"""What resampling returns."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from agreement.measures.results import Result, format_defined, format_equality, format_value, pluralize, render_table
from agreement.measures.values import Floats


@dataclass(frozen=True, repr=False)
class Estimate:
    """A coefficient with an interval around it; None where there is none. `by` says what was sampled."""

    result: Result
    low: float | None
    high: float | None
    level: float
    standard_error: float | None
    by: str

    @property
    def value(self) -> float | None:
        """The coefficient of the data as they are."""
        return self.result.value

    def _describe(self, how: str) -> str:
        text = f"{self.result.coefficient} {format_equality(self.value)}"
        if self.low is not None and self.high is not None:
            text += f", {self.level:.0%} interval {self.low:z.4f} to {self.high:z.4f}"
        return f"<{text} ({how})>"

    def _render(self, more: Mapping[str, object]) -> str:
        rows = {
            self.result.coefficient: format_defined(self.value),
            f"{self.level:.0%} interval": ""
            if self.low is None
            else f"{format_value(self.low)} to {format_value(self.high)}",
            "standard error": format_value(self.standard_error),
        }
        return render_table({**rows, **more, **self.result.parameters, "note": self.result.note})


@dataclass(frozen=True, repr=False)
class Interval(Estimate):
    """A coefficient with its bootstrap interval.

    `low` and `high` are the percentiles of the replicates that hold `level` between them, None where fewer than two
    replicates are defined. `n` replicates of `n_groups` documents or units (`by`) were drawn; `n_undefined` of them had
    no value and are left out.
    """

    n_groups: int
    n: int
    n_undefined: int
    seed: int
    replicates: Floats = field(compare=False)

    def __repr__(self) -> str:
        how = f"{self.n} bootstrap replicates of {pluralize(self.n_groups, self.by)}"
        return self._describe(f"{how}, {self.n_undefined} undefined" if self.n_undefined else how)

    def _repr_html_(self) -> str:
        replicates = f"{self.n} of {pluralize(self.n_groups, self.by)}"
        return self._render({"replicates": replicates, "undefined replicates": self.n_undefined or ""})


@dataclass(frozen=True, repr=False)
class Jackknife(Estimate):
    """A coefficient with what becomes of it without each document or unit in turn.

    `values` has the coefficient without each of `groups` (None where undefined). `bias` is how far the coefficient is
    off by the size of the sample, `low` and `high` the normal interval of `level` around it.
    """

    groups: tuple[Hashable, ...]
    values: tuple[float | None, ...]
    bias: float | None

    def __repr__(self) -> str:
        return self._describe(f"jackknife over {pluralize(len(self.groups), self.by)}")

    def _repr_html_(self) -> str:
        return self._render({"bias": format_value(self.bias), "left out in turn": pluralize(len(self.groups), self.by)})


@dataclass(frozen=True)
class Comparison:
    """Two rounds or conditions: the difference of their coefficients, first less second, and how unlikely it is.

    `p_value` is the share of `n` random assignments (and the one at hand) whose difference is as far from 0.
    """

    first: Result
    second: Result
    difference: float | None
    p_value: float | None
    paired: bool
    by: str
    n: int
    n_undefined: int
    seed: int
    note: str = ""

    def __repr__(self) -> str:
        text = f"{self.first.coefficient} {format_equality(self.first.value)} and {format_defined(self.second.value)}"
        if self.p_value is not None:
            how = "paired" if self.paired else "unpaired"
            text += f", difference {format_value(self.difference)}, p = {format_value(self.p_value)}"
            text += f" ({self.n} {how} permutations of {self.by}s)"
        return f"<{text}{f'; {self.note}' if self.note else ''}>"

    def _repr_html_(self) -> str:
        return render_table(
            {
                f"{self.first.coefficient}, first": format_value(self.first.value),
                f"{self.second.coefficient}, second": format_value(self.second.value),
                "difference": format_value(self.difference),
                "p": format_value(self.p_value),
                "permutations": f"{self.n}, {'paired' if self.paired else 'unpaired'}, of {self.by}s",
                "note": self.note,
            }
        )
