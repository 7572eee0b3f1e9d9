"""What else computes for a worker, by the setting COMPUTE: processes, or a Dask cluster; without it nothing does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from django.conf import settings

from agreement.measures.corpora.command import open_executor

logger = logging.getLogger(__name__)

_open: ContextVar[Callable[[], Executor | None] | None] = ContextVar("open_executor", default=None)


@contextmanager
def computing_as_configured() -> Iterator[None]:
    """Let `by_executor` use what COMPUTE names until the block ends. It is started where something first needs it."""
    with ExitStack() as stack:
        started: list[Executor | None] = []

        def start() -> Executor | None:
            if not started:
                started.append(_start(stack))
            return started[0]

        token = _open.set(start)
        try:
            yield
        finally:
            _open.reset(token)


def by_executor[T](compute: Callable[[Executor | None], T]) -> T:
    """Return what `compute` makes by the executor that is configured, or with None here, as outside of a worker.

    Where the executor breaks, as a process was killed, all is computed again here: digits are the same.
    """
    start = _open.get()
    executor = start() if start is not None else None
    if executor is None:
        return compute(None)
    try:
        return compute(executor)
    except (BrokenExecutor, OSError) as error:
        logger.warning("COMPUTE broke off, this process computes instead: %r", error)
        return compute(None)


def compute_parts[P, T](compute: Callable[[P], T], parts: Sequence[P]) -> list[T]:
    """Return what is computed of each part, in their order."""
    return by_executor(lambda executor: list(executor.map(compute, parts) if executor else map(compute, parts)))


def is_configured() -> bool:
    """Return whether there is an executor: whether parts are worth being made."""
    return bool(settings.COMPUTE) and _open.get() is not None


def _start(stack: ExitStack) -> Executor | None:
    try:
        given = stack.enter_context(open_executor(**settings.COMPUTE))
    except OSError as error:  # a cluster that does not answer
        logger.warning("COMPUTE cannot be used, this process computes instead: %s", error)
        return None
    return given if given is None or isinstance(given, Executor) else stack.enter_context(given())
