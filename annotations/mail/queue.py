"""The queue of mails, empty without a mail server; `notify` tells members about texts."""

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

# The delay of notifications, which are merged with later ones of the same kind.
PATIENCE = timedelta(minutes=5)
MAX_TEXTS = 500
# The hourly limit of mails from users to an unconfirmed address.
TO_ADDRESS, MAX_TO_ADDRESS = Limit("mails to an address", seconds=3600), 5
# The hourly limit of mails to the site's staff about errors of the server.
ERRORS, MAX_ERRORS = Limit("error mails", seconds=3600), 10


def is_enabled() -> bool:
    """Return whether the site has a mail server."""
    return bool(settings.MAILERS)


def wants(user: User, kind: str) -> bool:
    """Return whether the user has an address for mails and wants those of this kind."""
    return bool(user.is_active and user.email and user.email_confirmed_at and kind not in user.muted_mails)


def is_flooded(address: str) -> bool:
    """Count a mail from a user to an address; return whether the hourly limit is exceeded."""
    digest = sha256(address.lower().encode()).hexdigest()  # keys of caches are short, and have no spaces
    return TO_ADDRESS.use(digest) > MAX_TO_ADDRESS


@transaction.atomic
def notify(user: User, kind: str, project: Project, texts: Iterable[Text], *, path: str = "") -> None:
    """Tell the user of texts of the project by a mail of this kind, unless it is turned off: see `texts_kind`.

    Notifications within five minutes are one mail. It has the names of the texts that the user may see when it is sent,
    and a link to the page at `path`; without one, or for several texts, to the project.
    """
    if not is_enabled() or not wants(user, kind):
        return
    keys = [text.pk for text in texts]
    mails = Mail.objects.select_for_update(of=("self",)).filter(user=user, kind=kind)
    mail = mails.filter(state=Mail.State.WAITING, tries=0, context__project=project.pk).first()
    if mail is None:
        queue(kind, user=user, wait=PATIENCE, project=project.pk, texts=keys[:MAX_TEXTS], path=path)
        return
    known = mail.context["texts"]
    mail.context["texts"] = [*known, *(key for key in keys if key not in known)][:MAX_TEXTS]
    mail.context["path"] = path if mail.context["path"] == path else ""
    mail.save(update_fields=["context"])


def queue(
    kind: str, *, user: User | None = None, address: str = "", wait: timedelta = timedelta(0), **context: Any
) -> None:
    """Queue a mail to a user, at `address` or the confirmed address, or to any address. `context` is JSON."""
    if is_enabled():
        next_try_at = timezone.now() + wait
        Mail.objects.create(
            kind=kind, user=user, address=address, context=context, key=uuid4().hex, next_try_at=next_try_at
        )


def queue_error(message: str, error: str, request_id: str) -> None:
    """Tell ADMINS of an error, with a line of the log and the name of the exception; at most ten an hour."""
    if ERRORS.use("all") > MAX_ERRORS:
        return
    time = timezone.localtime().isoformat(timespec="seconds")
    for address in settings.ADMINS:
        queue("error", address=address, message=message[:500], error=error, request_id=request_id, time=time)


def _compose_error(mail: Mail) -> Message:
    return Message.from_template("error.txt", f"Error on the server: {mail.context['error']}", mail.context)


def register_kinds() -> None:
    register_kind(MailKind("error", _compose_error))
