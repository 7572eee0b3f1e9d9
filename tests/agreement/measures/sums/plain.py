"""Sums of texts and what follows from them, one object a text and distance, in loops: slow, and easy to check."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import fsum, isnan, nan, sqrt

from tests.agreement.measures.exact import Several, distance, judgements, ordered_distance, without


def text_sums(table, name, *, exclude_unit="none", empty="subset", thirds="exact"):
    """Return the fields of `DocumentSums` of one text, {unit: [value or None per coder]}, by the definitions."""
    judged = judgements(table)

    def d(a, b):
        return distance(a, b, name, empty, thirds)

    observed = Fraction(0)
    for unit, row in judged.items():
        values = row if exclude_unit == "none" else [without(value, unit) for value in row]
        observed += sum((d(a, b) for a, b in permutations(values, 2)), Fraction(0)) / (len(row) - 1)
    given = [value for row in judged.values() for value in row]
    values = [value for _, value in pool(table, exclude_unit)]
    sets = [value for value in values if isinstance(value, frozenset)]
    overlapping = [d(a, b) for a, b in permutations(sets, 2) if a & b]
    return {
        "n_units": len(judged),
        "n_left_out": len(table) - len(judged),
        "n_judgements": len(given),
        "coders": {c for unit in judged for c, value in zip("ABCD", table[unit], strict=False) if value is not None},
        "n_sets": len({value for value in given if isinstance(value, frozenset) and value}),
        "has_empty_set": frozenset() in given,
        "observed": observed,
        "labels": Counter(value for value in values if not isinstance(value, frozenset)),
        "empty": sets.count(frozenset()),
        "nonempty": len(sets) - sets.count(frozenset()),
        "overlapping": len(overlapping),
        "overlap_distance": sum(overlapping, Fraction(0)),
    }


def pool(table, exclude_unit):
    """Return the judgements of which chance is made, each with its unit."""
    judged = judgements(table)
    return [(u, without(v, u) if exclude_unit == "both" else v) for u, row in judged.items() for v in row]


def reading_kinds(table, exclude_unit):
    """Return how many judgements have so many readings, with or without an empty one."""
    several = [value.sets for _, value in pool(table, exclude_unit) if isinstance(value, Several)]
    return Counter((len(sets), int(frozenset() in sets)) for sets in several)


def ordered_sums(table, name):
    """Return what one text, {unit: [number or None per coder]}, adds to an ordered distance.

    The ordinal one depends on all texts: of it a text says only with what weight each two different numbers met.
    """
    judged = judgements(table)
    met = Counter()
    for row in judged.values():
        for a, b in permutations(row, 2):
            if a != b:
                met[frozenset((a, b))] += Fraction(1, 2 * (len(row) - 1))
    if name == "ordinal":
        return {"labels": Counter(v for row in judged.values() for v in row), "observed": 0, "label_pairs": met}
    d = ordered_distance(name, table)
    observed = sum((2 * weight * d(*pair) for pair, weight in met.items()), Fraction(0))
    return {"labels": Counter(v for row in judged.values() for v in row), "observed": observed, "label_pairs": met}


def combined(parts):
    """Return alpha, Do and De, and the numbers of units, judgements, coders and values, of `DocumentSums` each."""
    labels = Counter()
    for part in parts:
        labels.update(dict(part.labels))
    n, observed = sum(part.n_judgements for part in parts), fsum(part.observed for part in parts)
    expected = _expected(
        n,
        sum(count * (count - 1) for count in labels.values()),
        sum(part.empty for part in parts),
        sum(part.nonempty for part in parts),
        sum(part.overlapping for part in parts),
        fsum(part.overlap_distance for part in parts),
        parts,
    )
    n_values = len(labels) + sum(part.n_sets for part in parts) + any(part.has_empty_set for part in parts)
    n_coders = len({coder for part in parts for coder in part.coders})
    do, de = (observed / n, expected / (n * (n - 1))) if n else (None, None)
    value = 1.0 - do / de if n and expected else None
    return value, do, de, sum(part.n_units for part in parts), n, n_coders, n_values


def without_each(parts):
    """Return alpha without each text that has a pairable unit: what all add up to, less what it adds; or NaN."""
    labels = list(dict.fromkeys(label for part in parts for label, _ in part.labels))
    used = [part for part in parts if part.n_units]
    rows = [
        [part.n_judgements, part.empty, part.nonempty, part.overlapping, part.observed, part.overlap_distance]
        + [dict(part.labels).get(label, 0) for label in labels]
        for part in used
    ]
    values = []
    for row in rows:
        total = [0.0] * len(row)
        for other in rows:  # one after the other, as an array adds its rows
            total = [sum_ + term for sum_, term in zip(total, other, strict=True)]
        n, empty, nonempty, overlapping, observed, overlap_distance, *counts = (
            whole - own for whole, own in zip(total, row, strict=True)
        )
        alike = sum(count * (count - 1) for count in counts)
        expected = _expected(n, alike, empty, nonempty, overlapping, overlap_distance, parts)
        values.append(1 - observed / n / (expected / (n * (n - 1))) if expected > 0 else nan)
    return values


def jackknife_error(values):
    """Return the standard error of the jackknife; or NaN."""
    g, mean = len(values), sum(values) / len(values)
    return nan if isnan(mean) else sqrt((g - 1) / g * sum((value - mean) ** 2 for value in values))


def _expected(n, alike, empty, nonempty, overlapping, overlap_distance, parts):
    """Return the distances of all ordered pairs of different judgements."""
    options = dict(parts[0].parameters) if parts else {"distance": "nominal", "empty": "subset", "thirds": "exact"}
    from_empty = float(distance(frozenset(), frozenset("x"), options["distance"], options["empty"], options["thirds"]))
    with_empty = 2 * empty * nonempty
    apart = n * (n - 1) - alike - empty * (empty - 1) - with_empty - overlapping
    return apart + with_empty * from_empty + overlap_distance
