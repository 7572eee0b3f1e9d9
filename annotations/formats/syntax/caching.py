"""Results that are cached for the next coder of a text: the documents of a text follow each other."""

from collections.abc import Callable
from functools import wraps

CACHE_SIZE = 4


def cache_recent[**P, Result](function: Callable[P, Result]) -> Callable[P, Result]:
    """Return the function with a cache of its last results.

    As functools.lru_cache, but arguments are compared and not hashed: those of the next coder are mostly the same
    objects or hold them, which Python sees at once, while the hash of a tuple asks each of its members. The results
    are not to be changed.
    """
    cache: tuple[tuple[object, Result], ...] = ()

    @wraps(function)
    def cached(*args: P.args, **kwargs: P.kwargs) -> Result:
        nonlocal cache
        arguments = (args, kwargs)
        for cached_arguments, result in cache:
            if cached_arguments == arguments:
                return result
        result = function(*args, **kwargs)
        cache = ((arguments, result), *cache[: CACHE_SIZE - 1])
        return result

    return cached
