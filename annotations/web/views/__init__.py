"""The pages."""

from typing import cast

from django.http import HttpRequest

from annotations.models import User


def signed_in_user(request: HttpRequest) -> User:
    """Return the signed-in user, on pages that require one."""
    return cast(User, request.user)
