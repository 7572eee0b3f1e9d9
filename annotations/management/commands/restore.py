"""Restore a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.transfers.backups import BackupFailed, restore


class Command(BaseCommand):
    help = (
        "Read what `backup` of this or an earlier version wrote into an empty database of either kind: all or nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="FILE", type=Path, help="the zip that `backup` wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = restore(options["path"])
        except BackupFailed as error:
            raise CommandError(f"{error} Nothing was changed.") from error
        except OSError as error:
            file = error.filename or options["path"]
            raise CommandError(f"{file}: {error.strerror}. Nothing was changed.") from error
        self.stdout.write(f"{sum(counts.values())} rows of {len(counts)} tables restored.")
