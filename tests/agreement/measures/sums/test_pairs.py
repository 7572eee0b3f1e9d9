"""The sums of distances by document: exact but for the end, whatever the order."""

from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures.sums.pairs import sum_groups

SHARES = st.builds(lambda part, whole: part / whole, st.integers(-40, 40), st.integers(1, 40))
TERMS = st.lists(st.tuples(st.integers(0, 2), SHARES | st.floats(allow_nan=False, allow_infinity=False)), max_size=20)


def sums_of(terms):
    groups, values = np.array([group for group, _ in terms], dtype=np.int64), np.array([value for _, value in terms])
    return sum_groups(groups, values.astype(np.float64), 3).tolist()


@given(TERMS, st.randoms(use_true_random=False))
def test_sum_ignores_order_of_terms(terms, chance):
    assert sums_of(chance.sample(terms, len(terms))) == sums_of(terms)


@given(TERMS.filter(lambda terms: all(abs(value) < 1e300 for _, value in terms)))
def test_sum_is_exact_except_for_last_digit(terms):
    for group, found in enumerate(sums_of(terms)):
        exact = sum((Fraction(value) for of, value in terms if of == group), Fraction(0))
        assert found == pytest.approx(float(exact), rel=2**-52, abs=0)


@given(st.lists(st.tuples(st.integers(0, 2), SHARES), max_size=200))
def test_sums_of_shares_are_correctly_rounded(terms):
    assert sums_of(terms) == [fsum(value for of, value in terms if of == group) for group in range(3)]


def test_empty_sum_is_zero():
    assert sums_of([]) == [0, 0, 0]
    assert sums_of([(1, 0.0), (1, 5e-324)]) == [0, 5e-324, 0]
