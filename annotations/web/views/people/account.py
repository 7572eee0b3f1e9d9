"""The page of a user's own account, with its API keys."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from annotations.mail.queue import is_enabled
from annotations.models import Token
from annotations.projects.people.accounts import finish_reset, member_tokens, tell_of_password
from annotations.projects.people.forms import PasswordForm, TokenForm
from annotations.projects.people.tokens import create_token
from annotations.web.paging import page_of
from annotations.web.views import signed_in_user


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def account(request: HttpRequest) -> HttpResponse:
    """Show the user's API keys and a form for a new one, which is shown once, in the response that creates it."""
    form, secret = TokenForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        _, secret = create_token(signed_in_user(request), fields["name"], fields["scope"], int(fields["days"]))
        form = TokenForm()
    tokens = page_of(request, Token.objects.filter(user=signed_in_user(request)))
    context = {
        "form": form,
        "secret": secret,
        "tokens": tokens,
        "now": timezone.now(),
        "has_mail": is_enabled(),
        "confirmed": signed_in_user(request).email_confirmed_at is not None,
    }
    return render(request, "annotations/account/account.html", context)


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete an API key of the user."""
    token = get_object_or_404(Token, user=signed_in_user(request), pk=pk)
    token.delete()
    messages.success(request, f"Key “{token}” revoked.")
    return redirect("account")


class PasswordView(PasswordChangeView):
    """Change the user's own password."""

    template_name = "registration/change_password.html"
    success_url = reverse_lazy("account")
    form_class = PasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        """Return the arguments of the form, with the request in which attempts are counted."""
        return super().get_form_kwargs() | {"request": self.request}

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Set the password, and tell its owner by mail; API keys stay."""
        response = super().form_valid(form)
        user = signed_in_user(self.request)
        tell_of_password(user)
        keys = " Your API keys stay: revoke those that somebody else may know." if user.tokens.exists() else ""
        messages.success(self.request, f"Your password is changed.{keys}")
        return response


class ResetPasswordView(PasswordResetConfirmView):
    """Set another password, by the link of a mail."""

    template_name = "registration/reset_password.html"
    success_url = reverse_lazy("sign_in")

    def form_valid(self, form: SetPasswordForm[Any]) -> HttpResponse:
        """Set the password, which ends all sessions and API keys of the account, and ask to sign in with it."""
        response = super().form_valid(form)
        finish_reset(form.user)
        messages.success(self.request, "Your password is set. Sign in with it.")
        return response


class MemberPasswordView(ResetPasswordView):
    """Set another password, by a link that a manager made."""

    token_generator = member_tokens
