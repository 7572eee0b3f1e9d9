"""Coefficients of agreement."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum

import numpy as np

from agreement.measures.data import MISSING, ReliabilityData
from agreement.measures.general import alpha_of_callable, unit_distances
from agreement.measures.options import Options, check
from agreement.measures.overlaps import Pairable, overlaps
from agreement.measures.pairs import fsum_by, observed_distances
from agreement.measures.results import NOT_BY_ALL, NOT_CODED, Result, counted
from agreement.measures.sums import combine, document_sums
from agreement.measures.values import Distance, Ints

MISSING_RULES = ("drop", "available")


@dataclass(frozen=True)
class Contribution:
    """What one unit adds to observed disagreement: `observed` sums to Do over the units, `share` to 1."""

    unit: Hashable
    document: Hashable
    share: float
    observed: float


def alpha(
    data: ReliabilityData,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> Result:
    """Krippendorff's alpha, 1 - Do/De, for any number of coders, with missing values.

    With n judgements on the units coded by two or more coders, m of them on unit u: Do is the sum over the
    units of the distances of all ordered pairs of judgements of u divided by m - 1, over n; De is the mean
    distance of all n(n - 1) ordered pairs of judgements (Krippendorff 1980; Passonneau 2004).

    `distance` is one of DISTANCES, or a symmetric callable of two values that is 0 for equal values; it
    is called for every pair of distinct values, and `empty` and `thirds` (see `distance`) are its own affair.
    `exclude_unit` takes the unit out of the sets that it was given: "none"; "observed", when the values of
    one unit are compared; "both", also when judgements of any two units are.
    Raises ValueError for an unknown option, and for a callable that returns a negative or no finite number.
    The value is None, with a note, where no unit has two coders and where no disagreement can be expected.

    >>> data = ReliabilityData.from_values(
    ...     ["A", "B"], ["Ann", "Bob"], [["place", "place"], ["place", "none"]], ["text", "text"])
    >>> alpha(data)
    <alpha = 0.0000: 2 units, 2 coders, 4 judgements, 2 values>
    """
    options = Options(distance, exclude_unit, empty, thirds)
    if not isinstance(distance, str):
        return alpha_of_callable(data, distance, options)
    sums = document_sums(data, distance, exclude_unit=exclude_unit, empty=empty, thirds=thirds)
    return replace(combine(sums), parameters=options.parameters())


def contributions(
    data: ReliabilityData,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> tuple[Contribution, ...]:
    """What each unit adds to the observed disagreement of `alpha` with the same arguments, in data order.

    Units coded by fewer than two coders are not in it. Where there is no disagreement all shares are 0.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> [round(one.share, 3) for one in contributions(data, "jaccard")]
    [0.25, 0.25, 0.5]
    """
    options = Options(distance, exclude_unit, empty, thirds)
    pairable = Pairable.of(data)
    if isinstance(distance, str):
        nothing = np.zeros(len(data.members), dtype=np.int64)
        units, distances = observed_distances(pairable, overlaps(pairable, nothing), options)
        terms = fsum_by(units, 2 * distances / (pairable.coders[units] - 1), len(pairable.rows))
    else:
        terms = list(unit_distances(data, distance, options).values())
    total, n = sum(terms), int(pairable.coders.sum())
    return tuple(
        Contribution(
            unit=data.units[row],
            document=data.documents[data.document_of_unit[row]],
            share=term / total if total else 0.0,
            observed=term / n,
        )
        for row, term in zip(pairable.rows.tolist(), terms, strict=True)
    )


def fleiss_kappa(data: ReliabilityData, *, missing: str = "available") -> Result:
    """Multi-pi, Siegel & Castellan's K: (Ao - Ae)/(1 - Ae), where all values that differ differ alike.

    Ao is the mean over units of the proportion of pairs of coders that agree; Ae is the sum of the squared
    proportions of the values, pooled over coders (Fleiss 1971; Siegel & Castellan 1988). `observed` and
    `expected` of the result are these agreements.

    `missing` is "available": Ao is over the units with two or more coders, and each coded unit counts once in
    the proportions of the values (Gwet 2014), so that a unit with one coder counts there; or "drop": only
    units that every coder of the data coded are used.
    Raises ValueError for an unknown option. The value is None, with a note, where no unit can be used,
    where there are fewer than two coders, and where only one value is used.

    >>> data = ReliabilityData.from_values(
    ...     range(4), ["Ann", "Bob", "Cid"], [["Y", "Y", "Y"]] * 2 + [["Y", "Y", "N"]] * 2, ["text"] * 4)
    >>> fleiss_kappa(data)
    <K = -0.2000: 4 units, 3 coders, 12 judgements, 2 values>
    """
    check("missing", missing, MISSING_RULES)
    coders = (data.codes != MISSING).sum(axis=1)
    all_coders = len(data.coders)
    used = (coders == all_coders) if missing == "drop" else (coders > 0)
    codes, coders = data.codes[used], coders[used]
    reason = NOT_BY_ALL if missing == "drop" else NOT_CODED
    values = np.unique(codes[codes != MISSING])
    note = ""
    if not data.units:
        note = "there is no data"
    elif all_coders < 2:
        note = "there are fewer than two coders"
    elif not (coders >= 2).any():
        note = "no unit is coded by all coders" if missing == "drop" else "no unit is coded by two coders"
    elif len(values) == 1:
        note = "only one value is used, so that chance would agree as well"
    ao, ae = (None, None) if not (coders >= 2).any() else _agreement(codes)
    return Result(
        coefficient="K",
        value=None if note or ao is None or ae is None else (ao - ae) / (1.0 - ae),
        observed=ao,
        expected=ae,
        n_units=len(codes),
        n_coders=int((codes != MISSING).any(axis=0).sum()),
        n_values=len(values),
        n_judgements=int(coders.sum()),
        left_out=counted({reason: len(data.units) - len(codes)}),
        parameters={"missing": missing},
        note=note,
    )


def _agreement(codes: Ints) -> tuple[float, float]:
    """Observed and expected agreement of units that one or more coders coded."""
    coders = (codes != MISSING).sum(axis=1)
    equal = np.zeros(len(codes), dtype=np.int64)
    for i, j in combinations(range(codes.shape[1]), 2):
        equal += (codes[:, i] == codes[:, j]) & (codes[:, i] != MISSING)
    paired = coders >= 2
    m = coders[paired]
    ao = fsum((2 * equal[paired] / (m * (m - 1))).tolist()) / len(m)
    units, columns = np.nonzero(codes != MISSING)
    weights = np.bincount(codes[units, columns], weights=1 / coders[units])
    return ao, fsum((weights / len(codes)) ** 2)
