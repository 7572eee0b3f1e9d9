"""The forms of the agreement pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.http import urlencode

from agreement.models import NAME_LENGTH, REASON_LENGTH
from agreement.reports import request as analysis
from agreement.reports import wording
from agreement.reports.parameters import CHOICES, MODELS, QUESTION, SELECTIONS, SETTINGS, VERSIONS, presets_for
from annotations.core.http.fields import BoundedSelect

# Above MANY choices, checkboxes become a list; above TOO_MANY, names are typed with commas between.
MANY = 8
TOO_MANY = 100
# The field with the settings and the preset that the form showed before it was sent.
SHOWN = "shown"
# The choice in the field of presets if the settings match none.
CUSTOM = "custom"


class ParametersForm(forms.Form):
    """A form of the preset, the relevant settings, and the selections of data."""

    def __init__(self, request: analysis.AnalysisRequest, settings: wording.Settings) -> None:
        extract, parameters = request.project_answers, request.parameters
        query, pyramids = parameters.query(), bool(extract.units)
        preset = settings.preset.key if settings.preset else CUSTOM
        selected = {name: sorted(parameters.selection(name)) for name in SELECTIONS}
        super().__init__(initial=query | selected | {"preset": preset})
        self.settings, self.has_pyramids = settings, pyramids
        kept = {name: value for name, value in query.items() if name in (*CHOICES, QUESTION)}
        self.shown = urlencode(kept | {"preset": preset})
        if extract.questions:
            own = [("", "Category")] if extract.categories_asked else []
            self._offer(QUESTION, [*own, *((question.key, question.label) for question in extract.questions)])
        presets = sorted(presets_for(extract.answers), key=lambda preset: preset != settings.own)
        custom = [(CUSTOM, "Custom")] if settings.preset is None else []
        labels = {
            preset.key: f"{preset.label} (project default)" if preset == settings.own else preset.label
            for preset in presets
        }
        self._offer("preset", [*custom, *labels.items()])
        for name in analysis.relevant_settings(extract.kind, parameters):
            possible: Iterable[str] = analysis.choices_of(name, extract.kind, parameters)
            if name == "coefficient":
                n_coders = len(analysis.coders_in(request.extract, parameters))
                changed = {key: replace(parameters, coefficient=key) for key in possible}
                possible = [
                    key for key in changed if not analysis.refuse_coefficient(extract.kind, changed[key], n_coders)
                ]
            self._offer(name, [(key, label) for key, label in SETTINGS[name].choices.items() if key in possible])
        categories = () if pyramids else extract.countable  # pyramids have no categories to leave out
        versions = range(1, 1 if pyramids else request.project.scheme_version + 1)
        titles = {text.slug: text.title for text in extract.texts}
        coders = [(name, wording.label_coder(name, request.models)) for name in extract.known_coders]
        offered = {
            "without": [(name, extract.label(name)) for name in categories] if len(categories) > 1 else [],
            "rounds": [(name, name) for name in extract.rounds] if len(extract.rounds) > 1 else [],
            "coders": coders if len(coders) > 2 else [],
            "texts": list(titles.items()) if len(titles) > 1 else [],
            "include": [
                *([(MODELS, wording.BY_MODELS)] if request.n_codings_of_models else []),
                *((reason, wording.CODINGS_LEFT_OUT[reason]) for reason in extract.reasons_left_out),
            ],
            VERSIONS: [(str(number), f"version {number}") for number in versions] if len(versions) > 1 else [],
        }
        for name, choices in offered.items():
            if len(choices) > TOO_MANY:  # names are typed: a browser is slow with such a list
                self.initial[name] = query.get(name, "")
                label, help_text = wording.field_texts(name, pyramids=pyramids)
                help_text = f"{help_text} Names with commas between."
                self.fields[name] = forms.CharField(required=False, label=label, help_text=help_text)
            elif choices or parameters.selection(name):
                widget = forms.SelectMultiple({"size": 5}) if len(choices) > MANY else forms.CheckboxSelectMultiple
                self._offer(name, choices, widget)
        in_sight = (QUESTION, "preset", *wording.IN_SIGHT)
        self.in_sight = [field for field in self if field.name in in_sight]
        self.selections = [field for field in self if field.name in SELECTIONS]
        self.advanced = [field for field in self if field.name not in (*in_sight, *SELECTIONS)]
        self.n_selected = sum(bool(self.initial.get(name)) for name in SELECTIONS)

    def _offer(self, name: str, choices: Iterable[tuple[str, str]], widget: Any = forms.Select) -> None:
        label, help_text = wording.field_texts(name, pyramids=self.has_pyramids)
        field = forms.ChoiceField if widget is forms.Select else forms.MultipleChoiceField
        self.fields[name] = field(choices=[*choices], required=False, label=label, help_text=help_text, widget=widget)


def read_form(query: QueryDict) -> str:
    """Return the query of a submitted form: the preset and changed settings; settings it does not show stay."""
    values = analysis.parse_query(query)
    before = analysis.parse_query(QueryDict(values.pop(SHOWN)))
    shown = before.get("preset", CUSTOM)
    preset = values.pop("preset", shown)
    if QUESTION in values and values[QUESTION] != before.get(QUESTION, ""):  # another question has its own settings
        return urlencode({name: value for name, value in values.items() if value and name not in (*CHOICES, "without")})
    before = {name: before[name] for name in (*CHOICES, QUESTION) if name in before}
    if preset not in (shown, CUSTOM):
        unchanged = {name for name in before if values.get(name) == before[name]}
        values = {"preset": preset} | {name: value for name, value in values.items() if name not in unchanged}
    else:
        values = before | values
    return urlencode({name: value for name, value in values.items() if value})


class PyramidForm(forms.Form):
    """A form of a page on pyramids: a select for each field with more than one choice."""

    def __init__(self, fields: Mapping[str, tuple[str, Sequence[tuple[str, str]]]], own: Mapping[str, str]) -> None:
        super().__init__(initial=dict(own))
        for key, (label, choices) in fields.items():
            if len(choices) > 1:
                self.fields[key] = forms.ChoiceField(choices=choices, required=False, label=label, widget=BoundedSelect)


class RemarkForm(forms.Form):
    body = forms.CharField(label="Comment", max_length=5000, widget=forms.Textarea({"rows": 3}))


class FlagForm(forms.Form):
    reason = forms.CharField(label="Reason (optional)", max_length=REASON_LENGTH, required=False)


class MappingForm(forms.Form):
    name = forms.CharField(label="Save mapping as", max_length=NAME_LENGTH)
