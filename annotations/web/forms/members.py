"""The forms of members, invitations, accounts and API keys."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm, UserCreationForm
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from annotations.models import Membership, Token, User


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
    """An invitation of one person into one role."""

    role = forms.ChoiceField(choices=Membership.Role, initial=Membership.Role.CODER)
    days = forms.ChoiceField(
        label="Expires in", choices=[("1", "1 day"), ("7", "1 week"), ("30", "30 days")], initial="7"
    )
    whom = forms.CharField(
        label="For whom", max_length=100, required=False, help_text="A note for the managers of the project."
    )


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
