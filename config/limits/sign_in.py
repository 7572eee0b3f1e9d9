"""The sign-in page, with limits on failures by address and on successes by name."""

# django-axes limits failures by name and address; config/limits/hashers.py limits concurrent checks.

from __future__ import annotations

import hashlib
import math
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotations.core.http.limits import Limit
from annotations.mail.queue import is_enabled
from annotations.models import User
from annotations.projects.people.accounts import request_password_reset
from annotations.projects.people.forms import ForgottenPasswordForm
from annotations.web.views.accounts import with_mail
from config.errors import too_many_requests
from config.limits.clients import client_network

# Mails to reset a password that a client's address may request in an hour.
RESET_REQUESTS, MAX_RESET_REQUESTS = Limit("reset requests", seconds=3600), 20
FAILURES = Limit("sign-in failures", seconds=15 * 60)
SUCCESSES = Limit("sign-ins", seconds=15 * 60)


class SignInForm(AuthenticationForm):
    """Name and password; `is_checked` if the password was compared."""

    is_checked = False

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name and password:
            # A name with too many failures is rejected without checking the password.
            self.is_checked = AxesProxyHandler.is_allowed(self.request, {"username": name})
        return super().clean()


class SignInView(LoginView):
    template_name = "registration/sign_in.html"
    authentication_form = SignInForm

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        more = {"has_mail": is_enabled(), "has_accounts": User.objects.exists()}
        return super().get_context_data(**context) | more

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if FAILURES.told(client_network(request)) >= settings.SIGN_IN_FAILURES_OF_ADDRESS:
            limit = FAILURES
        elif SUCCESSES.told(_name_and_network(request)) >= settings.SIGN_INS_OF_NAME:
            limit = SUCCESSES
        else:
            return super().post(request, *args, **kwargs)
        response = render(request, "registration/locked.html", {"is_known": limit is SUCCESSES}, status=429)
        response["Retry-After"] = str(math.ceil(limit.seconds_left()))
        return response

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        SUCCESSES.use(_name_and_network(self.request))
        return super().form_valid(form)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if isinstance(form, SignInForm) and form.is_checked:
            FAILURES.use(client_network(self.request))
        return super().form_invalid(form)


def _name_and_network(request: HttpRequest) -> str:
    """Return a digest of the submitted name and the network, as tables of counts hold no names."""
    name = request.POST.get("username", "").strip().lower()
    return hashlib.sha256(f"{name} {client_network(request)}".encode()).hexdigest()[:32]


@login_not_required
@with_mail
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten_password(request: HttpRequest) -> HttpResponse:
    """Send a link to reset the password. The response does not disclose whether the address is known."""
    form = ForgottenPasswordForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        if RESET_REQUESTS.use(client_network(request)) > MAX_RESET_REQUESTS:
            return too_many_requests(request, RESET_REQUESTS.seconds_left())
        request_password_reset(form.cleaned_data["address"])
        messages.success(request, "If an account has this address, a link to set another password is sent there.")
        return redirect("sign_in")
    status = 400 if form.errors else 200
    return render(request, "registration/forgotten_password.html", {"form": form}, status=status)
