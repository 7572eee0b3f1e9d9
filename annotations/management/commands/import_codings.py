"""Import coded texts from files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotations.actions import create_project
from annotations.formats import READERS
from annotations.importing import ImportFailed, Source, import_documents, read_sources
from annotations.models import Project
from annotations.schemes import SCHEMES


class Command(BaseCommand):
    help = "Import coded texts: files or folders of one format. All of them or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("format", choices=sorted(READERS))
        parser.add_argument("paths", nargs="+", metavar="PATH", type=Path, help="a file, or a folder to be searched")
        parser.add_argument("--project", required=True, metavar="SLUG")
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument(
            "--coder-from",
            choices=["parent", "name"],
            help="the coder is the folder that holds the file, or the last dotted part of its name",
        )
        whose.add_argument("--coder", metavar="NAME", help="all files are this coder's")
        whose.add_argument("--texts-only", action="store_true", help="texts and their markables, no coding")
        parser.add_argument("--create", action="store_true", help="make the project and the coders that lack")
        parser.add_argument(
            "--scheme", choices=sorted(SCHEMES), default="clusters", help="of a project made by --create"
        )
        parser.add_argument(
            "--predefined",
            action="store_true",
            help="the markables are given with the texts: every coder sees them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        sources = _sources(options["paths"], READERS[options["format"]].suffixes)
        coder_from = options["coder_from"] or (f"={options['coder']}" if options["coder"] is not None else "nobody")
        try:
            coded = read_sources(options["format"], sources, coder_from)
            with transaction.atomic():
                project = _project(options["project"], options["create"], options["scheme"])
                summary = import_documents(project, coded, predefined=options["predefined"], create=options["create"])
        except ImportFailed as error:
            raise CommandError(f"{error}\nNothing was imported.") from error
        for warning in summary.warnings:
            self.stderr.write(self.style.WARNING(warning))
        self.stdout.write(f"{project.slug}: {summary}")


def _sources(paths: list[Path], suffixes: tuple[str, ...]) -> list[Source]:
    """The files named, and those with a suffix of the format in the folders named."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.is_file() and file.name.endswith(suffixes))
            if not found:
                raise CommandError(f"{path}: no file here ends in {' or '.join(suffixes)}.")
            files += found
        elif path.is_file():
            files.append(path)
        else:
            raise CommandError(f"{path}: there is no such file or folder.")
    try:
        return [Source(str(file), file.read_bytes()) for file in dict.fromkeys(files)]
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}.") from error


def _project(slug: str, create: bool, scheme: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is not None:
        return project
    if not create:
        raise CommandError(f"There is no project {slug!r}; --create makes it.")
    try:
        return create_project(slug, slug, SCHEMES[scheme])
    except ValidationError as error:
        raise CommandError(f"--project {slug!r}: {' '.join(error.messages)}") from error
