"""The kinds of mails. Whoever knows what a kind says registers it when the application is ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from annotations.core.text import one_line
from annotations.models import Mail

SUBJECT_LENGTH = 150


@dataclass(frozen=True, slots=True)
class Message:
    """What a mail says. Line ends in a subject, as in a title that somebody gave, are spaces."""

    subject: str
    body: str

    @classmethod
    def from_template(cls, template: str, subject: str, context: Mapping[str, Any]) -> Message:
        """Return the message whose words are in a template of `templates/mail/`."""
        subject = one_line(subject)
        if len(subject) > SUBJECT_LENGTH:
            subject = f"{subject[: SUBJECT_LENGTH - 1]}…"
        return cls(subject, render_to_string(f"mail/{template}", dict(context)))


@dataclass(frozen=True, slots=True)
class MailKind:
    """A kind of mail: its key, and what composes one, or returns None where there is nothing more to say.

    Who does not want a kind turns it off by its `label`; one without can only be asked for.
    """

    key: str
    compose: Callable[[Mail], Message | None]
    label: str = ""


_kinds: dict[str, MailKind] = {}


def register_kind(kind: MailKind) -> None:
    """Add a kind of mail."""
    _kinds[kind.key] = kind


def find_kind(key: str) -> MailKind | None:
    """Return the kind with this key."""
    return _kinds.get(key)


def optional_kinds() -> list[MailKind]:
    """Return the kinds that can be turned off."""
    return [kind for kind in _kinds.values() if kind.label]
