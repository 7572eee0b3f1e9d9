"""Write a backup of the whole installation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from annotations.core.files import write_whole
from annotations.management.base import refusals
from annotations.transfers.backups import back_up, named_backup


class Command(BaseCommand):
    help = "Write everything, files too, into one file from which `restore` makes an equal installation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path", metavar="FILE", nargs="?", type=Path, help="the zip to write (default: a new one in BACKUP_DIR)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"] or named_backup(settings.BACKUP_DIR, timezone.now())
        with refusals("Nothing was written.", path):
            if options["path"] is None:
                path.parent.mkdir(parents=True, exist_ok=True)
            counts = write_whole(path, back_up)
        self.stdout.write(f"{sum(counts.values())} rows of {len(counts)} tables are in {path}.")
