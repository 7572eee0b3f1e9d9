"""A queue for connections that write to SQLite.

SQLite lets one connection write at a time. A connection that has to wait polls at growing intervals, and may wait for
seconds while others overtake it; file locks have a queue. PostgreSQL has queues of its own, and locks single rows.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import OperationalError, connection

try:
    import fcntl
except ImportError:  # not available on Windows: there SQLite's own polling has to do
    fcntl = None  # type: ignore[assignment]


class DatabaseBusy(OperationalError):
    """Another connection has written to SQLite for longer than one waits."""


@contextmanager
def refuse_busy_database() -> Iterator[None]:
    """Raise DatabaseBusy where SQLite says in the block that it is locked."""
    try:
        yield
    except OperationalError as error:
        # The lowest byte; those above say more of the reason.
        if getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise DatabaseBusy(*error.args) from error
        raise


@contextmanager
def sqlite_write_lock(*, wait: bool = True) -> Iterator[bool]:
    """Hold an exclusive lock on this SQLite database while the block runs. Enter it before the transaction.

    Yield whether the block may write, which it may not where it does not wait and somebody else holds the lock.
    """
    # An open transaction may hold SQLite's lock already; waiting for a process that waits for that would never end.
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
