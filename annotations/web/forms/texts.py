"""The forms of the pages of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from annotations.models import Docset, Text
from annotations.texts.changes import DeletionFigures
from annotations.texts.listing import DEFAULT_SORT, SORTS, TextQuery
from annotations.web.forms.projects import StaleFormMixin


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


class TextForm(StaleFormMixin, forms.ModelForm[Text]):
    """The title and the round of a text."""

    class Meta:
        model = Text
        fields = ["title", "round"]
        help_texts = {"round": "For example pilot or main. Optional."}

    def __init__(self, text: Text, data: Any = None) -> None:
        super().__init__(data, instance=text)
        self.set_state({"title": text.title, "round": text.round})

    def save(self, commit: bool = True) -> Text:
        """Write these fields only; others may be changed at the same time."""
        if commit:
            self.instance.save(update_fields=["title", "round"])
        return self.instance


class DeletionForm(forms.Form):
    """The confirmation of a deletion: by the title where coders have worked on it."""

    seen = forms.CharField(widget=forms.HiddenInput)
    title = forms.CharField(
        max_length=200, label="Title", strip=True, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, doomed: Text | Docset, figures: DeletionFigures, data: Any = None) -> None:
        super().__init__(data, initial={"seen": figures.tag})
        self.doomed = doomed
        self.fields["title"].help_text = f"Enter “{doomed.title}” to confirm."
        if not figures.begun:
            del self.fields["title"]

    def clean_title(self) -> str:
        """Refuse another title."""
        title: str = self.cleaned_data["title"]
        if " ".join(title.split()) != " ".join(self.doomed.title.split()):
            raise forms.ValidationError("This is not the title.")
        return title
