"""Create a project from its archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotations.management.base import ProgramCommand, refusals
from annotations.transfers.archiving import restore_project


class Command(ProgramCommand):
    help = "Make a new project of a zip that export_project wrote; people who are not here are made without password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="FILE", type=Path, help="the zip")
        parser.add_argument("--slug", metavar="NEW", help="the address of the new project, if not the old one")
        parser.add_argument("--trial", action="store_true", help="show what would happen, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        with refusals("Nothing was imported.", path):
            data = path.read_bytes()
            restored = restore_project(data, slug=options["slug"], trial=options["trial"], file=str(path))
        self.warn(restored.warnings())
        if restored.new_people:
            self.stderr.write(f"made without password: {', '.join(restored.new_people)}")
        self.stdout.write(f"{restored.slug}: {'would be ' if options['trial'] else ''}{restored}")
