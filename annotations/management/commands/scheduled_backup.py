"""Write backups into a folder, once or every few hours, and delete the oldest."""

import logging
import signal
import time
from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections
from django.utils import timezone

from annotations.transfers.backups import backups_in, delete_old_backups, past_backups, write_backup

logger = logging.getLogger(__name__)

RETRY_AFTER = timedelta(minutes=10)


def at_least(lowest: float, kind: type[int] | type[float]) -> Any:
    def parse(text: str) -> float:
        value = kind(text)
        if value < lowest:
            raise ArgumentTypeError(f"this has to be {lowest} or more")
        return value

    return parse


class Command(BaseCommand):
    help = (
        "Write a backup into a folder, and delete those that are too old; none of the last day. "
        "With --every: go on doing so."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", metavar="FOLDER", nargs="?", type=Path, help="where they lie (default: BACKUP_DIR)"
        )
        parser.add_argument("--daily", type=at_least(1, int), default=7, help="days of which one is kept (%(default)s)")
        parser.add_argument(
            "--weekly", type=at_least(0, int), default=4, help="weeks of which one is kept (%(default)s)"
        )
        parser.add_argument("--every", metavar="HOURS", type=at_least(0.01, float), help="one every so many hours")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"] or settings.BACKUP_DIR
        if options["every"] is None:
            try:
                self.back_up(folder, options["daily"], options["weekly"])
            except OSError as error:
                raise CommandError(f"{error.filename or folder}: {error.strerror}. Nothing was written.") from error
            return
        # Only SIGINT ends Python with an exception; a backup being written is then cleaned up.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self.repeat(folder, timedelta(hours=options["every"]), options["daily"], options["weekly"])
        except KeyboardInterrupt:
            return

    def repeat(self, folder: Path, every: timedelta, daily: int, weekly: int) -> None:
        """Write a backup whenever the newest is older than `every`, also across restarts."""
        while True:
            now = timezone.now()
            newest = next(iter(past_backups(folder, now)), None)
            waiting = every - (now - newest) if newest else timedelta(0)
            if waiting <= timedelta(0):
                try:
                    self.back_up(folder, daily, weekly)
                    continue
                except (OSError, DatabaseError):
                    logger.exception("No backup could be written; it is tried again in %s.", RETRY_AFTER)
                    waiting = RETRY_AFTER
            connections.close_all()
            time.sleep(waiting.total_seconds())

    def back_up(self, folder: Path, daily: int, weekly: int) -> None:
        now = timezone.now()
        path = write_backup(folder, now)
        old = delete_old_backups(folder, daily, weekly, now)
        kept = len(backups_in(folder))
        self.stdout.write(f"{path} is written; {kept} backups are kept, {len(old)} were deleted.")
