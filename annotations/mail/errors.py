"""Mails to the site's staff about errors of the server."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from annotations.core.http.limits import Limit
from annotations.mail.kinds import MailKind, Message, register_kind
from annotations.mail.queue import queue
from annotations.models import Mail

ERRORS, MOST_ERRORS = Limit("error mails", seconds=3600), 10


def queue_error(message: str, error: str, request_id: str) -> None:
    """Tell ADMINS of an error, by a line of the log and the name of the exception; at most ten an hour."""
    if ERRORS.use("all") > MOST_ERRORS:
        return
    time = timezone.localtime().isoformat(timespec="seconds")
    for address in settings.ADMINS:
        queue("error", address=address, message=message[:500], error=error, request_id=request_id, time=time)


def _compose(mail: Mail) -> Message:
    return Message.from_template("error.txt", f"Error on the server: {mail.context['error']}", mail.context)


def register_kinds() -> None:
    """Register the mails about errors."""
    register_kind(MailKind("error", _compose))
