"""The kinds of mails, which other modules register, and their links: absolute, and signed if necessary."""

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
    """The content of a mail. Line ends in a subject, as in a title from a user, become spaces."""

    subject: str
    body: str

    @classmethod
    def from_template(cls, template: str, subject: str, context: Mapping[str, Any]) -> Self:
        """Return the message with the text of a template of `templates/mail/`."""
        subject = one_line(subject)
        if len(subject) > SUBJECT_LENGTH:
            subject = f"{subject[: SUBJECT_LENGTH - 1]}…"
        return cls(subject, render_to_string(f"mail/{template}", dict(context)))


@dataclass(frozen=True, slots=True)
class MailKind:
    """A kind of mail; `compose` returns None if nothing is left to say. Kinds with a `label` are optional."""

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
    """Return the address of a page, on the site of the settings, as requests may name another host."""
    return f"{settings.SITE_URL}{path}"


def unsubscribe_link(user: User, kind: str) -> str:
    """Return the address for turning off mails of this kind."""
    return absolute(reverse("unsubscribe", args=[signing.dumps([user.pk, kind], salt=UNSUBSCRIBE_SALT)]))


def read_unsubscribe_token(token: str) -> tuple[User, str] | None:
    """Return the user and the kind of mail to turn off; None for a token with a bad signature."""
    try:
        pk, kind = signing.loads(token, salt=UNSUBSCRIBE_SALT)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return (user, kind) if user is not None else None


def confirm_link(user: User, address: str) -> str:
    """Return the address for confirming a mail address; it expires when another one is confirmed."""
    token = signing.dumps([user.pk, address, user.email], salt=CONFIRM_SALT)
    return absolute(reverse("confirm-mail", args=[token]))


def read_confirm_token(user: User, token: str) -> str:
    """Return the address that the user confirms; "" for a token of another user, or an expired one."""
    try:
        pk, address, former = signing.loads(token, salt=CONFIRM_SALT, max_age=CONFIRM_AGE)
    except signing.BadSignature:
        return ""
    return str(address) if (pk, former) == (user.pk, user.email) else ""
