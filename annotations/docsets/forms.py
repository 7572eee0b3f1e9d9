"""The forms of docsets and summaries; the API takes the same fields."""

from typing import Any

from django import forms

from annotations.docsets.creation import SUMMARY_NAME_LENGTH
from annotations.models.docset import DOCSET_SLUG_LENGTH


class DocsetForm(forms.Form):
    title = forms.CharField(required=False, max_length=200, help_text="The subject of the summaries.")
    slug = forms.SlugField(
        required=False,
        max_length=DOCSET_SLUG_LENGTH,
        label="Address",
        help_text="Lowercase letters, digits and hyphens. Leave empty to derive it from the title.",
    )


class SummaryForm(forms.Form):
    name = forms.CharField(required=False, max_length=SUMMARY_NAME_LENGTH)
    content = forms.CharField(
        required=False,
        strip=False,
        label="Summary",
        widget=forms.Textarea(attrs={"rows": 4, "class": "docset-text-field"}),
    )

    @property
    def is_filled(self) -> bool:
        """Whether it has content other than white space."""
        return bool(self.cleaned_data.get("content", "").strip())

    def clean_content(self) -> str:
        """Return the content with single-character line ends, as browsers send CRLF."""
        content: str = self.cleaned_data["content"]
        return content.replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("name") and not cleaned.get("content", "").strip():
            self.add_error("content", "Paste the summary, or clear its name.")
        return cleaned


class PeerForm(SummaryForm):
    system = forms.CharField(required=False, max_length=100, help_text="The system that wrote it. Optional.")

    field_order = ["name", "system", "content"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("content", "").strip() and not cleaned.get("name") and not self.errors:
            self.add_error("name", "Enter a name.")
        return cleaned
