"""The first account of an installation: made by a link that works once, and only while there is no account at all."""

import secrets
from datetime import timedelta

from django.core import signing
from django.core.cache import cache
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from annotations.models import User

SALT = "annotations.projects.people.first_account"
AGE = timedelta(days=1)
# Under this the shared cache has the secret of the link that works.
KEY = "first-account"


def make_link() -> str:
    """Return the path of the page on which the first account is made, "" if there is an account; end earlier links."""
    if User.objects.exists():
        return ""
    secret = secrets.token_urlsafe(16)
    cache.set(KEY, secret, AGE.total_seconds())
    return reverse("first-account", args=[signing.dumps(secret, salt=SALT)])


def is_good(token: str) -> bool:
    """Return whether the first account may be made by the link with this token."""
    try:
        secret = str(signing.loads(token, salt=SALT, max_age=AGE))
    except signing.BadSignature:
        return False
    return constant_time_compare(secret, cache.get(KEY, "")) and not User.objects.exists()


def claim(token: str) -> bool:
    """Let the link not work any more; return whether it did."""
    return is_good(token) and cache.delete(KEY)
