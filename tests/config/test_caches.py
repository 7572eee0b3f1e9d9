"""The caches of a process have a bound on their bytes."""

from uuid import uuid4

from config.caches import BoundedMemoryCache


def test_cache_evicts_least_recently_used_values():
    cache = BoundedMemoryCache(uuid4().hex, {"OPTIONS": {"MAX_BYTES": 3500}})
    for name in "abc":
        cache.set(name, name * 1000, None)
    assert cache.get("a") == "a" * 1000
    cache.set("d", "d" * 1000, None)
    assert [cache.get(name) is None for name in "abcd"] == [False, True, False, False]
    cache.set("a", "a", None)
    cache.set("e", "e" * 1000, None)
    assert [cache.get(name) is None for name in "acde"] == [False] * 4


def test_value_larger_than_cache_is_not_stored():
    cache = BoundedMemoryCache(uuid4().hex, {"OPTIONS": {"MAX_BYTES": 100}})
    cache.set("small", "x", None)
    cache.set("large", "x", None)
    cache.set("large", "x" * 1000, None)
    assert (cache.get("small"), cache.get("large")) == ("x", None)
