"""Tests of whether means are above 0, and the correction for several of them."""

import numpy as np

from ..values import Floats

# Up to so many texts all signs are tried: 16,384 of them.
MOST_EXACT = 14
# What differs from a sum by no more than this share of its terms equals it, whatever the rounding.
_TIE = 1e-9
# Random signs are drawn in blocks of so many numbers.
_BLOCK = 1 << 22


def sign_flip_p_value(differences: Floats, resamples: int, seed: int) -> float:
    """Return the one-sided p-value of a mean above 0, if each difference could as well have the other sign.

    Up to MOST_EXACT differences it is the share of all signs whose sum is at least that at hand. Of more, `resamples`
    random signs are drawn, and the data at hand count as one of them, so that it is never 0. The order of differences
    does not matter.
    """
    differences = np.sort(differences)
    at_hand = float(differences.sum())
    least = at_hand - _TIE * float(np.abs(differences).sum())
    n = len(differences)
    if n <= MOST_EXACT:
        sums = np.zeros(1)
        for difference in differences.tolist():
            sums = np.concatenate((sums + difference, sums - difference))
        return float((sums >= least).mean())
    random = np.random.default_rng(seed)
    reached, left = 1, resamples
    while left:
        rows = min(left, max(_BLOCK // n, 1))
        # the sum at hand less twice what has changed its sign
        flipped = random.integers(0, 2, (rows, n), dtype=np.int8) @ differences
        reached += int((at_hand - 2 * flipped >= least).sum())
        left -= rows
    return reached / (resamples + 1)


def least_p_value(n: int, resamples: int) -> float:
    """Return the smallest p-value that `sign_flip_p_value` can give of n differences."""
    return 2.0**-n if n <= MOST_EXACT else 1 / (resamples + 1)


def student_p_value(differences: Floats) -> float:
    """Return the one-sided p-value of Student's t of a mean above 0; without any spread it is 0 or 1."""
    from scipy.special import stdtr

    differences = np.sort(differences)  # so that their order does not matter
    n, mean = len(differences), float(differences.mean())
    error = float(differences.std(ddof=1)) / n**0.5
    if error <= _TIE:
        return 0.0 if mean > _TIE else 1.0
    return float(stdtr(n - 1, -mean / error))


def adjust_p_values(p_values: Floats) -> Floats:
    """Return p-values of Benjamini & Yekutieli 2001: of those up to q, a share of q at most is false on average.

    It holds however the tests depend on each other, as those of coders who judged the same texts do.

    >>> adjust_p_values(np.array([0.01, 0.2, 0.04])).round(3).tolist()
    [0.055, 0.367, 0.11]
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    ranks = np.arange(1, n + 1)
    scaled = p_values[order] * n * (1 / ranks).sum() / ranks
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return adjusted
