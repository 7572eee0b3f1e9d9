"""The forms of the page Rounds."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.fields import ModelCheckboxField
from annotations.models import Project, Round, Text
from annotations.models.project import KEY_LENGTH
from annotations.projects.rounds import rounds_of


class RoundForm(forms.Form):
    """The name, kind and dates of a round."""

    name = forms.SlugField(max_length=KEY_LENGTH, help_text="For example pilot, main or main-2.")
    kind = forms.ChoiceField(
        choices=Round.Kind.choices,
        initial=Round.Kind.MAIN,
        help_text="Training and recheck rounds stay out of figures unless they are included there.",
    )
    starts_on = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    ends_on = forms.DateField(
        required=False, label="Until", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    @classmethod
    def of_round(cls, round_: Round, data: Any = None) -> RoundForm:
        """Return the form that changes a round."""
        return cls(data, initial={name: getattr(round_, name) for name in cls.base_fields})


class NewRoundForm(RoundForm):
    """A new round, empty or with the texts of another."""

    copied = forms.ChoiceField(required=False, label="Texts", help_text="None of its codings is copied.")

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data)
        self.project, self.rounds = project, {one.name: one for one in rounds_of(project)}
        field = self.fields["copied"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "none yet"), *((name, f"those of {name}") for name in self.rounds)]

    @property
    def fields_of_round(self) -> dict[str, Any]:
        """The valid values as `create_round` takes them."""
        values = dict(self.cleaned_data)
        return values | {"copied": self.rounds.get(values["copied"])}


class RoundTextsForm(forms.Form):
    """The texts of a round."""

    texts = ModelCheckboxField(Text.objects.none(), required=False)

    def __init__(self, round_: Round, data: Any = None) -> None:
        super().__init__(data, initial={"texts": list(round_.texts.values_list("pk", flat=True))})
        texts = self.fields["texts"]
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        texts.queryset = Text.objects.filter(project=round_.project_id, docset=None).defer("content")
