"""The page on which people sign in, and its bounds.

Checking a password is slow on purpose. django-axes bounds the failures of one name from one address; here is a bound of
the failures of an address that holds for made-up names too. How many are checked at the same time: config/hashers.py.
"""

from __future__ import annotations

import math
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotations.core.limits import Limit
from config.clients import client_network

FAILURES = Limit("sign-in failures", seconds=15 * 60)


class SignInForm(AuthenticationForm):
    """Name and password; `is_checked` where the password was compared with that of the name."""

    is_checked = False

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name and password:
            # A name that failed too often is refused without a look at the password.
            self.is_checked = AxesProxyHandler.is_allowed(self.request, {"username": name})
        return super().clean()


class SignInView(LoginView):
    """Sign in with name and password."""

    template_name = "registration/sign_in.html"
    authentication_form = SignInForm

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if FAILURES.told(client_network(request)) >= settings.SIGN_IN_FAILURES_OF_ADDRESS:
            response = render(request, "registration/locked.html", status=429)
            response["Retry-After"] = str(math.ceil(FAILURES.seconds_left()))
            return response
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if isinstance(form, SignInForm) and form.is_checked:
            FAILURES.use(client_network(self.request))
        return super().form_invalid(form)
