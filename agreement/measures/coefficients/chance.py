"""Agreement corrected for chance: the common part of all kappas, and the chance agreement of each.

All are (Ao - Ae)/(1 - Ae) with the same observed agreement Ao, the mean over units of the mean agreement of pairs of
coders; they differ in the agreement Ae that they expect by chance. The functions here make a `Kappa` of data; those
that people call are in `kappas`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import sqrt
from numbers import Real
from typing import Any

import numpy as np

from ..data.arrays import sorted_unique
from ..data.cells import MISSING
from ..data.findings import find_odd_labels
from ..data.reliability_data import ReliabilityData, check_known_coders
from ..data.subsets import number_labels
from ..options import MISSING_RULES, Options, check_option
from ..results import NOT_BY_ALL, NOT_CODED, CategoryKappa, KappaResult, nonzero_counts
from ..sums.overlaps import PairableUnits
from ..sums.sufficient_statistics import (
    Matrix,
    SetSimilarities,
    SufficientStatistics,
    ValueMasses,
    hstack_sums,
    sparse_sums,
)
from ..sums.tables import unit_disagreements
from ..values import Floats, Ints, Label
from .alpha_statistics import count_masses

# an expected agreement that is 1 but for rounding leaves nothing to correct
CERTAIN = 1 - 1e-12
NO_Z_OF_UNEQUAL = "no z: units have different numbers of coders"

type Expected = Callable[["Kappa", ValueMasses, Floats], Floats]
SCALES = ("nominal", "linear", "quadratic", "bipolar")

type Disagreement = Callable[[Label, Label], float]


@dataclass(frozen=True, eq=False)
class Scale:
    """All categories, used or not, and the disagreement of each pair, or None if all pairs differ equally.

    `of_labels` is the same for the labels of the data, in the order of their codes. `given`: categories were listed.
    """

    name: str
    categories: tuple[Label, ...]
    disagreements: Floats | None
    of_labels: Floats | None
    given: bool


def read_scale(
    data: ReliabilityData, distance: str | Disagreement, categories: Sequence[Label] | None, also: tuple[str, ...] = ()
) -> tuple[ReliabilityData, Scale]:
    """Return the data, with numbers for labels in text where the categories are numbers or ordered, and their scale.

    The arguments and errors are those of `cohen_kappa`. `also` are names of other distances that the caller takes.
    """
    if isinstance(distance, str):
        check_option("distance", distance, tuple(dict.fromkeys(SCALES + also)))
    name = distance if isinstance(distance, str) else str(getattr(distance, "__name__", "callable"))
    ordered = distance in SCALES[1:]
    if categories is None and ordered:
        data = number_labels(data, f"the distance {distance!r} is of numbers: else give the categories in their order")
    elif categories and all(isinstance(category, Real) for category in categories):
        data = number_labels(data, "the categories are numbers")
    labels = data.labels
    if categories is not None:
        labels = tuple(dict.fromkeys(categories))
        for label in data.labels:
            if label not in labels:
                raise ValueError(f"{label!r} is used and is not among the categories {list(labels)}")
    elif ordered:
        labels = tuple(sorted(labels))  # type: ignore[type-var]
    if distance == "nominal":
        return data, Scale(name, labels, None, None, categories is not None)
    if len(data.cells.starts) > 1:
        raise ValueError(f"the distance {name!r} is of categories, and there are sets in the data")
    table = (
        _position_disagreements(name, len(labels)) if isinstance(distance, str) else _call_distance(distance, labels)
    )
    place = {label: i for i, label in enumerate(labels)}
    order = np.array([place[label] for label in data.labels], dtype=np.int64)
    return data, Scale(name, labels, table, table[np.ix_(order, order)], categories is not None)


def _position_disagreements(name: str, n: int) -> Floats:
    places = np.arange(n, dtype=np.float64)
    low, high = places[:, None], places[None, :]
    apart, widest = np.abs(low - high), max(n - 1, 1)
    if name == "linear":
        return np.asarray(apart / widest)
    if name == "quadratic":
        return np.asarray((apart / widest) ** 2)
    together = low + high  # bipolar: the nearer to the ends, the less a step counts
    room = together * (2 * (n - 1) - together)
    bipolar: Floats = np.divide(apart**2, room, out=np.zeros_like(room), where=room > 0)
    return bipolar


def _call_distance(distance: Disagreement, categories: tuple[Label, ...]) -> Floats:
    n = len(categories)
    table = np.array([[float(distance(a, b)) for b in categories] for a in categories]).reshape(n, n)
    wrong = np.argwhere(~np.isfinite(table) | (table < 0) | (table != table.T) | (np.eye(len(table)) * table > 0))
    if len(wrong):
        i, j = wrong[0].tolist()
        raise ValueError(f"the distance between {categories[i]!r} and {categories[j]!r} is {table[i, j]}")
    return table


@dataclass(frozen=True, eq=False)
class ChanceCorrected:
    """The family of coefficients. `missing`: units with any judgement ("available"), or of all coders ("drop")."""

    name: str
    data: ReliabilityData
    missing: str

    def __post_init__(self) -> None:
        check_option("missing", self.missing, MISSING_RULES)

    @cached_property
    def used_units(self) -> PairableUnits:
        """The units in use."""
        return PairableUnits.from_data(self.data, max(len(self.data.coders), 1) if self.missing == "drop" else 1)

    @cached_property
    def agreements(self) -> Floats:
        """For each unit in use the mean agreement of its pairs of coders, NaN where there is none."""
        raise NotImplementedError

    def chance(self, by: str) -> tuple[Matrix, Callable[[Floats], Floats]]:
        """Return columns for each document or unit, and the function that gives Ae of sums of these columns."""
        raise NotImplementedError

    def statistics(self, by: str) -> SufficientStatistics:
        """Return the sums over documents or units from which the coefficient follows."""
        used, (sums, expected) = self.used_units, self.chance(by)
        group_of_unit, names = used.group_by(by)
        paired = np.flatnonzero(used.coders >= 2)
        observed = sparse_sums(
            np.tile(group_of_unit[paired], 2),
            np.repeat([0, 1], len(paired)),
            np.concatenate((self.agreements[paired], np.ones(len(paired)))),
            (len(names), 2),
        )

        def coefficients(sums: Floats) -> Floats:
            with np.errstate(invalid="ignore", divide="ignore"):
                return correct_for_chance(sums[:, 0] / sums[:, 1], expected(sums[:, 2:]))

        statistics = SufficientStatistics(names, hstack_sums(observed, sums), (self.name,), coefficients)
        return statistics.select_groups(np.bincount(group_of_unit, minlength=len(names)) > 0)

    def result_of(self, observed: float | None, expected: float | None, n_values: int) -> dict[str, Any]:
        """Return the fields of a `Result` with these agreements, which are None where no unit has two coders."""
        return kappa_fields(
            self.name,
            observed,
            expected,
            n_units=len(self.used_units.rows),
            n_coders=int((self.used_units.codes != MISSING).any(axis=0).sum()),
            n_values=n_values,
            n_judgements=int(self.used_units.coders.sum()),
            missing=self.missing,
            of_data=(len(self.data.units), len(self.data.coders)),
        )


@dataclass(frozen=True, eq=False)
class Kappa(ChanceCorrected):
    """One coefficient of the family and its data.

    `expected` gives Ae of sums (replicates, columns of the masses). `pooled`: it is of the values of all coders
    together, each unit counting once; else of each coder's own. `scale` says how far labels are apart; `options` how
    far sets are, None where they are equal or not; `scaled` is true where expected agreement is measured on the scale.
    """

    expected: Expected
    pooled: bool
    scale: Scale
    options: Options | None = None
    scaled: bool = True
    as_disagreement: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.pooled:
            check_known_coders(self.data)

    @cached_property
    def value_counts(self) -> tuple[Ints, Ints, Ints]:
        """The units in use, the values of each, and how many coders gave each of these."""
        codes = self.used_units.codes
        rows, columns = np.nonzero(codes != MISSING)
        n_values = int(codes.max(initial=0)) + 1
        pairs, given = np.unique(rows * n_values + codes[rows, columns], return_counts=True)
        return pairs // n_values, pairs % n_values, given

    @cached_property
    def agreements(self) -> Floats:
        m, apart = self.used_units.coders, self.scale.of_labels
        agreements = np.full(len(m), np.nan)
        paired = m >= 2
        if apart is None and self._compares_equality:
            units, _, given = self.value_counts
            equal = np.bincount(units, weights=given * (given - 1), minlength=len(m))
            agreements[paired] = equal[paired] / (m[paired] * (m[paired] - 1))
        else:
            terms = unit_disagreements(self.used_units, self.options or Options(), apart)
            agreements[paired] = 1 - terms[paired] / m[paired]
        return agreements

    @property
    def _compares_equality(self) -> bool:
        """Return whether two values are either equal or not; several readings may be equal in part."""
        nominal = self.options is None or self.options.distance == "nominal"
        return nominal and (self.options is None or self.data.cells.readings is None)

    def chance(self, by: str) -> tuple[Matrix, Callable[[Floats], Floats]]:
        """Return the masses of values in each document or unit, and the function that gives Ae of them."""
        used, apart = self.used_units, self.scale.of_labels if self.scaled else None
        masses = count_masses(
            used,
            self.options or Options(),
            by,
            None if self.pooled else np.arange(used.codes.shape[1]),
            of_unit=1 / used.coders if self.pooled else None,
            labels=None if apart is None else 1 - apart,
            similar=SetSimilarities.none() if self._compares_equality else None,
        )
        return masses.sums, partial(self.expected, self, masses)

    def result(self, **more: Any) -> KappaResult:
        """Return the result, with more of its fields, or other ones."""
        return KappaResult(**self.result_fields() | more)

    def result_fields(self) -> dict[str, Any]:
        """Return the fields of a `Result`."""
        used = self.used_units
        values = sorted_unique(used.codes[used.codes != MISSING])
        observed = expected = None
        if (used.coders >= 2).any():
            sums, expect = self.chance("document")
            observed = float(np.nansum(self.agreements) / np.count_nonzero(used.coders >= 2))
            expected = float(expect(np.asarray(sums.sum(axis=0))[None, :])[0])
        fields = self.result_of(observed, expected, len(values))
        if fields["value"] is not None:
            labels = self.data.labels
            fields["note"] = "; ".join(find_odd_labels(labels[code] for code in values.tolist() if code < len(labels)))
        if self.as_disagreement and observed is not None and expected is not None:
            fields |= {"observed": 1 - observed, "expected": 1 - expected}
        return fields


def correct_for_chance(observed: Floats, expected: Floats) -> Floats:
    """Return (Ao - Ae)/(1 - Ae) as a column, NaN where Ae is 1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected < CERTAIN, (observed - expected) / (1 - expected), np.nan)[:, None]


