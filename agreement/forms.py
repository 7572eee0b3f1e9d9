"""The controls of the agreement pages."""

from django import forms

from agreement.parameters import CHOICES, HELP, Parameters

NAMES = {
    "coefficient": "Coefficient",
    "distance": "Distance",
    "chains": "What is compared",
    "top": "First member of a chain",
    "exclude_unit": "Take the unit out of its sets",
    "empty": "The empty set is",
    "thirds": "One third and two thirds",
    "missing": "K where some coders lack",
    "unmarked": "A markable left out",
}
LABELS = {
    "coefficient": {"alpha": "Krippendorff's alpha", "fleiss_kappa": "K (Siegel & Castellan)"},
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
}
# What has no meaning for a kind of scheme is not offered.
HIDDEN = {
    "pointers": (),
    "indices": ("chains", "top"),
    "categories": ("distance", "chains", "top", "exclude_unit", "empty", "thirds"),
}


class ParametersForm(forms.Form):
    """One select for each parameter."""

    def __init__(self, answers: str, parameters: Parameters) -> None:
        super().__init__(initial=parameters.query())
        for name, choices in CHOICES.items():
            if name not in HIDDEN[answers]:
                labels = [(choice, LABELS[name][choice]) for choice in choices]
                self.fields[name] = forms.ChoiceField(
                    choices=labels, required=False, label=NAMES[name], help_text=HELP[name]
                )
