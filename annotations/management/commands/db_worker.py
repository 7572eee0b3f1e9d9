"""The worker of django-tasks-db, which here survives database restarts, stops when told, and sends heartbeats."""

import logging
import signal
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connections
from django_tasks_db.management.commands import db_worker
from django_tasks_db.models import DBTaskResult

from annotations.core.database.queries import sample_tables
from annotations.core.processes.heartbeat import LOST_AFTER, ages, beat, beating, worker_name
from annotations.core.processes.progress import WorkerStopped
from annotations.core.processes.queue import fail_lost_tasks
from annotations.mail.delivery import Delivery
from annotations.planning.repeats import draw_due_repeats
from annotations.planning.work.work_mails import queue_digests, queue_due_mails
from annotations.transfers.pruning import MAX_IDLE, idle_time, prune

logger = logging.getLogger(__name__)

RETRY_SECONDS = 1.0


def seconds_of_silence(text: str) -> float:
    """Parse the seconds of silence after which a worker ends; at most LOST_AFTER, when others take it for dead."""
    seconds = float(text)
    if not 0 < seconds <= LOST_AFTER.total_seconds():
        raise ArgumentTypeError(f"this has to be more than 0 and at most {LOST_AFTER.total_seconds():.0f}")
    return seconds


def is_news(record: logging.LogRecord) -> bool:
    """Return whether a record is no routine message: the package's worker logs start and idle each second."""
    return record.levelno > logging.INFO


@dataclass(slots=True)
class Chore:
    """Periodic work of a worker between its tasks: done at the start, then every `seconds` seconds."""

    work: Callable[[], object]
    seconds: float
    failure: str
    done_at: float = float("-inf")

    def do_if_due(self) -> None:
        """Do the work if it is due. Log failures, so that the queue does not wait."""
        if time.monotonic() - self.done_at < self.seconds:
            return
        self.done_at = time.monotonic()
        try:
            self.work()
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            logger.exception(self.failure)


class Worker(db_worker.Worker):
    """A worker that sends heartbeats, stops at the first signal, and fails the tasks of dead workers."""

    delivery = Delivery()
    has_pruned = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.chores = [
            Chore(
                self.fail_lost_tasks, 60, "Tasks of lost workers could not be marked; it is tried again in a minute."
            ),
            Chore(self.prune, 24 * 3600, "What is over could not be deleted; it is tried again in a day."),
            Chore(
                self.draw_repeats,
                3600,
                "What is due to be shown again could not be drawn; it is tried again in an hour.",
            ),
            Chore(self.queue_mails, 3600, "The mails of the week and of dates could not be queued."),
            Chore(self.delivery.send_due, 5, "The mails that are due could not be sent."),
        ]

    def do_chores(self) -> None:
        for chore in self.chores:
            chore.do_if_due()

    def run(self) -> None:
        """Empty the queue, wait and repeat until a signal comes; in batch mode, empty the queue once."""
        if self.batch:
            self.do_chores()
            return super().run()
        logger.info("The worker %s starts.", self.worker_id)
        self.batch = True
        while self.running and (self.max_tasks is None or self._run_tasks < self.max_tasks):
            beat()
            self.do_chores()
            super().run()
            self.startup_delay = False
            if self.running:
                time.sleep(self.interval)
        return None

    def fail_lost_tasks(self) -> None:
        """Mark the tasks of lost workers as failed."""
        sample_tables()
        if count := fail_lost_tasks(ages(settings.WORKERS_DIR)):
            logger.warning("Tasks whose worker has died: %d, marked as failed.", count)

    def prune(self) -> None:
        """Delete expired data; skip the first time if the clock may be wrong."""
        is_first, self.has_pruned = not self.has_pruned, True
        if is_first and (idle := idle_time()) > MAX_IDLE:
            logger.warning(
                "Nobody has worked here for %d days, by the clock. If that is wrong, correct the clock: "
                "what is over is deleted in a day, or by manage.py prune.",
                idle.days,
            )
        else:
            logger.info("Deleted: %s.", prune())

    def draw_repeats(self) -> None:
        """Assign to coders the repeats of their own texts that are due."""
        if count := draw_due_repeats():
            logger.info("Texts that are shown again: %d.", count)

    def queue_mails(self) -> None:
        """Queue the weekly mails and the mails on dates that are not queued yet."""
        queue_digests()
        queue_due_mails()

    def run_task(self, db_task_result: DBTaskResult[Any, Any]) -> None:
        beat()
        super().run_task(db_task_result)

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        """Stop at once: the running task is aborted and rolls back."""
        if not self.running:  # already stopping; another signal must not interrupt the cleanup
            return
        self.running = False
        if self.running_task:
            raise WorkerStopped
        sys.exit(0)


class Command(db_worker.Command):
    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--stuck-after",
            metavar="SECONDS",
            type=seconds_of_silence,
            default=LOST_AFTER.total_seconds(),
            help="end when a task has given no sign of life for so long (default and most: %(default)s)",
        )
        # One worker runs all queues. With several, some can leave long tasks to the others: --queue-name default.
        parser.set_defaults(worker_id=worker_name(), queue_name="*")

    def handle(self, *, stuck_after: float, **options: Any) -> None:  # type: ignore[override]
        """Run, and restart if the connection to the database is lost; a batch ends then, as its caller waits for it."""
        # The command of the package instantiates the class in its module.
        db_worker.Worker = Worker  # type: ignore[misc]
        db_worker.logger.addFilter(is_news)
        # A supervisor that sees the heartbeat may send SIGTERM before the package's worker handles it.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with beating(settings.WORKERS_DIR, options["worker_id"], stuck_after):
            while True:
                try:
                    return super().handle(**options)
                except WorkerStopped:
                    return None
                except (OperationalError, InterfaceError) as error:
                    if options["batch"]:
                        raise
                    logger.warning("The database does not answer, the worker tries again: %s", error)
                    connections.close_all()
                    beat()
                    time.sleep(RETRY_SECONDS)
