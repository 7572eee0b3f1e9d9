"""How often something is done by somebody: counted in windows of time by all processes together."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from django.core.cache import BaseCache, cache, caches


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
        new = self._add(local, f"{key}:new", number)
        if new >= self.step:
            local.set(f"{key}:told", self._add(cache, key, new), timeout=2 * self.seconds)
            local.decr(f"{key}:new", new)
        return self.known(who)

    def known(self, who: object) -> int:
        """Return how many uses of this window this process knows of."""
        key, local = self._key(who), caches["process"]
        return int(local.get(f"{key}:told", 0)) + int(local.get(f"{key}:new", 0))

    def told(self, who: object) -> int:
        """Return of how many uses of this window the processes have told."""
        return int(cache.get(self._key(who), 0))

    def seconds_left(self) -> float:
        """Return the seconds until the next window."""
        return self.seconds - time.time() % self.seconds

    def _add(self, counts: BaseCache, key: str, number: int) -> int:
        """Add to a count that outlives its window; begin it where there is none, or where it was cleared just now.

        In a table, uses of the same moment may count once.
        """
        if not counts.add(key, number, timeout=2 * self.seconds):
            with suppress(ValueError):
                total = counts.incr(key, number)
                counts.touch(key, timeout=2 * self.seconds)  # a table would keep it for five minutes from now on
                return total
        return number

    def _key(self, who: object) -> str:
        return f"limit:{self.name.replace(' ', '-')}:{who}:{int(time.time()) // self.seconds}"
