"""Export the codings of a project to a zip of files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotations.core.files import write_whole
from annotations.formats import FORMATS, PYRAMID_FORMATS, Format, PyramidFormat
from annotations.management.base import ProgramCommand, refusals
from annotations.management.commands.import_codings import parse_options
from annotations.models import Coding, Text
from annotations.projects.rounds import rounds_of
from annotations.projects.viewing import record_view
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.exporting.gold import GOLD, SILVER

WRITTEN: dict[str, Format | PyramidFormat] = {
    key: format_ for key, format_ in FORMATS.items() if format_.write is not None
} | PYRAMID_FORMATS


class Command(ProgramCommand):
    help = "Export the codings of a project to a zip with a folder for each coder; say what the format cannot hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("format", choices=sorted(WRITTEN))
        parser.add_argument("path", metavar="FILE", type=Path, help="the zip to write")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--coder", action="append", default=[], metavar="NAME", help="only this one's; may repeat")
        parser.add_argument("--text", action="append", default=[], metavar="SLUG", help="only this text; may repeat")
        parser.add_argument(
            "--round",
            action="append",
            default=[],
            metavar="NAME",
            help="only this round; may repeat. Without it those that figures are made of",
        )
        gold = parser.add_mutually_exclusive_group()
        gold.add_argument(
            "--gold",
            action="store_const",
            const=GOLD,
            default="",
            help="the gold of texts that is closed, or of which everything contested was decided, in the folder gold",
        )
        gold.add_argument(
            "--silver",
            dest="gold",
            action="store_const",
            const=SILVER,
            help="drafts of gold that are not decided yet, in the folder silver",
        )
        parser.add_argument("--unfinished", action="store_true", help="codings that are not submitted, too")
        parser.add_argument("--trial", action="store_true", help="list what would be lost, and write nothing")
        parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="of the format")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        _refuse_unknown("coder", options["coder"], set(project.members.values_list("username", flat=True)))
        texts = Text.objects.filter(project=project)
        _refuse_unknown("text", options["text"], set(texts.values_list("slug", flat=True)))
        _refuse_unknown("round", options["round"], {round_.name for round_ in rounds_of(project)})
        format_ = WRITTEN[options["format"]]
        selection = {
            "coders": options["coder"],
            "texts": options["text"],
            "rounds": options["round"],
            "unfinished": options["unfinished"],
            "gold": options["gold"],
            "options": parse_options(format_, format_.options_written, options["option"]),
        }
        with refusals("Nothing was written.", options["path"]):
            if options["trial"]:
                report = export_files(project, format_.key, None, **selection)
            else:
                record_view(Coding.objects.of_coders().filter(text__project=project))
                report = write_whole(options["path"], lambda out: export_files(project, format_.key, out, **selection))
        self.warn(f"not kept: {loss}" for loss in report.losses)
        self.warn(f"left out: {loss}" for loss in report.left_out)
        self.stdout.write(f"{'would write ' if options['trial'] else ''}{report}")


def _refuse_unknown(noun: str, names: list[str], existing: set[str]) -> None:
    for name in names:
        if name not in existing:
            raise CommandError(f"There is no {noun} {name!r} in this project.")
