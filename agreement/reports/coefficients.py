"""The coefficients that the pages, the API and the command offer: how each is computed, named and cited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agreement.measures import Result, alpha, fleiss_kappa, gwet_ac1, multi_kappa


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient: `label` in the controls, `name` above a figure, `phrase` in a methods text."""

    compute: Callable[..., Result]
    label: str
    name: str
    phrase: str


COEFFICIENTS = {
    "alpha": Coefficient(
        alpha,
        label="Krippendorff's alpha",
        name="Krippendorff’s alpha",
        phrase="Krippendorff’s alpha",
    ),
    "fleiss_kappa": Coefficient(
        fleiss_kappa,
        label="K (Siegel & Castellan)",
        name="K of Siegel & Castellan",
        phrase="Siegel and Castellan’s K",
    ),
    "multi_kappa": Coefficient(
        multi_kappa,
        label="multi-kappa (Davies & Fleiss)",
        name="Multi-kappa of Davies & Fleiss",
        phrase="the multi-rater kappa of Davies and Fleiss",
    ),
    "gwet_ac1": Coefficient(
        gwet_ac1,
        label="AC1 (Gwet)",
        name="Gwet’s AC1",
        phrase="Gwet’s AC1",
    ),
}
