"""Coefficients corrected for chance: S, pi, the kappas, AC1, and beta for sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..data.arrays import sorted_unique
from ..data.cells import MISSING
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..options import MISSING_RULES, SET_DISTANCES, Options, check_option
from ..results import CategoryKappa, KappaResult, Result
from ..sums.patterns import LabelPatterns
from ..sums.sufficient_statistics import SufficientStatistics, ValueMasses, register_statistics
from ..values import Bools, Distance, Floats, Label
from .chance import (
    NO_Z_OF_UNEQUAL,
    Disagreement,
    Expected,
    Kappa,
    category_kappas,
    cohen_errors,
    correct_for_chance,
    count_categories,
    fleiss_error,
    individual_chance,
    kappa_fields,
    kappa_statistics,
    pooled_chance,
    read_scale,
)

VARIANCES = ("1979", "1971")
# the standard errors of Cohen's kappa take a table of labels by labels
MAX_LABELS = 1000
NO_Z_WITHOUT_VARIANCE = "no z: its variance by chance is 0"


def _build_kappa(
    name: str,
    chance: Expected,
    data: ReliabilityData,
    distance: str | Disagreement = "nominal",
    *,
    categories: Sequence[Label] | None = None,
    missing: str = "available",
    also: tuple[str, ...] = (),
    of_two: tuple[str, str] | None = None,
    **fields: Any,
) -> Kappa:
    """Return a kappa of categories, which are equal or not, or on a scale; `also` is as in `read_scale`.

    `of_two` names a coefficient for two coders, and what to use for more.
    """
    if of_two and len(data.coders) > 2:
        raise ValueError(f"{of_two[0]} is for two coders and there are {len(data.coders)}: use {of_two[1]}")
    data, scale = read_scale(data, distance, categories, also)
    return Kappa(name, data, missing, chance, scale=scale, **{"pooled": True} | fields)


_observed_agreement = partial(_build_kappa, "Ao", lambda _, __, sums: np.zeros(len(sums)))
_fleiss_kappa = partial(_build_kappa, "K", pooled_chance)
_multi_kappa = partial(_build_kappa, "multi-kappa", individual_chance, pooled=False)
_scott_pi = partial(_build_kappa, "pi", pooled_chance, of_two=("scott_pi", "fleiss_kappa"))
_cohen_kappa = partial(
    _build_kappa, "kappa", individual_chance, pooled=False, of_two=("cohen_kappa", "multi_kappa or pairwise")
)
_bennett_s = partial(
    _build_kappa, "S", lambda kappa, masses, sums: np.full(len(sums), 1 / max(count_categories(kappa, masses), 1))
)


@register_statistics(kappa_statistics(_observed_agreement))
def observed_agreement(data: Data, *, missing: str = "available") -> Result:
    """Return the mean over units of the proportion of pairs of coders that agree, without correction for chance.

    `missing` is "available" (units with two or more coders) or "drop" (units that all coders coded). `expected` of the
    result is None. Raises ValueError for an unknown option; None, with a note, where no unit has two coders.

    >>> data = ReliabilityData.from_values("AB", ["Ann", "Bob"], [["x", "x"], ["x", "y"]], ["text"] * 2)
    >>> observed_agreement(data)
    <Ao = 0.5000: 2 units, 2 coders, 4 judgements, 2 values>
    """
    parts = _observed_agreement(as_data(data), missing=missing).result_fields()
    value = parts["observed"]
    return Result(**parts | {"value": value, "expected": None, "note": "" if value is not None else parts["note"]})


@register_statistics(kappa_statistics(_bennett_s))
def bennett_s(data: Data, *, categories: Sequence[Label] | None = None, missing: str = "available") -> KappaResult:
    """Return S, (Ao - 1/q)/(1 - 1/q) for q categories (Bennett, Alpert & Goldstein 1954).

    For more coders this is the kappa of Brennan & Prediger 1981 and Randolph's free-marginal kappa. `categories` lists
    all that could be used; without it those that are used count. `missing` and errors as in `fleiss_kappa`.

    >>> data = ReliabilityData.from_values("AB", ["Ann", "Bob"], [["x", "x"], ["x", "y"]], ["text"] * 2)
    >>> bennett_s(data, categories=["x", "y", "z"]).value
    0.25
    """
    return _bennett_s(as_data(data), categories=categories, missing=missing).result()


@register_statistics(kappa_statistics(_scott_pi))
def scott_pi(data: Data, *, missing: str = "available") -> KappaResult:
    """Return Scott's pi of two coders: chance draws from the values of both together (Scott 1955).

    It is `fleiss_kappa` of two coders, with the `missing` described there. Raises ValueError for more than two coders
    and for an unknown option; None, with a note, as there.

    >>> data = ReliabilityData.from_values("AB", ["Ann", "Bob"], [["x", "x"], ["x", "y"]], ["text"] * 2)
    >>> round(scott_pi(data).value, 4)
    -0.3333
    """
    return _scott_pi(as_data(data), missing=missing).result()


@register_statistics(kappa_statistics(_cohen_kappa))
def cohen_kappa(
    data: Data,
    distance: str | Disagreement = "nominal",
    *,
    categories: Sequence[Label] | None = None,
    missing: str = "available",
) -> KappaResult:
    """Return Cohen's kappa of two coders, (Ao - Ae)/(1 - Ae): chance draws from each coder's own values.

    Unweighted it is that of Cohen 1960, with a distance that of Cohen 1968.

    `distance` is how far two categories are apart: "nominal" (equal or not), by their places on a scale "linear",
    "quadratic" or "bipolar" (Gwet 2014), or a symmetric callable of two labels that is 0 for equal ones. The places are
    those in `categories`, or of the labels in ascending order where these are numbers.
    The standard errors are those of Fleiss, Cohen & Everitt 1969, for up to 1,000 labels and units that both coders
    coded.
    Raises ValueError for more than two coders, an unknown option, a label that is not among the categories, and
    labels without an order where one is needed. The value is None, with a note, where no unit is coded by both coders
    and where chance would agree as well.

    >>> data = ReliabilityData.from_values(range(4), ["Ann", "Bob"], [[1, 1], [2, 2], [3, 3], [1, 2]], ["text"] * 4)
    >>> round(cohen_kappa(data).value, 4), round(cohen_kappa(data, "quadratic").value, 4)
    (0.6364, 0.8)
    """
    kappa = _cohen_kappa(as_data(data), distance, categories=categories, missing=missing)
    parts = kappa.result_fields() | {"parameters": {"distance": kappa.scale.name, "missing": missing}}
    if parts["value"] is None:
        return KappaResult(**parts)
    codes, n_labels, why = kappa.used_units.codes, len(kappa.data.labels), ""
    if kappa.data.has_sets:
        why = "no z: its formula is of labels, and there are sets"
    elif n_labels > MAX_LABELS:
        why = f"no z: there are more than {MAX_LABELS:,} labels"
    elif (codes == MISSING).any():
        why = "no z: not all units are coded by both coders"
    if why:
        return KappaResult(**parts, z_note=why)
    error, null = cohen_errors(codes, n_labels, kappa.scale.of_labels, parts["value"])
    return KappaResult(
        **parts, standard_error=error, standard_error_null=null, z_note="" if null else NO_Z_WITHOUT_VARIANCE
    )


@register_statistics(kappa_statistics(_fleiss_kappa))
def fleiss_kappa(data: Data, *, missing: str = "available", variance: str = "1979") -> KappaResult:
    """Return multi-pi, Siegel & Castellan's K: (Ao - Ae)/(1 - Ae), where all different values differ equally.

    Ao is the mean over units of the proportion of pairs of coders that agree; Ae is the sum of the squared
    proportions of the values, pooled over coders (Fleiss 1971; Siegel & Castellan 1988). `observed` and
    `expected` of the result are these agreements.

    `missing` is "available": Ao is over the units with two or more coders, and each coded unit counts once in
    the proportions of the values (Gwet 2014), so that a unit with one coder counts there; or "drop": only
    units that every coder of the data coded are used.
    `standard_error_null`, and with it `z`, is that of Fleiss, Nee & Landis 1979, or with variance="1971" the older one
    of Fleiss 1971; both need the same number of coders for each unit. `categories` gives the kappa of each label
    against all other values. Raises ValueError for an unknown option. The value is None, with a note, where no unit
    can be used, where there are fewer than two coders, and where only one value is used.

    >>> data = ReliabilityData.from_values(
    ...     range(4), ["Ann", "Bob", "Cid"], [["Y", "Y", "Y"]] * 2 + [["Y", "Y", "N"]] * 2, ["text"] * 4)
    >>> fleiss_kappa(data)
    <K = -0.2000: 4 units, 3 coders, 12 judgements, 2 values>
    """
    check_option("variance", variance, VARIANCES)
    kappa = _fleiss_kappa(as_data(data), missing=missing)
    parts = kappa.result_fields()
    if parts["value"] is None:
        return KappaResult(**parts)
    null, why = None, NO_Z_OF_UNEQUAL
    if len(sorted_unique(kappa.used_units.coders)) == 1:
        codes, why = kappa.used_units.codes, NO_Z_WITHOUT_VARIANCE
        null = fleiss_error(np.bincount(codes[codes != MISSING]), int(kappa.used_units.coders[0]), variance)
    categories = _category_kappas(kappa)
    return KappaResult(**parts, standard_error_null=null, categories=categories, z_note="" if null else why)


@register_statistics(kappa_statistics(_multi_kappa))
def multi_kappa(data: Data, *, missing: str = "available") -> KappaResult:
    """Return the kappa of several coders, each drawing from its own values (Davies & Fleiss 1982; Conger 1980).

    Ae is the mean over pairs of coders of the agreement expected of the two. `missing` as in `fleiss_kappa`: with
    "available" each coder's proportions are of the units that it coded (Gwet 2014). Of two coders it is
    `cohen_kappa`. Errors and None as in `fleiss_kappa`.

    >>> data = ReliabilityData.from_values(
    ...     range(4), ["Ann", "Bob", "Cid"], [["Y", "Y", "Y"]] * 2 + [["Y", "Y", "N"]] * 2, ["text"] * 4)
    >>> multi_kappa(data)
    <multi-kappa = 0.0000: 4 units, 3 coders, 12 judgements, 2 values>
    """
    return _multi_kappa(as_data(data), missing=missing).result()


def _beta(
    data: ReliabilityData,
    distance: str | Distance = "nominal",
    *,
    empty: str = "subset",
    thirds: str = "exact",
    **more: Any,
) -> Kappa:
    of_sets = isinstance(distance, str) and distance in SET_DISTANCES
    options = Options(distance if of_sets else "nominal", "none", empty, thirds)
    more |= {"also": SET_DISTANCES, "pooled": False, "options": options, "as_disagreement": True}
    return _build_kappa("beta", individual_chance, data, "nominal" if of_sets else distance, **more)


@register_statistics(kappa_statistics(_beta))
def beta(
    data: Data,
    distance: str | Distance = "nominal",
    *,
    categories: Sequence[Label] | None = None,
    empty: str = "subset",
    thirds: str = "exact",
    missing: str = "available",
) -> KappaResult:
    """Return the weighted kappa of several coders, 1 - Do/De, each drawing from its own values.

    The source is Artstein & Poesio 2005, 2008.

    De is the mean over pairs of coders of the mean distance of the values of one from those of the other, and Do the
    mean distance of the values of one unit. `distance` is a set distance as in `alpha`, or one of categories as in
    `cohen_kappa`; with "nominal" it is `multi_kappa`, unless values have several readings, which may be equal in part.
    Units are not taken out of their sets. `observed` and `expected` of the result are disagreements. Errors and None
    as there.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1], [2, 2]], ["a", "a", "a", "a"])
    >>> round(beta(data, "jaccard").value, 4)
    0.193
    """
    kappa = _beta(as_data(data), distance, categories=categories, empty=empty, thirds=thirds, missing=missing)
    name = str(distance) if kappa.scale.of_labels is None else kappa.scale.name
    return kappa.result(parameters={"distance": name, "empty": empty, "thirds": thirds, "missing": missing})


def _gwet_ac1(data: ReliabilityData, distance: str | Disagreement = "nominal", **options: Any) -> Kappa:
    name = "AC1" if distance == "nominal" else "AC2"
    kappa = _build_kappa(name, _gwet_chance, data, distance, scaled=False, **options)
    if kappa.scale.disagreements is not None and (kappa.scale.disagreements > 1).any():
        raise ValueError(f"the distance {kappa.scale.name!r} is more than 1 for some categories")
    return kappa


def _gwet_chance(kappa: Kappa, masses: ValueMasses, sums: Floats) -> Floats:
    q, apart = count_categories(kappa, masses), kappa.scale.disagreements
    if q < 2:
        return np.ones(len(sums))
    similar = 1.0 if apart is None else (1 - apart).sum() / q
    return similar * (1 - pooled_chance(kappa, masses, sums)) / (q - 1)


@register_statistics(kappa_statistics(_gwet_ac1))
def gwet_ac1(
    data: Data,
    distance: str | Disagreement = "nominal",
    *,
    categories: Sequence[Label] | None = None,
    missing: str = "available",
) -> KappaResult:
    """Return Gwet's AC1, and with a distance of categories AC2 (Gwet 2008, 2014).

    Of q categories with pooled proportions p, AC1 expects the sum of p(1 - p) over q - 1; AC2 multiplies that with the
    mean similarity of two categories. `categories` lists all that could be used, else q counts those that are;
    `distance` is as in `cohen_kappa`, and at most 1. `missing` as in `fleiss_kappa`. The value is None, with a note, as
    there. Raises ValueError as `cohen_kappa` does, but for any number of coders.

    >>> data = ReliabilityData.from_values(
    ...     range(4), ["Ann", "Bob"], [["x", "x"]] * 3 + [["x", "y"]], ["text"] * 4)
    >>> round(gwet_ac1(data).value, 4)
    0.68
    """
    kappa = _gwet_ac1(as_data(data), distance, categories=categories, missing=missing)
    return kappa.result(parameters={"distance": kappa.scale.name, "missing": missing})


def _category_kappas(kappa: Kappa) -> tuple[CategoryKappa, ...]:
    units, codes, given = kappa.value_counts
    m, labels = kappa.used_units.coders, kappa.data.labels
    n_pairs = m[units] * (m[units] - 1) / 2
    apart = np.divide(given * (m[units] - given), n_pairs, out=np.zeros(len(units)), where=n_pairs > 0)
    totals, shares, differing = (
        np.bincount(codes, weights=of_unit, minlength=len(labels)) for of_unit in (given, given / m[units], apart)
    )
    n = len(labels)
    return category_kappas(labels, totals[:n], shares[:n] / len(m), differing[:n] / np.count_nonzero(m >= 2))


@dataclass(frozen=True, eq=False)
class PatternKappa:
    """`fleiss_kappa` of the units that patterns count.

    The data have `n_coders` coders, of whom `n_coders_used` gave any label. `missing` is as there. Raises ValueError
    for an unknown one.

    >>> values = [["Y", "Y", "Y"]] * 2 + [["Y", "Y", "N"]] * 2
    >>> data = ReliabilityData.from_values(range(4), ["Ann", "Bob", "Cid"], values, ["text"] * 4)
    >>> PatternKappa(LabelPatterns.from_data(data), 3, 3).result()
    <K = -0.2000: 4 units, 3 coders, 12 judgements, 2 values>
    """

    patterns: LabelPatterns
    n_coders: int
    n_coders_used: int
    missing: str = "available"

    def __post_init__(self) -> None:
        check_option("missing", self.missing, MISSING_RULES)

    @cached_property
    def used(self) -> LabelPatterns:
        """The patterns of the units in use."""
        least = max(self.n_coders, 1) if self.missing == "drop" else 1
        return self.patterns.select(self.patterns.n_coders >= least)

    @property
    def pairable_texts(self) -> Bools:
        """The texts with a unit of two coders, whether the unit is in use or not."""
        return self.patterns.count_in_texts(self.patterns.n_coders >= 2) > 0

    @property
    def left_out_texts(self) -> Bools:
        """The texts that the jackknife leaves out: texts with pairable units and with units in use."""
        return self.pairable_texts & (self.used.count_in_texts() > 0)

    @cached_property
    def statistics(self) -> SufficientStatistics:
        """The sums of each text from which the coefficient follows."""
        return SufficientStatistics(self.patterns.documents, self.used.sums_by_text(), ("K",), _pattern_coefficients)

    def result(self) -> KappaResult:
        """Return what `fleiss_kappa` returns, with K of each label."""
        used = self.used
        counts, paired, numbers = used.count_judgements(), used.n_coders >= 2, np.unique(used.n_coders).tolist()
        n_units = int(used.n_units.sum())
        observed = expected = None
        if paired.any():
            observed = float((used.n_units * used.agreements)[paired].sum() / used.n_units[paired].sum())
            expected = float((used.share_units() ** 2).sum() / n_units**2)
        fields = kappa_fields(
            "K",
            observed,
            expected,
            n_units=n_units,
            n_coders=self.n_coders_used,
            n_values=int(np.count_nonzero(counts)),
            n_judgements=int((used.n_units * used.n_coders).sum()),
            missing=self.missing,
            of_data=(int(self.patterns.n_units.sum()), self.n_coders),
        )
        if fields["value"] is None:
            return KappaResult(**fields)
        null = fleiss_error(counts, numbers[0], "1979") if len(numbers) == 1 else None
        why = NO_Z_OF_UNEQUAL if len(numbers) > 1 else ""
        n_paired = used.n_units[paired].sum()
        of_labels = category_kappas(used.labels, counts, used.share_units() / n_units, used.disagreements() / n_paired)
        return KappaResult(**fields, standard_error_null=null, categories=of_labels, z_note=why)


def _pattern_coefficients(sums: Floats) -> Floats:
    """Return K of sums (replicates, columns of `LabelPatterns.sums_by_text`), NaN where it is undefined."""
    masses = sums[:, 2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (masses**2).sum(axis=1) / masses.sum(axis=1) ** 2
        return correct_for_chance(sums[:, 0] / sums[:, 1], expected)
