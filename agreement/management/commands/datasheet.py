"""Write the datasheet of a project."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.core.serializers.json import DjangoJSONEncoder

from agreement.reports.datasheet.report import describe_project
from agreement.reports.fields import as_json
from agreement.reports.request import parse_asked
from agreement.results.datasheet import as_file
from annotations.core.files import write_whole
from annotations.management.base import ProgramCommand
from annotations.models import Coding
from annotations.projects.viewing import record_view


class Command(ProgramCommand):
    help = "Write what a paper says of a project: texts, coders, rounds, agreement, adjudication and licence."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("path", metavar="FILE", type=Path, nargs="?", help="the file to write; else it is printed")
        parser.add_argument("--format", choices=["markdown", "json"], default="markdown")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        record_view(Coding.objects.of_coders().filter(text__project=project))
        sheet = describe_project(project, *parse_asked(project, {}), sees_gold=True)
        content = as_file(sheet)
        if options["format"] == "json":
            content = json.dumps(as_json(sheet), indent=1, ensure_ascii=False, cls=DjangoJSONEncoder) + "\n"
        if options["path"] is None:
            self.stdout.write(content, ending="")
            return
        try:
            write_whole(options["path"], lambda out: out.write(content.encode()))
        except OSError as error:
            raise CommandError(f"{options['path']}: {error.strerror}. Nothing was written.") from error
        self.stdout.write(f"{project.slug}: {options['path']}")
