"""May a coder, such as a language model, code in the place of the others? The alternative annotator test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from agreement.data.answers import Extract
from agreement.measures import AltTest, alt_test
from agreement.reports.request.basis import (
    cached,
    comparison,
    count_left_out,
    count_other_versions,
    other_versions_field,
    resolve,
    select_data,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from annotations.core.text import pluralize

EPSILON, Q = 0.1, 0.05


@dataclass(frozen=True, slots=True)
class AltTestReport:
    """The test of a candidate against each of the other coders who are chosen."""

    parameters: Parameters
    test: AltTest
    codings_left_out: Mapping[str, int]
    other_versions: int | None = None

    def describe(self) -> str:
        """Return the rates, what they are of, and what limits them, in a line."""
        test = self.test
        rates = {
            "winning rate": test.winning_rate,
            "winning rate of the published test": test.published_winning_rate,
            "advantage probability": test.advantage_probability,
        }
        known = [f"{name} {rate:.4f}" for name, rate in rates.items() if rate is not None]
        used = f"{pluralize(test.n_units, 'unit')} of {pluralize(test.n_texts, 'text')}"
        left_out = [f"{number} {reason}" for reason, number in test.left_out.items()]
        levels = f"epsilon {test.epsilon:g}, q {test.q:g}"
        return f"{'; '.join(filter(None, [', '.join(known), used, *left_out, levels, test.note]))}."

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the command gives."""
        own = self.test.to_dict()
        del own["parameters"]  # those of the request say more
        return {
            "parameters": self.parameters.query(),
            **own,
            "codings_left_out": dict(self.codings_left_out),
            **other_versions_field(self.other_versions),
        }


def compute_alt_test(extract: Extract, parameters: Parameters, candidate: str, epsilon: str, q: str) -> AltTestReport:
    """Return the test of a candidate by the distance of the parameters, the other chosen coders being the humans.

    epsilon and q are numbers as they were typed; nothing is the default. Raises InvalidParameter.
    """
    extract, parameters = resolve(extract, parameters)
    numbers = _read_number("epsilon", epsilon, EPSILON, 1), _read_number("q", q, Q, 1)
    if candidate not in extract.coders:
        known = ", ".join(extract.coders) or "nobody"
        raise InvalidParameter("candidate", f"name one of those who are compared and have answers: {known}.")
    if len(extract.coders) < 3:
        raise InvalidParameter(
            "candidate", "it takes two other coders at least, better three, and there are not so many."
        )
    key = ("alt-test", parameters, candidate, *numbers)
    return cached(extract, key, lambda: _compute_alt_test(extract, parameters, candidate, *numbers))


def _read_number(name: str, typed: str, default: float, below: float) -> float:
    try:
        number = float(typed) if typed else default
    except ValueError:
        number = -1.0
    if not (isfinite(number) and 0 <= number < below) or (name == "q" and not number):
        least = "above 0" if name == "q" else "from 0"
        raise InvalidParameter(name, f"{typed!r} is not a number {least} and below {below}, such as {default:g}.")
    return number


def _compute_alt_test(
    extract: Extract, parameters: Parameters, candidate: str, epsilon: float, q: float
) -> AltTestReport:
    options = comparison(parameters)
    test = alt_test(
        select_data(extract, parameters),
        candidate,
        distance=options.distance,
        epsilon=epsilon,
        q=q,
        exclude_unit=options.exclude_unit,
        empty=options.empty,
        thirds=options.thirds,
    )
    left_out = count_left_out(extract, parameters), count_other_versions(extract, parameters)
    return AltTestReport(parameters, test, *left_out)
