"""Rate limits: uses by user or client are counted in time windows across all processes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock

from django.core.cache import BaseCache, cache, caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection, transaction

# Guards reading and writing of the process's own counts.
_THREADS = Lock()


@dataclass(frozen=True, slots=True)
class Limit:
    """A count that restarts in each window of `seconds`.

    A process adds its uses to the shared cache in steps of `step`, so that most requests need no shared access. The
    count may lag by less than `step` for each process.
    """

    name: str
    seconds: int
    step: int = 1

    def use(self, who: object, number: int = 1) -> int:
        """Count `number` uses, and return the number in this window, as far as this process knows."""
        key, local = self._key(who), caches["process"]
        with _THREADS:
            new = self._add(local, f"{key}:new", number)
            if new < self.step:
                return new + int(local.get(f"{key}:told", 0))
            local.decr(f"{key}:new", new)
        with _alone(key):
            told = self._add(cache, key, new)
        with _THREADS:  # another thread may have reported more meanwhile
            local.set(f"{key}:told", max(told, local.get(f"{key}:told", 0)), timeout=2 * self.seconds)
        return told

    def told(self, who: object) -> int:
        """Return the number of uses that processes have reported in this window."""
        return int(cache.get(self._key(who), 0))

    def seconds_left(self) -> float:
        """Return the seconds until the next window."""
        return self.seconds - time.time() % self.seconds

    def _add(self, counts: BaseCache, key: str, number: int) -> int:
        """Add to a count that outlives its window; start it if it does not exist, or was cleared just now."""
        if not counts.add(key, number, timeout=2 * self.seconds):
            with suppress(ValueError):
                total = counts.incr(key, number)
                counts.touch(key, timeout=2 * self.seconds)  # a database cache would set it to five minutes
                return total
        return number

    def _key(self, who: object) -> str:
        return f"limit:{self.name.replace(' ', '-')}:{who}:{int(time.time()) // self.seconds}"


@contextmanager
def _alone(key: str) -> Iterator[None]:
    """Let one process at a time add to a count in PostgreSQL's table; other caches add atomically."""
    if not isinstance(caches["default"], DatabaseCache):
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
        yield
