"""Write the archive of a project."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotations.core.files import write_whole
from annotations.management.base import ProgramCommand, refusals
from annotations.models import Coding
from annotations.projects.viewing import record_view
from annotations.transfers.archiving import archive_project


class Command(ProgramCommand):
    help = "Write all of a project into a zip from which import_project makes an equal one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("path", metavar="FILE", type=Path, help="the zip to write")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        record_view(Coding.objects.of_coders().filter(text__project=project))
        with refusals("Nothing was written.", options["path"]):
            archive = write_whole(options["path"], lambda out: archive_project(project, out))
        self.stdout.write(f"{project.slug}: {archive}")
