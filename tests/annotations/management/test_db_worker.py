"""manage.py db_worker."""

import logging
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.tasks import TaskResultStatus
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.coding.status import submit_coding
from annotations.core.database.queries import sample_tables
from annotations.core.processes.heartbeat import LOST_AFTER
from annotations.management.commands import db_worker
from annotations.models import Coding, User
from annotations.planning.repeats import RepeatRequest, apply_repeats
from annotations.planning.work.assignments import assign_texts
from annotations.transfers.orders import run_transfer
from config.settings import TASKS
from tests.shared.coding import judge
from tests.shared.plans import make_large_project
from tests.shared.projects import person

ONCE = ["db_worker", "--batch", "--no-startup-delay", "--interval=0"]


@pytest.fixture(autouse=True)
def queue(db, settings, monkeypatch):
    settings.TASKS = TASKS
    # a worker begins with a connection of its own, but here it works in the transaction of the test
    monkeypatch.setattr("django_tasks_db.management.commands.db_worker.close_old_connections", lambda: None)


def raise_error(error):
    def prune():
        raise error

    return prune


def test_worker_logs_error_of_pruning_and_continues(monkeypatch, caplog):
    monkeypatch.setattr(db_worker, "prune", raise_error(PermissionError("a file")))
    call_command(*ONCE, verbosity=0)
    [told] = [
        record for record in caplog.records if (record.name, record.levelno) == (db_worker.__name__, logging.ERROR)
    ]
    assert told.exc_info is not None
    assert told.exc_info[0] is PermissionError


def test_worker_draws_due_repeats_and_continues_after_error(monkeypatch, caplog):
    large = make_large_project()
    assign_texts(large, large.texts.all()[:2], [person("ann")])
    for coding in Coding.objects.of_people().select_related("text", "coder"):
        for markable in coding.text.markables.all():
            judge(coding, markable.key, "none")
    first, second = Coding.objects.of_people().select_related("coder")
    submit_coding(first, first.coder)
    apply_repeats(large, RepeatRequest(share=1, days=0))
    submit_coding(second, second.coder)
    with monkeypatch.context() as patched:
        patched.setattr(db_worker, "draw_due_repeats", raise_error(ValueError("unknown")))
        call_command(*ONCE, verbosity=0)
    assert "could not be drawn" in caplog.text
    call_command(*ONCE, verbosity=0)
    assert Coding.objects.of_people().filter(occasion=2).count() == 2


@pytest.mark.parametrize(("days", "n_left"), [(6, 0), (400, 1)])
def test_worker_deletes_nothing_after_clock_jump(charlie, caplog, days, n_left):
    now = timezone.now()
    User.objects.filter(pk=charlie.pk).update(last_login=now - timedelta(days=days))
    Session.objects.create(session_key="x", session_data="x", expire_date=now - timedelta(days=1))
    call_command(*ONCE, verbosity=0)
    assert Session.objects.count() == n_left
    assert ("correct the clock" in caplog.text) == bool(n_left)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL does so itself")
def test_worker_updates_statistics_of_sqlite(charlie, monkeypatch):
    monkeypatch.setattr(db_worker, "sample_tables", sample_tables)
    call_command(*ONCE, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT stat FROM sqlite_stat1 WHERE tbl = 'annotations_user'")
        assert {stat.split()[0] for (stat,) in cursor.fetchall()} == {str(User.objects.count())}


def test_worker_ends_if_database_is_unreachable(monkeypatch):
    monkeypatch.setattr(db_worker, "prune", raise_error(OperationalError("gone")))
    with pytest.raises(OperationalError):
        call_command(*ONCE, verbosity=0)


@pytest.mark.parametrize("seconds", ["901", "0", "-1", "nan", "inf", "x"])
def test_worker_refuses_invalid_stuck_after(seconds):
    with pytest.raises(CommandError, match="stuck-after"):
        call_command(*ONCE, f"--stuck-after={seconds}", verbosity=0)


def test_worker_accepts_longest_stuck_after():
    call_command(*ONCE, f"--stuck-after={LOST_AFTER.total_seconds()}", verbosity=0)


@pytest.mark.parametrize(("options", "done"), [([], ["default", "long"]), (["--queue-name=default"], ["default"])])
def test_worker_does_small_tasks_first_and_only_tasks_of_its_queue(options, done):
    run_transfer.enqueue(0)
    run_transfer.using(queue_name="default", priority=0).enqueue(0)
    call_command(*ONCE, *options, verbosity=0)
    tasks = DBTaskResult.objects.filter(status=TaskResultStatus.SUCCESSFUL).order_by("started_at")
    assert list(tasks.values_list("queue_name", flat=True)) == done
