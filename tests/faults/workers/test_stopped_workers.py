"""Stopped workers, cancelled jobs and stuck tasks: the queue continues."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from pytest_django import DjangoDbBlocker

from annotations.core.processes.heartbeat import LOST_AFTER, living
from annotations.transfers import orders
from config.settings import TASKS
from tests.faults.conftest import launch
from tests.faults.corpora import (
    BEGIN,
    LARGE,
    NOTHING,
    SCHEME,
    SMALL,
    await_end,
    carry_out,
    corpus,
    count_rows,
    expected_rows,
    fetch,
    order_import,
)
from tests.faults.databases import Database
from tests.faults.program import Program, wait_for
from tests.faults.stuck import hang
from tests.faults.transfers.test_killed_transfers import has_begun

# docker stop kills what has not ended in 10 seconds.
GRACE = 10


@pytest.fixture(scope="module")
def shared_program(
    template: Database, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Program]:
    """Start the program on a database of this module: its workers are the only ones there, and take every task."""
    with ExitStack() as stack:
        yield launch(stack, tmp_path_factory.mktemp("stopped"), template, django_db_blocker)


def begin_import(program: Program, slug: str) -> int:
    """Let the worker begin a large import."""
    program.project(slug, SCHEME, BEGIN)
    pk = order_import(program.manager, slug, corpus(*LARGE))
    assert program.manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"
    return pk


def test_sigterm_stops_worker_during_import(program):
    pk = begin_import(program, "worker-stopped")
    program.stop_writing(lambda: [program.worker.pid], lambda: has_begun(pk, len(corpus(*LARGE))))
    program.worker.send_signal(signal.SIGTERM)
    program.worker.send_signal(signal.SIGCONT)
    assert program.worker.wait(GRACE) == 0
    found = fetch(program.manager, pk)
    assert (found["state"], found["error"]) == ("failed", orders.STOPPED_MESSAGE)
    with program.inside():
        assert count_rows("worker-stopped") == NOTHING
        assert not DBTaskResult.objects.running().filter(args_kwargs__args=[pk]).exists()
    program.serve()
    again = order_import(program.manager, "worker-stopped", corpus(*SMALL))
    assert carry_out(program.manager, again)["state"] == "done"
    with program.inside():
        assert count_rows("worker-stopped") == expected_rows(*SMALL)


def test_idle_worker_stops_and_removes_heartbeat(program):
    folder = program.folder / "workers"
    other = program.start_worker()
    [name] = wait_for(lambda: [name for name in living(folder) if f".{other.pid}." in name], "it gives a sign of life")
    other.send_signal(signal.SIGTERM)
    assert other.wait(GRACE) == 0
    assert name not in living(folder)


def test_cancelled_import_changes_nothing(program):
    pk = begin_import(program, "cancelled")
    program.stop_idle(program.worker.pid)
    try:
        answer = program.manager.post(f"/transfers/{pk}/cancel/") if fetch(program.manager, pk)["done"] == 0 else None
    finally:
        program.worker.send_signal(signal.SIGCONT)
    assert answer is not None, "it was over before it could be cancelled"
    assert (answer.status, answer.body["state"]) == (200, "failed")
    assert answer.body["error"] == "Cancelled by manager. Nothing was changed."
    again = order_import(program.manager, "cancelled", corpus(*SMALL))
    with program.inside():
        assert count_rows("cancelled") == NOTHING
    assert carry_out(program.manager, again)["state"] == "done"
    assert fetch(program.manager, pk)["error"] == "Cancelled by manager. Nothing was changed."


def test_stuck_task_ends_worker_and_next_worker_continues(program, settings):
    settings.TASKS = TASKS
    program.worker.terminate()
    program.worker.wait()
    program.project("behind", SCHEME, BEGIN)
    sign = program.folder / "stuck"
    with program.inside():
        stuck = hang.enqueue(str(sign)).id
    files = [SimpleUploadedFile("behind.coder1.txt", f"{'and so on ' * 30_000}[Anna](=1)".encode())]
    behind = program.manager.post("/projects/behind/imports/", {"format": "plain", "whose": "name"}, files).body["id"]
    program.worker = program.start_worker("--stuck-after", "2")
    # It is deaf to signals: only its own clock ends it.
    wait_for(sign.exists, "the worker is stuck in the task")
    program.worker.send_signal(signal.SIGTERM)
    assert program.worker.wait(30) == 1
    assert state_of(program, stuck) == "RUNNING"
    # A quarter of an hour later:
    long_ago = time.time() - LOST_AFTER.total_seconds() - 1
    [silent] = (program.folder / "workers").glob(f"*.{program.worker.pid}.*")
    os.utime(silent, (long_ago, long_ago))
    with program.inside():
        DBTaskResult.objects.filter(pk=stuck).update(started_at=timezone.now() - LOST_AFTER - timedelta(seconds=1))
    program.serve()  # as systemd, Docker and `make run` do
    assert await_end(program.manager, behind)["state"] == "checked"
    assert state_of(program, stuck) == "FAILED"


def state_of(program: Program, task: str) -> str:
    with program.inside():
        found: str = DBTaskResult.objects.values_list("status", flat=True).get(pk=task)
        return found
