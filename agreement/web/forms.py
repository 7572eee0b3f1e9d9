"""The controls of the agreement pages."""

from collections.abc import Mapping, Sequence

from django import forms

from agreement.extract import Extract
from agreement.models import NAME_LENGTH
from agreement.parameters import CHOICES, HELP, SELECTIONS, Parameters

NAMES = {
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
}
LABELS = {
    "coefficient": {
        "alpha": "Krippendorff's alpha",
        "fleiss_kappa": "K (Siegel & Castellan)",
        "multi_kappa": "multi-kappa (Davies & Fleiss)",
        "gwet_ac1": "AC1 (Gwet)",
    },
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
# What has no meaning for a kind of scheme is not offered.
HIDDEN = {
    "pointers": (),
    "indices": ("chains", "top"),
    "categories": ("distance", "chains", "top", "exclude_unit", "empty", "thirds"),
}
# What is called otherwise where pyramids are compared.
NAMES_OF_PYRAMIDS = {"unmarked": "What is in no SCU", "texts": "Only these docsets"}
HELP_OF_PYRAMIDS = {"unmarked": "What it means that a word is in no SCU of a pyramid handed in."}
LABELS_OF_PYRAMIDS = {"unmarked": {"singleton": "is alone", "label": "a label of its own", "missing": "missing"}}
# More boxes to tick are a list to choose from instead, and a longer list is names to type, with commas between.
MANY = 8
TOO_MANY = 100


def in_words(name: str, choice: str) -> str:
    """A choice as the controls call it."""
    return LABELS.get(name, {}).get(choice, choice.replace(",", ", "))


class ParametersForm(forms.Form):
    """A select for each choice, and boxes or a list for each selection of the data."""

    def __init__(self, extract: Extract, parameters: Parameters) -> None:
        asked = parameters.query()
        super().__init__(initial=asked | {name: sorted(parameters.selected(name)) for name in SELECTIONS})
        names = NAMES | (NAMES_OF_PYRAMIDS if extract.units else {})
        help_ = HELP | (HELP_OF_PYRAMIDS if extract.units else {})
        categories = () if extract.units else extract.categories  # all that is compared of pyramids is in SCUs
        for name in CHOICES:
            if name not in HIDDEN[extract.answers] and (name != "units" or extract.units):
                labels = (LABELS_OF_PYRAMIDS if extract.units else {}).get(name, LABELS[name])
                self.fields[name] = forms.ChoiceField(
                    choices=labels.items(), required=False, label=names[name], help_text=help_[name]
                )
        offered = {
            "without": [(name, name) for name in categories] if len(categories) > 1 else [],
            "rounds": _distinct([(text.round, text.round) for text in extract.texts if text.round]),
            "coders": [(name, name) for name in extract.coders] if len(extract.coders) > 2 else [],
            "texts": [(text.slug, text.title) for text in extract.texts] if len(extract.texts) > 1 else [],
        }
        for name, choices in offered.items():
            if choices or parameters.selected(name):
                many = len(choices) > MANY
                if len(choices) > TOO_MANY:  # names to type: a browser would take long over such a list
                    self.initial[name] = asked.get(name, "")
                    self.fields[name] = forms.CharField(required=False, label=names[name], help_text=help_[name])
                    continue
                self.fields[name] = forms.MultipleChoiceField(
                    choices=choices,
                    required=False,
                    label=names[name],
                    help_text=help_[name],
                    widget=forms.SelectMultiple({"size": 5}) if many else forms.CheckboxSelectMultiple,
                )

    @property
    def choices(self) -> list[forms.BoundField]:
        """How it is computed."""
        return [field for field in self if field.name not in SELECTIONS]

    @property
    def selections(self) -> list[forms.BoundField]:
        """Of what."""
        return [field for field in self if field.name in SELECTIONS]

    @property
    def selects(self) -> bool:
        """Is less than everything chosen?"""
        return any(self.initial.get(name) for name in SELECTIONS)


class PyramidForm(forms.Form):
    """What a page on pyramids is asked for: a select for each field that leaves a choice."""

    def __init__(self, fields: Mapping[str, tuple[str, Sequence[tuple[str, str]]]], own: Mapping[str, str]) -> None:
        super().__init__(initial=dict(own))
        for name, (label, choices) in fields.items():
            if len(choices) > 1:
                self.fields[name] = forms.ChoiceField(choices=list(choices), required=False, label=label)


class RemarkForm(forms.Form):
    body = forms.CharField(label="Your remark", max_length=5000, widget=forms.Textarea({"rows": 3}))


class MappingForm(forms.Form):
    name = forms.CharField(label="Keep it as", max_length=NAME_LENGTH)


def _distinct(choices: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(choices))
