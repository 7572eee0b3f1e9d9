"""Send due mails between the worker's tasks: each is claimed first, and has one Message-ID for all tries."""

import hashlib
import logging
import time
from datetime import timedelta
from smtplib import SMTPDataError, SMTPException, SMTPNotSupportedError, SMTPRecipientsRefused
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, mailers
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Case, F, When
from django.utils import timezone

from annotations.core.processes.heartbeat import beat
from annotations.mail.kinds import find_kind, optional_kinds, unsubscribe_link
from annotations.mail.queue import is_enabled, wants
from annotations.models import Mail

logger = logging.getLogger(__name__)

MAX_AT_ONCE = 200
# The limit of seconds for sending, as imports and exports wait meanwhile.
MAX_SECONDS = 10.0
# The delay after each failed try; after the last one the mail is given up.
DELAYS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
SECONDS_AFTER_FAILURE = 60.0  # so that an unreachable server blocks the worker for little time
# Older mails, as after a time without worker, are dropped: their links or news are out of date.
OLDEST = timedelta(days=3)
SERVER_ERRORS = (SMTPException, OSError)
# Problems of a single mail, such as its address; Django raises ValueError for invalid headers.
REFUSALS = (SMTPRecipientsRefused, SMTPDataError, SMTPNotSupportedError, ValueError)
# The reply code of a server that is closing.
CLOSING = 421


class Delivery:
    """The sender of mails of one worker."""

    def __init__(self) -> None:
        self._not_before = float("-inf")

    def send_due(self) -> int:
        """Send the mails that are due, up to a limit; return the number sent."""
        if not is_enabled() or time.monotonic() < self._not_before:
            return 0
        due = Mail.objects.filter(state=Mail.State.WAITING, next_try_at__lte=timezone.now())
        can_wait = Case(When(kind__in=[kind.key for kind in optional_kinds()], then=1), default=0)
        mails = list(due.select_related("user").order_by(can_wait, "next_try_at", "pk")[:MAX_AT_ONCE])
        if not mails:
            return 0
        connection, n_sent, end = mailers.default, 0, time.monotonic() + MAX_SECONDS
        try:
            for mail in mails:
                if time.monotonic() > end:
                    break
                beat()
                n_sent += _claim(mail) and _send(mail, connection)
        except SERVER_ERRORS as error:
            self._not_before = time.monotonic() + SECONDS_AFTER_FAILURE
            logger.warning("A mail could not be sent, it is tried again later: %s", type(error).__name__)
        finally:
            connection.close()
        return n_sent


def _claim(mail: Mail) -> bool:
    """Count a try and postpone the next one. Return False if another worker has the mail, or tries are used up."""
    now = timezone.now()
    row = Mail.objects.filter(pk=mail.pk, state=Mail.State.WAITING, next_try_at__lte=now, tries=mail.tries)
    if mail.tries >= len(DELAYS):
        if row.update(state=Mail.State.FAILED, finished_at=now):
            logger.error("The mail %s (%s) is given up after %d tries.", mail.pk, mail.kind, mail.tries)
        return False
    if not row.update(tries=F("tries") + 1, next_try_at=now + DELAYS[mail.tries]):
        return False
    mail.refresh_from_db(fields=["context", "tries"])  # more texts may have been added
    return True


def _send(mail: Mail, connection: BaseEmailBackend) -> bool:
    """Send the mail. Return False if it has no content or address any more, or if it is refused."""
    try:
        message = _compose(mail)
    except Exception:
        # A mail that cannot be composed does not block the others; it is retried like any other.
        logger.exception("The mail %s (%s) could not be composed.", mail.pk, mail.kind)
        return False
    if message is None and mail.user is None:
        mail.delete()  # an address that somebody entered is deleted if nothing is sent there
        return False
    if message is not None:
        try:
            connection.send_messages([message])
        except REFUSALS as error:
            if _is_closing(error):
                raise
            logger.warning("The mail %s (%s) is refused: %s", mail.pk, mail.kind, type(error).__name__)
            return False
    state = Mail.State.DROPPED if message is None else Mail.State.SENT
    # The context is no longer needed, nor the address of a user with an account.
    address = mail.address if mail.user is None else ""
    Mail.objects.filter(pk=mail.pk).update(state=state, finished_at=timezone.now(), address=address, context={})
    return message is not None


def _is_closing(error: Exception) -> bool:
    """Return whether the server is closing, rather than refusing this mail."""
    if isinstance(error, SMTPRecipientsRefused):
        return any(code == CLOSING for code, _ in error.recipients.values())
    return isinstance(error, SMTPDataError) and error.smtp_code == CLOSING


def _compose(mail: Mail) -> EmailMessage | None:
    kind, user = find_kind(mail.kind), mail.user
    if timezone.now() - mail.created_at > OLDEST:
        return None
    if kind is None or (user is not None and not mail.address and not wants(user, mail.kind)):
        return None
    message = kind.compose(mail)
    if message is None:
        return None
    headers = {"Message-ID": _message_id(mail), "Auto-Submitted": "auto-generated"}
    body = f"{message.body.strip()}\n\n-- \nCoindex, {settings.SITE_URL}{settings.PATH_PREFIX}\n"
    if user is not None and kind.label:
        link = unsubscribe_link(user, kind.key)
        headers["List-Unsubscribe"] = f"<{link}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"  # RFC 8058
        body += f"To turn off mails of this kind ({kind.label.lower()}): {link}\n"
    to = mail.address or (user.email if user is not None else "")
    return EmailMessage(message.subject, body, settings.DEFAULT_FROM_EMAIL, [to], headers=headers)


def _message_id(mail: Mail) -> str:
    return f"<{hashlib.sha256(mail.key.encode()).hexdigest()[:32]}@{urlsplit(settings.SITE_URL).hostname}>"
