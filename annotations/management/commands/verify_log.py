"""Hold the tables of codings against their logs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.models import Coding
from annotations.moment import one_moment
from annotations.replaying import faults


class Command(BaseCommand):
    help = "Replay the log of every coding and say where it leads elsewhere than the tables do; nothing is changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("projects", metavar="SLUG", nargs="*", help="only these projects; none: all")

    def handle(self, *args: Any, **options: Any) -> None:
        codings = Coding.objects.select_related("text", "coder").defer("text__content").order_by("pk")
        if options["projects"]:
            codings = codings.filter(text__project__slug__in=options["projects"])
        count = wrong = 0
        for pk in list(codings.values_list("pk", flat=True)):
            # Each coding at one moment, so that people may go on saving.
            with one_moment():
                coding = codings.filter(pk=pk).first()
                found = list(faults(coding)) if coding is not None else []
            count += coding is not None
            wrong += bool(found)
            for fault in found:
                self.stderr.write(f"{coding} ({coding.kind}): {fault}")  # type: ignore[union-attr]
        if wrong:
            raise CommandError(f"{wrong} of {count} codings are not what their logs say.")
        self.stdout.write(f"{count} codings are what their logs say.")
