"""Form fields."""

from __future__ import annotations

from typing import Any

from django import forms

from annotations.core.text import is_storable


class ModelCheckboxField(forms.ModelMultipleChoiceField[Any]):
    """A field for the choice of several rows, each with a checkbox."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> Any:
        error = forms.ValidationError("No such row.", code="invalid_choice")
        if isinstance(value, list) and not all(is_storable(str(entry)) for entry in value):
            raise error
        try:
            return super().clean(value)
        except OverflowError:
            raise error from None
