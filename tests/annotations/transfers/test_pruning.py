"""Deletion of expired rows."""

from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.tasks import TaskResultStatus
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.models import IdempotencyRecord, Invitation, Transfer
from annotations.transfers import pruning
from annotations.transfers.pruning import prune
from config.settings import TASKS

DAY = timedelta(days=1)


def make_attempt(project, user, age: timedelta) -> AccessAttempt:
    attempt = AccessAttempt.objects.create(username="ghost", failures_since_start=1)
    AccessAttempt.objects.filter(pk=attempt.pk).update(attempt_time=timezone.now() - age)
    return attempt


def make_session(project, user, age: timedelta) -> Session:
    return Session.objects.create(session_key=uuid4().hex, session_data="x", expire_date=timezone.now() - age)


def make_task(project, user, age: timedelta, status: str = TaskResultStatus.SUCCESSFUL) -> DBTaskResult:
    fields = {"args_kwargs": {"args": [], "kwargs": {}}, "task_path": "x.y", "backend_name": "default"}
    return DBTaskResult.objects.create(
        status=status, finished_at=timezone.now() - age, exception_class_path="", **fields
    )


def make_failed_task(project, user, age: timedelta) -> DBTaskResult:
    return make_task(project, user, age, TaskResultStatus.FAILED)


def make_invitation(project, user, age: timedelta) -> Invitation:
    fields = {"project": project, "role": "coder", "created_by": user, "digest": uuid4().hex}
    return Invitation.objects.create(expires_at=timezone.now() - age, **fields)


def make_record(project, user, age: timedelta) -> IdempotencyRecord:
    record = IdempotencyRecord.objects.create(user=user, key=uuid4(), digest="x", status=200, body={})
    IdempotencyRecord.objects.filter(pk=record.pk).update(created_at=timezone.now() - age)
    return record


def make_transfer(project, user, age: timedelta) -> Transfer:
    state = Transfer.State.DONE
    transfer = Transfer.objects.create(project=project, user=user, kind="export", format="muc", state=state, choices={})
    Transfer.objects.filter(pk=transfer.pk).update(created_at=timezone.now() - age)
    return transfer


KINDS = {
    make_attempt: (timedelta(), DAY),
    make_session: (-DAY, DAY),
    make_task: (timedelta(), 2 * DAY),
    make_failed_task: (29 * DAY, 31 * DAY),
    make_invitation: (29 * DAY, 31 * DAY),
    make_record: (timedelta(), 2 * DAY),
    make_transfer: (29 * DAY, 31 * DAY),
}


@pytest.mark.parametrize(("make", "ages"), KINDS.items(), ids=[make.__name__ for make in KINDS])
def test_prune_deletes_only_expired_rows(project, alice, monkeypatch, make, ages):
    monkeypatch.setattr(pruning, "BATCH", 2)
    young, old = ages
    kept = make(project, alice, young)
    for _ in range(3):
        make(project, alice, old)
    prune()
    assert list(type(kept)._default_manager.values_list("pk", flat=True)) == [kept.pk]


def test_command_prints_number_of_deleted_rows(project, alice):
    make_session(project, alice, DAY)
    out = StringIO()
    call_command("prune", stdout=out)
    assert "sessions: 1\n" in out.getvalue()
    assert "invitations: 0\n" in out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_worker_prunes_when_it_starts(settings):
    settings.TASKS = TASKS
    Session.objects.create(session_key="over", session_data="x", expire_date=timezone.now() - DAY)
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval", "0", verbosity=0)
    assert not Session.objects.exists()