def kappa_fields(
    name: str, observed: float | None, expected: float | None, *, missing: str, of_data: tuple[int, int], **counts: int
) -> dict[str, Any]:
    """Return the fields of a `Result`: `counts` of what is in use, `of_data` units and coders that there are."""
    value, note = None, ""
    if observed is not None and expected is not None and expected < CERTAIN:
        value = (observed - expected) / (1 - expected)
    elif not of_data[0]:
        note = "there is no data"
    elif of_data[1] < 2:
        note = "there are fewer than two coders"
    elif observed is None:
        note = f"no unit is coded by {'all coders' if missing == 'drop' else 'two coders'}"
    else:
        alike = "only one value is used" if counts["n_values"] == 1 else "all values are at distance 0 from each other"
        note = f"{alike}, so that chance would agree as well"
    return {
        "coefficient": name,
        "value": value,
        "observed": observed,
        "expected": expected,
        **counts,
        "left_out": nonzero_counts({NOT_BY_ALL if missing == "drop" else NOT_CODED: of_data[0] - counts["n_units"]}),
        "parameters": {"missing": missing},
        "note": note,
    }


def kappa_statistics(kappa: Callable[..., Kappa]) -> Callable[..., SufficientStatistics]:
    """Return the function that computes the sums of a kappa, for `register_statistics`."""

    def statistics(data: ReliabilityData, by: str, *arguments: Any, **options: Any) -> SufficientStatistics:
        options.pop("variance", None)  # of a standard error: it changes no coefficient
        return kappa(data, *arguments, **options).statistics(by)

    return statistics


