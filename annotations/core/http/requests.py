"""The properties of the current request for functions below the views."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})

_is_writing: ContextVar[bool] = ContextVar("is_writing", default=False)


@contextmanager
def request_method(method: str | None) -> Iterator[None]:
    """Set the method that `is_writing` reports on, for the block."""
    token = _is_writing.set(method not in SAFE_METHODS)
    try:
        yield
    finally:
        _is_writing.reset(token)


def is_writing() -> bool:
    """Return whether the current request may write; False outside of requests."""
    return _is_writing.get()
