"""The forms of the managers' pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotations.actions import ROLES_THAT_CODE
from annotations.formats import FORMATS, FormatError
from annotations.formats.archive import unpack
from annotations.importing import Source
from annotations.models import Level, Membership, Project, Text, User
from annotations.models.project import KEY_LENGTH
from annotations.schemes import SCHEMES


class ProjectForm(forms.ModelForm[Project]):
    scheme = forms.ChoiceField(
        choices=[(scheme.key, scheme.label) for scheme in SCHEMES.values()],
        help_text="What coders are asked. The levels and categories can be looked at afterwards.",
    )

    coders_mark = forms.BooleanField(
        required=False,
        label="Coders mark phrases themselves",
        help_text="Besides those that come with the texts. This can be changed later.",
    )

    class Meta:
        model = Project
        fields = ["title", "slug", "guidelines"]
        help_texts = {"slug": "The project's address: small letters, digits and hyphens."}
        widgets = {"guidelines": forms.Textarea(attrs={"rows": 8})}

    field_order = ["title", "slug", "scheme", "coders_mark", "guidelines"]


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, help_text="The name with which the person signs in.")
    role = forms.ChoiceField(choices=Membership.Role)

    def clean_username(self) -> User:
        user = User.objects.filter(username__iexact=self.cleaned_data["username"]).first()
        if user is None:
            raise forms.ValidationError("There is nobody with this name.")
        return user


class RowsField(forms.ModelMultipleChoiceField[Any]):
    """Some rows, each by a box to tick."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError:
            raise forms.ValidationError("There is no such row.", code="invalid_choice") from None


class AssignForm(forms.Form):
    texts = RowsField(Text.objects.none())
    coders = RowsField(User.objects.none())

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        texts, coders = self.fields["texts"], self.fields["coders"]
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        assert isinstance(coders, forms.ModelMultipleChoiceField)
        texts.queryset = Text.objects.filter(project=project).defer("content")
        coders.queryset = User.objects.filter(
            memberships__project=project, memberships__role__in=ROLES_THAT_CODE
        ).order_by("username")


class RoundForm(forms.Form):
    """Which texts belong to a round of annotation."""

    texts = RowsField(Text.objects.none())
    round = forms.SlugField(max_length=KEY_LENGTH, required=False, help_text="Such as pilot or main; empty: none.")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        texts = self.fields["texts"]
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        texts.queryset = Text.objects.filter(project=project).defer("content")


class MarkingForm(forms.Form):
    """Which levels coders mark themselves."""

    levels = RowsField(Level.objects.none(), required=False, label="Coders mark these themselves")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        levels = self.fields["levels"]
        assert isinstance(levels, forms.ModelMultipleChoiceField)
        levels.queryset = project.levels.filter(coded=True)
        levels.initial = [level.pk for level in levels.queryset if level.coders_mark]


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files in one field."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files:
            raise forms.ValidationError("Choose at least one file.")
        if len(files) > settings.IMPORT_MAX_FILES:
            raise forms.ValidationError(f"Choose at most {settings.IMPORT_MAX_FILES} files at a time.")
        return [super(FilesField, self).clean(file, initial) for file in files]


class UploadForm(forms.Form):
    """Files to import. `sources` and `coder_from` are what importing.read_sources asks for."""

    WHOSE = [
        ("parent", "the folder in the zip is the coder"),
        ("name", "the last part of the file's name is the coder (walk.anna.conll)"),
        ("one", "all files are one coder's"),
        ("nobody", "nobody's: texts and markables only"),
    ]

    format = forms.ChoiceField(
        choices=[("", "Choose the format"), *((format_.key, format_.label) for format_ in FORMATS.values())]
    )
    files = FilesField(  # type: ignore[assignment]
        help_text="Files of that format, or a zip of them with a folder for each coder."
    )
    whose = forms.ChoiceField(label="Whose work is it?", choices=WHOSE, widget=forms.RadioSelect, initial="parent")
    coder = forms.CharField(required=False, max_length=150, help_text="Where all files are one coder's.")
    predefined = forms.BooleanField(
        required=False,
        label="Markables are given with the texts",
        help_text="Every coder sees them. Otherwise a coder sees only the markables of their own files.",
    )
    create = forms.BooleanField(
        required=False,
        label="Make the coders that lack",
        help_text="They have no password until they are given one.",
    )

    @property
    def coder_from(self) -> str:
        whose: str = self.cleaned_data["whose"]
        return f"={self.cleaned_data['coder']}" if whose == "one" else whose

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("whose") == "one" and not cleaned.get("coder"):
            self.add_error("coder", "Say whose files these are.")
        if "files" in cleaned:
            try:
                cleaned["sources"] = _sources(cleaned["files"])
            except FormatError as error:
                self.add_error("files", str(error))
        return cleaned


def _sources(files: list[UploadedFile[Any]]) -> list[Source]:
    """The uploaded files, zips opened, within the bounds of the settings."""
    sources: list[Source] = []
    left = settings.IMPORT_MAX_BYTES
    for file in files:
        name = file.name or "upload"
        if (file.size or 0) > left:
            raise FormatError(f"all files together have more than {settings.IMPORT_MAX_BYTES // 2**20} MB", name)
        data = file.read()
        if name.lower().endswith(".zip"):
            unpacked = unpack(data, name, most_files=settings.IMPORT_MAX_FILES - len(sources), most_bytes=left)
            sources += [Source(inner, content, found=True) for inner, content in unpacked]
            left -= sum(len(content) for _, content in unpacked)
        else:
            sources.append(Source(name, data))
            left -= len(data)
    return sources