def pooled_chance(_: Kappa, masses: ValueMasses, sums: Floats) -> Floats:
    """Return the agreement of two draws from the values of all coders together (Scott 1955; Fleiss 1971)."""
    expected: Floats = masses.common_mass(sums)[:, 0, 0] / masses.totals(sums)[:, 0] ** 2
    return expected


def individual_chance(_: Kappa, masses: ValueMasses, sums: Floats) -> Floats:
    """Return the mean over pairs of coders of the agreement of a draw from the values of each (Cohen 1960)."""
    common, totals = masses.common_mass(sums), masses.totals(sums)
    coders = np.arange(totals.shape[1])
    common[:, coders, coders] = 0
    # A coder without judgements has no values to draw from.
    shares = np.divide(1, totals, out=np.zeros_like(totals), where=totals > 0)
    n_coders = np.count_nonzero(totals > 0, axis=1)
    of_each = (common @ shares[:, :, None])[:, :, 0]
    expected: Floats = (of_each * shares).sum(axis=1) / (n_coders * (n_coders - 1))
    return expected


def count_categories(kappa: Kappa, masses: ValueMasses) -> int:
    """Return the number of the given categories, or of the values in use where none are given."""
    return len(kappa.scale.categories) if kappa.scale.given else len(sorted_unique(masses.judgements[2]))


