"""The forms of members, invitations, accounts and API keys."""

from collections.abc import Collection, Sequence
from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm, UserCreationForm
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from annotations.core.http.fields import field_of
from annotations.mail.kinds import MailKind
from annotations.mail.queue import is_enabled
from annotations.models import Membership, ModelCoder, Project, Token, User
from annotations.models.people.user import ADDRESS_LENGTH
from annotations.models.project import MAX_USES, check_group
from annotations.projects.people.invitations import MAX_AT_ONCE
from annotations.projects.people.members import find_person, members_shown
from annotations.projects.people.model_coders import GROUP


def group_field(**options: Any) -> forms.CharField:
    """Return the field of a group of coders: a suggested group, another label, or empty for none."""
    widget = forms.TextInput({"list": "groups", "autocomplete": "off"})
    length = Membership.GROUP_LENGTH
    return forms.CharField(max_length=length, required=False, validators=[check_group], widget=widget, **options)


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, help_text="The username with which the person signs in.")
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.CODER)

    def clean_username(self) -> User:
        user = find_person(self.cleaned_data["username"])
        if user is None:
            raise forms.ValidationError("No user has this username.")
        return user


class GroupForm(forms.Form):
    members = forms.ModelMultipleChoiceField(
        Membership.objects.none(), error_messages={"required": "Tick the people first."}
    )
    group = group_field(
        label="Group of those ticked",
        help_text="Expert, naive, crowd, model, or a label of your own; empty for none. Results are compared by it.",
    )

    def __init__(self, project: Project, data: Any = None) -> None:
        super().__init__(data, auto_id="group_%s")
        field_of(self, "members", forms.ModelMultipleChoiceField).queryset = members_shown(project)


class ModelForm(forms.ModelForm[ModelCoder]):
    """A model that codes, with its description."""

    name = forms.CharField(max_length=150, help_text="A name that no account has, such as gpt-4.1-zero-shot.")
    group = group_field(initial=GROUP, help_text="Results are compared by groups of coders.")

    class Meta:
        model = ModelCoder
        fields = ["version", "hash", "date"]
        widgets = {"date": forms.DateInput({"type": "date"})}

    field_order = ["name", *Meta.fields, "group"]


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="What the key is for, such as a notebook.")
    scope = forms.ChoiceField(label="Scope", choices=Token.Scope)
    days = forms.TypedChoiceField(
        label="Expires in",
        coerce=int,
        choices=[("7", "1 week"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year")],
        initial="90",
    )


@sensitive_variables("password")
def is_password_of(user: User, password: str, request: HttpRequest) -> bool:
    """Return whether this is the user's password, with the same limit on guesses as at sign-in."""
    return authenticate(request, username=user.get_username(), password=password) == user


class AddressForm(forms.Form):
    """An address for mails, once confirmed. It can reset the password, so changing it needs the password."""

    address = forms.EmailField(
        label="E-mail address", max_length=ADDRESS_LENGTH, help_text="A link is sent there, by which you confirm it."
    )
    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
        help_text="By the address your password can be set anew.",
    )

    def __init__(self, user: User, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data)
        self.user, self.request = user, request

    @sensitive_variables("password")
    def clean_password(self) -> str:
        """Return the password. Raise ValidationError if it is wrong, or was wrong too often."""
        password: str = self.cleaned_data["password"]
        if not is_password_of(self.user, password, self.request):
            raise forms.ValidationError("This is not your password.")
        return password


class MailKindsForm(forms.Form):
    def __init__(self, kinds: Sequence[MailKind], muted: Collection[str], data: Any = None) -> None:
        super().__init__(data)
        self.kinds = kinds
        for kind in kinds:
            self.fields[kind.key] = forms.BooleanField(label=kind.label, required=False, initial=kind.key not in muted)

    @property
    def muted(self) -> list[str]:
        return [kind.key for kind in self.kinds if not self.cleaned_data[kind.key]]


class ForgottenPasswordForm(forms.Form):
    address = forms.EmailField(
        label="E-mail address", max_length=ADDRESS_LENGTH, help_text="The one that you confirmed on your account page."
    )


class InvitationForm(forms.Form):
    """Invitations into one role: links by name, a link for a group, or, with a mail server, links sent by mail."""

    whom = forms.CharField(
        label="For whom",
        max_length=MAX_AT_ONCE * 101,
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=f"One name a line: each gets a link. Up to {MAX_AT_ONCE}. Names are notes for the managers.",
    )

    addresses = forms.CharField(
        label="By e-mail to",
        max_length=MAX_AT_ONCE * 255,
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=f"One address a line: each is sent a link of its own, which works once. Up to {MAX_AT_ONCE}.",
    )
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.CODER)
    days = forms.TypedChoiceField(
        label="Expires in", coerce=int, choices=[("1", "1 day"), ("7", "1 week"), ("30", "30 days")], initial="7"
    )
    max_uses = forms.IntegerField(
        label="Uses of a link",
        min_value=1,
        max_value=MAX_USES,
        initial=1,
        required=False,
        help_text="More than 1: a link for a group of coders or viewers, until so many have joined.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_enabled():
            del self.fields["addresses"]

    def clean_addresses(self) -> list[str]:
        addresses = list(dict.fromkeys(self.cleaned_data["addresses"].replace(",", " ").split()))
        if len(addresses) > MAX_AT_ONCE:
            raise forms.ValidationError(f"{len(addresses)} addresses: invite up to {MAX_AT_ONCE} at once.")
        for address in addresses:
            try:
                forms.EmailField(max_length=ADDRESS_LENGTH).clean(address)
            except forms.ValidationError:
                raise forms.ValidationError(f"“{address[:60]}” is not an e-mail address.") from None
        return addresses

    def clean(self) -> dict[str, Any]:
        """With addresses, remove the empty name, and reject several uses."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("addresses"):
            if cleaned.get("max_uses", 1) > 1:
                self.add_error("max_uses", "A link that is sent by e-mail is for one person.")
            if cleaned.get("whom") == [""]:
                cleaned["whom"] = []
        return cleaned

    def clean_whom(self) -> list[str]:
        """Return the names, [""] for none. Raise ValidationError if there are too many or one is too long."""
        names = [line.strip() for line in self.cleaned_data["whom"].splitlines() if line.strip()]
        if len(names) > MAX_AT_ONCE:
            raise forms.ValidationError(f"{len(names)} names: create up to {MAX_AT_ONCE} links at once.")
        if too_long := next((name for name in names if len(name) > 100), None):
            raise forms.ValidationError(f"“{too_long[:20]}…” has more than 100 characters.")
        return names or [""]

    def clean_max_uses(self) -> int:
        return self.cleaned_data["max_uses"] or 1


class JoinForm(UserCreationForm[User]):
    class Meta:
        model = User
        fields = ["username"]

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError("This username is taken.")
        return username


class PasswordForm(PasswordChangeForm):
    """A new password, replacing the old one."""

    def __init__(self, user: User, request: HttpRequest, **options: Any) -> None:
        super().__init__(user, **options)
        self.request = request

    @sensitive_variables("old_password")
    def clean_old_password(self) -> str:
        """Return the old password. Raise ValidationError if it is wrong, or was wrong too often."""
        old_password: str = self.cleaned_data["old_password"]
        if not is_password_of(self.user, old_password, self.request):
            raise forms.ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return old_password
