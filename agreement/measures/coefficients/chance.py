"""Agreement corrected for chance: what all kappas have in common, and what each expects.

All are (Ao - Ae)/(1 - Ae) with the same observed agreement Ao, the mean over units of the mean agreement of pairs of
coders; they differ in the agreement Ae that they expect by chance. The functions here make a `Kappa` of data; those
that people call are in `kappas`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..data.arrays import sorted_unique
from ..data.cells import MISSING
from ..data.findings import find_odd_labels
from ..data.reliability_data import ReliabilityData, check_known_coders
from ..options import MISSING_RULES, Options, check_option
from ..results import NOT_BY_ALL, NOT_CODED, nonzero_counts
from ..sums.label_sets import label_similarities
from ..sums.masses import SetSimilarities, ValueMasses, WeightedJudgements
from ..sums.overlaps import PairableUnits
from ..sums.sufficient_statistics import SufficientStatistics, hstack_sums, sparse_sums
from ..sums.tables import unit_disagreements
from ..values import Floats, Ints, Label
from .scales import Scale

# an expected agreement that is 1 but for rounding leaves nothing to correct
CERTAIN = 1 - 1e-12
NO_Z_OF_UNEQUAL = "no z: units have different numbers of coders"

type Expected = Callable[[ValueMasses, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Kappa:
    """One coefficient of the family and its data.

    `expected` gives Ae of sums (replicates, columns of the masses). `pooled`: it is of the values of all coders
    together, each unit counting once; else of each coder's own. `scale` says how far labels are apart; `options` how
    far sets are, None where they are equal or not; `scaled` is true where expected agreement is measured on the scale.
    """

    name: str
    data: ReliabilityData
    missing: str
    expected: Expected
    pooled: bool
    scale: Scale
    options: Options | None = None
    scaled: bool = True
    as_disagreement: bool = False

    def __post_init__(self) -> None:
        check_option("missing", self.missing, MISSING_RULES)
        if not self.pooled:
            check_known_coders(self.data)

    @cached_property
    def used_units(self) -> PairableUnits:
        """The units in use."""
        return PairableUnits.from_data(self.data, max(len(self.data.coders), 1) if self.missing == "drop" else 1)

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
        """For each unit in use the mean agreement of its pairs of coders, NaN where there is none."""
        m, apart = self.used_units.coders, self.scale.of_labels
        agreements = np.full(len(m), np.nan)
        paired = m >= 2
        if apart is None and self._compares_equality:
            units, _, given = self.value_counts
            equal = np.bincount(units, weights=given * (given - 1), minlength=len(m))
            agreements[paired] = equal[paired] / (m[paired] * (m[paired] - 1))
        else:
            agreements[paired] = (
                1 - unit_disagreements(self.used_units, self.options or Options(), apart)[paired] / m[paired]
            )
        return agreements

    @property
    def _compares_equality(self) -> bool:
        """Are two values of sets either equal or not? Several readings may be equal in part."""
        nominal = self.options is None or self.options.distance == "nominal"
        return nominal and (self.options is None or self.data.cells.readings is None)

    def masses(self, by: str) -> ValueMasses:
        """Return the masses of values in each document, or in each unit."""
        used = self.used_units
        group_of_unit, names = used.group_by(by)
        rows, columns = np.nonzero(used.codes != MISSING)
        judgements = WeightedJudgements(
            pairable=used,
            rows=rows,
            raters=np.zeros_like(columns) if self.pooled else columns,
            codes=used.codes[rows, columns],
            mass=1 / used.coders[rows] if self.pooled else np.ones(len(rows)),
            n_raters=1 if self.pooled else used.codes.shape[1],
        )
        apart = self.scale.of_labels if self.scaled else None
        options = self.options or Options()
        name = str(options.distance)
        return ValueMasses(
            judgements,
            SetSimilarities.none() if self._compares_equality else SetSimilarities.from_units(used, name, options),
            group_of_unit=group_of_unit,
            n_groups=len(names),
            by_unit=by == "unit",
            labels=label_similarities(self.data.labels, name, options) if apart is None else 1 - apart,
        )

    def statistics(self, by: str) -> SufficientStatistics:
        """Return the sums over documents or units from which the coefficient follows."""
        masses = self.masses(by)
        paired = np.flatnonzero(self.used_units.coders >= 2)
        groups = np.tile(masses.group_of_unit[paired], 2)
        columns = np.repeat([0, 1], len(paired))
        terms = np.concatenate((self.agreements[paired], np.ones(len(paired))))
        statistics = SufficientStatistics(
            groups=self.used_units.group_by(by)[1],
            sums=hstack_sums(sparse_sums(groups, columns, terms, (masses.n_groups, 2)), masses.sums),
            names=(self.name,),
            coefficients=partial(self._coefficients, masses),
        )
        return statistics.select_groups(np.bincount(masses.group_of_unit, minlength=masses.n_groups) > 0)

    def _coefficients(self, masses: ValueMasses, sums: Floats) -> Floats:
        observed, expected = self._observed_and_expected(masses, sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(expected < CERTAIN, (observed - expected) / (1 - expected), np.nan)
        return values[:, None]

    def _observed_and_expected(self, masses: ValueMasses, sums: Floats) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums[:, 0] / sums[:, 1], self.expected(masses, sums[:, 2:])

    def result_fields(self) -> dict[str, Any]:
        """Return the fields of a `Result`."""
        used, data = self.used_units, self.data
        masses = self.masses("document")
        values = sorted_unique(masses.judgements.codes)
        ao = ae = value = None
        if (used.coders >= 2).any():
            total = np.concatenate(
                ([np.nansum(self.agreements), np.count_nonzero(used.coders >= 2)], np.asarray(masses.sums.sum(axis=0)))
            )
            ao, ae = (float(part[0]) for part in self._observed_and_expected(masses, total[None, :]))
            if ae < CERTAIN:
                value = (ao - ae) / (1 - ae)
        reason = NOT_BY_ALL if self.missing == "drop" else NOT_CODED
        flipped = self.as_disagreement
        return {
            "coefficient": self.name,
            "value": value,
            "observed": None if ao is None else 1 - ao if flipped else ao,
            "expected": None if ae is None else 1 - ae if flipped else ae,
            "n_units": len(used.rows),
            "n_coders": int((used.codes != MISSING).any(axis=0).sum()),
            "n_values": len(values),
            "n_judgements": int(used.coders.sum()),
            "left_out": nonzero_counts({reason: len(data.units) - len(used.rows)}),
            "parameters": {"missing": self.missing},
            "note": "; ".join(find_odd_labels(data.labels[code] for code in values.tolist() if code < len(data.labels)))
            if value is not None
            else why_undefined(
                n_units=len(data.units),
                n_coders=len(data.coders),
                n_values=len(values),
                has_pairs=bool((used.coders >= 2).any()),
                missing=self.missing,
            ),
        }


def why_undefined(*, n_units: int, n_coders: int, n_values: int, has_pairs: bool, missing: str) -> str:
    """Return why a kappa has no value. Units and coders are those of the data, the values those in use."""
    if not n_units:
        return "there is no data"
    if n_coders < 2:
        return "there are fewer than two coders"
    if not has_pairs:
        return f"no unit is coded by {'all coders' if missing == 'drop' else 'two coders'}"
    alike = "only one value is used" if n_values == 1 else "all values are at distance 0 from each other"
    return f"{alike}, so that chance would agree as well"


def kappa_statistics(kappa: Callable[..., Kappa]) -> Callable[..., SufficientStatistics]:
    """Return the function that computes the sums of a kappa, for `register_statistics`."""

    def statistics(data: ReliabilityData, by: str, *arguments: Any, **options: Any) -> SufficientStatistics:
        options.pop("variance", None)  # of a standard error: it changes no coefficient
        return kappa(data, *arguments, **options).statistics(by)

    return statistics


def pooled_chance(masses: ValueMasses, sums: Floats) -> Floats:
    """Return the agreement of two draws from the values of all coders together (Scott 1955; Fleiss 1971)."""
    expected: Floats = masses.common_mass(sums)[:, 0, 0] / masses.totals(sums)[:, 0] ** 2
    return expected


def individual_chance(masses: ValueMasses, sums: Floats) -> Floats:
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


def count_categories(masses: ValueMasses, scale: Scale, categories: Sequence[Label] | None) -> int:
    """Return the number of the given categories, or of the values in use where none are given."""
    return len(scale.categories) if categories is not None else len(sorted_unique(masses.judgements.codes))


def check_two_coders(data: ReliabilityData, name: str, instead: str) -> None:
    """Raise ValueError for more than two coders, naming the coefficient to use instead."""
    if len(data.coders) > 2:
        raise ValueError(f"{name} is for two coders and there are {len(data.coders)}: use {instead}")
