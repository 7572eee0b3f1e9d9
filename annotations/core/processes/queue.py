"""The queue of tasks for workers: its length, and tasks whose worker has died."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, Q
from django.tasks import TaskResultStatus
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.core.processes.heartbeat import FORGOTTEN_AFTER, LOST_AFTER, host_name
from annotations.core.processes.progress import is_lost

# The queue for long tasks: imports, exports, figures. A worker of both queues empties "default" first.
LONG_QUEUE, LONG_PRIORITY = "long", -10


class WorkerLost(Exception):
    """The worker of a task has died: it was killed, or it exited because it was stuck."""


@dataclass(frozen=True, slots=True)
class QueueState:
    """The numbers of waiting and running tasks, and the age of the oldest of each in seconds."""

    n_ready: int
    n_running: int
    seconds_ready: float
    seconds_running: float


def queue_state() -> QueueState:
    """Return the state of the queue. One query."""
    ready, running = Q(status=TaskResultStatus.READY), Q(status=TaskResultStatus.RUNNING)
    row = DBTaskResult.objects.filter(ready | running).aggregate(
        n_ready=Count("pk", filter=ready),
        n_running=Count("pk", filter=running),
        oldest_ready=Min("enqueued_at", filter=ready),
        oldest_running=Min("started_at", filter=running),
    )
    now = timezone.now()
    waited, worked = (
        max(0.0, (now - since).total_seconds()) if since else 0.0
        for since in (row["oldest_ready"], row["oldest_running"])
    )
    return QueueState(row["n_ready"], row["n_running"], waited, worked)


def lost_tasks(ages: Mapping[str, float]) -> list[DBTaskResult[Any, Any]]:
    """Return the tasks of dead workers, by the seconds since each worker's last heartbeat.

    A worker of this host is dead if its process is gone, or without heartbeat 15 minutes after its task began. A worker
    of another host may have heartbeats that are invisible here; it is given up a day after its task began.
    """
    now, own = timezone.now(), f"{host_name()}."
    lost = []
    for task in DBTaskResult.objects.filter(status=TaskResultStatus.RUNNING).order_by("started_at"):
        worker = task.worker_ids[-1]
        if worker.startswith(own) and not _has_process(worker):
            has_died = True
        elif task.started_at > now - LOST_AFTER:
            has_died = False
        elif worker in ages:
            has_died = ages[worker] > LOST_AFTER.total_seconds()
        else:  # another host's heartbeats may be invisible here
            has_died = worker.startswith(own) or task.started_at < now - FORGOTTEN_AFTER
        if has_died:
            lost.append(task)
    return lost


def _has_process(worker: str) -> bool:
    """Return whether the process of a worker of this host may still run.

    The caller is no worker, so a worker with the caller's own number is an earlier process: containers reuse numbers.
    """
    if os.name == "nt":  # there, a signal for checking would end the process
        return True
    number = int(worker.split(".")[1])
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process of another user
        return True
    return number != os.getpid()


def is_abandoned(task_path: str, pk: int, reported_at: datetime, *, is_begun: bool) -> bool:
    """Return whether a job with this last report has lost its worker and no task is left for it."""
    tasks = DBTaskResult.objects.filter(task_path=task_path, args_kwargs__args=[pk])
    if not is_lost(reported_at):
        return tasks.filter(status=TaskResultStatus.FAILED, finished_at__gte=reported_at).exists()
    return is_begun or not any(
        status == TaskResultStatus.READY
        or (status == TaskResultStatus.RUNNING and started_at and not is_lost(started_at))
        for status, started_at in tasks.values_list("status", "started_at")
    )


def fail_lost_tasks(ages: Mapping[str, float]) -> int:
    """Mark lost tasks as failed, and return their number."""
    lost = lost_tasks(ages)
    for task in lost:
        task.set_failed(WorkerLost(f"worker {task.worker_ids[-1]} has died"))
    return len(lost)
