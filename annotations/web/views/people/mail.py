"""The pages of mails: the user's address and what is sent to it, and the links of mails."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required, login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from annotations.mail.kinds import find_kind, optional_kinds
from annotations.mail.links import read_confirm_token, read_unsubscribe_token
from annotations.mail.queue import is_enabled
from annotations.projects.people.accounts import change_address, request_address, set_muted_mails
from annotations.web.forms.members import AddressForm, MailKindsForm
from annotations.web.views import signed_in_user


def with_mail(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let there be no such page where the site has no mail server."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_enabled():
            raise Http404
        return view(request, *args, **kwargs)

    return wrapped


@login_not_required  # where there is no mail, there is no such page
@with_mail
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password")
def mail(request: HttpRequest) -> HttpResponse:
    """Show the user's address and which mails are sent to it; change either."""
    user = signed_in_user(request)
    form = AddressForm(user, request, request.POST if "address" in request.POST else None)
    kinds_form = MailKindsForm(optional_kinds(), user.muted_mails, request.POST if "kinds" in request.POST else None)
    if "remove" in request.POST:
        change_address(user, "")
        messages.success(request, "Your address is removed: no mails are sent to you.")
        return redirect("account-mail")
    if form.is_bound and form.is_valid():
        try:
            request_address(user, form.cleaned_data["address"])
        except ValidationError as error:
            form.add_error("address", error)
        else:
            address = form.cleaned_data["address"]
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
    """Turn off a kind of mails. The signature in the address is the authorization.

    Mail programs and providers send the form for their users (RFC 8058): they have no token of a page.
    """
    found = read_unsubscribe_token(token)
    kind = find_kind(found[1]) if found else None
    is_off = False
    if found and kind and request.method == "POST":
        user, key = found
        set_muted_mails(user, [*user.muted_mails, key])
        is_off = True
    context = {"kind": kind, "is_off": is_off}
    return render(request, "annotations/account/unsubscribe.html", context, status=200 if kind else 404)
