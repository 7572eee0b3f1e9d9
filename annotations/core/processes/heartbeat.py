"""Heartbeats of workers, one file per worker. Free of Django, so that a health check starts quickly.

A worker beats between tasks, and when a task reports progress. A worker that is silent for too long is stuck: it logs a
traceback and exits, so that its supervisor restarts it and the queue continues.
"""

import faulthandler
import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

# A worker without a heartbeat for this long has died.
LOST_AFTER = timedelta(minutes=15)
# Files of workers that were killed are deleted after this time.
FORGOTTEN_AFTER = timedelta(days=1)
SECONDS_BETWEEN = 1.0
STDERR = 2


def host_name() -> str:
    """Return the host name of this machine or container, as the names of its workers begin."""
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:40]


def worker_name() -> str:
    """Return a unique name for a worker of this process."""
    return f"{host_name()}.{os.getpid()}.{os.urandom(4).hex()}"


class Heartbeat:
    def __init__(self, path: Path, silence: float) -> None:
        self.path, self.silence = path, silence
        self.given_at = 0.0

    def beat(self) -> None:
        """Touch the file, and postpone the exit of a stuck process; at most once a second."""
        if time.monotonic() - self.given_at < SECONDS_BETWEEN:
            return
        self.given_at = time.monotonic()
        self.path.touch()
        # It needs neither the interpreter nor its lock, so no task can block the exit.
        faulthandler.dump_traceback_later(self.silence, exit=True, file=STDERR)


_own: Heartbeat | None = None


def beat() -> None:
    """Beat if this process is a worker."""
    if _own is not None:
        _own.beat()


@contextmanager
def beating(folder: Path, name: str, silence: float) -> Iterator[Heartbeat]:
    """Make this process a worker with that name for the block; `silence` is the maximum of seconds between beats."""
    global _own
    folder.mkdir(parents=True, exist_ok=True)
    for worker, age in ages(folder).items():
        if age > FORGOTTEN_AFTER.total_seconds():
            (folder / worker).unlink(missing_ok=True)
    _own = Heartbeat(folder / name, silence)
    try:
        _own.beat()
        yield _own
    finally:
        faulthandler.cancel_dump_traceback_later()
        _own.path.unlink(missing_ok=True)
        _own = None


def ages(folder: Path) -> Mapping[str, float]:
    """Return for each worker the seconds since its last heartbeat."""
    seconds = {}
    for path in folder.glob("*") if folder.is_dir() else ():
        try:
            seconds[path.name] = max(0.0, time.time() - path.stat().st_mtime)
        except FileNotFoundError:  # the worker has ended meanwhile
            continue
    return seconds


def living(folder: Path) -> Mapping[str, float]:
    """Return the `ages` of workers that are not lost."""
    return {name: age for name, age in ages(folder).items() if age <= LOST_AFTER.total_seconds()}
