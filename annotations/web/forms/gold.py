"""The form by which gold is drafted."""

from django import forms

from annotations.adjudication.proposal import Method


class DraftForm(forms.Form):
    """Of what the gold of the texts of a round is drafted."""

    method = forms.ChoiceField(
        label="Draft the gold of all texts of",
        choices=[
            (Method.MOST, "what most coders say"),
            (Method.AGREED, "what all coders say"),
            (Method.EMPTY, "nothing: only what is contested is noted"),
        ],
    )
