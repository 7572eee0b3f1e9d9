"""The caches of a process have a bound on their bytes."""

from uuid import uuid4

from config.caches import BoundedMemoryCache


def test_what_was_used_longest_ago_goes_where_values_take_more_bytes():
    cache = BoundedMemoryCache(uuid4().hex, {"OPTIONS": {"MAX_BYTES": 3500}})
    for name in "abc":
        cache.set(name, name * 1000, None)
    assert cache.get("a") == "a" * 1000
    cache.set("d", "d" * 1000, None)
    assert [cache.get(name) is None for name in "abcd"] == [False, True, False, False]
    cache.set("a", "a", None)
    cache.set("e", "e" * 1000, None)
    assert [cache.get(name) is None for name in "acde"] == [False] * 4


def test_a_value_that_is_larger_than_all_of_a_cache_is_not_kept():
    cache = BoundedMemoryCache(uuid4().hex, {"OPTIONS": {"MAX_BYTES": 100}})
    cache.set("small", "x", None)
    cache.set("large", "x", None)
    cache.set("large", "x" * 1000, None)
    assert (cache.get("small"), cache.get("large")) == ("x", None)
