"""Results that are kept for the next coder of a text: the documents of a text follow each other."""

from collections.abc import Callable
from functools import wraps

MOST_KEPT = 4


def recent[**P, Result](function: Callable[P, Result]) -> Callable[P, Result]:
    """The function, with its last results kept.

    As functools.lru_cache, but arguments are compared and not hashed: those of the next coder are mostly the same
    objects or hold them, which Python sees at once, while the hash of a tuple asks each of its members. The results
    are not to be changed.
    """
    kept: tuple[tuple[object, Result], ...] = ()

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Result:
        nonlocal kept
        given = (args, kwargs)
        for before, result in kept:
            if before == given:
                return result
        result = function(*args, **kwargs)
        kept = ((given, result), *kept[: MOST_KEPT - 1])
        return result

    return asked
