"""Tasks whose worker has died."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.core.processes.heartbeat import FORGOTTEN_AFTER, LOST_AFTER, host_name
from annotations.core.processes.queue import fail_lost_tasks

HERE, THERE = f"{host_name()}.1.a", "elsewhere.1.a"
OURSELVES, JUST_BEGUN = f"{host_name()}.{os.getpid()}.a", timedelta(seconds=0)
SILENT = LOST_AFTER.total_seconds()


@pytest.mark.parametrize(
    ("worker", "age", "begun", "status"),
    [
        (HERE, None, LOST_AFTER, "FAILED"),
        (HERE, SILENT + 1, LOST_AFTER, "FAILED"),
        (HERE, SILENT - 1, LOST_AFTER, "RUNNING"),
        (HERE, None, LOST_AFTER / 2, "RUNNING"),
        pytest.param(OURSELVES, None, JUST_BEGUN, "FAILED", id="our own process"),
        (THERE, SILENT + 1, LOST_AFTER, "FAILED"),
        (THERE, SILENT - 1, FORGOTTEN_AFTER, "RUNNING"),
        (THERE, None, LOST_AFTER, "RUNNING"),
        (THERE, None, FORGOTTEN_AFTER, "FAILED"),
    ],
)
def test_task_fails_if_its_worker_has_died(db, worker, age, begun, status):
    assert status_after_cleaning(worker, age, begun) == status


def test_task_fails_at_once_if_its_local_process_has_ended(db):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    gone = f"{host_name()}.{process.pid}.a"
    assert status_after_cleaning(gone, 1.0, JUST_BEGUN) == "FAILED"
    assert status_after_cleaning(THERE.replace("1", str(process.pid)), 1.0, JUST_BEGUN) == "RUNNING"


def status_after_cleaning(worker, age, begun):
    """Return the status of a task that began this long ago and whose worker's heartbeat has this age."""
    task = DBTaskResult.objects.create(
        task_path="annotations.transfers.orders.run_transfer",
        args_kwargs={"args": [0], "kwargs": {}},
        backend_name="default",
        status="RUNNING",
        started_at=timezone.now() - begun - timedelta(seconds=5),
        worker_ids=[worker],
    )
    n_failed = fail_lost_tasks({} if age is None else {worker: age})
    task.refresh_from_db()
    assert n_failed == (task.status == "FAILED")
    return task.status
