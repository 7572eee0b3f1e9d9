"""The forms of imports and exports. Pages and the API ask by the same ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import validate_slug

from annotations.formats import FORMATS, PYRAMID_FORMATS, Format, Option
from annotations.forms import RowsField
from annotations.models import Docset, Project, Text, User
from annotations.models.project import KEY_LENGTH
from annotations.models.transfer import ARCHIVE
from annotations.pyramid_files import check_format, formats_of

OPTION = "option-"
CHOOSE = ("", "Choose the format")
ARCHIVE_LABEL = "Project archive (everything, to be brought back as a project)"


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files in one field, within the bounds of the settings.

    A file may be empty: what that means its format says (`.ann` of a text without markables), by its name.
    """

    widget = FilesInput

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_empty_file=True, **kwargs)

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files:
            if not self.required:
                return []
            raise forms.ValidationError("Choose at least one file.")
        if len(files) > settings.IMPORT_MAX_FILES:
            raise forms.ValidationError(f"Choose at most {settings.IMPORT_MAX_FILES} files at a time.")
        cleaned = [super(FilesField, self).clean(file, initial) for file in files]
        refuse_too_large(cleaned, settings.IMPORT_MAX_BYTES)
        return cleaned


def docset_option(project: Project) -> Option:
    """Which docset files of pyramids belong to."""
    there = Docset.objects.filter(project=project).values_list("slug", "title")
    return Option("docset", "Docset", (("", "the one named as the file, or of the same text"), *there))


def refuse_too_large(files: Iterable[UploadedFile[Any]], most_bytes: int) -> None:
    """Raise ValidationError where the files are larger together than is read."""
    if sum(file.size or 0 for file in files) > most_bytes:
        raise forms.ValidationError(f"This is more than {most_bytes // 2**20} MB.")


