"""The forms of docsets: summaries, pasted or from files, assignments, and the agreed pyramid."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.text import slugify

from annotations.coding.decisions import OperationRejected
from annotations.core.http.fields import BoundedModelCheckboxes
from annotations.docsets.agreed_pyramid import reassign_agreed_pyramid, start_agreed_pyramid, submitted_pyramids
from annotations.docsets.creation import (
    MAX_SUMMARIES,
    SUMMARY_NAME_LENGTH,
    add_named_peer,
    create_docset,
    create_docset_from_text,
)
from annotations.docsets.forms import DocsetForm, PeerForm, SummaryForm
from annotations.formats import Bundle, FormatError, ducview
from annotations.formats.model.encodings import decode
from annotations.formats.model.format import stem
from annotations.models import Coding, Docset, Membership, Project, Text, User
from annotations.models.docset import DOCSET_SLUG_LENGTH
from annotations.planning.work.assignments import assign_docset
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.transfers.forms import FilesField
from annotations.web.shared import refused_at

MIN_ROWS = 4
FILE_FIELDS = ("boundary",)  # values of files that can be invalid although the form has no such field


class SummaryRowsForm[Owner, Saved](ABC):
    """A form with rows of summaries, which keeps its values when a row is added or files are read into rows."""

    # Its buttons send `do`: "save", "more" (add an empty row) or "read". Uploaded files are always read into rows
    # first, which are shown before anything is saved.

    head: type[forms.Form]
    row: type[SummaryForm]

    def __init__(
        self, data: QueryDict | None = None, files: MultiValueDict[str, UploadedFile[Any]] | None = None
    ) -> None:
        self.row_formset = forms.formset_factory(
            self.row, extra=0, max_num=MAX_SUMMARIES, validate_max=True, absolute_max=MAX_SUMMARIES
        )
        self.form = self.head(data, files)
        self.rows: Any = self.row_formset(data, prefix="rows", initial=None if data is not None else [{}] * MIN_ROWS)

    @classmethod
    def answer(cls, request: HttpRequest, owner: Owner) -> tuple[Self, Saved | None]:
        """Return the form to show and the saved object; the object is None if the form is to be shown."""
        if request.method != "POST":
            return cls(), None
        form = cls(request.POST, request.FILES)
        if request.POST.get("do") == "more" and not request.FILES:  # the form need not be valid for this
            return form.refilled(request.POST), None
        if form.form.is_valid() & form.rows.is_valid():
            try:
                if form.reads_files:
                    read = [form.read_file(file.name or "", file.read()) for file in form.uploads]
                    return form.refilled(request.POST, read), None
                return form, form.save(owner)
            except FormatError as error:
                form.form.add_error("files", str(error))
            except ValidationError as error:
                form.add_error(error)
        return form, None

    @property
    def status(self) -> int:
        """The status of the page: 400 if it shows a form with errors."""
        return 400 if self.form.is_bound else 200

    @property
    def uploads(self) -> list[UploadedFile[Any]]:
        return self.form.cleaned_data.get("files") or []

    @property
    def reads_files(self) -> bool:
        """Whether the uploaded files become rows."""
        return bool(self.uploads)

    @property
    def filled_rows(self) -> list[SummaryForm]:
        return [row for row in self.rows.forms if row.is_filled]

    def refilled(self, data: QueryDict, read: Sequence[Mapping[str, str]] = ()) -> Self:
        """Return an unbound form with the sent values, the rows of files and empty rows. Raise ValidationError."""
        form = type(self)()
        form.form = self.head(initial={name: data.get(name, "") for name in self.form.fields})
        names = list(self.row.base_fields)
        rows = [{name: data.get(f"rows-{number}-{name}", "") for name in names} for number in range(_row_count(data))]
        all_rows = [*(row for row in rows if any(value.strip() for value in row.values())), *read]
        if len(all_rows) > MAX_SUMMARIES:
            message = f"These are {len(all_rows)} summaries; at most {MAX_SUMMARIES} can be added at once."
            raise ValidationError({"files": message})
        empty_rows: list[dict[str, str]] = [{}] * max(MIN_ROWS - len(all_rows), 0 if read else 1)
        form.rows = self.row_formset(prefix="rows", initial=[*all_rows, *empty_rows][:MAX_SUMMARIES])
        return form

    def read_file(self, name: str, data: bytes) -> dict[str, str]:
        """Return the row that a file fills. Raise FormatError."""
        return {"name": stem(name)[:SUMMARY_NAME_LENGTH], "content": decode(data, name)}

    @abstractmethod
    def save(self, owner: Owner) -> Saved | None:
        """Save the rows; return None if rows have errors. Raise ValidationError by field."""

    def add_error(self, error: ValidationError) -> None:
        """Add the error to its field, or to the form if it has no such field."""
        messages_by_field = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
        for name, messages in messages_by_field.items():
            if name in self.form.fields:
                self.form.add_error(name, messages)
            else:
                start = f"{name.capitalize()}: " if name in FILE_FIELDS else ""
                self.form.add_error(None, [f"{start}{message}" for message in messages])


def _row_count(data: QueryDict) -> int:
    number = data.get("rows-TOTAL_FORMS", "")
    return min(int(number), MAX_SUMMARIES) if number.isascii() and number.isdigit() and len(number) < 4 else 0


class NewDocsetForm(DocsetForm):
    files = FilesField(  # type: ignore[assignment]
        required=False,
        help_text="Text files, one summary each; shown here before anything is created. Or one pyramid "
        "of DUCView (.pyr), whose summaries become the docset at once; its SCUs come in by an import.",
    )


class NewDocset(SummaryRowsForm[Project, Docset]):
    """A new docset: its title, and a row for each model summary."""

    head, row = NewDocsetForm, SummaryForm

    @property
    def is_pyramid(self) -> bool:
        return any((file.name or "").lower().endswith(ducview.PYRAMID_SUFFIX) for file in self.uploads)

    @property
    def reads_files(self) -> bool:
        return super().reads_files and not self.is_pyramid

    def save(self, owner: Project) -> Docset:
        """Create the docset. Raise ValidationError by field, and FormatError."""
        title, slug = self.form.cleaned_data["title"], self.form.cleaned_data["slug"]
        pyramid = None
        if self.is_pyramid:
            if len(self.uploads) > 1 or self.filled_rows:
                message = "A pyramid of DUCView holds all summaries of a docset; choose it alone."
                raise ValidationError({"files": message})
            [file] = self.uploads
            pyramid = ducview.read_pyramid(Bundle.of(file.name or "", file.read()))
            title = title or stem(pyramid.file)
        elif not title:
            raise ValidationError({"title": "Enter the subject of the summaries."})
        slug = slug or slugify(title)[:DOCSET_SLUG_LENGTH].strip("-_")
        if not slug:
            raise ValidationError({"slug": "No address can be derived from the title; enter one."})
        if pyramid is not None:
            return create_docset_from_text(owner, slug, title, pyramid.text, pyramid.boundary, pyramid.summaries)
        summaries = [(row.cleaned_data["name"], row.cleaned_data["content"]) for row in self.filled_rows]
        return create_docset(owner, slug, title, summaries)


class PeersFilesForm(forms.Form):
    files = FilesField(  # type: ignore[assignment]
        required=False,
        help_text="Text files, a peer each, or peers of DUCView (.pan), whose contributors come in by an import. "
        "They are shown here before they are added. NAME.SYSTEM.txt says which system wrote it.",
    )


class NewPeers(SummaryRowsForm[Docset, list[Text]]):
    """Peer summaries of a docset, one per row."""

    head, row = PeersFilesForm, PeerForm

    def read_file(self, name: str, data: bytes) -> dict[str, str]:
        if name.lower().endswith(ducview.PEER_SUFFIX):
            content = ducview.read_peer(Bundle.of(name, data)).text
        else:
            content = decode(data, name)
        name_stem, _, system = stem(name).rpartition(".")
        system = system[:100] if name_stem else ""
        return {"name": stem(name)[:SUMMARY_NAME_LENGTH], "system": system, "content": content}

    def save(self, owner: Docset) -> list[Text] | None:
        """Add all peers or none; errors are added to their rows. Raise ValidationError if there are no rows."""
        rows = self.filled_rows
        if not rows:
            raise ValidationError("Paste a peer summary, or choose files.")
        peers: list[Text] = []
        with transaction.atomic():
            for row in rows:
                fields = row.cleaned_data
                with refused_at(row, "name"):
                    peers.append(add_named_peer(owner, fields["name"], fields["content"], fields["system"]))
            if len(peers) < len(rows):
                transaction.set_rollback(True)
                return None
        return peers


class DocsetAssignForm(forms.Form):
    """The assignment of a docset's pyramid and peers to coders."""

    OWN, AGREED = "own", "agreed"

    coders = BoundedModelCheckboxes("username")
    pyramid = forms.BooleanField(
        required=False,
        initial=True,
        label="Own pyramid",
        help_text="Each coder builds a pyramid from the model summaries of this docset.",
    )
    peers = BoundedModelCheckboxes("slug", required=False, label="Peer summaries")
    all_peers = forms.BooleanField(required=False, label="All peer summaries")
    against = forms.ChoiceField(
        required=False,
        label="Annotate peers with",
        choices=[(OWN, "the coder's own pyramid"), (AGREED, "the agreed pyramid")],
        widget=forms.RadioSelect,
        initial=OWN,
    )

    def __init__(self, docset: Docset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.docset = docset
        self.peer_texts = docset.texts.filter(role=Text.Role.PEER).defer("content")
        coders, peers = (cast(BoundedModelCheckboxes, self.fields[name]) for name in ("coders", "peers"))
        coders.choose_from(members_in_roles(docset.project, CODING_ROLES))
        peers.choose_from(self.peer_texts)
        if not self.peer_texts.exists():
            del self.fields["peers"], self.fields["against"]
        if not peers.is_bounded:
            del self.fields["all_peers"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("all_peers"):
            cleaned["peers"] = self.peer_texts
        if not cleaned.get("pyramid") and not cleaned.get("peers") and not self.errors:
            raise forms.ValidationError("Select the pyramid, peers, or both.")
        return cleaned

    def save(self) -> int:
        """Assign the texts and return the number of new codings. Raise ValidationError; then nothing is assigned."""
        fields = self.cleaned_data
        return assign_docset(
            self.docset,
            fields["coders"],
            pyramid=fields["pyramid"],
            peers=fields.get("peers") or (),
            agreed=fields.get("against") == self.AGREED,
        )


class ModelRadioField(forms.ModelChoiceField[Any]):
    """A choice of one row by radio buttons."""

    widget = forms.RadioSelect

    def __init__(self, rows: QuerySet[Any], **kwargs: Any) -> None:
        super().__init__(rows, empty_label=None, **kwargs)

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError:
            raise forms.ValidationError("No such row.", code="invalid_choice") from None


class CoderRadioField(ModelRadioField):
    def label_from_instance(self, obj: Coding) -> str:
        assert obj.coder is not None
        return obj.coder.get_username()


class StartAgreedForm(forms.Form):
    """The choice of the pyramid to start the agreed one from; managers also choose the adjudicator."""

    def __init__(self, docset: Docset, by: User | None, *args: Any, **kwargs: Any) -> None:
        """Create the form for the adjudicator `by`; if None, a manager chooses the adjudicator."""
        super().__init__(*args, **kwargs)
        self.docset, self.by = docset, by
        submitted = submitted_pyramids(docset).select_related("coder", "text")
        self.fields["start"] = CoderRadioField(submitted, label="Start with the pyramid of")
        if by is None:
            adjudicators = members_in_roles(docset.project, (Membership.Role.ADJUDICATOR,))
            self.fields["adjudicator"] = ModelRadioField(adjudicators)

    def save(self) -> Coding:
        """Start the agreed pyramid and return it. Raise ValidationError."""
        adjudicator = self.by or self.cleaned_data["adjudicator"]
        try:
            return start_agreed_pyramid(self.docset, adjudicator, self.cleaned_data["start"])
        except OperationRejected as rejection:
            raise ValidationError(str(rejection)) from None


class ReassignAgreedForm(forms.Form):
    """The choice of another adjudicator for the agreed pyramid."""

    def __init__(self, docset: Docset, agreed: Coding, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.docset = docset
        adjudicators = members_in_roles(docset.project, (Membership.Role.ADJUDICATOR,))
        self.fields["adjudicator"] = ModelRadioField(adjudicators.exclude(pk=agreed.coder_id))

    def save(self) -> Coding:
        """Reassign the agreed pyramid and return it. Raise ValidationError."""
        return reassign_agreed_pyramid(self.docset, self.cleaned_data["adjudicator"])
