"""The pages of accounts: creation, API keys, passwords, mail settings, and links sent by mail."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required, login_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from annotations.mail.kinds import find_kind, optional_kinds, read_confirm_token, read_unsubscribe_token
from annotations.mail.queue import is_enabled
from annotations.models import Token, User
from annotations.projects.people import invitations
from annotations.projects.people.accounts import (
    change_address,
    finish_reset,
    member_tokens,
    record_origin,
    request_address,
    set_muted_mails,
    tell_of_password,
)
from annotations.projects.people.first_account import claim, is_good
from annotations.projects.people.forms import AddressForm, JoinForm, MailKindsForm, PasswordForm, TokenForm
from annotations.projects.people.tokens import create_token
from annotations.web.access import signed_in_user
from annotations.web.shared import page_of, refused_at

BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_not_required
@never_cache
@sensitive_post_parameters("password1", "password2")
@sensitive_variables("secret")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Let a user with or without an account accept an invitation. The secret in the address is the authorization."""
    row = invitations.find_invitation(secret)
    if row is None:
        return _show(request, "invitation", {"invitation": None}, 404)
    member = request.user if isinstance(request.user, User) else None
    form = None if member else JoinForm(request.POST or None)
    problem = ""
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            with transaction.atomic():
                user = member or form.save()  # type: ignore[union-attr]
                if member is None:
                    record_origin(row.project, user)
                invitations.accept(row, user)
        except ValidationError as error:
            problem = " ".join(error.messages)
        except IntegrityError:  # sent twice, or somebody else took the name at the same time
            problem = "This username is taken. If it is yours, sign in."
        else:
            if member is None:
                login(request, user, backend=BACKEND)
            messages.success(request, f"You joined “{row.project}” as {row.get_role_display()}.")
            return _hide_address(redirect("project", row.project.slug))
    context = {"invitation": row, "form": form, "problem": problem}
    return _show(request, "invitation", context, 400 if problem else 200)


@login_not_required
@never_cache
@sensitive_post_parameters("password1", "password2")
@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def first_account(request: HttpRequest, token: str) -> HttpResponse:
    """Create a superuser account and sign in. The token in the address is the authorization."""
    form = JoinForm(request.POST or None)
    if not is_good(token):
        return _show(request, "first_account", {"form": None}, 404)
    if not form.is_valid():
        return _show(request, "first_account", {"form": form}, 400 if form.errors else 200)
    if not claim(token):  # sent twice
        return _show(request, "first_account", {"form": None}, 404)
    user = form.save(commit=False)
    user.is_staff = user.is_superuser = True
    user.save()
    login(request, user, backend=BACKEND)
    messages.success(request, "Your account is made. You may start projects, and invite others to them.")
    return redirect("home")


def _show(request: HttpRequest, page: str, context: dict[str, Any], status: int) -> HttpResponse:
    return _hide_address(render(request, f"annotations/account/{page}.html", context, status=status))


def _hide_address(response: HttpResponse) -> HttpResponse:
    """Keep the secret address from other sites."""
    response["Referrer-Policy"] = "strict-origin"  # no-referrer would remove the origin, and the form be refused
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def account(request: HttpRequest) -> HttpResponse:
    """Show the user's API keys and a form for a new key; its secret is shown once, in the response that creates it."""
    form, secret = TokenForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        _, secret = create_token(signed_in_user(request), **form.cleaned_data)
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
        """Return the arguments of the form, with the request, for which attempts are counted."""
        return super().get_form_kwargs() | {"request": self.request}

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        """Set the password and notify its owner by mail; API keys stay valid."""
        response = super().form_valid(form)
        user = signed_in_user(self.request)
        tell_of_password(user)
        keys = " Your API keys stay: revoke those that somebody else may know." if user.tokens.exists() else ""
        messages.success(self.request, f"Your password is changed.{keys}")
        return response


class ResetPasswordView(PasswordResetConfirmView):
    """Set a new password from a link sent by mail."""

    template_name = "registration/reset_password.html"
    success_url = reverse_lazy("sign_in")

    def form_valid(self, form: SetPasswordForm[Any]) -> HttpResponse:
        """Set the password, end all sessions and API keys of the account, and redirect to the sign-in."""
        response = super().form_valid(form)
        finish_reset(form.user)
        messages.success(self.request, "Your password is set. Sign in with it.")
        return response


class MemberPasswordView(ResetPasswordView):
    """Set a new password from a link that a manager made."""

    token_generator = member_tokens


def with_mail(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let a view answer 404 if the site has no mail server."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_enabled():
            raise Http404
        return view(request, *args, **kwargs)

    return wrapped


@login_not_required  # without mail the answer is 404, not the sign-in page
@with_mail
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password")
def mail(request: HttpRequest) -> HttpResponse:
    """Show and change the user's mail address and the kinds of mail sent to it."""
    user = signed_in_user(request)
    form = AddressForm(user, request, request.POST if "address" in request.POST else None)
    kinds_form = MailKindsForm(optional_kinds(), user.muted_mails, request.POST if "kinds" in request.POST else None)
    if "remove" in request.POST:
        change_address(user, "")
        messages.success(request, "Your address is removed: no mails are sent to you.")
        return redirect("account-mail")
    if form.is_bound and form.is_valid():
        address = form.cleaned_data["address"]
        with refused_at(form, "address"):
            request_address(user, address)
            messages.success(request, f"A link is sent to {address}: open it to confirm the address.")
            return redirect("account-mail")
    if kinds_form.is_bound and kinds_form.is_valid():
        set_muted_mails(user, kinds_form.muted)
        messages.success(request, "Saved.")
        return redirect("account-mail")
    context = {"form": form, "kinds_form": kinds_form, "address": user.email if user.email_confirmed_at else ""}
    return render(request, "annotations/account/mail.html", context, status=400 if form.errors else 200)


@login_not_required
@with_mail
@never_cache
@login_required
@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Let the user confirm the address to which the link was sent."""
    user = signed_in_user(request)
    address = read_confirm_token(user, token)
    if address and request.method == "POST":
        change_address(user, address)
        messages.success(request, f"Mails are sent to {address} from now on.")
        return redirect("account-mail")
    status = 200 if address else 404
    return render(request, "annotations/account/confirm_mail.html", {"address": address}, status=status)


@login_not_required
@csrf_exempt
@with_mail
@never_cache
@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Turn off a kind of mail. The signature in the address is the authorization."""
    # Mail programs and providers send the form for their users (RFC 8058), without a CSRF token.
    owner_and_kind = read_unsubscribe_token(token)
    kind = find_kind(owner_and_kind[1]) if owner_and_kind else None
    is_off = False
    if owner_and_kind and kind and request.method == "POST":
        user, key = owner_and_kind
        set_muted_mails(user, [*user.muted_mails, key])
        is_off = True
    context = {"kind": kind, "is_off": is_off}
    return render(request, "annotations/account/unsubscribe.html", context, status=200 if kind else 404)
