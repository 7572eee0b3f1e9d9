"""Assign coders some of their own texts again within a round, unmarked."""

import json
from argparse import ArgumentParser
from typing import Any

from annotations.management.base import ProgramCommand, refusals
from annotations.planning.repeats import DAYS, RepeatRequest, RepeatView, apply_repeats, view_repeats


class Command(ProgramCommand):
    help = (
        "Let each coder code some of their own submitted texts again, without knowing which. Without --apply nothing "
        "is written; the same seed draws the same texts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("--round", default="", metavar="NAME", help="without: the round that is open")
        amount = parser.add_mutually_exclusive_group(required=True)
        amount.add_argument("--share", type=float, help="which part of the submitted texts of each coder, such as .1")
        amount.add_argument("--number", type=int, help="how many texts of each coder")
        parser.add_argument("--days", type=int, default=DAYS, help=f"since the last change of a text ({DAYS})")
        parser.add_argument("--coder", action="append", default=[], metavar="NAME", help="who (all who code blind)")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--once", action="store_true", help="show nothing again that becomes due later")
        parser.add_argument("--apply", action="store_true", help="show the texts again")
        parser.add_argument("--format", choices=["json", "table"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        terms = {name: options[name] for name in ("share", "number", "days", "seed")}
        request = RepeatRequest(
            **terms, round_name=options["round"], coders=tuple(options["coder"]), automatic=not options["once"]
        )
        with refusals():
            view = (apply_repeats if options["apply"] else view_repeats)(project, request)
        if options["format"] == "json":
            self.stdout.write(json.dumps(view.as_dict(), indent=2, ensure_ascii=False))
        else:
            self._write_table(view, applied=options["apply"])

    def _write_table(self, view: RepeatView, *, applied: bool) -> None:
        width = max([5, *(len(row.coder) for row in view.coders)])
        self.stdout.write(f"{'coder':<{width}}  submitted  eligible  shown again  new")
        for row in view.coders:
            numbers = f"{row.submitted:>9}  {row.eligible:>8}  {len(row.repeated_before):>11}  {len(row.new):>3}"
            self.stdout.write(f"{row.coder:<{width}}  {numbers}  {', '.join(row.new)}".rstrip())
        verb = "shows" if applied else "would show"
        self.stdout.write(f"The round {view.round_.name} {verb} {view.n_new} texts again.")
