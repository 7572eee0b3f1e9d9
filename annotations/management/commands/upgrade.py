"""Migrate the database to this version of the program."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.utils import timezone

from annotations.core.database.migrations import MigrationState, read_migration_state
from annotations.core.text import pluralize
from annotations.management.base import moved_file
from annotations.transfers.backups import write_backup


class Command(BaseCommand):
    help = "Migrate the database: one that holds something is backed up before, and one of a newer version is refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing, and fail if there is something to do")

    def handle(self, *args: Any, **options: Any) -> None:
        state = self.read_state()
        if state.unapplied and options["check"]:
            raise CommandError(f"The database lacks {pluralize(len(state.unapplied), 'migration')} of this version.")
        if not state.unapplied:
            return
        if state.applied:
            self.back_up(state)
        else:
            self.stdout.write("The database is being made.")
        call_command("migrate", verbosity=0)
        if state.applied:
            self.stdout.write("The database is that of this version now.")

    def read_state(self) -> MigrationState:
        """Return the state of the migrations. Raise CommandError if this version must not use the database."""
        moved = moved_file()
        address = moved.read_text(encoding="utf-8").strip() if connection.vendor == "sqlite" and moved.exists() else ""
        if address:
            raise CommandError(
                f"This data was moved to {address}: set DATABASE_URL to that address, or delete {moved} to use "
                "what is here again."
            )
        try:
            state = read_migration_state()
        except DatabaseError as error:
            reason = str(error).partition("\n")[0]
            message = f"The database does not answer: {reason}. Start it, and look at DATABASE_URL."
            raise CommandError(message) from error
        if state.unknown:
            raise CommandError(
                f"The database is of a newer version of Coindex, or of another program (it has "
                f"{'.'.join(state.unknown[-1])}): install that version or a later one, or use another database."
            )
        return state

    def back_up(self, state: MigrationState) -> None:
        """Write a backup of the database and print its path. Raise CommandError if that fails."""
        try:
            path = write_backup(settings.BACKUP_DIR, timezone.now())
        except OSError as error:
            file = error.filename or settings.BACKUP_DIR
            raise CommandError(f"{file}: {error.strerror}. No backup could be written, and nothing changed.") from error
        self.stdout.write(
            f"The database is of an earlier version: {pluralize(len(state.unapplied), 'migration')} to come. "
            f"A backup of it is {path}."
        )
