"""A queue for connections that write to SQLite.

SQLite lets one connection write at a time. A connection that has to wait polls at growing intervals, and may wait for
seconds while others overtake it; file locks have a queue. PostgreSQL has queues of its own, and locks single rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

try:
    import fcntl
except ImportError:  # not available on Windows: there SQLite's own polling has to do
    fcntl = None  # type: ignore[assignment]


@contextmanager
def sqlite_write_lock() -> Iterator[None]:
    """Hold an exclusive lock on this SQLite database while the block runs. Enter it before the transaction."""
    # An open transaction may hold SQLite's lock already; waiting for a process that waits for that would never end.
    if connection.vendor != "sqlite" or connection.in_atomic_block or fcntl is None:
        yield
        return
    with Path(f"{connection.settings_dict['NAME']}-turn").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
