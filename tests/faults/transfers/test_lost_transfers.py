"""Imports that nobody works on any more, or never did: what is left where a process is killed between two steps."""

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
def waiting(project: Project, charlie: User, settings, monkeypatch: pytest.MonkeyPatch) -> Transfer:
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


def work(monkeypatch: pytest.MonkeyPatch) -> None:
    # a worker begins with a connection of its own, but here it works in the transaction of the test
    monkeypatch.setattr("django_tasks_db.management.commands.db_worker.close_old_connections", lambda: None)
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)


def test_what_waits_in_the_queue_is_done_in_the_end(waiting, monkeypatch):
    assert state_of(waiting) == (Transfer.State.CHECKING, "")
    work(monkeypatch)
    waiting.refresh_from_db()
    assert waiting.state == Transfer.State.CHECKED


@pytest.mark.parametrize("is_queued_for_another", [False, True])
def test_what_never_came_into_the_queue_is_given_up(waiting, is_queued_for_another):
    """The web server was killed after it had written the row, and before it ordered a worker."""
    if is_queued_for_another:
        DBTaskResult.objects.update(args_kwargs={"args": [waiting.pk + 1], "kwargs": {}})
    else:
        DBTaskResult.objects.all().delete()
    assert state_of(waiting) == (Transfer.State.FAILED, orders.LOST_MESSAGE)


def test_order_that_never_came_into_the_queue_is_given_up(waiting, charlie, monkeypatch):
    work(monkeypatch)
    waiting.refresh_from_db()
    monkeypatch.setattr(orders, "_run_or_enqueue", lambda _: None)  # killed there
    assert orders.carry_out(waiting, charlie)
    assert state_of(waiting) == (Transfer.State.RUNNING, "")
    Transfer.objects.update(heartbeat_at=timezone.now() - LONG_AGO)
    waiting.refresh_from_db()
    assert state_of(waiting) == (Transfer.State.FAILED, orders.LOST_MESSAGE)
    assert not waiting.project.texts.filter(slug="dog").exists()


def test_what_a_worker_took_long_ago_and_never_began_is_given_up(waiting):
    """The worker was killed between taking the task and its first word."""
    [task] = DBTaskResult.objects.all()
    task.claim("a worker")
    assert state_of(waiting) == (Transfer.State.CHECKING, "")  # it may begin at this moment
    DBTaskResult.objects.update(started_at=timezone.now() - LONG_AGO)
    assert state_of(waiting) == (Transfer.State.FAILED, orders.LOST_MESSAGE)


def test_all_pages_say_the_same_of_one_that_is_lost(waiting, project, charlie, signed_in):
    DBTaskResult.objects.all().delete()
    client = signed_in(charlie)
    for address, said in (("/projects/tea/transfers/", "failed"), (f"/transfers/{waiting.pk}/", orders.LOST_MESSAGE)):
        Transfer.objects.update(state=Transfer.State.CHECKING, error="")
        page = client.get(address).content.decode()
        assert said in page
        assert "preparing the preview" not in page


def test_a_restore_whose_worker_dies_after_the_commit_is_done(project, monkeypatch):
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
