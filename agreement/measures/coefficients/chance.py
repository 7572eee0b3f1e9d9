"""Agreement corrected for chance: what all kappas have in common, and what each expects.

All are (Ao - Ae)/(1 - Ae) with the same observed agreement Ao, the mean over units of the mean agreement of pairs of
coders; they differ in the agreement Ae that they expect by chance. The functions here make a `Kappa` of data; those
that people call are in `kappas`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from agreement.measures.cells import MISSING
from agreement.measures.data import ReliabilityData
from agreement.measures.masses import Judgements, Masses, Similar
from agreement.measures.options import MISSING_RULES, SET_DISTANCES, Options, check
from agreement.measures.overlaps import Pairable
from agreement.measures.results import NOT_BY_ALL, NOT_CODED, counted
from agreement.measures.scales import Disagreement, Scale
from agreement.measures.statistics import Statistics, beside, sparse_sums
from agreement.measures.tables import unit_terms
from agreement.measures.values import Distance, Floats, Label, each_once

# an expected agreement that is 1 but for rounding leaves nothing to correct
CERTAIN = 1 - 1e-12
WHOLE = Options()

type Expected = Callable[[Masses, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Kappa:
    """One coefficient of the family and its data.

    `expected` gives Ae of sums (replicates, columns of the masses). `pooled`: it is of the values of all coders
    together, each unit counting once; else of each coder's own. `scale` says how far labels are apart, `options` how
    far sets are; `scaled` is true where expected agreement is measured on the scale too.
    """

    name: str
    data: ReliabilityData
    missing: str
    expected: Expected
    pooled: bool
    scale: Scale
    options: Options = WHOLE
    scaled: bool = True
    as_disagreement: bool = False

    def __post_init__(self) -> None:
        check("missing", self.missing, MISSING_RULES)

    @cached_property
    def used(self) -> Pairable:
        """The units in use."""
        return Pairable.of(self.data, max(len(self.data.coders), 1) if self.missing == "drop" else 1)

    @cached_property
    def agreements(self) -> Floats:
        """For each unit in use the mean agreement of its pairs of coders, NaN where there is none."""
        codes, m, apart = self.used.codes, self.used.coders, self.scale.of_labels
        found = np.full(len(m), np.nan)
        paired = m >= 2
        if apart is None and self.options.distance == "nominal":
            equal = np.zeros(len(codes), dtype=np.int64)
            for i, j in combinations(range(codes.shape[1]), 2):
                equal += (codes[:, i] == codes[:, j]) & (codes[:, i] != MISSING)
            found[paired] = 2 * equal[paired] / (m[paired] * (m[paired] - 1))
        else:
            found[paired] = 1 - np.array(unit_terms(self.used, self.options, apart))[paired] / m[paired]
        return found

    def masses(self, by: str) -> Masses:
        """What the coders said, as masses of values in each document, or in each unit."""
        used, by_unit = self.used, by == "unit"
        rows, columns = np.nonzero(used.codes != MISSING)
        judgements = Judgements(
            pairable=used,
            rows=rows,
            raters=np.zeros_like(columns) if self.pooled else columns,
            codes=used.codes[rows, columns],
            mass=1 / used.coders[rows] if self.pooled else np.ones(len(rows)),
            n_raters=1 if self.pooled else used.codes.shape[1],
        )
        apart = self.scale.of_labels if self.scaled else None
        return Masses(
            judgements,
            Similar.of(used, str(self.options.distance), self.options),
            group_of_unit=np.arange(len(used.rows)) if by_unit else used.documents,
            n_groups=len(used.rows) if by_unit else len(self.data.documents),
            by_unit=by_unit,
            labels=None if apart is None else 1 - apart,
        )

    def statistics(self, by: str) -> Statistics:
        """Sums over documents or units, from which the coefficient follows."""
        masses = self.masses(by)
        paired = np.flatnonzero(self.used.coders >= 2)
        groups = np.tile(masses.group_of_unit[paired], 2)
        columns = np.repeat([0, 1], len(paired))
        terms = np.concatenate((self.agreements[paired], np.ones(len(paired))))
        found = Statistics(
            groups=[self.data.units[row] for row in self.used.rows.tolist()] if by == "unit" else self.data.documents,
            sums=beside(sparse_sums(groups, columns, terms, (masses.n_groups, 2)), masses.sums),
            names=(self.name,),
            coefficients=partial(self._coefficients, masses),
        )
        return found.of_groups(np.bincount(masses.group_of_unit, minlength=masses.n_groups) > 0)

    def _coefficients(self, masses: Masses, sums: Floats) -> Floats:
        observed, expected = self._parts(masses, sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.where(expected < CERTAIN, (observed - expected) / (1 - expected), np.nan)
        return found[:, None]

    def _parts(self, masses: Masses, sums: Floats) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums[:, 0] / sums[:, 1], self.expected(masses, sums[:, 2:])

    def result(self) -> dict[str, Any]:
        """What a `Result` is made of."""
        used, data = self.used, self.data
        masses = self.masses("document")
        values = each_once(masses.judgements.codes)
        ao = ae = value = None
        if (used.coders >= 2).any():
            total = np.concatenate(
                ([np.nansum(self.agreements), np.count_nonzero(used.coders >= 2)], np.asarray(masses.sums.sum(axis=0)))
            )
            ao, ae = (float(part[0]) for part in self._parts(masses, total[None, :]))
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
            "left_out": counted({reason: len(data.units) - len(used.rows)}),
            "parameters": {"missing": self.missing},
            "note": "" if value is not None else self._note(len(values)),
        }

    def _note(self, n_values: int) -> str:
        """Why there is no value."""
        if not self.data.units:
            return "there is no data"
        if len(self.data.coders) < 2:
            return "there are fewer than two coders"
        if not (self.used.coders >= 2).any():
            return f"no unit is coded by {'all coders' if self.missing == 'drop' else 'two coders'}"
        alike = "only one value is used" if n_values == 1 else "all values are at distance 0 from each other"
        return f"{alike}, so that chance would agree as well"


def observed_kappa(data: ReliabilityData, *, missing: str = "available") -> Kappa:
    """Agreement where nothing is expected by chance."""
    return Kappa("Ao", data, missing, lambda _, sums: np.zeros(len(sums)), pooled=True, scale=Scale.of(data, "nominal"))


def bennett_kappa(
    data: ReliabilityData, *, categories: Sequence[Label] | None = None, missing: str = "available"
) -> Kappa:
    """See `bennett_s`."""
    scale = Scale.of(data, "nominal", categories)

    def expected(masses: Masses, sums: Floats) -> Floats:
        return np.full(len(sums), 1 / max(_n_categories(masses, scale, categories), 1))

    return Kappa("S", data, missing, expected, pooled=True, scale=scale)


def scott_kappa(data: ReliabilityData, *, missing: str = "available") -> Kappa:
    """See `scott_pi`."""
    _two_coders(data, "scott_pi", "fleiss_kappa")
    return Kappa("pi", data, missing, _of_pool, pooled=True, scale=Scale.of(data, "nominal"))


def pooled_kappa(data: ReliabilityData, *, missing: str = "available") -> Kappa:
    """See `fleiss_kappa`."""
    return Kappa("K", data, missing, _of_pool, pooled=True, scale=Scale.of(data, "nominal"))


def weighted_kappa(
    data: ReliabilityData,
    distance: str | Disagreement = "nominal",
    *,
    categories: Sequence[Label] | None = None,
    missing: str = "available",
) -> Kappa:
    """See `cohen_kappa`."""
    _two_coders(data, "cohen_kappa", "multi_kappa or pairwise")
    scale = Scale.of(data, distance, categories)
    return Kappa("kappa", data, missing, _of_pairs, pooled=False, scale=scale)


def own_kappa(data: ReliabilityData, *, missing: str = "available") -> Kappa:
    """See `multi_kappa`."""
    return Kappa("multi-kappa", data, missing, _of_pairs, pooled=False, scale=Scale.of(data, "nominal"))


def beta_kappa(
    data: ReliabilityData,
    distance: str | Distance = "nominal",
    *,
    categories: Sequence[Label] | None = None,
    empty: str = "subset",
    thirds: str = "exact",
    missing: str = "available",
) -> Kappa:
    """See `beta`."""
    of_sets = isinstance(distance, str) and distance in SET_DISTANCES
    options = Options(distance if of_sets else "nominal", "none", empty, thirds)
    scale = Scale.of(data, "nominal" if of_sets else distance, categories, also=SET_DISTANCES)
    return Kappa("beta", data, missing, _of_pairs, pooled=False, scale=scale, options=options, as_disagreement=True)


def gwet_kappa(
    data: ReliabilityData,
    distance: str | Disagreement = "nominal",
    *,
    categories: Sequence[Label] | None = None,
    missing: str = "available",
) -> Kappa:
    """See `gwet_ac1`."""
    scale = Scale.of(data, distance, categories)
    table = scale.disagreements
    if table is not None and (table > 1).any():
        raise ValueError(f"the distance {scale.name!r} is more than 1 for some categories")

    def expected(masses: Masses, sums: Floats) -> Floats:
        q = _n_categories(masses, scale, categories)
        if q < 2:
            return np.ones(len(sums))
        similar = 1.0 if table is None else (1 - table).sum() / q
        return similar * (1 - _of_pool(masses, sums)) / (q - 1)

    name = "AC1" if table is None else "AC2"
    return Kappa(name, data, missing, expected, pooled=True, scale=scale, scaled=False)


def statistics_by(kappa: Callable[..., Kappa]) -> Callable[..., Statistics]:
    """From the function that makes a kappa the one that gives its sums over documents or units."""

    def statistics(data: ReliabilityData, by: str, *arguments: Any, **options: Any) -> Statistics:
        options.pop("variance", None)  # of a standard error: it changes no coefficient
        return kappa(data, *arguments, **options).statistics(by)

    return statistics


def _of_pool(masses: Masses, sums: Floats) -> Floats:
    """The agreement of two draws from the values of all coders."""
    found: Floats = masses.common(sums)[:, 0, 0] / masses.totals(sums)[:, 0] ** 2
    return found


def _of_pairs(masses: Masses, sums: Floats) -> Floats:
    """The mean over pairs of coders of the agreement of a draw from the values of each."""
    common, totals = masses.common(sums), masses.totals(sums)
    first, second = np.triu_indices(totals.shape[1], 1)
    room = totals[:, first] * totals[:, second]
    both = room > 0  # a coder without judgements has no values to draw from
    agreed = np.divide(common[:, first, second], room, out=np.zeros_like(room), where=both)
    found: Floats = agreed.sum(axis=1) / both.sum(axis=1)
    return found


def _n_categories(masses: Masses, scale: Scale, categories: Sequence[Label] | None) -> int:
    return len(scale.categories) if categories is not None else len(each_once(masses.judgements.codes))


def _two_coders(data: ReliabilityData, name: str, instead: str) -> None:
    if len(data.coders) > 2:
        raise ValueError(f"{name} is for two coders and there are {len(data.coders)}: use {instead}")
