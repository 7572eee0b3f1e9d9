"""What a coefficient returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

TOO_FEW_CODERS = "coded by fewer than two coders"
NOT_BY_ALL = "not coded by all coders"
NOT_CODED = "coded by no coder"


@dataclass(frozen=True)
class Result:
    """A coefficient with what it rests on.

    `value` is None where the coefficient is undefined, and `note` then says why. `observed` and `expected`
    are what the coefficient is made of: disagreement for alpha, agreement for K. The counts are of what was
    used; `left_out` gives the number of units left out for each reason.

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
        text = f"{self.coefficient} {_number(self.value)}: {self._counts()}"
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
        return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())

    def _repr_html_(self) -> str:
        rows: dict[str, object] = {
            self.coefficient: "undefined" if self.value is None else f"{self.value:.4f}",
            "observed": "" if self.observed is None else f"{self.observed:.4f}",
            "expected": "" if self.expected is None else f"{self.expected:.4f}",
            "used": self._counts(),
            **{f"units {reason}": count for reason, count in self.left_out.items()},
            **self.parameters,
            "note": self.note,
        }
        cells = (
            f"<tr><th>{escape(name)}</th><td>{escape(str(text))}</td></tr>" for name, text in rows.items() if text != ""
        )
        return f"<table>{''.join(cells)}</table>"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"= {value:.4f}"


def counted(reasons: Mapping[str, int]) -> dict[str, int]:
    """The reasons that left something out."""
    return {reason: count for reason, count in reasons.items() if count}
