"""The links of mails: absolute, and signed where who has the mail needs no password for them."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.urls import reverse

from annotations.models import User

UNSUBSCRIBE_SALT = "annotations.mail.unsubscribe"
CONFIRM_SALT = "annotations.mail.confirm"
CONFIRM_AGE = timedelta(days=3)


def absolute(path: str) -> str:
    """Return the address of a page. The site is that of the settings, whatever a request calls it."""
    return f"{settings.SITE_URL}{path}"


def unsubscribe_link(user: User, kind: str) -> str:
    """Return the address at which mails of this kind are turned off."""
    token = signing.dumps([user.pk, kind], salt=UNSUBSCRIBE_SALT)
    return absolute(reverse("unsubscribe", args=[token]))


def read_unsubscribe_token(token: str) -> tuple[User, str] | None:
    """Return who does not want which kind of mails; None for a token that we did not sign."""
    try:
        pk, kind = signing.loads(token, salt=UNSUBSCRIBE_SALT)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return (user, kind) if user is not None else None


def confirm_link(user: User, address: str) -> str:
    """Return the address at which the user confirms a mail address. It ends when another one is confirmed."""
    token = signing.dumps([user.pk, address, user.email], salt=CONFIRM_SALT)
    return absolute(reverse("confirm-mail", args=[token]))


def read_confirm_token(user: User, token: str) -> str:
    """Return the address that the user confirms; "" for a token of somebody else, or that is over."""
    try:
        pk, address, before = signing.loads(token, salt=CONFIRM_SALT, max_age=CONFIRM_AGE)
    except signing.BadSignature:
        return ""
    return str(address) if (pk, before) == (user.pk, user.email) else ""
