"""The model of coders who choose among one or two readings, written out slowly. Nothing here comes from the library.

The groups of a unit are numbers from 0, None where a coder did not judge it.
"""

from fractions import Fraction
from itertools import combinations


def posterior(groups, skills, prevalence, alternatives, shares):
    """Return the probability that a unit has two readings, and that of each group to be one, over all meanings.

    `alternatives` is a whole number not below that of the groups, so that all possible readings can be listed.
    """
    weights = {}
    for reading in range(alternatives):
        weights[reading,] = (1 - prevalence) / alternatives * _probability(groups, skills, alternatives, {reading: 1})
    pairs = list(combinations(range(alternatives), 2))
    for first, second in pairs:
        for share in shares:
            taken = {first: share, second: 1 - share}
            weight = prevalence / len(pairs) / len(shares) * _probability(groups, skills, alternatives, taken)
            weights[first, second] = weights.get((first, second), Fraction(0)) + weight
    total = sum(weights.values())
    present = {group for group in groups if group is not None}
    two = sum(weight for readings, weight in weights.items() if len(readings) == 2) / total
    return two, [sum(w for readings, w in weights.items() if group in readings) / total for group in sorted(present)]


def _probability(groups, skills, alternatives, taken):
    """Return how probable these answers are if each coder takes one of the readings, by these shares."""
    product = Fraction(1)
    for group, skill in zip(groups, skills, strict=True):
        if group is not None:
            slip = (1 - skill) / (alternatives - 1)
            product *= sum(share * (skill if group == reading else slip) for reading, share in taken.items())
    return product
