"""What the choices are called on pages: their names, and the names of their values."""

from agreement.reports.coefficients import COEFFICIENTS

FIELD_LABELS = {
    "coefficient": "Coefficient",
    "distance": "Distance",
    "chains": "What is compared",
    "top": "First member of a chain",
    "exclude_unit": "Take the unit out of its sets",
    "empty": "The empty set is",
    "thirds": "One third and two thirds",
    "missing": "Kappas where some coders lack",
    "unmarked": "A markable left out",
    "units": "What is counted",
    "coders": "Only these coders",
    "texts": "Only these texts",
    "rounds": "Only these rounds",
    "without": "Without markables that are mostly",
    "include": "Count also codings",
}
CHOICE_LABELS = {
    "coefficient": {key: coefficient.label for key, coefficient in COEFFICIENTS.items()},
    "distance": {
        "nominal": "nominal",
        "passonneau": "Passonneau, four steps",
        "jaccard": "Jaccard",
        "dice": "Dice",
        "masi": "MASI",
        "masi-product": "MASI, product form",
    },
    "chains": {"none": "no chain: antecedents", "partial": "partial chain", "full": "whole chain"},
    "top": {"category": "-top: its category", "chain": "+top: its chain"},
    "exclude_unit": {"none": "never: inclusive", "observed": "in observed: exclusive", "both": "in both"},
    "empty": {"subset": "subset of every set", "disjoint": "disjoint from all"},
    "thirds": {"exact": "exact", "rounded": ".33 and .67"},
    "missing": {"available": "use what there is", "drop": "drop the unit"},
    "unmarked": {"singleton": "refers to itself alone", "label": "a label of its own", "missing": "missing"},
    "units": {"words": "words of the summaries", "spans": "contributors as marked"},
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
PYRAMID_FIELD_LABELS = {"unmarked": "What is in no SCU", "texts": "Only these docsets"}
PYRAMID_HELP = {"unmarked": "What it means that a word is in no SCU of a pyramid handed in."}
PYRAMID_CHOICE_LABELS = {"unmarked": {"singleton": "is alone", "label": "a label of its own", "missing": "missing"}}


def choice_label(name: str, choice: str) -> str:
    """Return a choice as the controls call it."""
    return CHOICE_LABELS.get(name, {}).get(choice, choice.replace(",", ", "))
