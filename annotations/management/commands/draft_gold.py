"""Draft the gold of texts, or the agreed pyramids of docsets, from submitted codings."""

from argparse import ArgumentParser
from typing import Any

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.management.base import ProgramCommand, refusals


class Command(ProgramCommand):
    help = (
        "Draft the gold of texts: what most coders say, what all say, one coder's answers, or nothing. All of the "
        "texts or none; what has been begun stays as it is. Read what came of it by export_codings --silver or --gold. "
        "In a project of pyramids the agreed pyramids of docsets are drafted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("--method", choices=[str(method) for method in Method], required=True)
        parser.add_argument("--coder", default="", metavar="NAME", help="whose answers, with the method coder")
        parser.add_argument(
            "--texts",
            default="",
            metavar="SLUG,SLUG",
            help="only these texts or docsets; without: all with a submitted coding",
        )
        parser.add_argument(
            "--round", default="", metavar="NAME", help="without: of each text the latest that somebody submitted"
        )
        parser.add_argument(
            "--as",
            dest="adjudicator",
            default="",
            metavar="NAME",
            help="the manager or adjudicator who works on it; without: whoever opens it first, of an agreed pyramid the"
            " only adjudicator",
        )
        parser.add_argument(
            "--again",
            action="store_true",
            help="draft anew what has been begun and is not closed, too: what was decided stays as it is",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        request = DraftRequest(
            Method(options["method"]),
            coder=options["coder"],
            texts=tuple(slug for slug in options["texts"].split(",") if slug),
            round_name=options["round"],
            adjudicator=options["adjudicator"],
            again=options["again"],
        )
        with refusals("Nothing was drafted."):
            report = draft_gold(project, request)
        self.stdout.write(f"{project.slug}: {report}")
        if report.early:
            self.stdout.write(f"Drafted before all their coders had submitted: {', '.join(report.early)}")
