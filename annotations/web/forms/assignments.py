"""The form for the texts of a round."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.http.fields import MOST_CHOICES, ModelCheckboxField, NamesField
from annotations.models import Project, Text
from annotations.models.project import KEY_LENGTH


class RoundForm(forms.Form):
    """The texts of a round of annotation."""

    texts = ModelCheckboxField(Text.objects.none(), required=False)
    names = NamesField(Text.objects.none(), label="Texts", help_text="Their addresses, with spaces or lines between.")
    round = forms.SlugField(
        max_length=KEY_LENGTH, required=False, help_text="They are moved there with their codings. Empty: main."
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        texts = self.fields["texts"]
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        names = self.fields["names"]
        assert isinstance(names, NamesField)
        texts.queryset = names.queryset = Text.objects.filter(project=project).defer("content")
        self.has_texts = texts.queryset.exists()
        # Too many are not ticked, but named.
        other = "texts" if texts.queryset.count() > MOST_CHOICES else "names"
        if other not in self.data:
            del self.fields[other]

    def clean(self) -> dict[str, Any]:
        """Require a text, ticked or named."""
        cleaned = super().clean() or self.cleaned_data
        cleaned["texts"] = list({*cleaned.get("texts", ()), *cleaned.get("names", ())})
        if not cleaned["texts"] and not self.errors:
            self.add_error(None, "Choose at least one text.")
        return cleaned
