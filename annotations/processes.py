"""Processes of our own beside this one, which have all that is loaded here."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from functools import partial
from itertools import batched, compress
from typing import IO, Any, NoReturn

logger = logging.getLogger(__name__)

# So many items at a time go to either process.
STRETCH = 32
# For fewer a second process is not worth its start.
LEAST = 16 * STRETCH
# Of every seven stretches the second process has these: the first has work with the results too.
ITS_SHARE, OF = (1, 3, 5, 6), 7
# What the other process may be ahead by, where the system lets a pipe hold so much.
PIPE_BYTES = 2**20
# What asks a process to end.
ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


def beside(work: Callable[[], object]) -> int:
    """Do the work in a process of its own; the number of that process. An error there is printed. Raises OSError.

    The signals that ask it to end wait until `work` has said what they do there, and calls `hear`: a handler of this
    process that raised in the other would go on with what is this one's alone.
    """
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        with warnings.catch_warnings():
            # The only other threads are those of NumPy's linear algebra, which ends them itself before it is forked.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid:
            return pid
        _end_with(work)
    finally:  # the other process has ended before it comes here
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)


def _end_with(work: Callable[[], object]) -> NoReturn:
    """Do the work and end, past everything that this process has from the one that it was forked from."""
    status = 1
    try:
        work()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def hear() -> None:
    """Let through the signals that ask this process to end."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)


def gone(pid: int) -> None:
    """Wait until that process of ours has ended. (Where SIGCHLD is ignored the system has cleared it away already.)"""
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def halved[Item, Result](
    work: Callable[[Item], Result], items: Sequence[Item], *, worth: bool = True
) -> Generator[Result]:
    """What `map(work, items)` gives, the half of it made by a second process where there are many items.

    `work` may use nothing that two processes cannot share: no database, no open file. Its results are pickled; worth:
    whether that takes less time than to make them. What the second process does not bring, because it was killed or
    `work` raised there, is made here. Who may leave before the end closes the generator.
    """
    if not worth or len(items) < LEAST or not _may_fork():
        yield from map(work, items)
        return
    stretches = list(batched(items, STRETCH))
    its = [number % OF in ITS_SHARE for number in range(len(stretches))]
    reading, writing = os.pipe()
    try:
        other = beside(partial(_bring, work, list(compress(stretches, its)), reading, writing))
    except OSError as error:
        os.close(reading)
        os.close(writing)
        logger.warning("There is no second process to share the work with: %s.", error)
        yield from map(work, items)
        return
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as brought:
            for number, stretch in enumerate(stretches):
                results = _taken(brought) if its[number] else None
                if its[number] and results is None:
                    logger.warning("The second process has ended early; this one does its work too.")
                    its = [False] * len(stretches)
                yield from map(work, stretch) if results is None else results
    finally:
        with suppress(ProcessLookupError):
            os.kill(other, signal.SIGKILL)
        gone(other)


def _may_fork() -> bool:
    """Whether a second process would help, and no other thread is in the middle of something here."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and threading.active_count() == 1


def _bring[Item, Result](
    work: Callable[[Item], Result], stretches: Sequence[Sequence[Item]], reading: int, writing: int
) -> None:
    """Write what comes of each of the stretches, one after the other."""
    for number in ENDS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, signal.SIG_DFL)
    hear()
    os.close(reading)
    _enlarge(writing)
    # An error is raised where the first process makes the same; and if that has ended, nobody is left to be told.
    with suppress(Exception), os.fdopen(writing, "wb") as out:
        for stretch in stretches:
            pickle.dump(list(map(work, stretch)), out, pickle.HIGHEST_PROTOCOL)
            out.flush()


def _taken(brought: IO[bytes]) -> Any:
    """The next results of the other process; None where no more will come."""
    try:
        return pickle.load(brought)  # noqa: S301 - from our own process
    except (EOFError, pickle.UnpicklingError):
        return None


def _enlarge(pipe: int) -> None:
    import fcntl  # which not every system has

    with suppress(OSError):  # the system's bound for everybody together is reached
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
