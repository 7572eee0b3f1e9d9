"""The forms of projects and their schemes."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.db import transaction
from django.http import QueryDict

from annotations.core.http.etags import etag_of
from annotations.models import Project, User
from annotations.models.project import DATASHEET_FIELDS, MAX_GUIDELINES, TITLE_LENGTH
from annotations.projects.guidelines import record_guidelines
from annotations.projects.locks import lock_project
from annotations.projects.viewing import record_open_results
from annotations.schemes.ready_made import STARTING_POINTS


class GuidelinesField(forms.CharField):
    def __init__(self) -> None:
        super().__init__(
            max_length=MAX_GUIDELINES,
            required=False,
            widget=forms.Textarea(attrs={"rows": 8}),
            help_text="Markdown. Each save that changes them is a version: coders see what changed.",
        )


class NameForm(forms.ModelForm[Project]):
    """The title and address of a new project."""

    class Meta:
        model = Project
        fields = ["title", "slug"]
        help_texts = {"slug": "Part of the address of the project: lowercase letters, digits and hyphens."}


class ProjectForm(NameForm):
    guidelines = GuidelinesField()

    scheme = forms.ChoiceField(
        choices=[(scheme.key, scheme.label) for scheme in STARTING_POINTS.values()],
        help_text="What coders are asked at first. You can change all of it on the page Scheme.",
    )

    coders_mark = forms.BooleanField(
        required=False,
        label="Coders create markables",
        help_text="In addition to those imported with the texts. You can change this later.",
    )

    field_order = ["title", "slug", "scheme", "coders_mark", "guidelines"]


class CloneForm(NameForm):
    """The title and address of a copy, and whether the texts are copied too."""

    texts = forms.BooleanField(
        required=False,
        label="Copy the texts too",
        help_text="With their markables, rounds and docsets; not what coders did.",
    )

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data, initial={"title": f"Copy of {project}"[:TITLE_LENGTH]})


class ExchangeSchemeForm(forms.Form):
    """The choice of another ready-made scheme for a project without texts."""

    scheme = forms.ChoiceField(choices=[(scheme.key, scheme.label) for scheme in STARTING_POINTS.values()])
    coders_mark = forms.BooleanField(required=False, label="Coders create markables")


class StaleFormMixin(forms.BaseForm):
    """A form that detects concurrent changes: it sends a tag of the state that it was opened with."""

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Set the current state. Call it before the sent values replace the state."""
        self.state_tag = etag_of(state)
        # Without an id: a page may have several such forms.
        self.fields["seen"] = forms.CharField(
            required=False, widget=forms.HiddenInput({"id": False}), initial=self.state_tag
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        sent_tag = cleaned.pop("seen", "")
        if sent_tag and sent_tag != self.state_tag:
            data = cast(QueryDict, self.data).copy()
            data["seen"] = self.state_tag
            self.data = data
            raise forms.ValidationError(
                "Somebody else has changed this since you opened it. Review the change in another tab, or save again "
                "to replace it."
            )
        return cleaned


class ProjectFieldsForm(StaleFormMixin, forms.ModelForm[Project]):
    """A form with some fields of a project."""

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data, instance=project)
        self.field_names = list(self.fields)
        self.set_state({name: getattr(project, name) for name in self.field_names})

    def save(self, commit: bool = True) -> Project:
        """Write only the fields of this form; others may be changed at the same time."""
        if commit:
            self.instance.save(update_fields=self.field_names)
        return self.instance


class AboutForm(ProjectFieldsForm):
    """The title and guidelines of a project, and whether its coders see the results."""

    guidelines = GuidelinesField()

    class Meta:
        model = Project
        fields = ["title", "guidelines", "results_open"]

    def save_as(self, author: User) -> None:
        """Write the fields, and a new version of the guidelines if they changed."""
        with transaction.atomic():
            lock_project(self.instance.pk)
            record_open_results(self.instance)
            self.save()
            record_guidelines(self.instance, author)


class PyramidOptionsForm(ProjectFieldsForm):
    """The options of pyramids; existing contributors stay."""

    class Meta:
        model = Project
        fields = ["one_contributor", "words_exclusive", "scores_shown"]


class DatasheetForm(ProjectFieldsForm):
    """The descriptive fields of the datasheet of a project."""

    class Meta:
        model = Project
        fields = DATASHEET_FIELDS
        widgets = {
            "description": forms.Textarea(attrs={"rows": 4}),
            "source": forms.Textarea(attrs={"rows": 4}),
            "citation": forms.Textarea(attrs={"rows": 3}),
        }
