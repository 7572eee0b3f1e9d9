"""The worker of django-tasks-db, made to survive a restart of the database, to end when told to, and to be seen."""

import logging
import signal
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
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
from annotations.planning.work.digests import queue_digests
from annotations.planning.work.due_dates import queue_due_mails
from annotations.transfers.pruning import MAX_IDLE, idle_time, prune

logger = logging.getLogger(__name__)

SECONDS_BETWEEN = 1.0
SECONDS_BETWEEN_MAILS = 5.0
SECONDS_BETWEEN_DIGESTS = 3600.0
SECONDS_BETWEEN_DRAWS = 3600.0
SECONDS_BETWEEN_CLEANINGS = 60.0
SECONDS_BETWEEN_PRUNINGS = 24 * 3600.0


def seconds_of_silence(text: str) -> float:
    """Parse after how many seconds of silence a worker ends. Until LOST_AFTER others take it for alive."""
    seconds = float(text)
    if not 0 < seconds <= LOST_AFTER.total_seconds():
        raise ArgumentTypeError(f"this has to be more than 0 and at most {LOST_AFTER.total_seconds():.0f}")
    return seconds


def is_news(record: logging.LogRecord) -> bool:
    """Leave out that the package's worker starts and finds nothing to do, which ours lets it say each second."""
    return record.levelno > logging.INFO


class Worker(db_worker.Worker):
    """A worker that gives signs of life, ends at the first signal, and gives up the tasks of workers that have died."""

    cleaned_at = float("-inf")
    pruned_at = float("-inf")
    mailed_at = float("-inf")
    digests_at = float("-inf")
    drawn_at = float("-inf")
    delivery = Delivery()

    def run(self) -> None:
        """Empty the queue, wait and start again, until a signal comes; a batch is emptied once."""
        if self.batch:
            self.clean()
            self.draw_repeats()
            self.send_mails()
            return super().run()
        logger.info("The worker %s starts.", self.worker_id)
        self.batch = True
        while self.running and (self.max_tasks is None or self._run_tasks < self.max_tasks):
            beat()
            self.clean()
            self.draw_repeats()
            self.send_mails()
            super().run()
            self.startup_delay = False
            if self.running:
                time.sleep(self.interval)
        return None

    def clean(self) -> None:
        """Mark the tasks of lost workers as failed, once a minute; delete what is over, at the start and once a day."""
        if time.monotonic() - self.cleaned_at > SECONDS_BETWEEN_CLEANINGS:
            self.cleaned_at = time.monotonic()
            sample_tables()
            if count := fail_lost_tasks(ages(settings.WORKERS_DIR)):
                logger.warning("Tasks whose worker has died: %d, marked as failed.", count)

        if time.monotonic() - self.pruned_at > SECONDS_BETWEEN_PRUNINGS:
            is_first, self.pruned_at = self.pruned_at == float("-inf"), time.monotonic()
            try:
                if is_first and (idle := idle_time()) > MAX_IDLE:
                    logger.warning(
                        "Nobody has worked here for %d days, by the clock. If that is wrong, correct the clock: "
                        "what is over is deleted in a day, or by manage.py prune.",
                        idle.days,
                    )
                else:
                    logger.info("Deleted: %s.", prune())
            except (OperationalError, InterfaceError):
                raise
            except Exception:
                # The queue does not wait for it: a worker that ends of this would do so at each start.
                logger.exception("What is over could not be deleted; it is tried again in a day.")

    def draw_repeats(self) -> None:
        """Show coders again, each hour, what has become due of their own texts."""
        if time.monotonic() - self.drawn_at <= SECONDS_BETWEEN_DRAWS:
            return
        self.drawn_at = time.monotonic()
        try:
            if count := draw_due_repeats():
                logger.info("Texts that are shown again: %d.", count)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            # Imports and exports do not wait for it.
            logger.exception("What is due to be shown again could not be drawn; it is tried again in an hour.")

    def send_mails(self) -> None:
        """Send the mails that are due, and each hour queue those of the week and of dates that nobody has queued."""
        if time.monotonic() - self.mailed_at < SECONDS_BETWEEN_MAILS:
            return
        self.mailed_at = time.monotonic()
        try:
            if time.monotonic() - self.digests_at > SECONDS_BETWEEN_DIGESTS:
                self.digests_at = time.monotonic()
                queue_digests()
                queue_due_mails()
            self.delivery.send_due()
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            # Imports and exports do not wait for it.
            logger.exception("The mails that are due could not be sent.")

    def run_task(self, db_task_result: DBTaskResult[Any, Any]) -> None:
        beat()
        super().run_task(db_task_result)

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        """End at once: the task that is running is broken off and takes back what it has written."""
        if not self.running:  # it is on its way out; another signal does not keep it from cleaning up
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
        # One worker does everything. Of several, one may leave the long things to the others: --queue-name default.
        parser.set_defaults(worker_id=worker_name(), queue_name="*")

    def handle(self, *, stuck_after: float, **options: Any) -> None:  # type: ignore[override]
        """Run, and start again when the database connection is lost. A batch ends then, as its caller waits for it."""
        # The command of the package makes a worker of the class that its module names.
        db_worker.Worker = Worker  # type: ignore[misc]
        db_worker.logger.addFilter(is_news)
        # Who sees a sign of life may tell it to end before the worker of the package listens.
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
                    time.sleep(SECONDS_BETWEEN)
