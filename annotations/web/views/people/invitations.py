"""The page of an invitation."""

from __future__ import annotations

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
from annotations.web.forms.members import JoinForm


@login_not_required
@never_cache
@sensitive_post_parameters("password1", "password2")
@sensitive_variables("secret")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Let a user with or without an account accept an invitation. The secret in the address is the authorization."""
    invitation_row = invitations.find_invitation(secret)
    if invitation_row is None:
        return _with_referrer_policy(
            render(request, "annotations/account/invitation.html", {"invitation": None}, status=404)
        )
    member = request.user if isinstance(request.user, User) else None
    form = None if member else JoinForm(request.POST or None)
    problem = ""
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            with transaction.atomic():
                user = member or form.save()  # type: ignore[union-attr]
                if member is None:
                    record_origin(invitation_row.project, user)
                invitations.accept(invitation_row, user)
        except ValidationError as error:
            problem = " ".join(error.messages)
        except IntegrityError:  # sent twice, or somebody else took the name at the same time
            problem = "This username is taken. If it is yours, sign in."
        else:
            if member is None:
                login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            messages.success(request, f"You joined “{invitation_row.project}” as {invitation_row.get_role_display()}.")
            return _with_referrer_policy(redirect("project", invitation_row.project.slug))
    context = {"invitation": invitation_row, "form": form, "problem": problem}
    return _with_referrer_policy(
        render(request, "annotations/account/invitation.html", context, status=400 if problem else 200)
    )


def _with_referrer_policy(response: HttpResponse) -> HttpResponse:
    """Return the response with a policy that keeps the secret address from other sites."""
    response["Referrer-Policy"] = "strict-origin"  # with no-referrer the form has no origin, and is refused
    return response
