"""Compare the tables of codings with their logs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.coding.log.replay import log_mismatches
from annotations.core.database.queries import read_snapshot
from annotations.models import Coding


class Command(BaseCommand):
    help = "Replay the log of every coding and say where it leads elsewhere than the tables do; nothing is changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("projects", metavar="SLUG", nargs="*", help="only these projects; none: all")

    def handle(self, *args: Any, **options: Any) -> None:
        codings = Coding.objects.select_related("text", "coder").defer("text__content").order_by("pk")
        if options["projects"]:
            codings = codings.filter(text__project__slug__in=options["projects"])
        count = n_wrong = 0
        for pk in list(codings.values_list("pk", flat=True)):
            # One snapshot for each coding, so that coders can keep saving.
            with read_snapshot():
                coding = codings.filter(pk=pk).first()
                mismatches = list(log_mismatches(coding)) if coding is not None else []
            count += coding is not None
            n_wrong += bool(mismatches)
            for mismatch in mismatches:
                self.stderr.write(f"{coding} ({coding.kind}): {mismatch}")  # type: ignore[union-attr]
        if n_wrong:
            raise CommandError(f"{n_wrong} of {count} codings are not what their logs say.")
        self.stdout.write(f"{count} codings are what their logs say.")
