"""Transfers without a worker, after a process was killed between two steps."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.core.processes.progress import LOST_AFTER
from annotations.models import Project, Transfer, User
from annotations.transfers import orders
from config.settings import TASKS
from tests.annotations.transfers.archiving.test_archiving import archived
from tests.annotations.web.transfers.test_import import CONLL

LONG_AGO = timedelta(seconds=1) + LOST_AFTER
CHOICES = {"coder_from": "nobody", "predefined": False, "create": False, "options": {}}


@pytest.fixture
def queued(project: Project, charlie: User, settings, monkeypatch: pytest.MonkeyPatch) -> Transfer:
    """Order an import that has waited for the worker for a long time."""
    settings.TASKS = TASKS
    monkeypatch.setattr(orders, "QUICK_BYTES", 0)
    file = SimpleUploadedFile("dog.conll", CONLL.encode())
    made = orders.order_import(project, charlie, [file], "conll2012", CHOICES)
    assert made.is_queued
    Transfer.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    made.refresh_from_db()
    return made


def state_of(transfer: Transfer) -> tuple[str, str]:
    orders.mark_if_lost(transfer)
    return transfer.state, transfer.error


def run_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    # a worker begins with a connection of its own, but here it works in the transaction of the test
    monkeypatch.setattr("django_tasks_db.management.commands.db_worker.close_old_connections", lambda: None)
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)


def test_queued_import_is_checked_by_worker(queued, monkeypatch):
    assert state_of(queued) == (Transfer.State.CHECKING, "")
    run_worker(monkeypatch)
    queued.refresh_from_db()
    assert queued.state == Transfer.State.CHECKED


@pytest.mark.parametrize("is_queued_for_another", [False, True])
def test_import_without_task_fails(queued, is_queued_for_another):
    """The web server was killed between writing the row and adding the task."""
    if is_queued_for_another:
        DBTaskResult.objects.update(args_kwargs={"args": [queued.pk + 1], "kwargs": {}})
    else:
        DBTaskResult.objects.all().delete()
    assert state_of(queued) == (Transfer.State.FAILED, orders.LOST_MESSAGE)


def test_carry_out_without_task_fails(queued, charlie, monkeypatch):
    run_worker(monkeypatch)
    queued.refresh_from_db()
    monkeypatch.setattr(orders, "_run_or_enqueue", lambda _: None)  # killed there
    assert orders.carry_out(queued, charlie)
    assert state_of(queued) == (Transfer.State.RUNNING, "")
    Transfer.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    queued.refresh_from_db()
    assert state_of(queued) == (Transfer.State.FAILED, orders.LOST_MESSAGE)
    assert not queued.project.texts.filter(slug="dog").exists()


def test_claimed_but_unstarted_import_fails(queued):
    """The worker was killed between claiming and starting the task."""
    [task] = DBTaskResult.objects.all()
    task.claim("a worker")
    assert state_of(queued) == (Transfer.State.CHECKING, "")  # it may begin at this moment
    DBTaskResult.objects.update(started_at=timezone.now() - LONG_AGO)
    assert state_of(queued) == (Transfer.State.FAILED, orders.LOST_MESSAGE)


def test_pages_show_lost_import_as_failed(queued, project, charlie, signed_in):
    DBTaskResult.objects.all().delete()
    client = signed_in(charlie)
    for address, said in (("/projects/tea/transfers/", "failed"), (f"/transfers/{queued.pk}/", orders.LOST_MESSAGE)):
        Transfer.objects.update(state=Transfer.State.CHECKING, error="")
        page = client.get(address).content.decode()
        assert said in page
        assert "preparing the preview" not in page


def test_restore_is_done_if_worker_dies_after_commit(project, monkeypatch):
    root = User.objects.create_superuser("root")
    made = orders.order_restore(root, SimpleUploadedFile("tea.zip", archived(project)), "copy")
    restore = orders.restore_project

    def restore_and_die(*args, **kwargs):
        restore(*args, **kwargs)
        raise SystemExit

    monkeypatch.setattr(orders, "restore_project", restore_and_die)
    with pytest.raises(SystemExit):
        orders.carry_out(made, root)
    made.refresh_from_db()
    assert (made.state, made.error, made.project.slug) == (Transfer.State.DONE, "", "copy")
    assert made.report["summary"].startswith("1 text")
