"""Kappa where a coder may give a second label (Rosenberg & Binkowski 2004)."""

from itertools import combinations

import numpy as np

from agreement.measures.data.cells import MISSING
from agreement.measures.data.inputs import Data, as_data
from agreement.measures.data.reliability_data import ReliabilityData
from agreement.measures.options import MISSING_RULES, check_option
from agreement.measures.results import NOT_BY_ALL, NOT_CODED, KappaResult, nonzero_counts
from agreement.measures.values import Floats, Label


def augmented_kappa(data: Data, p: float = 0.5, *, missing: str = "available") -> KappaResult:
    """Return the kappa of labels of which a unit may have two from a coder: a primary one and a secondary one.

    A value is a label, or a pair `(primary, secondary)`. A judgement is one vote: all of it goes to a single label, or
    `p` of it to the primary and 1 - p to the secondary one. Two coders agree on a unit by the sum over labels of the
    product of their votes, and by chance by the same sum of their mean votes; of several coders it is the mean over
    pairs (Rosenberg & Binkowski 2004, there for two). With p = 1 it is `cohen_kappa`, or `multi_kappa`, of the primary
    labels. With p below 1 two coders who give the same two labels do not agree wholly: a vote that is split is
    split for both.

    `missing` is as in `multi_kappa`. Raises ValueError for p outside 0.5 to 1, for a set as a value, and for a tuple
    that is no pair of two different labels. The value is None, with a note, where no unit has two coders and where
    chance would agree as well.

    >>> rows = [[("a", "b"), "a"], ["b", "b"], ["a", ("b", "a")]]
    >>> data = ReliabilityData.from_values(range(3), ["Ann", "Bob"], rows, ["text"] * 3)
    >>> round(augmented_kappa(data, p=0.6).value, 4)
    0.3363
    """
    data = as_data(data)
    check_option("missing", missing, MISSING_RULES)
    if not 0.5 <= p <= 1:
        raise ValueError(f"p is {p!r}; it must be from 0.5 to 1")
    codes = data.codes
    votes, labels = _votes(data, p)
    coded = codes != MISSING
    used = coded.all(axis=1) if missing == "drop" else coded.any(axis=1)
    if not len(data.coders):
        used = np.zeros(len(codes), dtype=np.bool_)
    codes, coded = codes[used], coded[used]
    by_unit = np.append(votes, np.zeros((1, votes.shape[1])), axis=0)[codes]  # (units, coders, labels), 0 if missing
    m = coded.sum(axis=1)
    paired = m >= 2
    together = (by_unit.sum(axis=1) ** 2).sum(axis=1) - (by_unit**2).sum(axis=(1, 2))
    observed = float((together[paired] / (m[paired] * (m[paired] - 1))).mean()) if paired.any() else None
    judged = coded.sum(axis=0)
    shares = by_unit.sum(axis=0)[judged > 0] / judged[judged > 0, None]
    agreed = [float((a * b).sum()) for a, b in combinations(shares, 2)]
    expected = float(np.mean(agreed)) if agreed and observed is not None else None
    note = ""
    if observed is None:
        note = "no unit is coded by two coders" if len(data.coders) > 1 else "there are fewer than two coders"
        note = note if len(data.units) else "there is no data"
    elif expected is None or expected > 1 - 1e-12:
        note = "only one value is used, so that chance would agree as well"
    value = None if note or observed is None or expected is None else (observed - expected) / (1 - expected)
    return KappaResult(
        coefficient="augmented kappa",
        value=value,
        observed=observed,
        expected=expected,
        n_units=len(codes),
        n_coders=int((judged > 0).sum()),
        n_values=int((by_unit.sum(axis=(0, 1)) > 0).sum()) if labels else 0,
        n_judgements=int(coded.sum()),
        left_out=nonzero_counts({NOT_BY_ALL if missing == "drop" else NOT_CODED: len(data.units) - len(codes)}),
        parameters={"p": str(p), "missing": missing},
        note=note,
    )


def _votes(data: ReliabilityData, p: float) -> tuple[Floats, list[Label]]:
    """Return the share of each label in each value of the data, and the labels."""
    if len(data.cells.starts) > 1:
        raise ValueError(f"{set(data.value(len(data.labels)))!r} is a set: a value is a label or a pair of labels")  # type: ignore[call-overload]
    place: dict[Label, int] = {}
    shares: list[list[tuple[int, float]]] = []
    for value in data.labels:
        parts: list[tuple[Label, float]] = [(value, 1.0)]
        if isinstance(value, tuple):
            if len(value) != 2 or value[0] == value[1]:
                raise ValueError(f"{value!r} is not a pair of a primary label and another, secondary one")
            parts = [(value[0], p), (value[1], 1 - p)]
        shares.append([(place.setdefault(label, len(place)), share) for label, share in parts])
    votes = np.zeros((len(data.labels), len(place)))
    for row, parts_of_value in enumerate(shares):
        for column, share in parts_of_value:
            votes[row, column] = share
    return votes, list(place)
