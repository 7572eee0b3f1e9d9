"""How often something is done by somebody: counted in windows of time by all processes together."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock

from django.core.cache import BaseCache, cache, caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection, transaction

# Between what a thread reads of the memory of its process and what it writes there, the others wait.
_THREADS = Lock()


@dataclass(frozen=True, slots=True)
class Limit:
    """A count that begins anew in each window of `seconds`.

    A process tells the shared cache of its uses when there are `step` of them, so that what is done with each request
    costs nothing there; it may be ahead of the count by less than that.
    """

    name: str
    seconds: int
    step: int = 1

    def use(self, who: object, number: int = 1) -> int:
        """Count so many uses; return how many there are in this window, as far as this process knows."""
        key, local = self._key(who), caches["process"]
        with _THREADS:
            new = self._add(local, f"{key}:new", number)
            if new < self.step:
                return new + int(local.get(f"{key}:told", 0))
            local.decr(f"{key}:new", new)
        with _alone(key):
            told = self._add(cache, key, new)
        with _THREADS:  # another one may have told of more meanwhile
            local.set(f"{key}:told", max(told, local.get(f"{key}:told", 0)), timeout=2 * self.seconds)
        return told

    def told(self, who: object) -> int:
        """Return of how many uses of this window the processes have told."""
        return int(cache.get(self._key(who), 0))

    def seconds_left(self) -> float:
        """Return the seconds until the next window."""
        return self.seconds - time.time() % self.seconds

    def _add(self, counts: BaseCache, key: str, number: int) -> int:
        """Add to a count that outlives its window; begin it where there is none, or where it was cleared just now."""
        if not counts.add(key, number, timeout=2 * self.seconds):
            with suppress(ValueError):
                total = counts.incr(key, number)
                counts.touch(key, timeout=2 * self.seconds)  # a table would keep it for five minutes from now on
                return total
        return number

    def _key(self, who: object) -> str:
        return f"limit:{self.name.replace(' ', '-')}:{who}:{int(time.time()) // self.seconds}"


@contextmanager
def _alone(key: str) -> Iterator[None]:
    """Let one process at a time add to a count that is in PostgreSQL's table; other caches add in one step."""
    if not isinstance(caches["default"], DatabaseCache):
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
        yield
