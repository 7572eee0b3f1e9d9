"""The pages on which people code and projects are run."""

from typing import cast

from django.http import HttpRequest

from annotations.models import User


def person(request: HttpRequest) -> User:
    """Who is signed in, on a page that asks for it."""
    return cast(User, request.user)
