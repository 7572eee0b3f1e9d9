"""The progress of a worker in the row of its job; a deleted row cancels the job."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from annotations.core.processes import heartbeat

type Progress = Callable[[int, int], None]

SECONDS_BETWEEN = 0.25
LOST_AFTER = heartbeat.LOST_AFTER


class Cancelled(Exception):
    """The job was cancelled: it ends here, and its transaction is rolled back."""


class WorkerStopped(KeyboardInterrupt):
    """The worker was told to stop. (Like Ctrl+C, it makes psycopg cancel the running statement.)"""


def progress_recorder(row: QuerySet[Any]) -> Progress:
    """Return a function that records `done`, `total` and `heartbeat_at`, and raises Cancelled once the row is gone.

    In a transaction it only reads the row: a write would be invisible, and block cancelling. On completion it writes
    there, and from then on the result stays.
    """
    reported_at = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal reported_at
        heartbeat.beat()
        if done < total and time.monotonic() - reported_at <= SECONDS_BETWEEN:
            return
        reported_at = time.monotonic()
        if done < total and connection.in_atomic_block:
            is_wanted = row.exists()
        else:
            is_wanted = bool(row.update(done=done, total=total, heartbeat_at=timezone.now()))
        if not is_wanted:
            raise Cancelled

    return progress


def reported[T](items: Sequence[T], progress: Progress | None) -> Iterator[T]:
    """Yield the items, and report before each the number done."""
    for done, item in enumerate(items):
        if progress:
            progress(done, len(items))
        yield item


def report_completion(progress: Progress | None, total: int) -> None:
    """Report completion; call it last in the transaction that writes."""
    if progress is not None:
        progress(max(total, 1), max(total, 1))


def is_lost(reported_at: datetime) -> bool:
    """Return whether a worker with this last report has died. (The clock may have been set back since.)"""
    return abs(timezone.now() - reported_at) > LOST_AFTER
