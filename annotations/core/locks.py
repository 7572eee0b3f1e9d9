"""Who changes a coding waits in line.

SQLite lets one write at a time. Who has to wait looks again after ever longer pauses, and while others go by it may
wait for seconds; the locks of files have a queue. PostgreSQL has queues itself, and locks the one coding alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection


@contextmanager
def in_turn() -> Iterator[None]:
    """Until the block ends nobody else is in such a block on this SQLite database. Enter it before the transaction."""
    # Who is in a transaction may write already, and would wait for somebody who waits for them.
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    import fcntl  # which not every system has

    with Path(f"{connection.settings_dict['NAME']}-turn").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
