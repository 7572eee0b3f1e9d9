"""Django's cache in the memory of a process, with a bound on its bytes."""

from collections import OrderedDict
from typing import Any

from django.core.cache.backends.locmem import LocMemCache


class BoundedMemoryCache(LocMemCache):
    """Evict the least recently used values while all values together exceed the option `MAX_BYTES`."""

    _cache: OrderedDict[str, bytes]  # the most recently used value is first
    _delete: Any

    def __init__(self, name: str, params: dict[str, Any]) -> None:
        super().__init__(name, params)
        self._max_bytes = params["OPTIONS"]["MAX_BYTES"]

    def _set(self, key: str, value: bytes, timeout: Any = None) -> None:
        if len(value) > self._max_bytes:
            self._delete(key)
            return
        super()._set(key, value, timeout)  # type: ignore[misc]
        n_bytes = sum(map(len, self._cache.values()))
        while n_bytes > self._max_bytes:
            oldest = next(reversed(self._cache))
            n_bytes -= len(self._cache[oldest])
            self._delete(oldest)
