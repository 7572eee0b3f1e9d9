"""Write the scheme of a project to a file, or replace it by the scheme of a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.formats.schemes import read_scheme
from annotations.management.base import ProgramCommand, refusals
from annotations.models import Project, User
from annotations.revision.saving import SchemeRefused, save_scheme
from annotations.schemes.changes import plan_change
from annotations.transfers.scheme_files import WRITTEN, export_scheme


class Command(ProgramCommand):
    help = "Write the scheme of a project to a file, or give it the scheme of a file, of whichever kind that is."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        export = what.add_parser("export", help="write the scheme to a file")
        export.add_argument("file", type=Path)
        export.add_argument("--format", choices=sorted(WRITTEN), default="json")
        import_ = what.add_parser("import", help="give the project the scheme of a file")
        import_.add_argument("file", type=Path)
        import_.add_argument("--user", required=True, help="the author of the change")
        import_.add_argument("--trial", action="store_true", help="show what would happen, and change nothing")
        for parser_ in (export, import_):
            parser_.add_argument("--project", required=True, metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        is_export = options["what"] == "export"
        with refusals("Nothing was written." if is_export else "Nothing was changed.", options["file"]):
            if is_export:
                self._export(project, options["file"], options["format"])
            else:
                self._import(project, options)

    def _export(self, project: Project, path: Path, key: str) -> None:
        download = export_scheme(project, key)
        path.write_bytes(download.data)
        self.warn(download.losses)

    def _import(self, project: Project, options: dict[str, Any]) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no account {options['user']!r}.")
        read = read_scheme(options["file"].read_bytes(), options["file"].name)
        self.warn(read.losses)
        if not options["trial"]:
            save_scheme(project, read.spec, user, answers=read.answers)
        elif (change := plan_change(project, read.spec, answers=read.answers)).problems:
            raise SchemeRefused(change)
        sizes = f"{len(read.spec.levels)} levels, {len(read.spec.categories)} categories"
        sizes += f", {len(read.spec.relations)} relations, {len(read.spec.attributes)} attributes"
        self.stdout.write(f"{project.slug}: {'would have' if options['trial'] else 'has'} {sizes}")
