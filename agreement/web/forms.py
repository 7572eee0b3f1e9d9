"""The controls of the agreement pages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django import forms

from agreement.data.answers import Extract
from agreement.models import NAME_LENGTH, REASON_LENGTH
from agreement.reports.basis import allows_coefficient
from agreement.reports.parameters import CHOICES, HELP, SELECTIONS, Parameters
from agreement.reports.wording import CODINGS_LEFT_OUT
from agreement.sections.labels import (
    CHOICE_LABELS,
    FIELD_LABELS,
    PYRAMID_CHOICE_LABELS,
    PYRAMID_FIELD_LABELS,
    PYRAMID_HELP,
)
from annotations.core.text import natural_key

# What has no meaning for a kind of scheme is not offered.
HIDDEN = {
    "pointers": (),
    "indices": ("chains", "top"),
    "categories": ("distance", "chains", "top", "exclude_unit", "empty", "thirds"),
}
# More boxes to tick are a list to choose from instead, and a longer list is names to type, with commas between.
MANY = 8
TOO_MANY = 100


class ParametersForm(forms.Form):
    """A select for each choice, and boxes or a list for each selection of the data."""

    def __init__(self, extract: Extract, parameters: Parameters) -> None:
        query = parameters.query()
        super().__init__(initial=query | {name: sorted(parameters.selection(name)) for name in SELECTIONS})
        names = FIELD_LABELS | (PYRAMID_FIELD_LABELS if extract.units else {})
        help_ = HELP | (PYRAMID_HELP if extract.units else {})
        categories = () if extract.units else extract.categories  # all that is compared of pyramids is in SCUs
        for name in CHOICES:
            if name not in HIDDEN[extract.kind] and (name != "units" or extract.units):
                labels = (PYRAMID_CHOICE_LABELS if extract.units else {}).get(name, CHOICE_LABELS[name])
                if name == "coefficient":
                    selected = extract.select(parameters.selection("include"), parameters.selection("coders"))
                    labels = {
                        key: label
                        for key, label in labels.items()
                        if allows_coefficient(selected, replace(parameters, coefficient=key))
                    }
                self.fields[name] = forms.ChoiceField(
                    choices=labels.items(), required=False, label=names[name], help_text=help_[name]
                )
        offered = {
            "without": [(name, name) for name in categories] if len(categories) > 1 else [],
            "rounds": [(name, name) for name in sorted({text.round for text in extract.texts} - {""}, key=natural_key)],
            "coders": [(name, name) for name in extract.known_coders] if len(extract.known_coders) > 2 else [],
            "texts": [(text.slug, text.title) for text in extract.texts] if len(extract.texts) > 1 else [],
            "include": [(reason, CODINGS_LEFT_OUT[reason]) for reason in extract.reasons_left_out],
        }
        for name, choices in offered.items():
            if choices or parameters.selection(name):
                many = len(choices) > MANY
                if len(choices) > TOO_MANY:  # names to type: a browser would take long over such a list
                    self.initial[name] = query.get(name, "")
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
        """Measure."""
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
    body = forms.CharField(label="Comment", max_length=5000, widget=forms.Textarea({"rows": 3}))


class FlagForm(forms.Form):
    reason = forms.CharField(label="Reason (optional)", max_length=REASON_LENGTH, required=False)


class MappingForm(forms.Form):
    name = forms.CharField(label="Save mapping as", max_length=NAME_LENGTH)
