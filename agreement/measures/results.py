"""What a coefficient returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import erfc, sqrt
from typing import TYPE_CHECKING

from .displays import Display, Point

TOO_FEW_CODERS = "coded by fewer than two coders"
NOT_BY_ALL = "not coded by all coders"
NOT_CODED = "coded by no coder"


class Figure(Display):
    """What all results can do that have a `value` and a `note`: be a number, become a dictionary, and be shown.

    `float(result)` raises ValueError with the note where the value is None, and a format such as `f"{result:.3f}"` is
    that of the value, or "undefined".
    """

    if TYPE_CHECKING:  # fields of some, properties of others

        @property
        def value(self) -> float | None: ...

        @property
        def note(self) -> str: ...

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(self.note or "the value is undefined")
        return self.value

    def __format__(self, specification: str) -> str:
        if not specification:
            return str(self)
        return "undefined" if self.value is None else format(self.value, specification)

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a dictionary of numbers, texts, lists and dictionaries, for JSON or a table."""
        return {one.name: to_plain(getattr(self, one.name)) for one in fields(self)}  # type: ignore[arg-type]

    def _rows(self) -> Mapping[str, object]:
        return {"value": format_defined(self.value), "note": self.note}

    def _points(self) -> Sequence[Point]:
        return [Point("value", self.value)]


def to_plain(value: object) -> object:
    """Return the value with results and mappings as dictionaries, and tuples as lists."""
    if isinstance(value, Figure):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: to_plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    return value


@dataclass(frozen=True)
class Result(Figure):
    """A coefficient with what it rests on.

    `value` is None where the coefficient is undefined, and `note` then says why. `observed` and `expected`
    are what the coefficient is made of: disagreement for alpha and beta, agreement for all others. The counts are
    of what was used; `left_out` gives the number of units left out for each reason.

    >>> Result("alpha", 0.5, 0.25, 0.5, n_units=4, n_coders=2, n_values=2, n_judgements=8)
    <alpha = 0.5000: 4 units, 2 coders, 8 judgements, 2 values>
    """

    coefficient: str
    value: float | None
    observed: float | None
    expected: float | None
    n_units: int
    n_coders: int
    n_values: int
    n_judgements: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def __repr__(self) -> str:
        text = f"{self.coefficient} {format_equality(self.value)}: {self._counts()}"
        for reason, count in self.left_out.items():
            text += f"; {count} {reason}"
        if self.note:
            text += f"; {self.note}"
        return f"<{text}>"

    def _counts(self) -> str:
        counts = {
            "unit": self.n_units,
            "coder": self.n_coders,
            "judgement": self.n_judgements,
            "value": self.n_values,
        }
        return ", ".join(pluralize(count, noun) for noun, count in counts.items())

    def _rows(self) -> dict[str, object]:
        return {
            self.coefficient: format_defined(self.value),
            "observed": format_value(self.observed),
            "expected": format_value(self.expected),
            "used": self._counts(),
            **{f"units {reason}": count for reason, count in self.left_out.items()},
            **self.parameters,
            "note": self.note,
        }

    def _points(self) -> Sequence[Point]:
        return [Point(self.coefficient, self.value)]


@dataclass(frozen=True)
class CategoryKappa(Figure):
    """K of one category against all others: how far coders tell it apart; None where no disagreement is expected."""

    category: object
    value: float | None
    n_judgements: int

    @property
    def note(self) -> str:
        """Why there is no value."""
        return "" if self.value is not None else "chance would agree as well"


@dataclass(frozen=True, repr=False)
class KappaResult(Result):
    """A kappa with its standard errors, where they are known.

    `standard_error` is for intervals; `standard_error_null` holds if coders agree by chance only, and `z` is the value
    over it. `categories` is the kappa of each category. None, or nothing, where the source gives no formula; `z_note`
    says why a formula that there is gives no z.
    """

    standard_error: float | None = None
    standard_error_null: float | None = None
    categories: tuple[CategoryKappa, ...] = ()
    z_note: str = ""

    def __repr__(self) -> str:
        text = super().__repr__()
        return f"{text[:-1]}; {self.z_note}>" if self.z_note else text

    @property
    def z(self) -> float | None:
        """The value in standard errors of chance agreement."""
        if self.value is None or not self.standard_error_null:
            return None
        return self.value / self.standard_error_null

    @property
    def p_value(self) -> float | None:
        """The probability of a z as far from 0, on either side, if coders agreed by chance only."""
        return None if self.z is None else erfc(abs(self.z) / sqrt(2))

    def to_dict(self) -> dict[str, object]:
        """Return the fields, z and p as a dictionary."""
        return {**super().to_dict(), "z": self.z, "p_value": self.p_value}

    def _rows(self) -> dict[str, object]:
        rows = super()._rows()
        note = rows.pop("note")
        rows["standard error"] = format_value(self.standard_error)
        rows["standard error by chance"] = format_value(self.standard_error_null)
        rows["z"] = self.z_note if self.z is None else f"{self.z:.2f}"
        rows["p"] = "" if self.p_value is None else f"{self.p_value:.4g}"
        for one in self.categories:
            rows[f"{self.coefficient} of {one.category}"] = format_defined(one.value)
        return rows | {"note": note}

    def _points(self) -> Sequence[Point]:
        of_categories = (Point(f"{self.coefficient} of {one.category}", one.value) for one in self.categories)
        return [*super()._points(), *of_categories]


def format_equality(value: float | None) -> str:
    """Return the value after an equals sign, or "undefined" for None."""
    return "undefined" if value is None else f"= {value:z.4f}"


def format_defined(value: float | None) -> str:
    """Return the value with four decimals, or "undefined" for None."""
    return "undefined" if value is None else f"{value:z.4f}"


def format_value(value: float | None) -> str:
    """Return the value with four decimals, or nothing for None."""
    return "" if value is None else f"{value:z.4f}"


def format_bounds(low: float | None, high: float | None) -> str:
    """Return the ends of an interval, or nothing where there is none."""
    return "" if low is None else f"{format_value(low)} to {format_value(high)}"


def nonzero_counts(reasons: Mapping[str, int]) -> dict[str, int]:
    """Return the reasons with a count that is not 0."""
    return {reason: count for reason, count in reasons.items() if count}


def pluralize(count: int, noun: str) -> str:
    """Return the number with its noun: 1 unit, 2 units."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
