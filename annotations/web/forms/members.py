"""The forms of members, invitations, accounts and API keys."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm, UserCreationForm
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from annotations.models import Membership, Token, User
from annotations.models.invitation import MAX_USES
from annotations.projects.invitations import MOST_AT_ONCE


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, help_text="The username with which the person signs in.")
    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.CODER)

    def clean_username(self) -> User:
        user = User.objects.filter(username__iexact=self.cleaned_data["username"]).first()
        if user is None:
            raise forms.ValidationError("No user has this username.")
        return user


class TokenForm(forms.Form):
    """A new API key."""

    name = forms.CharField(max_length=100, help_text="What the key is for, such as a notebook.")
    scope = forms.ChoiceField(label="Scope", choices=Token.Scope)
    days = forms.ChoiceField(
        label="Expires in",
        choices=[("7", "1 week"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year")],
        initial="90",
    )


class InvitationForm(forms.Form):
    """Invitations into one role: a link for each name, or one for a group."""

    whom = forms.CharField(
        label="For whom",
        max_length=MOST_AT_ONCE * 101,
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=f"One name a line: each gets a link. Up to {MOST_AT_ONCE}. Names are notes for the managers.",
    )

    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.CODER)
    days = forms.ChoiceField(
        label="Expires in", choices=[("1", "1 day"), ("7", "1 week"), ("30", "30 days")], initial="7"
    )
    max_uses = forms.IntegerField(
        label="Uses of a link",
        min_value=1,
        max_value=MAX_USES,
        initial=1,
        required=False,
        help_text="More than 1: a link for a group of coders or viewers, until so many have joined.",
    )

    def clean_whom(self) -> list[str]:
        """Return the names, [""] for none. Raise ValidationError if there are too many or one is too long."""
        names = [line.strip() for line in self.cleaned_data["whom"].splitlines() if line.strip()]
        if len(names) > MOST_AT_ONCE:
            raise forms.ValidationError(f"{len(names)} names: create up to {MOST_AT_ONCE} links at once.")
        if too_long := next((name for name in names if len(name) > 100), None):
            raise forms.ValidationError(f"“{too_long[:20]}…” has more than 100 characters.")
        return names or [""]

    def clean_max_uses(self) -> int:
        return self.cleaned_data["max_uses"] or 1


class JoinForm(UserCreationForm[User]):
    """A new account."""

    class Meta:
        model = User
        fields = ["username"]

    def clean_username(self) -> str:
        """Return the username. Raise ValidationError if it exists in any case."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError("This username is taken.")
        return username


class PasswordForm(PasswordChangeForm):
    """A new password. The old one is checked as at sign-in, so that it can be guessed no more often than there."""

    def __init__(self, user: User, request: HttpRequest, **options: Any) -> None:
        self.request = request
        super().__init__(user, **options)

    @sensitive_variables("old_password")
    def clean_old_password(self) -> str:
        """Return the old password. Raise ValidationError if it is wrong, or was wrong too often."""
        old_password: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.user.get_username(), password=old_password) != self.user:
            raise forms.ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return old_password
