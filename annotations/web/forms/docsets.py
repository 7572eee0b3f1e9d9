"""The forms of docsets: summaries by paste or from files, who codes them, and the agreed pyramid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.text import slugify

from annotations import actions, docsets
from annotations.actions import ROLES_THAT_CODE
from annotations.formats import Bundle, FormatError, ducview
from annotations.formats.document import decode
from annotations.formats.format import stem
from annotations.formats.pyramid import Pyramid
from annotations.forms import RowsField
from annotations.models import Coding, Docset, Membership, Project, Text, User
from annotations.models.pyramid import DOCSET_SLUG_LENGTH
from annotations.transfer_forms import FilesField

FEWEST_ROWS, MOST_ROWS = 4, 100
LONGEST_NAME = 50
# What a file may say wrongly and no field asks for.
OF_FILES = ("boundary",)


class SummaryForm(forms.Form):
    """A summary that is pasted."""

    name = forms.CharField(required=False, max_length=LONGEST_NAME)
    content = forms.CharField(
        required=False, strip=False, label="Summary", widget=forms.Textarea(attrs={"rows": 4, "class": "reading-field"})
    )

    @property
    def filled(self) -> bool:
        """Whether there is more in it than white space and a name."""
        return bool(self.cleaned_data.get("content", "").strip())

    def clean_content(self) -> str:
        """Browsers send line ends as two characters."""
        content: str = self.cleaned_data["content"]
        return content.replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("name") and not cleaned.get("content", "").strip():
            self.add_error("content", "Paste the summary, or empty its name.")
        return cleaned


class PeerForm(SummaryForm):
    system = forms.CharField(required=False, max_length=100, help_text="What wrote it; empty: it is not told.")

    field_order = ["name", "system", "content"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("content", "").strip() and not cleaned.get("name") and not self.errors:
            self.add_error("name", "Give it a name.")
        return cleaned


class Rows:
    """A form with rows of summaries. What is typed stays, whether a row is added or files are read into rows.

    Buttons send `do`: "save", "more" (one empty row more) or "read"; files that come along are always read into rows
    first, to be looked at before anything is saved.
    """

    head: type[forms.Form]
    row: type[SummaryForm]

    def __init__(
        self, data: QueryDict | None = None, files: MultiValueDict[str, UploadedFile[Any]] | None = None, **kwargs: Any
    ) -> None:
        self.rows_of = forms.formset_factory(
            self.row, extra=0, max_num=MOST_ROWS, validate_max=True, absolute_max=MOST_ROWS
        )
        self.form = self.head(data, files, **kwargs)
        self.rows = self.rows_of(data, prefix="rows", initial=None if data is not None else [{}] * FEWEST_ROWS)

    @staticmethod
    def asks_for_row(request: HttpRequest) -> bool:
        """Whether nothing is asked for but an empty row: then nothing that was typed has to be right."""
        return request.POST.get("do") == "more" and not request.FILES

    def is_valid(self) -> bool:
        return self.form.is_valid() & self.rows.is_valid()

    @property
    def uploaded(self) -> list[UploadedFile[Any]]:
        return self.form.cleaned_data.get("files") or []

    @property
    def filled(self) -> list[SummaryForm]:
        return [row for row in self.rows.forms if row.filled]

    def shown_again(self, data: QueryDict, read: Sequence[Mapping[str, str]] = (), **more: Any) -> Rows:
        """The form with what was typed, what was read from files, and an empty row; nothing is called wrong yet.

        Raises ValidationError where that is too much for one form.
        """
        again = type(self)(**more)
        again.form = self.head(initial={name: data.get(name, "") for name in self.form.fields}, **more)
        names = list(self.row.base_fields)
        typed = [{name: data.get(f"rows-{number}-{name}", "") for name in names} for number in range(_rows_in(data))]
        typed = [row for row in typed if any(value.strip() for value in row.values())]
        filled = [*typed, *read]
        if len(filled) > MOST_ROWS:
            raise ValidationError({"files": f"These are {len(filled)} summaries; at most {MOST_ROWS} go at a time."})
        empty: list[dict[str, str]] = [{}] * max(FEWEST_ROWS - len(filled), 0 if read else 1)
        again.rows = self.rows_of(prefix="rows", initial=[*filled, *empty][:MOST_ROWS])
        return again

    def read(self) -> list[dict[str, str]]:
        """The rows that the files give. Raises ValidationError with the file that cannot be read."""
        return [self.read_file(file.name or "", file.read()) for file in self.uploaded]

    def read_file(self, name: str, data: bytes) -> dict[str, str]:
        return {"name": stem(name)[:LONGEST_NAME], "content": _decoded(name, data)}

    def tell(self, error: ValidationError) -> None:
        """Say what is wrong at its field where the form has that."""
        for name, messages in _by_field(error).items():
            for message in messages:
                if name in self.form.fields:
                    self.form.add_error(name, message)
                else:
                    self.form.add_error(None, f"{name.capitalize()}: {message}" if name in OF_FILES else message)


def _rows_in(data: QueryDict) -> int:
    number = data.get("rows-TOTAL_FORMS", "")
    return min(int(number), MOST_ROWS) if number.isascii() and number.isdigit() and len(number) < 4 else 0


def _by_field(error: ValidationError) -> dict[str, list[str]]:
    return error.message_dict if hasattr(error, "error_dict") else {"": error.messages}


def _decoded(name: str, data: bytes) -> str:
    try:
        return decode(data, name)
    except FormatError as error:
        raise ValidationError({"files": str(error)}) from None


class NewDocsetForm(forms.Form):
    title = forms.CharField(required=False, max_length=200, help_text="What the summaries are about.")
    slug = forms.SlugField(
        required=False,
        max_length=DOCSET_SLUG_LENGTH,
        label="Address",
        help_text="Small letters, digits and hyphens; empty: made of the title.",
    )
    files = FilesField(  # type: ignore[assignment]
        required=False,
        help_text="Text files, a summary each: you see them here before anything is made. Or one pyramid of DUCView "
        "(.pyr), whose summaries become the docset at once; its SCUs come in by an import.",
    )


class NewDocset(Rows):
    """A new docset: its title, and a row for each model summary."""

    head, row = NewDocsetForm, SummaryForm
    rows: Any

    @property
    def pyramid(self) -> bool:
        """Whether what was uploaded is a pyramid of DUCView."""
        return any((file.name or "").lower().endswith(ducview.PYRAMID_SUFFIX) for file in self.uploaded)

    def save(self, project: Project) -> Docset:
        """Make the docset. Raises ValidationError by field."""
        title, slug = self.form.cleaned_data["title"], self.form.cleaned_data["slug"]
        if self.pyramid:
            held = self._held()
            title = title or stem(held.file)
            return docsets.docset_of(project, _address(slug, title), title, held.text, held.boundary, held.summaries)
        if not title:
            raise ValidationError({"title": "Say what the summaries are about."})
        summaries = [(row.cleaned_data["name"], row.cleaned_data["content"]) for row in self.filled]
        return docsets.create_docset(project, _address(slug, title), title, summaries)

    def _held(self) -> Pyramid:
        if len(self.uploaded) > 1 or self.filled:
            raise ValidationError({"files": "A pyramid of DUCView holds all summaries of a docset; choose it alone."})
        [file] = self.uploaded
        try:
            return ducview.read_pyramid(Bundle.of(file.name or "", file.read()))
        except FormatError as error:
            raise ValidationError({"files": str(error)}) from None


def _address(slug: str, title: str) -> str:
    made = slug or slugify(title)[:DOCSET_SLUG_LENGTH].strip("-_")
    if not made:
        raise ValidationError({"slug": "No address can be made of the title; give one."})
    return made


class PeersFilesForm(forms.Form):
    files = FilesField(  # type: ignore[assignment]
        required=False,
        help_text="Text files, a peer each, or peers of DUCView (.pan), whose contributors come in by an import. "
        "You see them here before they are added. NAME.SYSTEM.txt says which system wrote it.",
    )


class NewPeers(Rows):
    """Peer summaries of a docset, a row each."""

    head, row = PeersFilesForm, PeerForm
    rows: Any

    def read_file(self, name: str, data: bytes) -> dict[str, str]:
        if name.lower().endswith(ducview.PEER_SUFFIX):
            try:
                content = ducview.read_peer(Bundle.of(name, data)).text
            except FormatError as error:
                raise ValidationError({"files": str(error)}) from None
        else:
            content = _decoded(name, data)
        called, _, system = stem(name).rpartition(".")
        return {"name": stem(name)[:LONGEST_NAME], "system": system[:100] if called else "", "content": content}

    def save(self, docset: Docset) -> list[Text]:
        """Add all of them, or none: then the rows say what is wrong. Raises ValidationError where there is no row."""
        if not self.filled:
            raise ValidationError("Paste a peer summary, or choose files.")
        made: list[Text] = []
        with transaction.atomic():
            for row in self.filled:
                fields = row.cleaned_data
                try:
                    made.append(docsets.add_named_peer(docset, fields["name"], fields["content"], fields["system"]))
                except ValidationError as error:
                    for name, messages in _by_field(error).items():
                        row.add_error(name if name in row.fields else "name", messages)
            if self.rows_wrong:
                transaction.set_rollback(True)
        return [] if self.rows_wrong else made

    @property
    def rows_wrong(self) -> bool:
        return any(row.errors for row in self.rows.forms)


class DocsetAssignForm(forms.Form):
    """Who makes a pyramid of a docset, and who holds which peers against what."""

    OWN, AGREED = "own", "agreed"

    coders = RowsField(User.objects.none())
    pyramid = forms.BooleanField(
        required=False, initial=True, label="A pyramid of their own", help_text="Of the model summaries of this docset."
    )
    peers = RowsField(Text.objects.none(), required=False, label="Peer summaries")
    against = forms.ChoiceField(
        required=False,
        label="Hold the peers against",
        choices=[(OWN, "the coder's own pyramid"), (AGREED, "the agreed pyramid")],
        widget=forms.RadioSelect,
        initial=OWN,
    )

    def __init__(self, docset: Docset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.docset = docset
        _choose(self.fields["coders"], people(docset.project, ROLES_THAT_CODE))
        peers = docset.texts.filter(role=Text.Role.PEER).defer("content")
        if peers.exists():
            _choose(self.fields["peers"], peers)
        else:
            del self.fields["peers"], self.fields["against"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("pyramid") and not cleaned.get("peers") and not self.errors:
            raise forms.ValidationError("Choose what they get: the pyramid, peers, or both.")
        return cleaned

    def save(self) -> int:
        """Assign; what coders have stays. How many codings are new. Raises ValidationError, and then nothing is."""
        fields = self.cleaned_data
        return assign(
            self.docset,
            fields["coders"],
            pyramid=fields["pyramid"],
            peers=fields.get("peers") or (),
            agreed=fields.get("against") == self.AGREED,
        )


@transaction.atomic
def assign(docset: Docset, coders: Iterable[User], *, pyramid: bool, peers: Iterable[Text], agreed: bool) -> int:
    """Give coders the pyramid, and peers to hold against it or the agreed one. How many codings are new.

    Raises ValidationError as those do.
    """
    docsets.lock(docset)
    coders, peers, new = list(coders), list(peers), 0
    if pyramid:
        pyramids = Coding.objects.filter(text__docset=docset, kind=Coding.Kind.PYRAMID)
        # What is new in this docset is counted, which nobody else can change now.
        new -= pyramids.count()
        actions.assign(docset.project, docset.texts.filter(role=Text.Role.MODELS), coders)
        new += pyramids.count()
    if peers and not agreed:
        own = Coding.objects.filter(text__docset=docset, kind=Coding.Kind.PYRAMID).values_list("coder", flat=True)
        for coder in coders:
            if coder.pk not in set(own):
                raise ValidationError(f"{coder} has no pyramid of {docset} to hold peers against; give them one too.")
    if peers:
        new += docsets.assign_peers(docset, peers, coders, agreed=agreed)
    return new


class RowField(forms.ModelChoiceField[Any]):
    """One row, by a button to choose it."""

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError:
            raise forms.ValidationError("There is no such row.", code="invalid_choice") from None


class StartAgreedForm(forms.Form):
    """With whose pyramid the agreed one begins, and who makes it; an adjudicator makes it themself."""

    start = RowField(
        Coding.objects.none(), label="Begin with the pyramid of", widget=forms.RadioSelect, empty_label=None
    )
    adjudicator = RowField(User.objects.none(), widget=forms.RadioSelect, empty_label=None)

    def __init__(self, docset: Docset, by: User | None, *args: Any, **kwargs: Any) -> None:
        """by: the adjudicator who asks; None where a manager chooses one."""
        super().__init__(*args, **kwargs)
        self.docset, self.by = docset, by
        handed_in = Coding.objects.filter(
            text__docset=docset, kind=Coding.Kind.PYRAMID, status=Coding.Status.SUBMITTED
        ).select_related("coder", "text")
        _choose(self.fields["start"], handed_in, lambda coding: coding.coder.get_username())
        if by is not None:
            del self.fields["adjudicator"]
        else:
            _choose(self.fields["adjudicator"], people(docset.project, (Membership.Role.ADJUDICATOR,)))

    def save(self) -> Coding:
        """Raises ValidationError as docsets.start_agreed does."""
        adjudicator = self.by or self.cleaned_data["adjudicator"]
        return docsets.start_agreed(self.docset, adjudicator, self.cleaned_data["start"])


class HandAgreedForm(forms.Form):
    """Which adjudicator goes on with the agreed pyramid."""

    adjudicator = RowField(User.objects.none(), widget=forms.RadioSelect, empty_label=None)

    def __init__(self, agreed: Coding, docset: Docset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.docset = docset
        others = people(docset.project, (Membership.Role.ADJUDICATOR,)).exclude(pk=agreed.coder_id)
        _choose(self.fields["adjudicator"], others)

    def save(self) -> Coding:
        """Raises ValidationError as docsets.hand_agreed_to does."""
        return docsets.hand_agreed_to(self.docset, self.cleaned_data["adjudicator"])


def people(project: Project, roles: Iterable[str]) -> Any:
    """The members in those roles by name."""
    return User.objects.filter(memberships__project=project, memberships__role__in=roles).order_by("username")


def _choose(field: forms.Field, rows: Any, label: Callable[[Any], str] | None = None) -> None:
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = rows
    if label is not None:
        field.label_from_instance = label  # type: ignore[method-assign, assignment]
