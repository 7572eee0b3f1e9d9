"""The page to which an invitation leads."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from annotations import invitations
from annotations.forms import JoinForm
from annotations.models import User


@never_cache
@sensitive_post_parameters("password1", "password2")
@sensitive_variables("secret")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Join a project, with the account one has or a new one. The link itself is the right to be here."""
    found = invitations.invitation_of(secret)
    if found is None:
        return _answer(render(request, "annotations/invitation.html", {"invitation": None}, status=404))
    member = request.user if isinstance(request.user, User) else None
    form = None if member else JoinForm(request.POST or None)
    problem = ""
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            with transaction.atomic():
                user = member or form.save()  # type: ignore[union-attr]
                invitations.accept(found, user)
        except ValidationError as error:
            problem = " ".join(error.messages)
        except IntegrityError:  # a second click, or somebody else at the same time
            problem = "Somebody has this name already. If that was you a moment ago, sign in."
        else:
            if member is None:
                login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            messages.success(request, f"You are {found.get_role_display()} of {found.project} now.")
            return _answer(redirect("project", found.project.slug))
    context = {"invitation": found, "form": form, "problem": problem}
    return _answer(render(request, "annotations/invitation.html", context, status=400 if problem else 200))


def _answer(response: HttpResponse) -> HttpResponse:
    """The address is a secret: no page is told of it."""
    response["Referrer-Policy"] = "strict-origin"  # with no-referrer its form has no origin, and is refused
    return response
