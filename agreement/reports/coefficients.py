"""The coefficients that the pages, the API and the command offer: how each is computed, named and cited."""

from collections.abc import Callable
from dataclasses import dataclass

from agreement import measures

CONVENTIONS = ("exclude_unit", "empty", "thirds")


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient: `label` in the controls, `name` above a figure, `cited_as` in a methods text, if otherwise.

    `options` are the parameters that it takes besides the data. `for_two`: it is of two coders. `of_labels`: it takes
    categories, or immediate antecedents as alternatives, and no chains.
    """

    compute: Callable[..., measures.Result]
    label: str
    name: str
    cited_as: str = ""
    options: tuple[str, ...] = ("missing",)
    for_two: bool = False
    of_labels: bool = False

    @property
    def phrase(self) -> str:
        return self.cited_as or self.name

    @property
    def takes_distance(self) -> bool:
        """Whether values may be apart in part."""
        return "distance" in self.options


WEIGHTED = ("distance", "empty", "thirds", "missing")
COEFFICIENTS = {
    "alpha": Coefficient(
        measures.alpha, "Krippendorff's alpha", "Krippendorff’s alpha", options=("distance", *CONVENTIONS)
    ),
    "fleiss_kappa": Coefficient(
        measures.fleiss_kappa, "K (Siegel & Castellan)", "K of Siegel & Castellan", "Siegel and Castellan’s K"
    ),
    "multi_kappa": Coefficient(
        measures.multi_kappa,
        "multi-kappa (Davies & Fleiss)",
        "Multi-kappa of Davies & Fleiss",
        "the multi-rater kappa of Davies and Fleiss",
    ),
    "gwet_ac1": Coefficient(measures.gwet_ac1, "AC1 (Gwet)", "Gwet’s AC1"),
    "beta": Coefficient(
        measures.beta,
        "beta (Artstein & Poesio)",
        "Beta of Artstein & Poesio",
        "Artstein and Poesio’s beta, a weighted kappa of several coders",
        WEIGHTED,
    ),
    "scott_pi": Coefficient(measures.scott_pi, "pi of two coders (Scott)", "Scott’s pi", for_two=True),
    "cohen_kappa": Coefficient(measures.cohen_kappa, "kappa of two coders (Cohen)", "Cohen’s kappa", for_two=True),
    # of two coders beta is the weighted kappa whose weights are 1 less the distance
    "weighted_kappa": Coefficient(
        measures.beta, "weighted kappa of two coders (Cohen)", "Cohen’s weighted kappa", options=WEIGHTED, for_two=True
    ),
    "bennett_s": Coefficient(
        measures.bennett_s,
        "S (Bennett, Alpert & Goldstein)",
        "S of Bennett, Alpert & Goldstein",
        "the S of Bennett, Alpert and Goldstein, of the values in use",
    ),
    "augmented_kappa": Coefficient(
        measures.augmented_kappa,
        "augmented kappa (Rosenberg & Binkowski)",
        "Augmented kappa of Rosenberg & Binkowski",
        "Rosenberg and Binkowski’s augmented kappa, in which alternatives share a judgement’s vote",
        of_labels=True,
    ),
}
