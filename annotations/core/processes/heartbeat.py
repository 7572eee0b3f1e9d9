"""Signs of life of workers: each has a file, which it touches. Free of Django, so that a health check starts quickly.

A worker gives a sign between tasks, and where a task reports its progress. One that is silent for too long is stuck: it
says in the log where, and ends, so that whoever started it starts another one and the queue goes on.
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

# A worker that has given no sign of life for so long has died.
LOST_AFTER = timedelta(minutes=15)
# Files of workers that were killed are deleted after this time.
FORGOTTEN_AFTER = timedelta(days=1)
SECONDS_BETWEEN = 1.0
STDERR = 2


def host_name() -> str:
    """Return the name of this machine or container as names of workers begin with it."""
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:40]


def worker_name() -> str:
    """Return a name for a worker of this process, which no other worker has."""
    return f"{host_name()}.{os.getpid()}.{os.urandom(4).hex()}"


class Heartbeat:
    def __init__(self, path: Path, silence: float) -> None:
        self.path, self.silence = path, silence
        self.given_at = 0.0

    def beat(self) -> None:
        """Give a sign of life, and put off the end of this process; at most once a second."""
        if time.monotonic() - self.given_at < SECONDS_BETWEEN:
            return
        self.given_at = time.monotonic()
        self.path.touch()
        # It needs neither the interpreter nor its lock: nothing that a task does can keep it from ending the process.
        faulthandler.dump_traceback_later(self.silence, exit=True, file=STDERR)


_own: Heartbeat | None = None


def beat() -> None:
    """Give a sign of life if this process is a worker."""
    if _own is not None:
        _own.beat()


@contextmanager
def beating(folder: Path, name: str, silence: float) -> Iterator[Heartbeat]:
    """Make this process a worker with that name until the block ends; `silence` are the seconds that it may take."""
    global _own
    folder.mkdir(parents=True, exist_ok=True)
    for other, age in ages(folder).items():
        if age > FORGOTTEN_AFTER.total_seconds():
            (folder / other).unlink(missing_ok=True)
    _own = Heartbeat(folder / name, silence)
    try:
        _own.beat()
        yield _own
    finally:
        faulthandler.cancel_dump_traceback_later()
        _own.path.unlink(missing_ok=True)
        _own = None


def ages(folder: Path) -> Mapping[str, float]:
    """Return for each worker the seconds since its last sign of life."""
    found = {}
    for path in folder.glob("*") if folder.is_dir() else ():
        try:
            found[path.name] = max(0.0, time.time() - path.stat().st_mtime)
        except FileNotFoundError:  # it has ended meanwhile
            continue
    return found


def living(folder: Path) -> Mapping[str, float]:
    """Return those of `ages` that are not lost."""
    return {name: age for name, age in ages(folder).items() if age <= LOST_AFTER.total_seconds()}
