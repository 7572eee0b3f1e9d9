"""The queue of tasks for workers: how long it is, and what became of tasks whose worker has died."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, Q
from django.tasks import TaskResultStatus
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.core.processes.heartbeat import FORGOTTEN_AFTER, LOST_AFTER, host_name

# The queue of what may take minutes: imports, exports, figures of many texts. All else is in the queue "default", which
# a worker of both queues empties first.
LONG_QUEUE, LONG_PRIORITY = "long", -10


class WorkerLost(Exception):
    """The worker of a task has died: it was killed, or it gave no sign of life for too long and ended itself."""


@dataclass(frozen=True, slots=True)
class QueueState:
    """How many tasks wait and run, and for how many seconds the oldest of each kind has done so."""

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
    """Return the tasks that were begun long ago by workers that have died, by the seconds since their last signs.

    A worker of this host without a sign has died. That of another host may give them elsewhere, where we do not see
    them, so it is given up a day after its task was begun.
    """
    now, own = timezone.now(), f"{host_name()}."
    begun = DBTaskResult.objects.filter(status=TaskResultStatus.RUNNING, started_at__lt=now - LOST_AFTER)
    lost = []
    for task in begun.order_by("started_at"):
        worker = task.worker_ids[-1]
        if worker in ages:
            has_died = ages[worker] > LOST_AFTER.total_seconds()
        else:
            has_died = worker.startswith(own) or task.started_at < now - FORGOTTEN_AFTER
        if has_died:
            lost.append(task)
    return lost


def fail_lost_tasks(ages: Mapping[str, float]) -> int:
    """Mark lost tasks as failed, and return their number."""
    lost = lost_tasks(ages)
    for task in lost:
        task.set_failed(WorkerLost(f"worker {task.worker_ids[-1]} has died"))
    return len(lost)
