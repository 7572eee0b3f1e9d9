"""Fleiss' kappa of units that are counted by text and pattern: the same as of the units one by one."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..options import MISSING_RULES, check_option
from ..results import CategoryKappa, KappaResult
from ..sums.patterns import LabelPatterns
from ..sums.sufficient_statistics import SufficientStatistics
from ..values import Bools, Floats
from .chance import CERTAIN, NO_Z_OF_UNEQUAL, correct_for_chance, kappa_fields
from .standard_errors import fleiss_error


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
        """The texts that have a unit with two coders, whether it is in use or not."""
        return self.patterns.count_in_texts(self.patterns.n_coders >= 2) > 0

    @property
    def left_out_texts(self) -> Bools:
        """The texts that the interval leaves out in turn: those with pairable units, and with units in use."""
        return self.pairable_texts & (self.used.count_in_texts() > 0)

    @cached_property
    def statistics(self) -> SufficientStatistics:
        """The sums of each text from which the coefficient follows."""
        return SufficientStatistics(self.patterns.documents, self.used.sums_by_text(), ("K",), _coefficients)

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
        return KappaResult(**fields, standard_error_null=null, categories=self._of_each_label(), z_note=why)

    def _of_each_label(self) -> tuple[CategoryKappa, ...]:
        used = self.used
        n_units, n_paired = used.n_units.sum(), used.n_units[used.n_coders >= 2].sum()
        kappas = []
        for label, count, share, apart in zip(
            used.labels,
            used.count_judgements().tolist(),
            (used.share_units() / n_units).tolist(),
            (used.disagreements() / n_paired).tolist(),
            strict=True,
        ):
            if count:
                expected = 2 * share * (1 - share)
                kappas.append(CategoryKappa(label, 1 - apart / expected if expected > 1 - CERTAIN else None, count))
        return tuple(kappas)


def _coefficients(sums: Floats) -> Floats:
    """Return K of sums (replicates, columns of `LabelPatterns.sums_by_text`), NaN where it is undefined."""
    masses = sums[:, 2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (masses**2).sum(axis=1) / masses.sum(axis=1) ** 2
        return correct_for_chance(sums[:, 0] / sums[:, 1], expected)
