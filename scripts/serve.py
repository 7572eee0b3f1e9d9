"""Serve on a port of this machine, and beside the pages run the worker that computes what takes long.

python -m scripts.serve PORT. The database is brought up to date first. All of it is one start of Python: what is loaded
once is shared by all processes, which takes half the time and memory that three programs take.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]

from annotations.processes import ENDS, beside, gone, hear
from config.wsgi import application

# Started by nohup, it outlives its terminal.
HANGS_ON = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
A_MOMENT = 1.0  # seconds between one worker and the next


class Pages(BaseApplication):  # type: ignore[misc]
    """gunicorn with the application that is loaded already."""

    def __init__(self, port: int) -> None:
        self.port = port
        super().__init__()

    def load_config(self) -> None:
        """As docker-compose.yml serves: two processes of eight threads each."""
        given = {
            "bind": f"127.0.0.1:{self.port}",
            "workers": 2,
            "threads": 8,
            "preload_app": True,
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_worker_init": leave_interrupts,
            "when_ready": end_with_the_terminal,
        }
        for name, value in given.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return application


def leave_interrupts(worker: object) -> None:  # noqa: ARG001 - gunicorn's signature
    """Ctrl+C reaches every process, and gunicorn hands it on: a process that gets both at once may hang."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_the_terminal(arbiter: object) -> None:  # noqa: ARG001 - gunicorn's signature
    """A terminal that is closed ends all: gunicorn would load its program anew, and there would be no worker then."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN if HANGS_ON else lambda *_: os.kill(os.getpid(), signal.SIGTERM))


def migrate() -> None:
    """Apply the migrations that the database lacks; to look first is much faster where it lacks none."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, skip_checks=True)


def again_and_again(work: Callable[[], object]) -> None:
    """Do the work in a process of its own, in another one where that dies, until a signal says that it is enough.

    It is enough too where the process that this one was made by is there no more.
    """
    usual = {number: signal.getsignal(number) for number in ENDS}
    maker, doing, ended = os.getppid(), 0, False

    def end(number: int, _: object) -> None:
        nonlocal ended
        ended = True
        if number in (signal.SIGTERM, signal.SIGHUP) and doing:  # those of the keyboard reach it by themselves
            with suppress(ProcessLookupError):
                os.kill(doing, number)

    def work_as_usual() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        hear()
        work()

    for number in ENDS:
        if usual[number] != signal.SIG_IGN:
            signal.signal(number, end)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored nobody can wait
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])  # it wakes who waits for it below
    while True:
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)  # a signal waits until it is known whom it is for
        if ended:
            return
        doing = beside(work_as_usual)
        hear()
        while os.waitpid(doing, os.WNOHANG) == (0, 0):
            signal.sigtimedwait([signal.SIGCHLD], A_MOMENT)
            if os.getppid() != maker and not ended:
                end(signal.SIGTERM, None)
        doing = 0  # its number may be another's by now
        if not ended:
            print("The worker has died; another one begins.", file=sys.stderr, flush=True)
            time.sleep(A_MOMENT)


def work() -> None:
    """What takes long, until a signal ends it."""
    call_command("db_worker", "--no-reload", "--interval", "0.5", verbosity=0)


def main(port: int) -> None:
    """Serve until a signal ends it, then end the worker too."""
    migrate()
    connections.close_all()  # a connection cannot be shared
    gc.collect()
    gc.freeze()  # what is loaded is no garbage: looking for some would copy it into every process
    worker = beside(lambda: again_and_again(work))
    this = os.getpid()
    try:
        Pages(port).run()
    finally:
        if os.getpid() == this:  # the processes of gunicorn come by here too
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGTERM)
            gone(worker)


if __name__ == "__main__":
    main(int(sys.argv[1]))
