"""The progress of a worker, recorded in the row of its job: the fields `done`, `total` and `heartbeat_at`."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

type Progress = Callable[[int, int], None]

SECONDS_BETWEEN = 0.25
# A worker that has reported nothing for so long has died.
LOST_AFTER = timedelta(minutes=15)


def progress_recorder(row: QuerySet[Any]) -> Progress:
    """Return a function that records how much of the total is done; a worker may call it as often as it likes."""
    reported_at = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal reported_at
        if time.monotonic() - reported_at > SECONDS_BETWEEN:
            reported_at = time.monotonic()
            row.update(done=done, total=total, heartbeat_at=timezone.now())

    return progress


def is_lost(reported_at: datetime) -> bool:
    """Return whether the worker has died that reported last at that time. (The clock may have been set back since.)"""
    return abs(timezone.now() - reported_at) > LOST_AFTER
