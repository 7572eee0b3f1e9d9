"""The forms of the pages of texts."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import transaction
from django.http import QueryDict

from annotations.core.http.fields import BoundedSelect
from annotations.models import Docset, Project, Text
from annotations.models.project import KEY_LENGTH
from annotations.planning.rounds import move_to_round
from annotations.projects.locks import lock_project
from annotations.texts.changes import DeletionFigures
from annotations.texts.correction_plan import MAX_TEXT_LENGTH, CorrectionPlan
from annotations.texts.listing import DEFAULT_SORT, SORTS, TextQuery
from annotations.transfers.forms import DETECT_FORMAT, FilesField
from annotations.transfers.project_formats import formats_of
from annotations.web.forms.projects import StaleFormMixin

# File names: these characters are replaced, and the length suits all file systems.
UNSAFE = str.maketrans(dict.fromkeys("/\\\x00\r\n\t", "-"))
MAX_NAME_LENGTH = 60


class TextQueryForm(forms.Form):
    """The search form of the list of texts; invalid values are ignored."""

    q = forms.CharField(
        required=False, max_length=200, label="Search", widget=forms.TextInput(attrs={"type": "search"})
    )
    sort = forms.ChoiceField(
        required=False,
        choices=[(f"{sign}{name}", name) for name in SORTS for sign in ("", "-")],
        widget=forms.HiddenInput,
    )

    def __init__(self, rounds: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if len(rounds) > 1:
            choices = [("", "all"), *((name, name) for name in rounds)]
            self.fields["round"] = forms.ChoiceField(required=False, widget=BoundedSelect, choices=choices)

    @property
    def query(self) -> TextQuery:
        self.is_valid()
        fields = self.cleaned_data
        return TextQuery(fields.get("q", ""), fields.get("round", ""), fields.get("sort") or DEFAULT_SORT)


class TextForm(StaleFormMixin, forms.ModelForm[Text]):
    """The title of a text, and its round if it is in only one."""

    round = forms.SlugField(
        max_length=KEY_LENGTH, required=False, help_text="It is moved there with its codings. Empty: main."
    )

    class Meta:
        model = Text
        fields = ["title"]

    def __init__(self, text: Text, data: Any = None) -> None:
        names = text.round_names
        self.round_name = names[0] if len(names) == 1 else ""
        super().__init__(data, instance=text, initial={"round": self.round_name})
        if len(names) > 1:
            del self.fields["round"]
        self.set_state({"title": text.title, "round": ",".join(names)})

    @transaction.atomic
    def save(self, commit: bool = True) -> Text:
        """Write only the fields of this form, as others may change meanwhile. Raise ValidationError of the round."""
        if commit:
            lock_project(self.instance.project_id)
            self.instance.save(update_fields=["title"])
            if "round" in self.changed_data:
                move_to_round(self.instance.project, [self.instance], self.cleaned_data["round"])
        return self.instance


class CorrectionForm(StaleFormMixin, forms.Form):
    """The corrected content of a text, and the tag of the plan that the user was shown."""

    plan = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)
    content = forms.CharField(
        label="Text",
        strip=False,
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 20, "class": "texts-paste", "spellcheck": "true"}),
    )

    def __init__(self, text: Text, data: Any = None) -> None:
        super().__init__(data, initial={"content": text.content})
        self.fields["content"].widget.attrs |= {"lang": text.language, "dir": text.direction}
        self.set_state({"content": text.content})

    def show_plan(self, plan: CorrectionPlan) -> None:
        """Add the tag of the plan to the form, which sends it back."""
        data = cast(QueryDict, self.data).copy()
        data["plan"] = plan.tag
        self.data = data


class DeletionForm(forms.Form):
    """The confirmation of a deletion; the title is required if coders have begun work, or `always`."""

    seen = forms.CharField(widget=forms.HiddenInput)
    title = forms.CharField(
        max_length=200, label="Title", strip=True, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )

    def __init__(
        self, doomed: Text | Docset | Project, figures: DeletionFigures, data: Any = None, *, always: bool = False
    ) -> None:
        super().__init__(data, initial={"seen": figures.tag})
        self.doomed = doomed
        self.fields["title"].help_text = f"Enter “{doomed.title}” to confirm."
        if not (figures.begun or always):
            del self.fields["title"]

    def clean_title(self) -> str:
        """Refuse a title that is not the object's."""
        title: str = self.cleaned_data["title"]
        if " ".join(title.split()) != " ".join(self.doomed.title.split()):
            raise forms.ValidationError("This is not the title.")
        return title


class UploadTextsForm(forms.Form):
    """Files to add as texts without codings."""

    files = FilesField(help_text="Text files, files of any format below, or a zip of them. Drop them here.")  # type: ignore[assignment]

    def __init__(self, project: Project, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, prefix="upload")
        choices = [(key, format_.label) for key, format_ in formats_of(project).items() if not format_.names_coders]
        self.fields["format"] = forms.ChoiceField(required=False, choices=[DETECT_FORMAT, *choices])

    @property
    def order(self) -> tuple[list[UploadedFile[Any]], str]:
        """The files, and the key of their format."""
        return self.cleaned_data["files"], self.cleaned_data["format"]


class PasteTextForm(forms.Form):
    """A pasted text."""

    title = forms.CharField(max_length=MAX_NAME_LENGTH)
    content = forms.CharField(
        label="Text",
        strip=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 8, "class": "texts-paste"}),
    )
    marked = forms.BooleanField(
        required=False,
        label="Square brackets mark markables",
        help_text="As in [Anna] took [[her] dog] for a walk. Otherwise they are part of the text.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="paste")

    def clean_content(self) -> str:
        """Refuse a text without words; replace the line ends of browsers (CRLF) with LF."""
        content: str = self.cleaned_data["content"]
        if not content.strip():
            raise forms.ValidationError("Paste the text.")
        return content.replace("\r\n", "\n")

    @property
    def order(self) -> tuple[list[UploadedFile[Any]], str]:
        """The text as a file named after its title, and the key of its format."""
        name = self.cleaned_data["title"].translate(UNSAFE).strip(". ") or "text"
        file: UploadedFile[Any] = SimpleUploadedFile(f"{name}.txt", self.cleaned_data["content"].encode())
        return [file], "plain" if self.cleaned_data["marked"] else "text"
