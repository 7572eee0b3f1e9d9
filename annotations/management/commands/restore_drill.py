"""Test whether the newest backup can be restored completely."""

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone
from django.utils.timesince import timesince

from annotations.management.base import restore_elsewhere
from annotations.transfers.backups import count_rows, past_backups, written_rows


class Command(BaseCommand):
    help = (
        "Restore the newest backup into a new SQLite database and folder, verify the log of every coding, and delete "
        "both again. Of this installation the backup is read and the rows are counted, and nothing is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="FILE", nargs="?", type=Path, help="another backup than the newest one")
        parser.add_argument(
            "--in", dest="place", metavar="FOLDER", type=Path, help="where there is room for it (default: BACKUP_DIR)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["path"] or self.newest()
        parent = options["place"] or settings.BACKUP_DIR
        if not path.is_file():
            raise CommandError(f"{path}: there is no such file.")
        try:
            with TemporaryDirectory(prefix=".drill-", dir=parent if parent.is_dir() else None) as folder:
                database = f"sqlite:///{Path(folder) / 'drill.sqlite3'}"
                for output in restore_elsewhere(path.resolve(), Path(folder), database):
                    self.stdout.write(output)
        except OSError as error:
            raise CommandError(f"{error.filename or parent}: {error.strerror}. The drill could not run.") from error
        self.compare(path)

    def newest(self) -> Path:
        now = timezone.now()
        backups = past_backups(settings.BACKUP_DIR, now)
        if not backups:
            raise CommandError(f"There is no backup in {settings.BACKUP_DIR}; write one by `scheduled_backup`.")
        time, path = next(iter(backups.items()))
        self.stdout.write(f"{path} is {timesince(time, now)} old.")
        return path

    def compare(self, path: Path) -> None:
        """Report whether the restored backup has at least half of the database's rows in each table."""
        try:
            now = count_rows()
        except DatabaseError as error:
            self.stdout.write(f"{path} can be restored. The database could not be counted: {error}")
            return
        held = written_rows(path)
        if few := [
            f"{name} {held.get(name, 0)} of {count}" for name, count in now.items() if 2 * held.get(name, 0) < count
        ]:
            self.stdout.write(f"{path} can be restored.")
            self.stderr.write(f"It holds less than half of what is in the database now: {', '.join(few)}.")
        else:
            self.stdout.write(f"{path} can be restored completely.")
