"""The deletion of expired rows: failed sign-ins, sessions, tasks, invitations, mails and transfers."""

from datetime import timedelta
from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.tasks import TaskResultStatus
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.models import IdempotencyRecord, Invitation, Mail, Operation, Transfer, User
from annotations.transfers.orders import discard_old

TASK_AGE = timedelta(days=1)  # of a successful task; each change of a coding may leave a task
FAILED_TASK_AGE = timedelta(days=30)
INVITATION_AGE = timedelta(days=30)  # after its expiry, so that managers can still see it for a while
MAIL_AGE = timedelta(days=30)
IDEMPOTENCY_AGE = timedelta(days=1)
# After a longer idle time a worker deletes nothing at its start, as the clock may be wrong.
MAX_IDLE = timedelta(days=7)
BATCH = 1000  # rows of one transaction, so that others can write in between


def idle_time() -> timedelta:
    """Return the time since the last operation, sign-in, transfer or task, by the clock of this machine."""
    now = timezone.now()
    newest: list[QuerySet[Any, Any]] = [
        Operation.objects.order_by("-pk").values_list("applied_at", flat=True),
        Transfer.objects.order_by("-pk").values_list("created_at", flat=True),
        DBTaskResult.objects.order_by("-enqueued_at").values_list("enqueued_at", flat=True),
        User.objects.filter(last_login__isnull=False).order_by("-last_login").values_list("last_login", flat=True),
    ]
    return now - max((moment for rows in newest for moment in rows[:1]), default=now)


def prune() -> dict[str, int]:
    """Delete expired rows and return their number by kind. Old transfers go with their files, uncounted."""
    now = timezone.now()
    well = Q(status=TaskResultStatus.SUCCESSFUL, finished_at__lt=now - TASK_AGE)
    failed = Q(status=TaskResultStatus.FAILED, finished_at__lt=now - FAILED_TASK_AGE)
    over: dict[str, QuerySet[Any]] = {
        "failed sign-ins": AccessAttempt.objects.filter(attempt_time__lt=now - settings.AXES_COOLOFF_TIME),
        "sessions": Session.objects.filter(expire_date__lt=now),
        "finished tasks": DBTaskResult.objects.filter(well | failed),
        "invitations": Invitation.objects.filter(expires_at__lt=now - INVITATION_AGE),
        "mails": Mail.objects.filter(finished_at__lt=now - MAIL_AGE),
        "answers to repeated requests": IdempotencyRecord.objects.filter(created_at__lt=now - IDEMPOTENCY_AGE),
    }
    discard_old()
    return {name: _delete(rows) for name, rows in over.items()}


def _delete(rows: QuerySet[Any]) -> int:
    """Delete the rows in batches, except rows that another worker has locked; return their number."""
    number = 0
    skip_locked = connection.features.has_select_for_update_skip_locked
    while True:
        with transaction.atomic():
            batch = rows.select_for_update(of=("self",), skip_locked=skip_locked).order_by("pk")
            keys = list(batch.values_list("pk", flat=True)[:BATCH])
            rows.model._default_manager.filter(pk__in=keys).delete()
        if not keys:
            return number
        number += len(keys)
