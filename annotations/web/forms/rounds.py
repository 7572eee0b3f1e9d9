"""The forms of the page Rounds."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from annotations.core.http.fields import (
    MOST_CHOICES,
    MOST_NAMED,
    BoundedModelField,
    BoundedSelect,
    ModelCheckboxField,
    NamesField,
)
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

    required_round = BoundedModelField(
        "name",
        required=False,
        label="Requires training",
        empty_label="none",
        help_text="Coders begin no text of this round before they have passed that training round.",
    )
    pass_measure = forms.ChoiceField(
        required=False,
        label="Pass rule",
        choices=[("", "none: a manager decides"), *Round.PassMeasure.choices],
        help_text="Of a training round: what of a coder’s text is compared with the gold.",
    )
    pass_mark = forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        label="Pass mark",
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="From 0 to 1: who reaches it in one text has passed.",
    )
    attempts = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1000,
        label="Attempts",
        help_text="How many texts of a training round count; empty: all that have gold.",
    )
    feedback = forms.ChoiceField(
        required=False,
        choices=Round.Feedback.choices,
        initial=Round.Feedback.SUBMISSION,
        help_text="When coders of a training round see the gold beside their own answers.",
    )

    def __init__(self, project_id: int, data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        required = self.fields["required_round"]
        assert isinstance(required, BoundedModelField)
        required.choose_from(Round.objects.filter(project=project_id, kind=Round.Kind.TRAINING))

    def clean_feedback(self) -> str:
        """Take what is not sent as the usual."""
        return self.cleaned_data["feedback"] or Round.Feedback.SUBMISSION

    @classmethod
    def of_round(cls, round_: Round, data: Any = None) -> RoundForm:
        """Return the form that changes a round."""
        initial = {name: getattr(round_, name) for name in cls.base_fields}
        return cls(round_.project_id, data, initial=initial)


class NewRoundForm(RoundForm):
    """A new round, empty or with the texts of another."""

    copied = forms.ChoiceField(
        required=False, label="Texts", widget=BoundedSelect, help_text="None of its codings is copied."
    )

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(project.pk, data)
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
        texts.queryset = texts_for(round_)

    @property
    def chosen(self) -> set[Text]:
        """The texts that the round has from then on."""
        return set(self.cleaned_data["texts"])


class ManyTextsForm(forms.Form):
    """Texts that come into a round and leave it, by their addresses: where there are too many to tick."""

    add = NamesField(Text.objects.none(), label="Add texts", help_text="Their addresses, with spaces or lines between.")
    remove = NamesField(
        Text.objects.none(), label="Take out texts", help_text="Their addresses; those that somebody has begun stay."
    )

    def __init__(self, round_: Round, data: Any = None) -> None:
        super().__init__(data)
        self.round = round_
        for field in self.fields.values():
            assert isinstance(field, NamesField)
            field.queryset = texts_for(round_)

    def clean(self) -> dict[str, Any]:
        """Refuse a text that is to come and to go."""
        cleaned = super().clean() or self.cleaned_data
        both = [text.slug for text in cleaned.get("add", ()) if text in cleaned.get("remove", ())]
        if both:
            self.add_error("remove", f"{', '.join(both[:MOST_NAMED])}: to be added and taken out. Choose one of these.")
        return cleaned

    @property
    def chosen(self) -> set[Text]:
        """The texts that the round has from then on."""
        stay = set(self.round.texts.defer("content")) - set(self.cleaned_data["remove"])
        return stay | set(self.cleaned_data["add"])


def texts_for(round_: Round) -> QuerySet[Text]:
    """Return the texts that may be in a round."""
    texts: QuerySet[Text] = Text.objects.filter(project=round_.project_id, docset=None).defer("content")
    return texts


def texts_form(round_: Round, data: Any = None) -> RoundTextsForm | ManyTextsForm:
    """Return the form for the texts of a round: to tick them, or to name those that come and go."""
    names_texts = texts_for(round_).count() > MOST_CHOICES if data is None else "add" in data or "remove" in data
    return ManyTextsForm(round_, data) if names_texts else RoundTextsForm(round_, data)
