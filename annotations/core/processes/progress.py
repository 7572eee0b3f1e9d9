"""The progress of a worker in the row of its job, by which the job also learns that it was cancelled."""

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
    """Nobody waits for the job any more: it ends here, and what it has written is taken back."""


class WorkerStopped(KeyboardInterrupt):
    """The worker was told to stop. (As with Ctrl+C, psycopg takes back the statement that is under way.)"""


def progress_recorder(row: QuerySet[Any]) -> Progress:
    """Return a function that records `done`, `total` and `heartbeat_at`; it raises Cancelled once there is no such row.

    In a transaction, where nobody would see it and who cancels would wait for the row, it only looks; but when all is
    done it says so in that transaction, and from then on what was written stays.
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
    """Yield the items, and report before each how many of them are done."""
    for done, item in enumerate(items):
        if progress:
            progress(done, len(items))
        yield item


def report_completion(progress: Progress | None, total: int) -> None:
    """Report that all is done; call it last in the transaction that writes."""
    if progress is not None:
        progress(max(total, 1), max(total, 1))


def is_lost(reported_at: datetime) -> bool:
    """Return whether the worker has died that reported last at that time. (The clock may have been set back since.)"""
    return abs(timezone.now() - reported_at) > LOST_AFTER
