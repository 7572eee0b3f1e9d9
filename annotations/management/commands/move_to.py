"""Move all data to an empty PostgreSQL database."""

import re
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone

from annotations.core.processes.serving import AlreadyServed, hold_data
from annotations.management.base import moved_file, restore_elsewhere
from annotations.transfers.backups import count_rows, write_backup


class Command(BaseCommand):
    help = (
        "Copy everything from SQLite to an empty PostgreSQL database, by a backup that is restored there, and verify "
        "it. The files stay where they are. Coindex must not be running meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", metavar="postgres://USER:PASSWORD@HOST:PORT/NAME", help="the database")

    def handle(self, *args: Any, **options: Any) -> None:
        address: str = options["address"]
        if urlsplit(address).scheme not in ("postgres", "postgresql") or not urlsplit(address).path.strip("/"):
            raise CommandError("The address of the database has to be postgres://USER:PASSWORD@HOST:PORT/NAME.")
        if connection.vendor != "sqlite":
            raise CommandError("This data is in PostgreSQL already: DATABASE_URL says so.")
        check_empty(address)
        try:
            with hold_data(settings.DATA_DIR):
                self.move(address)
        except AlreadyServed as error:
            raise CommandError("Coindex is running on this data: stop it first, so that nothing is lost.") from error
        except OSError as error:
            raise CommandError(f"{error.filename or settings.DATA_DIR}: {error.strerror}. Nothing moved.") from error

    def move(self, address: str) -> None:
        """Copy and verify all data, and record the new address."""
        path = write_backup(settings.BACKUP_DIR, timezone.now())
        self.stdout.write(f"A backup of everything is {path}.")
        # Files are restored too; they equal those of this folder.
        with TemporaryDirectory(prefix=".moving-", dir=settings.DATA_DIR) as folder:
            try:
                for output in restore_elsewhere(path.resolve(), Path(folder), address):
                    self.stdout.write(output)
            except CommandError as error:
                raise CommandError(
                    f"{error}\nNothing here changed. Make the other database anew, then try again."
                ) from error
        url = without_password(address)
        moved_file().write_text(f"{url}\n", encoding="utf-8")
        rows = sum(count_rows().values())
        self.stdout.write(
            f"{rows} rows are in {url} and verified. From now on set its address, with the password, before each "
            f"start:\n\n    export DATABASE_URL='{url}'\n\nFiles, key and backups stay in {settings.DATA_DIR}. The "
            "SQLite database there is as it was, and is not used any more."
        )


def check_empty(address: str) -> None:
    """Raise CommandError unless the database answers and has no tables."""
    try:
        with psycopg.connect(address, connect_timeout=10) as database:
            query = "SELECT count(*) FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false))"
            [count] = database.execute(query).fetchone() or [0]
    except psycopg.Error as error:
        reason = str(error).partition("\n")[0]
        raise CommandError(f"{without_password(address)} does not answer: {reason}.") from error
    if count:
        raise CommandError(
            f"{without_password(address)} has tables already: make an empty database for Coindex, such as by "
            "`createdb NAME`."
        )


def without_password(address: str) -> str:
    """Return the URL of a database with a placeholder for its password."""
    return re.sub(r"^(\w+://[^:/@]*):.*@", r"\1:PASSWORD@", address)