class FormatForm(forms.Form):
    """A form that asks for a format, and for what that format has to be told.

    varying: fields that some formats do not ask for.
    """

    varying: ClassVar[tuple[str, ...]] = ()
    format = forms.ChoiceField()
    ask_anew: ClassVar[dict[str, str]] = {
        "hx-get": "",
        "hx-trigger": "change",
        "hx-target": "#of-format",
        "hx-sync": "this:replace",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["format"].widget.attrs |= self.ask_anew

    def offer(self, project: Project, keys: Iterable[tuple[str, str]]) -> None:
        """Ask for one of these formats; of another that was sent, say which hold the codings of the project."""
        field, offered = self.fields["format"], list(keys)
        assert isinstance(field, forms.ChoiceField)
        of_pyramids = project.answers == Project.Answers.SCUS
        if of_pyramids and not self.initial.get("format"):
            self.initial["format"] = offered[0][0]
        field.choices = offered if of_pyramids else [CHOOSE, *offered]
        if self.chosen in FORMATS or self.chosen in PYRAMID_FORMATS:
            try:
                check_format(project, self.chosen)
            except forms.ValidationError as error:
                field.error_messages["invalid_choice"] = " ".join(error.messages)

    @property
    def chosen(self) -> str:
        """The key of the format, as it was sent or as it stands there; it may be none."""
        return str(self["format"].value() or "")

    @property
    def of_format(self) -> list[forms.BoundField]:
        """The options of the format: the page asks for them anew when another is chosen."""
        return [self[name] for name in self.fields if name.startswith(OPTION)]

    @property
    def varied(self) -> list[forms.BoundField]:
        """The fields that come and go with the format. What stands in them stays while they do."""
        return [self[name] for name in self.fields if name in self.varying]

    @property
    def others(self) -> list[forms.BoundField]:
        """The fields that stay, whatever the format, after it."""
        before = {"format", *self.varying}
        return [self[name] for name in self.fields if name not in before and not name.startswith(OPTION)]

    def ask(self, options: Iterable[Option]) -> None:
        """Ask for the options of the format, each with its first choice where nothing is said."""
        for option in options:
            self.fields[f"{OPTION}{option.key}"] = forms.ChoiceField(
                label=option.label, choices=option.choices, initial=option.choices[0][0], required=False
            )

    @property
    def options(self) -> dict[str, str]:
        """What was chosen; what was left open is the format's own choice."""
        return {
            name.removeprefix(OPTION): value
            for name, value in self.cleaned_data.items()
            if name.startswith(OPTION) and value
        }


class ImportForm(FormatForm):
    """Files to import, and whose they are."""

    varying = ("whose", "coder")
    WHOSE = [
        ("parent", "the folder in the zip is the coder"),
        ("name", "the last part of the file's name is the coder (walk.anna.conll)"),
        ("one", "all files are one coder's"),
        ("nobody", "nobody's: texts and markables only"),
    ]

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

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        formats = formats_of(project)
        self.offer(project, [(key, one.label) for key, one in formats.items()])
        format_ = formats.get(self.chosen)
        if self.chosen in PYRAMID_FORMATS:
            del self.fields["predefined"]
            self.ask([docset_option(project)])
        if format_ is not None and format_.names_coders:
            del self.fields["whose"], self.fields["coder"]
        if format_ is not None:
            self.ask(format_.options)
        self.order_fields(["format", *(name for name in self.fields if name.startswith(OPTION)), "whose", "coder"])

    @property
    def choices(self) -> dict[str, Any]:
        """As transfers.order_import asks for them."""
        fields = self.cleaned_data
        return {
            "coder_from": f"={fields['coder']}" if fields.get("whose") == "one" else fields.get("whose", ""),
            "predefined": fields.get("predefined", False),
            "create": fields["create"],
            "options": self.options,
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("whose") == "one" and not cleaned.get("coder"):
            self.add_error("coder", "Say whose files these are.")
        return cleaned


class ExportForm(FormatForm):
    """What is exported, and how."""

    varying = ("unfinished", "coders", "texts")
    unfinished = forms.BooleanField(
        required=False, label="Also what is not handed in", help_text="Such a coding may be half done."
    )
    coders = RowsField(User.objects.none(), required=False, label="Only these coders", to_field_name="username")
    texts = RowsField(Text.objects.none(), required=False, label="Only these texts", to_field_name="slug")

    def __init__(self, project: Project, *args: Any, archives: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        written = [
            (key, format_.label)
            for key, format_ in formats_of(project).items()
            if not isinstance(format_, Format) or format_.write is not None
        ]
        coders, texts = self.fields["coders"], self.fields["texts"]
        assert isinstance(coders, forms.ModelMultipleChoiceField)
        assert isinstance(texts, forms.ModelMultipleChoiceField)
        self.offer(project, [*written, *([(ARCHIVE, ARCHIVE_LABEL)] if archives else [])])
        coders.queryset = User.objects.filter(codings__text__project=project).distinct().order_by("username")
        texts.queryset = Text.objects.filter(project=project).defer("content")
        if self.chosen == ARCHIVE:
            for name in self.varying:
                del self.fields[name]
        elif self.chosen in FORMATS:
            self.ask(FORMATS[self.chosen].options_written)
        self.order_fields(["format", *(name for name in self.fields if name.startswith(OPTION))])

    @property
    def choices(self) -> dict[str, Any]:
        """As transfers.order_export asks for them: no coder and no text named means all."""
        if self.chosen == ARCHIVE:
            return {}
        fields = self.cleaned_data
        return {
            "coders": [coder.get_username() for coder in fields["coders"]],
            "texts": [text.slug for text in fields["texts"]],
            "unfinished": fields["unfinished"],
            "options": self.options,
        }


class RestoreForm(forms.Form):
    """An archive of a project, and the address of the project that it becomes."""

    file = forms.FileField(label="Archive", help_text="A project archive: one of the exports of a project.")
    slug = forms.CharField(
        required=False,
        max_length=KEY_LENGTH,
        label="Address",
        validators=[validate_slug],
        help_text="Small letters, digits and hyphens; empty: the one that it had.",
    )

    def clean_file(self) -> UploadedFile[Any]:
        file: UploadedFile[Any] = self.cleaned_data["file"]
        refuse_too_large([file], settings.ARCHIVE_MAX_BYTES)
        return file
