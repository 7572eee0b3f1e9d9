"""Common parts of the management commands, and the restoring of backups into another installation."""

import os
import subprocess
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from annotations.formats import FormatError
from annotations.models import Project
from annotations.projects.locks import ProjectArchived
from annotations.revision.saving import SchemeRefused
from annotations.transfers.importing.report import ImportFailed


class ProgramCommand(BaseCommand):
    """A command on projects, or with warnings to print."""

    def warn(self, lines: Iterable[object]) -> None:
        for line in lines:
            self.stderr.write(self.style.WARNING(str(line)))

    def find_project(self, slug: str) -> Project:
        """Return the project with this slug. Raise CommandError if there is none."""
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"There is no project {slug!r}.")
        return project


@contextmanager
def refusals(nothing: str = "Nothing was changed.", path: object = "") -> Iterator[None]:
    """Raise CommandError for a refusal or an unusable file at `path`; `nothing` says what was not done."""
    try:
        yield
    except (ValidationError, ProjectArchived, FormatError, ImportFailed, SchemeRefused) as error:
        messages = error.messages if isinstance(error, ValidationError) else [str(error)]
        raise CommandError("\n".join([*messages, nothing])) from error
    except OSError as error:
        if not path:
            raise
        raise CommandError(f"{path}: {error.strerror}. {nothing}") from error


def parse_date(text: str) -> date:
    """Parse the date of an option. Raise ArgumentTypeError if it is none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-11-01") from None


def restore_elsewhere(backup: Path, folder: Path, database: str) -> Iterator[str]:
    """Restore a backup into an empty database and a folder, and verify it; yield the output of each step.

    `database` is the URL, as in DATABASE_URL. Raise CommandError with the output of the first step that fails.
    """
    steps: list[Sequence[str]] = [("restore", str(backup)), ("verify_log",)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_URL")}
    environment |= {"DATA_DIR": str(folder), "DATABASE_URL": database}
    for step in steps:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *step]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise CommandError(f"{backup}: {step[0]} fails. {done.stderr.strip() or done.stdout.strip()}")
        if output := done.stdout.strip():
            yield output


def moved_file() -> Path:
    """Return the file that holds the address of the new database, without its password, after the data was moved."""
    folder: Path = settings.DATA_DIR
    return folder / "moved-to.txt"
