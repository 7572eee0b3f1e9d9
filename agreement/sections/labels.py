"""What the choices are called on pages: their names, and the names of their values."""

from agreement.reports.coefficients import COEFFICIENTS

FIELD_LABELS = {
    "coefficient": "Coefficient",
    "distance": "Distance",
    "chains": "Value of an item",
    "top": "Chain-initial markable",
    "exclude_unit": "Exclude the item from its own set",
    "empty": "Empty set counts as",
    "thirds": "Passonneau weights",
    "missing": "Items with missing coders (kappa)",
    "unmarked": "Unannotated markables",
    "units": "Units",
    "coders": "Coders",
    "texts": "Texts",
    "rounds": "Rounds",
    "without": "Exclude markables that are mostly",
    "include": "Also count codings",
}
CHOICE_LABELS = {
    "coefficient": {key: coefficient.label for key, coefficient in COEFFICIENTS.items()},
    "distance": {
        "nominal": "nominal",
        "passonneau": "Passonneau",
        "jaccard": "Jaccard",
        "dice": "Dice",
        "masi": "MASI",
        "masi-product": "MASI, product form",
    },
    "chains": {"none": "antecedent", "partial": "preceding chain", "full": "full chain"},
    "top": {"category": "category (-top)", "chain": "chain (+top)"},
    "exclude_unit": {"none": "no", "observed": "observed only", "both": "observed and expected"},
    "empty": {"subset": "subset of all sets", "disjoint": "disjoint from all sets"},
    "thirds": {"exact": "exact (1/3, 2/3)", "rounded": "rounded (.33, .67)"},
    "missing": {"available": "use available pairs", "drop": "drop the item"},
    "unmarked": {"singleton": "singleton", "label": "own label", "missing": "missing"},
    "units": {"words": "words", "spans": "contributors"},
}
# Coreference scores.
SCORE_LABELS = {
    "muc": "MUC",
    "b_cubed": "B-cubed",
    "ceaf_m": "CEAF of mentions",
    "ceaf_e": "CEAF of entities",
    "lea": "LEA",
    "blanc": "BLANC",
    "conll_average": "CoNLL average",
}
# What is called otherwise where pyramids are compared.
PYRAMID_FIELD_LABELS = {"unmarked": "Words in no SCU", "texts": "Docsets"}
PYRAMID_HELP = {"unmarked": "What it means that a word is in no SCU of a submitted pyramid."}
PYRAMID_CHOICE_LABELS = {"unmarked": {"singleton": "singleton", "label": "own label", "missing": "missing"}}


def choice_label(name: str, choice: str) -> str:
    """Return a choice as the controls call it."""
    return CHOICE_LABELS.get(name, {}).get(choice, choice.replace(",", ", "))
