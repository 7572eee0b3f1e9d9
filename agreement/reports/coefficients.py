"""The coefficients that the pages, the API and the command offer: how each is computed, named and cited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agreement.measures import (
    Result,
    alpha,
    augmented_kappa,
    bennett_s,
    beta,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    multi_kappa,
    scott_pi,
)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient: `label` in the controls, `name` above a figure, `phrase` in a methods text.

    `options` are the parameters that it takes besides the data. `for_two`: it is of two coders. `of_labels`: it takes
    categories, or immediate antecedents as alternatives, and no chains.
    """

    compute: Callable[..., Result]
    label: str
    name: str
    phrase: str
    options: tuple[str, ...] = ("missing",)
    for_two: bool = False
    of_labels: bool = False

    @property
    def takes_distance(self) -> bool:
        """Whether values may be apart in part."""
        return "distance" in self.options


CONVENTIONS = ("exclude_unit", "empty", "thirds")


COEFFICIENTS = {
    "alpha": Coefficient(
        alpha,
        label="Krippendorff's alpha",
        name="Krippendorff’s alpha",
        phrase="Krippendorff’s alpha",
        options=("distance", *CONVENTIONS),
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
    "beta": Coefficient(
        beta,
        label="beta (Artstein & Poesio)",
        name="Beta of Artstein & Poesio",
        phrase="Artstein and Poesio’s beta, a weighted kappa of several coders",
        options=("distance", "empty", "thirds", "missing"),
    ),
    "scott_pi": Coefficient(
        scott_pi,
        label="pi of two coders (Scott)",
        name="Scott’s pi",
        phrase="Scott’s pi",
        for_two=True,
    ),
    "cohen_kappa": Coefficient(
        cohen_kappa,
        label="kappa of two coders (Cohen)",
        name="Cohen’s kappa",
        phrase="Cohen’s kappa",
        for_two=True,
    ),
    # of two coders beta is the weighted kappa whose weights are 1 less the distance
    "weighted_kappa": Coefficient(
        beta,
        label="weighted kappa of two coders (Cohen)",
        name="Cohen’s weighted kappa",
        phrase="Cohen’s weighted kappa",
        options=("distance", "empty", "thirds", "missing"),
        for_two=True,
    ),
    "bennett_s": Coefficient(
        bennett_s,
        label="S (Bennett, Alpert & Goldstein)",
        name="S of Bennett, Alpert & Goldstein",
        phrase="the S of Bennett, Alpert and Goldstein, of the values in use",
    ),
    "augmented_kappa": Coefficient(
        augmented_kappa,
        label="augmented kappa (Rosenberg & Binkowski)",
        name="Augmented kappa of Rosenberg & Binkowski",
        phrase="Rosenberg and Binkowski’s augmented kappa, in which alternatives share a judgement’s vote",
        of_labels=True,
    ),
}
