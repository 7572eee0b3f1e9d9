"""The page on which the first account of an installation is made."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from annotations.projects.people.first_account import claim, is_good
from annotations.web.forms.members import JoinForm


@login_not_required
@never_cache
@sensitive_post_parameters("password1", "password2")
@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def first_account(request: HttpRequest, token: str) -> HttpResponse:
    """Make an account that may do everything, and sign in. The token in the address is the authorization."""
    form = JoinForm(request.POST or None)
    if not is_good(token):
        return _render(request, None, 404)
    if request.method != "POST" or not form.is_valid():
        return _render(request, form, 400 if form.errors else 200)
    if not claim(token):  # sent twice
        return _render(request, None, 404)
    user = form.save(commit=False)
    user.is_staff = user.is_superuser = True
    user.save()
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    messages.success(request, "Your account is made. You may start projects, and invite others to them.")
    return redirect("home")


def _render(request: HttpRequest, form: JoinForm | None, status: int) -> HttpResponse:
    response = render(request, "annotations/account/first_account.html", {"form": form}, status=status)
    response["Referrer-Policy"] = "strict-origin"  # it keeps the address from other sites
    return response
