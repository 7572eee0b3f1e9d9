"""The forms for assigning texts and for rounds."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.fields import ModelCheckboxField
from annotations.models import Project, Text, User
from annotations.models.project import KEY_LENGTH
from annotations.projects.members import CODING_ROLES


class AssignForm(forms.Form):
    texts = ModelCheckboxField(Text.objects.none())
    coders = ModelCheckboxField(User.objects.none())

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        texts, coders = self.fields["texts"], self.fields["coders"]
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        assert isinstance(coders, forms.ModelMultipleChoiceField)
        texts.queryset = Text.objects.filter(project=project).defer("content")
        coders.queryset = User.objects.filter(
            memberships__project=project, memberships__role__in=CODING_ROLES
        ).order_by("username")


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
