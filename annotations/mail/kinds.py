"""The kinds of mails, registered by whoever knows what they say, and their links: absolute, signed if need be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

from django.conf import settings
from django.core import signing
from django.template.loader import render_to_string
from django.urls import reverse

from annotations.core.text import one_line
from annotations.models import Mail, User

SUBJECT_LENGTH = 150
UNSUBSCRIBE_SALT = "annotations.mail.unsubscribe"
CONFIRM_SALT = "annotations.mail.confirm"
CONFIRM_AGE = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class Message:
    """What a mail says. Line ends in a subject, as in a title that somebody gave, are spaces."""

    subject: str
    body: str

    @classmethod
    def from_template(cls, template: str, subject: str, context: Mapping[str, Any]) -> Self:
        """Return the message whose words are in a template of `templates/mail/`."""
        subject = one_line(subject)
        if len(subject) > SUBJECT_LENGTH:
            subject = f"{subject[: SUBJECT_LENGTH - 1]}…"
        return cls(subject, render_to_string(f"mail/{template}", dict(context)))


@dataclass(frozen=True, slots=True)
class MailKind:
    """A kind of mail; `compose` returns None where nothing is left to say. Only one with a `label` is optional."""

    key: str
    compose: Callable[[Mail], Message | None]
    label: str = ""


_kinds: dict[str, MailKind] = {}


def register_kind(kind: MailKind) -> None:
    _kinds[kind.key] = kind


def find_kind(key: str) -> MailKind | None:
    return _kinds.get(key)


def optional_kinds() -> list[MailKind]:
    """Return the kinds that can be turned off."""
    return [kind for kind in _kinds.values() if kind.label]


def absolute(path: str) -> str:
    """Return the address of a page. The site is that of the settings, whatever a request calls it."""
    return f"{settings.SITE_URL}{path}"


def unsubscribe_link(user: User, kind: str) -> str:
    """Return the address at which mails of this kind are turned off."""
    return absolute(reverse("unsubscribe", args=[signing.dumps([user.pk, kind], salt=UNSUBSCRIBE_SALT)]))


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
