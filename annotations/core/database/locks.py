"""A queue for connections that write to SQLite.

SQLite lets one connection write at a time. A waiting connection polls at growing intervals, and may wait for seconds
while others overtake it; file locks have a queue. PostgreSQL has its own queues, and locks single rows.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import OperationalError, connection

try:
    import fcntl
except ImportError:  # not available on Windows, where SQLite's own polling has to suffice
    fcntl = None  # type: ignore[assignment]


class DatabaseBusy(OperationalError):
    """Another connection has kept SQLite locked for longer than the timeout."""


@contextmanager
def refuse_busy_database() -> Iterator[None]:
    """Raise DatabaseBusy if SQLite reports in the block that it is locked."""
    try:
        yield
    except OperationalError as error:
        # The lowest byte; the higher ones only add details.
        if getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise DatabaseBusy(*error.args) from error
        raise


@contextmanager
def sqlite_write_lock(*, wait: bool = True) -> Iterator[bool]:
    """Hold an exclusive lock on this SQLite database while the block runs. Enter it before the transaction.

    Yield whether the block may write; False only with `wait=False` while another process holds the lock.
    """
    # An open transaction may hold SQLite's lock already; waiting could then deadlock.
    if connection.vendor != "sqlite" or connection.in_atomic_block or fcntl is None:
        yield True
        return
    with Path(f"{connection.settings_dict['NAME']}-turn").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
