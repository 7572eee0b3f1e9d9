"""The forms of the guidelines: which versions are compared, and which one was read."""

from __future__ import annotations

from django import forms


class VersionsForm(forms.Form):
    """Two versions to compare, by number."""

    before = forms.IntegerField(min_value=1, label="Version")
    after = forms.IntegerField(min_value=1, label="with version")


class ReadingForm(forms.Form):
    number = forms.IntegerField(min_value=1)
