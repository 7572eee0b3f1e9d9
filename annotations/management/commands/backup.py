"""Write a backup of everything."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.core.files import write_whole
from annotations.transfers.backups import back_up


class Command(BaseCommand):
    help = "Write everything, files too, into one file from which `restore` makes an equal installation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="FILE", type=Path, help="the zip to write")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = write_whole(options["path"], back_up)
        except OSError as error:
            raise CommandError(f"{options['path']}: {error.strerror}. Nothing was written.") from error
        self.stdout.write(f"{sum(counts.values())} rows of {len(counts)} tables are in {options['path']}.")
