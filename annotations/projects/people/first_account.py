"""The first account of an installation: created by a link that works once, while there is no account."""

import secrets
from datetime import timedelta

from django.core import signing
from django.core.cache import cache
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from annotations.models import User

SALT = "annotations.projects.people.first_account"
AGE = timedelta(days=1)
# The key of the valid link's secret in the shared cache.
KEY = "first-account"


def make_link() -> str:
    """Return the path of the page for the first account, "" if there is an account; invalidate earlier links."""
    if User.objects.exists():
        return ""
    secret = secrets.token_urlsafe(16)
    cache.set(KEY, secret, AGE.total_seconds())
    return reverse("first-account", args=[signing.dumps(secret, salt=SALT)])


def is_good(token: str) -> bool:
    """Return whether the token may create the first account."""
    try:
        secret = str(signing.loads(token, salt=SALT, max_age=AGE))
    except signing.BadSignature:
        return False
    return constant_time_compare(secret, cache.get(KEY, "")) and not User.objects.exists()


def claim(token: str) -> bool:
    """Invalidate the link; return whether it was valid."""
    return is_good(token) and cache.delete(KEY)
