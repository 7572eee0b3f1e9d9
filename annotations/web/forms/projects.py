"""The forms of the managers' pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.http import QueryDict

from annotations import actions
from annotations.actions import ROLES_THAT_CODE
from annotations.conditional import tag_of
from annotations.models import Level, Membership, Project, Text, Token, User
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


class Seen(forms.BaseForm):
    """A form that says what stood in it when it was opened, so that it undoes nobody's change without a word."""

    def remember(self, shown: Mapping[str, Any]) -> None:
        """What stands there now, read before anything that was sent is put in its place."""
        self.now = tag_of(shown)
        # Without an id: a page may have several such forms.
        self.fields["seen"] = forms.CharField(required=False, widget=forms.HiddenInput({"id": False}), initial=self.now)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        seen = cleaned.pop("seen", "")
        if seen and seen != self.now:
            data = cast(QueryDict, self.data).copy()
            data["seen"] = self.now
            self.data = data
            raise forms.ValidationError(
                "Somebody else has saved this since you opened it. Look at it in another tab; to put yours in its "
                "place, save again."
            )
        return cleaned


class OfProject(Seen, forms.ModelForm[Project]):
    """Some fields of a project."""

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data, instance=project)
        self.own = list(self.fields)
        self.remember({name: getattr(project, name) for name in self.own})

    def save(self, commit: bool = True) -> Project:
        """Write these fields and no others, which somebody else may be changing."""
        if commit:
            self.instance.save(update_fields=self.own)
        return self.instance


class AboutForm(OfProject):
    """What is said of a project, and whether its coders see the results."""

    class Meta:
        model = Project
        fields = ["title", "guidelines", "results_open"]
        widgets = {"guidelines": forms.Textarea(attrs={"rows": 8})}


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, help_text="The name with which the person signs in.")
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.CODER)

    def clean_username(self) -> User:
        user = User.objects.filter(username__iexact=self.cleaned_data["username"]).first()
        if user is None:
            raise forms.ValidationError("There is nobody with this name.")
        return user


class TokenForm(forms.Form):
    """A key of the API."""

    name = forms.CharField(max_length=100, help_text="What uses it, such as a notebook.")
    scope = forms.ChoiceField(label="It may", choices=Token.Scope)
    days = forms.ChoiceField(
        label="It ends after",
        choices=[("7", "a week"), ("30", "30 days"), ("90", "90 days"), ("365", "a year")],
        initial="90",
    )


class InvitationForm(forms.Form):
    """A link for one person into one role."""

    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.CODER)
    days = forms.ChoiceField(
        label="It ends after", choices=[("1", "a day"), ("7", "a week"), ("30", "30 days")], initial="7"
    )
    whom = forms.CharField(label="For whom", max_length=100, required=False, help_text="A note for yourselves.")


class JoinForm(UserCreationForm[User]):
    """A new account."""

    class Meta:
        model = User
        fields = ["username"]

    def clean_username(self) -> str:
        """Names are different in any case."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError("Somebody has this name already.")
        return username


class RowsField(forms.ModelMultipleChoiceField[Any]):
    """Some rows, each by a box to tick."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> Any:
        wrong = forms.ValidationError("There is no such row.", code="invalid_choice")
        if isinstance(value, list) and not all(_can_be_sought(str(one)) for one in value):
            raise wrong
        try:
            return super().clean(value)
        except OverflowError:
            raise wrong from None


def _can_be_sought(value: str) -> bool:
    """Whether databases take such text: PostgreSQL takes no NUL, and none takes half a character."""
    return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)


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


class MarkingForm(Seen, forms.Form):
    """Which levels coders mark themselves."""

    levels = RowsField(Level.objects.none(), required=False, label="Coders mark these themselves")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        levels = self.fields["levels"]
        assert isinstance(levels, forms.ModelMultipleChoiceField)
        levels.queryset = project.levels.filter(coded=True)
        levels.initial = [level.pk for level in levels.queryset if level.coders_mark]
        self.project = project
        self.remember({"levels": levels.initial})

    def save(self) -> None:
        """What coders marked already stays."""
        actions.let_coders_mark(self.project, self.cleaned_data["levels"])


class PyramidOptionsForm(OfProject):
    """What contributors may be together. What coders have said already stays."""

    class Meta:
        model = Project
        fields = ["one_contributor", "words_exclusive"]
