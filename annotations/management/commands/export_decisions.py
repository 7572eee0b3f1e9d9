"""Write the decisions on gold, with their sources and reasons, into a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotations.adjudication.decisions.listing import (
    CONTENT_TYPES,
    describe_decisions,
    list_decisions,
    write_decisions,
)
from annotations.core.text import pluralize
from annotations.management.base import ProgramCommand


class Command(ProgramCommand):
    help = "Write what was decided of gold: item by item, whose answer holds, why, and who decided it when."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--format", choices=list(CONTENT_TYPES), default="csv")
        parser.add_argument("--round", default="", metavar="NAME", help="without: of all rounds")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        try:
            decisions = list_decisions(project, options["round"])
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from error
        described = describe_decisions(project, decisions, with_names=True)
        try:
            Path(options["file"]).write_bytes(write_decisions(described, options["format"]))
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"{project.slug}: {pluralize(len(described), 'decision')} written.")
