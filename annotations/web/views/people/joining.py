"""The pages on which accounts are made: by an invitation, and the first account of an installation."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from annotations.models import User
from annotations.projects.people import invitations
from annotations.projects.people.accounts import record_origin
from annotations.projects.people.first_account import claim, is_good
from annotations.projects.people.forms import JoinForm

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
    """Make an account that may do everything, and sign in. The token in the address is the authorization."""
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
    response["Referrer-Policy"] = "strict-origin"  # with no-referrer the form has no origin, and is refused
    return response
