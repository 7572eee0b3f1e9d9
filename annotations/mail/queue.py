"""Queue mails, none without a mail server; `notify` is for who has something to tell a member about texts."""

from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotations.core.http.limits import Limit
from annotations.mail.kinds import MailKind, Message, register_kind
from annotations.models import Mail, Project, Text, User

# Notifications wait so long, for others of the same kind that are sent with them.
PATIENCE = timedelta(minutes=5)
MOST_TEXTS = 500
# In an hour: mails that people have sent to an address that nobody has confirmed.
TO_ADDRESS, MOST_TO_ADDRESS = Limit("mails to an address", seconds=3600), 5
# In an hour: mails to the site's staff about errors of the server.
ERRORS, MOST_ERRORS = Limit("error mails", seconds=3600), 10


def is_enabled() -> bool:
    """Return whether the site has a mail server."""
    return bool(settings.MAILERS)


def wants(user: User, kind: str) -> bool:
    """Return whether the user has an address for mails and wants those of this kind."""
    return bool(user.is_active and user.email and user.email_confirmed_at and kind not in user.muted_mails)


def is_flooded(address: str) -> bool:
    """Count a mail that somebody sends to an address; return whether there are too many of them in this hour."""
    digest = sha256(address.lower().encode()).hexdigest()  # keys of caches are short, and have no spaces
    return TO_ADDRESS.use(digest) > MOST_TO_ADDRESS


@transaction.atomic
def notify(user: User, kind: str, project: Project, texts: Iterable[Text], *, path: str = "") -> None:
    """Tell the user of texts of the project by a mail of this kind, unless they turned it off: see `texts_kind`.

    What is told within five minutes is one mail. It has the names of the texts that the user may see when it is sent,
    and a link to the page at `path`; without one, and for several texts, to the project.
    """
    if not is_enabled() or not wants(user, kind):
        return
    keys = [text.pk for text in texts]
    mails = Mail.objects.select_for_update(of=("self",)).filter(user=user, kind=kind)
    mail = mails.filter(state=Mail.State.WAITING, tries=0, context__project=project.pk).first()
    if mail is None:
        queue(kind, user=user, wait=PATIENCE, project=project.pk, texts=keys[:MOST_TEXTS], path=path)
        return
    known = mail.context["texts"]
    mail.context["texts"] = [*known, *(key for key in keys if key not in known)][:MOST_TEXTS]
    mail.context["path"] = path if mail.context["path"] == path else ""
    mail.save(update_fields=["context"])


def queue(
    kind: str, *, user: User | None = None, address: str = "", wait: timedelta = timedelta(0), **context: Any
) -> None:
    """Queue a mail to a user, at `address` or the confirmed one, or to somebody at an address. `context` is JSON."""
    if is_enabled():
        next_try_at = timezone.now() + wait
        Mail.objects.create(
            kind=kind, user=user, address=address, context=context, key=uuid4().hex, next_try_at=next_try_at
        )


def queue_error(message: str, error: str, request_id: str) -> None:
    """Tell ADMINS of an error, by a line of the log and the name of the exception; at most ten an hour."""
    if ERRORS.use("all") > MOST_ERRORS:
        return
    time = timezone.localtime().isoformat(timespec="seconds")
    for address in settings.ADMINS:
        queue("error", address=address, message=message[:500], error=error, request_id=request_id, time=time)


def _compose_error(mail: Mail) -> Message:
    return Message.from_template("error.txt", f"Error on the server: {mail.context['error']}", mail.context)


def register_kinds() -> None:
    register_kind(MailKind("error", _compose_error))