def category_kappas(
    labels: Sequence[Label], counts: Ints | Floats, shares: Floats, apart: Floats
) -> tuple[CategoryKappa, ...]:
    """Return K of each label in use, from its share of the judgements and the disagreement about it."""
    kappas = []
    for label, count, share, observed in zip(labels, counts.tolist(), shares.tolist(), apart.tolist(), strict=True):
        if count:
            expected = 2 * share * (1 - share)
            value = 1 - observed / expected if expected > 1 - CERTAIN else None
            kappas.append(CategoryKappa(label, value, int(count)))
    return tuple(kappas)


def cohen_errors(
    codes: Ints, n_labels: int, distances: Floats | None, kappa: float
) -> tuple[float | None, float | None]:
    """Return the standard errors of (weighted) kappa: for intervals, and where agreement is by chance only.

    `codes` has the shape (units, 2), `distances` (labels, labels) or None where labels are equal or not
    (Fleiss, Cohen & Everitt 1969). None where the variance is 0.
    """
    n = len(codes)
    table = np.bincount(codes[:, 0] * n_labels + codes[:, 1], minlength=n_labels**2).reshape(n_labels, n_labels) / n
    similar = np.eye(n_labels) if distances is None else 1 - distances
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    chance = np.outer(rows, columns)
    expected = float((similar * chance).sum())
    means = (similar @ columns)[:, None] + (similar.T @ rows)[None, :]
    room = n * (1 - expected) ** 2
    spread = float((table * (similar - means * (1 - kappa)) ** 2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    null = float((chance * (similar - means) ** 2).sum()) - expected**2
    return _square_root(spread / room), _square_root(null / room)


def fleiss_error(counts: Ints, m: int, variance: str) -> float | None:
    """Return the standard error of K where agreement is by chance only, of units with m coders each.

    `counts` says how often each value was given.

    "1979": 2 ((sum pq)^2 - sum pq(q - p)) / (N m (m - 1) (sum pq)^2) under the root, with the proportions p of the
    values and q = 1 - p (Fleiss, Nee & Landis 1979). "1971": 2 (Ae - (2m - 3) Ae^2 + 2(m - 2) sum p^3) /
    (N m (m - 1) (1 - Ae)^2), Ae = sum p^2 (Fleiss 1971, since withdrawn).
    """
    n = int(counts.sum())
    p = counts[counts > 0] / n
    q = 1 - p
    room = n * (m - 1)
    if variance == "1971":
        agreed = float((p**2).sum())
        spread = agreed - (2 * m - 3) * agreed**2 + 2 * (m - 2) * float((p**3).sum())
        return _square_root(2 * spread / (room * (1 - agreed) ** 2))
    apart = float((p * q).sum())
    return _square_root(2 * (apart**2 - float((p * q * (q - p)).sum())) / (room * apart**2))


def _square_root(variance: float) -> float | None:
    return sqrt(variance) if variance > 0 else None
