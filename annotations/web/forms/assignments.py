"""The form for the texts of a round."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.fields import ModelCheckboxField
from annotations.models import Project, Text
from annotations.models.project import KEY_LENGTH


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
