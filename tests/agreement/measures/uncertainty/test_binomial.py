"""The exact interval of a share."""

from fractions import Fraction
from math import comb

import pytest

from agreement.measures import binomial_interval

CASES = [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (1, 40), (17, 40), (2, 200)]


def tail(hits: range, trials: int, share: float) -> Fraction:
    """Return the probability of some numbers of hits, in fractions."""
    p = Fraction(share)
    return sum((comb(trials, n) * p**n * (1 - p) ** (trials - n) for n in hits), Fraction(0))


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(("hits", "trials"), CASES)
def test_tail_probability_at_each_bound_is_half_of_error(hits, trials, level):
    found = binomial_interval(hits, trials, level)
    assert found.value == hits / trials
    if hits:
        assert float(tail(range(hits, trials + 1), trials, found.low)) == pytest.approx((1 - level) / 2, rel=1e-9)
    else:
        assert found.low == 0
    if hits < trials:
        assert float(tail(range(hits + 1), trials, found.high)) == pytest.approx((1 - level) / 2, rel=1e-9)
    else:
        assert found.high == 1


def test_share_without_trials_is_undefined():
    found = binomial_interval(0, 0)
    assert (found.value, found.low, found.high) == (None, None, None)
    with pytest.raises(ValueError, match="nothing was tried"):
        float(found)


@pytest.mark.parametrize(("hits", "trials", "level"), [(-1, 3, 0.9), (4, 3, 0.9), (1, 3, 1.0), (1, 3, 0)])
def test_interval_refuses_impossible_counts_and_levels(hits, trials, level):
    with pytest.raises(ValueError, match=r"not possible|must be between 0 and 1"):
        binomial_interval(hits, trials, level)
