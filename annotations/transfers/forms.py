"""The forms of imports and exports, which pages and the API share."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import validate_slug

from annotations.core.http.fields import BoundedCheckboxes, BoundedSelect, ModelCheckboxField, field_of
from annotations.formats import FORMATS, PYRAMID_FORMATS, Format, Option
from annotations.formats.model.answers import KeysByName
from annotations.formats.model.encodings import find_encoding
from annotations.formats.model.format import CATEGORY, ENCODING, LEVEL, QUESTION
from annotations.models import Coding, Project, Text, Transfer, User
from annotations.models.people.rights import Right
from annotations.models.project import KEY_LENGTH, may, may_see_models
from annotations.models.transfers.transfer import ARCHIVE
from annotations.projects.rounds import rounds_of
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.exporting.gold import GOLD, SILVER, check_gold
from annotations.transfers.importing.report import ImportFailed
from annotations.transfers.importing.schemes.naming import OTHERS, format_names, parse_names, with_kind
from annotations.transfers.project_formats import check_format, docset_option, formats_of, may_create_scheme

OPTION_PREFIX = "option-"
MAX_OPTION_LENGTH = 20_000
MAX_SHOWN = 5
NO_FORMAT = ("", "Choose the format")
DETECT_FORMAT = ("", "Detect from the files")
ARCHIVE_LABEL = "Project archive (everything, to restore as a project)"
LEFT_OUT = ("", "left out")
FOLLOWS = ("", "what follows from its links")


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """A field for several files within the limits of the settings. A file may be empty, such as an `.ann`."""

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
        check_total_size(cleaned, settings.IMPORT_MAX_BYTES, "IMPORT_MAX_BYTES")
        return cleaned


def check_total_size(files: Iterable[UploadedFile[Any]], most_bytes: int, setting: str) -> None:
    """Raise ValidationError with the name of the setting if the files have more than `most_bytes` in total."""
    if sum(file.size or 0 for file in files) > most_bytes:
        raise forms.ValidationError(f"The limit is {most_bytes // 2**20} MB (setting {setting}).")


class OptionField(forms.ChoiceField):
    """An option of a format with choices. Encodings may have any of Python's spellings."""

    def __init__(self, option: Option) -> None:
        super().__init__(label=option.label, choices=option.choices, initial=option.choices[0][0], required=False)
        self.option = option

    def to_python(self, value: Any) -> str:
        value = super().to_python(value)
        return find_encoding(value) if self.option.key == ENCODING.key else value


class FormatForm(forms.Form):
    """A form for a format and its options; `format_dependent` names the fields of some formats only."""

    format_dependent: ClassVar[tuple[str, ...]] = ()
    format = forms.ChoiceField(
        widget=forms.Select(
            {"hx-get": "", "hx-trigger": "change", "hx-target": "#of-format", "hx-sync": "this:replace"}
        )
    )

    def set_formats(self, project: Project, choices: Sequence[tuple[str, str]], none: tuple[str, str]) -> None:
        """Offer these formats, and `none` except in pyramid projects. Errors for others name suitable formats."""
        field = field_of(self, "format", forms.ChoiceField)
        is_pyramid_project = project.answers == Project.Answers.SCUS
        if is_pyramid_project and not self.initial.get("format"):
            self.initial["format"] = choices[0][0]
        field.choices = choices if is_pyramid_project else [none, *choices]
        field.required = is_pyramid_project or none == NO_FORMAT
        if self.format_key in FORMATS or self.format_key in PYRAMID_FORMATS:
            try:
                check_format(project, self.format_key)
            except forms.ValidationError as error:
                field.error_messages["invalid_choice"] = " ".join(error.messages)

    @property
    def format_key(self) -> str:
        """The key of the sent or initial format; it may be empty."""
        return str(self["format"].value() or "")

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """The option fields of the format, which the page reloads when the format changes."""
        return [self[name] for name in self.fields if name.startswith(OPTION_PREFIX)]

    @property
    def format_fields(self) -> list[forms.BoundField]:
        """The fields of some formats only. Their values are kept when the format changes."""
        return [self[name] for name in self.fields if name in self.format_dependent]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        """The fields of every format, except the format itself."""
        first_names = {"format", *self.format_dependent}
        return [self[name] for name in self.fields if name not in first_names and not name.startswith(OPTION_PREFIX)]

    def add_options(self, options: Iterable[Option]) -> None:
        """Add fields for the options of the format; the first choice is the default."""
        for option in options:
            if option.choices:
                field: forms.Field = OptionField(option)
            else:
                help_text = f"For example {option.example}. Optional."
                field = forms.CharField(
                    label=option.label, required=False, max_length=MAX_OPTION_LENGTH, help_text=help_text
                )
            self.fields[f"{OPTION_PREFIX}{option.key}"] = field

    @property
    def options(self) -> dict[str, str]:
        """The options that were sent; the format has defaults for the others."""
        return {
            name.removeprefix(OPTION_PREFIX): value
            for name, value in self.cleaned_data.items()
            if name.startswith(OPTION_PREFIX) and value
        }


