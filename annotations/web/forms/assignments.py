"""The forms for assigning texts and for rounds."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.fields import ModelCheckboxField
from annotations.models import Project, Round, Text, User
from annotations.models.project import KEY_LENGTH
from annotations.projects.members import CODING_ROLES
from annotations.projects.rounds import find_round, rounds_of


class AssignForm(forms.Form):
    texts = ModelCheckboxField(Text.objects.none())
    coders = ModelCheckboxField(User.objects.none())
    round = forms.ChoiceField(required=False, help_text="What is assigned in a round comes into it.")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        rounds = [one.name for one in rounds_of(project) if not one.is_closed]
        field = self.fields["round"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "the latest of each text"), *((name, name) for name in rounds)]
        if len(rounds) < 2:
            del self.fields["round"]
        texts, coders = self.fields["texts"], self.fields["coders"]
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        assert isinstance(coders, forms.ModelMultipleChoiceField)
        texts.queryset = Text.objects.filter(project=project).defer("content")
        coders.queryset = User.objects.filter(
            memberships__project=project, memberships__role__in=CODING_ROLES
        ).order_by("username")

    @property
    def chosen_round(self) -> Round | None:
        """The round that was chosen; None: the latest of each text. Raise ValidationError if it is gone."""
        name = self.cleaned_data.get("round")
        return find_round(self.project, name) if name else None


class RoundForm(forms.Form):
    """The texts of a round of annotation."""

    texts = ModelCheckboxField(Text.objects.none())
    round = forms.SlugField(
        max_length=KEY_LENGTH, required=False, help_text="They are moved there with their codings. Empty: main."
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        texts = self.fields["texts"]
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        texts.queryset = Text.objects.filter(project=project).defer("content")
