"""The alternative annotator test, written out slowly in exact fractions. Nothing here comes from the library.

A table is {unit: {coder: value}}; the distance is a function of two values.
"""

from fractions import Fraction
from itertools import product
from math import sqrt


def scores(table, candidate, humans, human, distance):
    """Return {unit: (score of the candidate, score of the human)} of the units that they and another human coded."""
    found = {}
    for unit, row in table.items():
        others = [row[other] for other in humans if other != human and other in row]
        if candidate in row and human in row and others:
            found[unit] = tuple(
                sum((1 - distance(row[coder], value) for value in others), Fraction(0)) / len(others)
                for coder in (candidate, human)
            )
    return found


def text_differences(of_units, documents):
    """Return the mean difference of each text."""
    by_text = {}
    for unit, (candidate, human) in of_units.items():
        by_text.setdefault(documents[unit], []).append(candidate - human)
    return [sum(differences) / len(differences) for differences in by_text.values()]


def sign_flip_p_value(differences, epsilon):
    """Return the share of all signs whose sum is at least that of the data; None of fewer than two."""
    if len(differences) < 2:
        return None
    moved = [value + epsilon for value in differences]
    sums = [
        sum(sign * value for sign, value in zip(signs, moved, strict=True))
        for signs in product((1, -1), repeat=len(moved))
    ]
    return Fraction(sum(total >= sum(moved) for total in sums), len(sums))


def indicators(of_units):
    """Return of each unit: has the human an advantage, less: has the candidate one."""
    return [int(human >= candidate) - int(candidate >= human) for candidate, human in of_units.values()]


def student_t(values, epsilon):
    """Return Student's t of the mean less epsilon, and the number of values; None of fewer than two, or no spread."""
    n = len(values)
    if n < 2 or len(set(values)) == 1:
        return None
    mean = Fraction(sum(values), n)
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    return float(mean - epsilon) / sqrt(variance / n), n


def adjusted(p_values):
    """Return the p-values of Benjamini & Yekutieli, from the definition: the least level at which each is rejected."""
    n = len(p_values)
    harmonic = sum(Fraction(1, rank) for rank in range(1, n + 1))
    ordered = sorted(p_values)
    found = []
    for p in p_values:
        levels = [ordered[rank - 1] * n * harmonic / rank for rank in range(1, n + 1) if ordered[rank - 1] >= p]
        found.append(min([*levels, Fraction(1)]))
    return found
