"""The base of the program's own commands."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from annotations.models import Project


class ProgramCommand(BaseCommand):
    """A command about a project."""

    def find_project(self, slug: str) -> Project:
        """Return the project with that address. Raise CommandError where there is none."""
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"There is no project {slug!r}.")
        return project
