"""The forms of reopening a coding."""

from __future__ import annotations

from django import forms

from annotations.models.coding import REASON_LENGTH


class ReasonForm(forms.Form):
    """Why a manager reopens a coding."""

    reason = forms.CharField(
        required=False,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The coder reads it on the coding page.",
    )


class RequestForm(forms.Form):
    """Why a coder asks a manager to reopen a coding."""

    reason = forms.CharField(
        max_length=REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3}), help_text="The managers read it."
    )
