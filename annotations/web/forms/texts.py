"""The forms of the pages of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from annotations.texts.listing import DEFAULT_SORT, SORTS, TextQuery


class TextQueryForm(forms.Form):
    """The search of the list of texts. What it does not know is passed over."""

    q = forms.CharField(
        required=False, max_length=200, label="Search", widget=forms.TextInput(attrs={"type": "search"})
    )
    round = forms.ChoiceField(required=False)
    sort = forms.ChoiceField(
        required=False,
        choices=[(f"{sign}{name}", name) for name in SORTS for sign in ("", "-")],
        widget=forms.HiddenInput,
    )

    def __init__(self, rounds: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["round"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "all"), *((name, name) for name in rounds)]
        if not rounds:
            del self.fields["round"]

    @property
    def query(self) -> TextQuery:
        """What the list is asked for."""
        self.is_valid()
        fields = self.cleaned_data
        return TextQuery(fields.get("q", ""), fields.get("round", ""), fields.get("sort") or DEFAULT_SORT)
