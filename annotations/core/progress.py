"""How far a worker is, said in the row of what it works on: its fields `done`, `total` and `told_at`."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

type Progress = Callable[[int, int], None]

SECONDS_BETWEEN = 0.25
# Of a worker that has said nothing for so long nothing more will come.
LOST = timedelta(minutes=15)


def telling(row: QuerySet[Any]) -> Progress:
    """What a worker calls, as often as it likes, with how much is done of how much."""
    told = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS_BETWEEN:
            told = time.monotonic()
            row.update(done=done, total=total, told_at=timezone.now())

    return progress


def is_lost(told_at: datetime) -> bool:
    """Whether the worker that said something then has died since. (The clock may have been set back meanwhile.)"""
    return abs(timezone.now() - told_at) > LOST
