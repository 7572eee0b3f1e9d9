"""What the program's own commands have in common."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from annotations.formats import FormatError
from annotations.models import Project
from annotations.projects.locks import ProjectArchived
from annotations.revision.saving import SchemeRefused
from annotations.transfers.importing.report import ImportFailed


class ProgramCommand(BaseCommand):
    """A command about a project."""

    def find_project(self, slug: str) -> Project:
        """Return the project with that address. Raise CommandError where there is none."""
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"There is no project {slug!r}.")
        return project


@contextmanager
def refusals(nothing: str = "Nothing was changed.", path: object = "") -> Iterator[None]:
    """Raise CommandError for what is refused, or a file that cannot be used, with what therefore was not done."""
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
    """Return the date of an option. Raise ArgumentTypeError if it is none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no date such as 2026-11-01") from None
