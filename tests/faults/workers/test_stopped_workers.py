"""Workers that are told to end, jobs that are cancelled, and tasks that are stuck: the queue goes on."""

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
from tests.faults.conftest import started
from tests.faults.corpora import (
    BEGIN,
    LARGE,
    NOTHING,
    SCHEME,
    SMALL,
    all_of,
    brought,
    carry_out,
    corpus,
    order_import,
    settled,
    told,
)
from tests.faults.databases import Database
from tests.faults.program import Program, wait_for
from tests.faults.stuck import hang
from tests.faults.transfers.test_killed_transfers import has_begun

# docker stop kills what has not ended in 10 seconds.
GRACE = 10


@pytest.fixture(scope="module")
def shared_program(
    prepared: Database, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Program]:
    """Start the program on a database of this module: its workers are the only ones there, and take every task."""
    with ExitStack() as stack:
        yield started(stack, tmp_path_factory.mktemp("stopped"), prepared, django_db_blocker)


def begin_import(program: Program, slug: str) -> int:
    """Let the worker begin a large import."""
    program.project(slug, SCHEME, BEGIN)
    pk = order_import(program.manager, slug, corpus(*LARGE))
    assert program.manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"
    return pk


def test_a_worker_that_is_told_to_end_does_so_in_the_middle_of_an_import(program):
    pk = begin_import(program, "worker-stopped")
    program.stop_writing(lambda: [program.worker.pid], lambda: has_begun(pk, len(corpus(*LARGE))))
    program.worker.send_signal(signal.SIGTERM)
    program.worker.send_signal(signal.SIGCONT)
    assert program.worker.wait(GRACE) == 0
    found = told(program.manager, pk)
    assert (found["state"], found["error"]) == ("failed", orders.STOPPED_MESSAGE)
    with program.inside():
        assert brought("worker-stopped") == NOTHING
        assert not DBTaskResult.objects.running().filter(args_kwargs__args=[pk]).exists()
    program.serve()
    again = order_import(program.manager, "worker-stopped", corpus(*SMALL))
    assert carry_out(program.manager, again)["state"] == "done"
    with program.inside():
        assert brought("worker-stopped") == all_of(*SMALL)


def test_a_worker_with_nothing_to_do_ends_at_once_and_leaves_no_sign_of_life(program):
    folder = program.folder / "workers"
    other = program.another_worker()
    [name] = wait_for(lambda: [one for one in living(folder) if f".{other.pid}." in one], "it gives a sign of life")
    other.send_signal(signal.SIGTERM)
    assert other.wait(GRACE) == 0
    assert name not in living(folder)


def test_an_import_that_is_cancelled_by_the_api_comes_to_nothing_and_the_worker_goes_on(program):
    pk = begin_import(program, "cancelled")
    program.stop_idle(program.worker.pid)
    try:
        answer = program.manager.post(f"/transfers/{pk}/cancel/") if told(program.manager, pk)["done"] == 0 else None
    finally:
        program.worker.send_signal(signal.SIGCONT)
    assert answer is not None, "it was over before it could be cancelled"
    assert (answer.status, answer.body["state"]) == (200, "failed")
    assert answer.body["error"] == "Cancelled by manager. Nothing was changed."
    again = order_import(program.manager, "cancelled", corpus(*SMALL))
    with program.inside():
        assert brought("cancelled") == NOTHING
    assert carry_out(program.manager, again)["state"] == "done"
    assert told(program.manager, pk)["error"] == "Cancelled by manager. Nothing was changed."


def test_a_stuck_task_ends_its_worker_and_what_waits_behind_it_is_done_by_the_next(program, settings):
    settings.TASKS = TASKS
    program.worker.terminate()
    program.worker.wait()
    program.project("behind", SCHEME, BEGIN)
    sign = program.folder / "stuck"
    with program.inside():
        stuck = hang.enqueue(str(sign)).id
    files = [SimpleUploadedFile("behind.coder1.txt", f"{'and so on ' * 30_000}[Anna](=1)".encode())]
    behind = program.manager.post("/projects/behind/imports/", {"format": "plain", "whose": "name"}, files).body["id"]
    program.worker = program.another_worker("--stuck-after", "2")
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
    assert settled(program.manager, behind)["state"] == "checked"
    assert state_of(program, stuck) == "FAILED"


def state_of(program: Program, task: str) -> str:
    with program.inside():
        found: str = DBTaskResult.objects.values_list("status", flat=True).get(pk=task)
        return found
