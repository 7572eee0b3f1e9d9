"""Delete or anonymise an account."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.management.base import refusals
from annotations.models import User
from annotations.projects.anonymization import forget_person


class Command(BaseCommand):
    help = "Forget a person: the account goes, or is made anonymous where work stays under it. Nothing brings it back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"No user is called {options['username']!r}.")
        with refusals():
            forgotten = forget_person(user)
        self.stdout.write(str(forgotten))
