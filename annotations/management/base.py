"""The base of the program's own commands."""

from __future__ import annotations

from django.core.management.base import BaseCommand


class ProgramCommand(BaseCommand):
    """A command that starts without Django's system checks: they load all pages, which takes longer than the rest.

    They are there for whoever changes code or settings: `manage.py check` and `doctor` carry them out.
    """

    requires_system_checks = []
