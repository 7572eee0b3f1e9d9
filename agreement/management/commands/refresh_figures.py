"""Recompute all figures of a project after its rows were repaired by hand."""

from argparse import ArgumentParser
from typing import Any

from agreement.models import Computation, FiguresVersion
from annotations.management.base import ProgramCommand
from annotations.projects.scheme_rows import stamp_scheme


class Command(ProgramCommand):
    help = "Compute the figures of a project again in every process, after its rows were repaired by hand."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        FiguresVersion.increase(project.pk)
        Computation.objects.filter(project=project).delete()
        stamp_scheme(project)
        self.stdout.write(f"The figures of {project.slug} are computed again at the next look.")