class ImportForm(FormatForm):
    """A form of the files to import and the options of the import."""

    format_dependent = ("whose", "coder")
    WHOSE = [
        ("parent", "A folder per coder"),
        ("name", "Coder in the file name (walk.anna.conll)"),
        ("one", "One coder’s work"),
        ("nobody", "Texts only"),
    ]

    files = FilesField(  # type: ignore[assignment]
        help_text="Files of that format, or a zip of them with one folder per coder."
    )
    whose = forms.ChoiceField(label="Content of the files", choices=WHOSE, widget=forms.RadioSelect, initial="parent")
    coder = forms.CharField(required=False, max_length=150, help_text="Required for one coder’s work.")
    predefined = forms.BooleanField(
        required=False,
        label="Share the markables with all coders",
        help_text="Every coder gets them. Otherwise coders get only the markables of their own files.",
    )
    create = forms.BooleanField(
        required=False,
        label="Create missing accounts",
        help_text="New accounts have no password until you invite the person. People with an account must be invited.",
    )

    round = forms.ChoiceField(
        required=False,
        widget=BoundedSelect,
        help_text="Texts come into it. Else each keeps its latest round, and new ones get the open one.",
    )
    gold = forms.BooleanField(
        required=False,
        label="These are gold",
        help_text="What is right, for training: of a manager or adjudicator, with notes as explanations.",
    )
    new_scheme = forms.BooleanField(
        required=False,
        label="Create the scheme from the files",
        help_text="Levels, categories, attributes and relations as the files have them replace those of the project.",
    )

    def __init__(self, project: Project, *args: Any, stored: Sequence[str] = (), **kwargs: Any) -> None:
        """Create the form; files `stored` by an earlier upload need not be chosen again."""
        super().__init__(*args, **kwargs)
        formats = formats_of(project)
        self.set_formats(project, [(key, candidate.label) for key, candidate in formats.items()], DETECT_FORMAT)
        if stored:
            more = f" and {len(stored) - MAX_SHOWN} more" if len(stored) > MAX_SHOWN else ""
            shown = f"{', '.join(stored[:MAX_SHOWN])}{more}"
            self.fields["files"].required = False
            self.fields["files"].help_text = f"Uploaded: {shown}. Choose files to replace them."
        self.project = project
        if not project.texts.exists():
            self.fields["whose"].initial = "nobody"
        offered = [(round_.name, round_.name) for round_ in rounds_of(project) if not round_.is_closed]
        field_of(self, "round", forms.ChoiceField).choices = [("", "by text"), *offered]
        if len(offered) < 2 or self.format_key in PYRAMID_FORMATS:
            del self.fields["round"]
        if not self.data.get("gold") and not (may(project, Right.ADJUDICATE) and project.texts.exists()):
            del self.fields["gold"]
        if not self.data.get("new_scheme") and not may_create_scheme(project):
            del self.fields["new_scheme"]
        format_ = formats.get(self.format_key)
        if self.format_key in PYRAMID_FORMATS:
            del self.fields["predefined"]
            self.add_options([docset_option(project)])
        if format_ is not None and (format_.names_coders or (isinstance(format_, Format) and format_.texts_only)):
            del self.fields["whose"], self.fields["coder"]
        if format_ is not None:
            self.add_options(format_.options_read)
        self.order_fields(["format", *(field.name for field in self.option_fields), "whose", "coder"])

    @property
    def choices(self) -> dict[str, Any]:
        """The `choices` of `orders.order_import`."""
        fields = self.cleaned_data
        return {
            "coder_from": f"={fields['coder']}" if fields.get("whose") == "one" else fields.get("whose", ""),
            "predefined": fields.get("predefined", False),
            "create": fields["create"],
            "new_scheme": fields.get("new_scheme", False),
            "options": self.options,
            **({"round": fields["round"]} if fields.get("round") else {}),
            **({"gold": True} if fields.get("gold") else {}),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("whose") == "one" and not cleaned.get("coder"):
            self.add_error("coder", "Select the coder of these files.")
        if cleaned.get("gold") and not may(self.project, Right.ADJUDICATE):
            self.add_error("gold", "Gold is brought by managers who do not code.")
        if cleaned.get("gold") and cleaned.get("whose") == "nobody":
            self.add_error("gold", "Gold is of somebody who decides: choose whose the files are.")
        if cleaned.get("new_scheme") and not may_create_scheme(self.project):
            self.add_error("new_scheme", "A scheme can be made from files by a manager, in a project without texts.")
        return cleaned


class ExportForm(FormatForm):
    """The selection of codings to export, and the format."""

    format_dependent = ("gold", "unfinished", "rounds", "coders", "texts")
    gold = forms.ChoiceField(
        required=False,
        label="What to export",
        choices=[
            ("", "Codings of coders"),
            (GOLD, "Gold: closed, or all that was contested is decided"),
            (SILVER, "Silver: drafts of gold that are not decided yet"),
        ],
        widget=forms.RadioSelect,
        help_text="Gold and silver are of no coder, and in a folder of that name.",
    )
    unfinished = forms.BooleanField(
        required=False, label="Include unsubmitted codings", help_text="They may be incomplete."
    )
    rounds = forms.MultipleChoiceField(
        required=False,
        label="Only these rounds",
        widget=BoundedCheckboxes,
        help_text="None: all but training and rechecks. Of a text that a coder coded in several the latest counts.",
    )
    coders = ModelCheckboxField(
        User.objects.none(),
        required=False,
        label="Only these coders",
        to_field_name="username",
        widget=BoundedCheckboxes,
    )
    texts = ModelCheckboxField(
        Text.objects.none(), required=False, label="Only these texts", to_field_name="slug", widget=BoundedCheckboxes
    )

    def __init__(self, project: Project, *args: Any, archives: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        writable = [
            (key, format_.label)
            for key, format_ in formats_of(project).items()
            if not isinstance(format_, Format) or format_.write is not None
        ]
        self.set_formats(project, [*writable, *([(ARCHIVE, ARCHIVE_LABEL)] if archives else [])], NO_FORMAT)
        # models are named only to users who may see them
        codings = Coding.objects.of_coders() if may_see_models(project) else Coding.objects.of_people()
        coders = User.objects.filter(codings__in=codings.filter(text__project=project)).distinct()
        field_of(self, "coders", ModelCheckboxField).queryset = coders.order_by("username")
        field_of(self, "texts", ModelCheckboxField).queryset = Text.objects.filter(project=project).defer("content")
        offered = [(round_.name, round_.name) for round_ in rounds_of(project)]
        field_of(self, "rounds", forms.MultipleChoiceField).choices = offered
        if len(offered) < 2:
            del self.fields["rounds"]
        has_gold = may(project, Right.ADJUDICATE) and project.answers != Project.Answers.SCUS
        if not self.data.get("gold") and not has_gold:
            del self.fields["gold"]
        if self.format_key == ARCHIVE:
            for name in self.format_dependent:
                self.fields.pop(name, None)
        elif self.format_key in FORMATS:
            self.add_options(FORMATS[self.format_key].options_written)
        self.order_fields(["format", *(field.name for field in self.option_fields)])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        gold = cleaned.get("gold")
        if gold and not may(self.project, Right.ADJUDICATE):
            self.add_error("gold", "Gold is exported by managers who do not code, and by adjudicators.")
        elif gold:
            try:
                check_gold(self.project, gold, cleaned.get("coders", ()), unfinished=cleaned.get("unfinished", False))
            except forms.ValidationError as error:
                self.add_error(None, error)
        return cleaned

    @property
    def choices(self) -> dict[str, Any]:
        """The `choices` of `orders.order_export`: no coders or no texts means all."""
        if self.format_key == ARCHIVE:
            return {}
        fields = self.cleaned_data
        return {
            "coders": [coder.get_username() for coder in fields["coders"]],
            "texts": [text.slug for text in fields["texts"]],
            "unfinished": fields["unfinished"],
            "options": self.options,
            **({"rounds": fields["rounds"]} if fields.get("rounds") else {}),
            **({"gold": fields["gold"]} if fields.get("gold") else {}),
        }


class RestoreForm(forms.Form):
    """An archive of a project, and the slug of the project to be created from it."""

    file = forms.FileField(label="Archive", help_text="A zip exported as project archive.")
    slug = forms.CharField(
        required=False,
        max_length=KEY_LENGTH,
        label="Address",
        validators=[validate_slug],
        help_text="Lowercase letters, digits and hyphens. Leave empty to keep the original address.",
    )

    def clean_file(self) -> UploadedFile[Any]:
        file: UploadedFile[Any] = self.cleaned_data["file"]
        check_total_size([file], settings.ARCHIVE_MAX_BYTES, "ARCHIVE_MAX_BYTES")
        return file


type Row = tuple[forms.BoundField, Mapping[str, Any]]


class NamesForm(forms.Form):
    """A form that maps levels, categories, attributes and relations of the files to the project."""

    def __init__(self, project: Project, transfer: Transfer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        spec = read_scheme(project.pk).spec
        found, options = (transfer.report or {}).get("found") or {}, transfer.choices["options"]
        self.options = options
        self.found: dict[str, dict[str, Mapping[str, Any]]] = {
            LEVEL.key: {level["name"]: level for level in found.get("levels", ())},
            CATEGORY.key: {name["name"]: name for name in found.get("categories", ())},
            QUESTION.key: _by_name(found.get("questions", ())),
        }
        self.n_unlisted = found.get("n_unlisted", 0)
        levels = {level.key: level.label for level in spec.levels}
        categories = {category.key: category.label for category in spec.categories if not category.retired}
        relations = {link.key: link.label for link in spec.relations if not link.retired and not link.identity}
        attributes = {attribute.key: attribute.label for attribute in spec.attributes if not attribute.retired}
        here = {LEVEL.key: levels, CATEGORY.key: categories, QUESTION.key: relations | attributes}
        main = {LEVEL.key: spec.main_level}
        self.names = {option: _names_of(option, options, main.get(option, ""), here[option]) for option in here}
        self._add(LEVEL.key, levels, LEFT_OUT, spec.main_level)
        self._add(CATEGORY.key, categories, FOLLOWS, "")
        self._add_questions(relations, attributes)

    def _add(self, option: str, here: Mapping[str, str], none: tuple[str, str], only: str) -> None:
        """Add a field for each name of the files. only: the initial choice if there is a single, unknown name."""
        said, found = self.names[option], self.found[option]
        for number, name in enumerate(found):
            initial = said.get(name, name if name in here else said.get(OTHERS, ""))
            if not said and name not in here and len(found) == 1:
                initial = only
            self._add_choice(f"{option}-{number}", name, here, none, initial)

    def _add_questions(self, relations: Mapping[str, str], attributes: Mapping[str, str]) -> None:
        """Add a field for each attribute and relation of the files, with the project's questions as choices."""
        said = self.names[QUESTION.key]
        for number, (option, question) in enumerate(self.found[QUESTION.key].items()):
            here, name = relations if question["is_relation"] else attributes, question["name"]
            initial = next((said[key] for key in (option, name) if key in said), None)
            if initial is None:
                initial = KeysByName(here).find(name) or said.get(OTHERS, "")
            self._add_choice(f"{QUESTION.key}-{number}", name, here, LEFT_OUT, initial)

    def _add_choice(self, field: str, name: str, here: Mapping[str, str], none: tuple[str, str], initial: str) -> None:
        choices = [none, *((key, f"{label} ({key})" if label != key else key) for key, label in here.items())]
        self.fields[field] = forms.ChoiceField(label=name, choices=choices, required=False, initial=initial)

    @property
    def has_names(self) -> bool:
        return any(self.found.values())

    @property
    def rows(self) -> dict[str, list[Row]]:
        """The fields of levels, categories and questions, each with the details of its name in the files."""
        return {
            option: [(self[f"{option}-{number}"], name) for number, name in enumerate(found.values())]
            for option, found in self.found.items()
        }

    @property
    def mapped_options(self) -> dict[str, str]:
        """The options of the import with the chosen names; names that are not listed stay unchanged."""
        mapped = dict(self.options)
        for option, found in self.found.items():
            names = {name: self.cleaned_data[f"{option}-{number}"] for number, name in enumerate(found)}
            kept = {name: ours for name, ours in self.names[option].items() if name not in names}
            mapped[option] = format_names({**kept, **names})
        return {option: value for option, value in mapped.items() if value}


def _by_name(questions: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return attributes and relations by their names in the option of an import."""
    number = Counter(row["name"] for row in questions)
    return {
        with_kind(row["name"], is_relation=row["is_relation"]) if number[row["name"]] > 1 else row["name"]: row
        for row in questions
    }


def _names_of(option: str, options: Mapping[str, str], main: str, here: Mapping[str, str]) -> dict[str, str]:
    """Return the names in an option of the import; empty if it is invalid, which the report has shown."""
    try:
        return parse_names(option, options.get(option, ""), main, here)
    except ImportFailed:
        return {}
