"""The coefficients that the pages, the API and the command offer: how each is computed, named and cited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agreement.measures import Result, alpha, fleiss_kappa, gwet_ac1, multi_kappa


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient: `label` in the controls, `name` above a figure, `phrase` in a methods paragraph, `reference`."""

    compute: Callable[..., Result]
    label: str
    name: str
    phrase: str
    reference: str


COEFFICIENTS = {
    "alpha": Coefficient(
        alpha,
        label="Krippendorff's alpha",
        name="Krippendorff’s alpha",
        phrase="Krippendorff’s alpha",
        reference="Krippendorff, K. (1980). Content Analysis: An Introduction to Its Methodology. Sage.",
    ),
    "fleiss_kappa": Coefficient(
        fleiss_kappa,
        label="K (Siegel & Castellan)",
        name="K of Siegel & Castellan",
        phrase="Siegel and Castellan’s K",
        reference="Siegel, S. and Castellan, N. J. (1988). Nonparametric Statistics for the Behavioral Sciences."
        " McGraw-Hill.",
    ),
    "multi_kappa": Coefficient(
        multi_kappa,
        label="multi-kappa (Davies & Fleiss)",
        name="Multi-kappa of Davies & Fleiss",
        phrase="the multi-rater kappa of Davies and Fleiss",
        reference="Davies, M. and Fleiss, J. L. (1982). Measuring agreement for multinomial data. Biometrics 38.",
    ),
    "gwet_ac1": Coefficient(
        gwet_ac1,
        label="AC1 (Gwet)",
        name="Gwet’s AC1",
        phrase="Gwet’s AC1",
        reference="Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high"
        " agreement. British Journal of Mathematical and Statistical Psychology 61.",
    ),
}
