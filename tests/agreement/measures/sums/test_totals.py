"""Sums over many texts have the digits of `fsum`."""

from math import fsum

import numpy as np
import pytest

from agreement.measures.sums.totals import exact_sum


@pytest.mark.parametrize("n", [0, 1, 999, 1000, 1023, 1024, 20_000, 70_001])
@pytest.mark.parametrize("spread", [0, 3, 60, 250])
def test_sums_have_the_digits_of_fsum(n: int, spread: int) -> None:
    """Terms of one size or of many, of one sign or of both, whose sum cancels or not, in any order."""
    random = np.random.default_rng([n, spread])
    terms = random.random(n) * 10.0 ** random.integers(-spread, spread + 1, n)
    signed = np.where(random.random(n) < 0.5, terms, -terms)
    for values in (terms, signed, np.concatenate([signed, -signed[::-1], terms[:1]]), np.round(terms[:n])):
        assert exact_sum(values) == fsum(values.tolist())
        assert exact_sum(random.permutation(values)) == fsum(values.tolist())


def test_halves_of_the_last_digit_are_rounded_as_by_fsum() -> None:
    """A sum that lies between two numbers is rounded once, by what lies far behind its digits."""
    halves = np.full(2000, 2.0**-53 / 2000)
    for last in (0.0, 2.0**-120, -(2.0**-120)):
        values = np.concatenate([[1.0], np.full(1024, 2.0**-63), np.zeros(1000), [last]])
        assert exact_sum(values) == fsum(values.tolist())
    assert exact_sum(halves) == fsum(halves.tolist())
    assert exact_sum(np.full(1500, 5e-324)) == fsum([5e-324] * 1500)
