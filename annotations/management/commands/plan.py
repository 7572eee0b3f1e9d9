"""Plan the assignments of a round, and apply the plan."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from typing import Any

from annotations.management.base import ProgramCommand, parse_date, refusals
from annotations.planning.plans.designs.terms import Design
from annotations.planning.plans.plans import PlanRequest, PlanView, apply_plan, view_plan


def _by_coder[Value](kind: Callable[[str], Value]) -> Callable[[str], tuple[str, Value]]:
    """Return a parser of NAME=VALUE."""

    def read(text: str) -> tuple[str, Value]:
        name, equals, value = text.rpartition("=")
        try:
            if name and equals:
                return name, kind(value)
        except ValueError:
            pass
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=NUMBER")

    return read


def _k(text: str) -> int | None:
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is neither a number nor “all”") from None


class Command(ProgramCommand):
    help = (
        "Plan who codes which text of a round. Without --apply nothing is written; the same seed gives the same plan. "
        "What coders have begun stays with them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("--round", default="", metavar="NAME", help="without: the round that is open, else main")
        parser.add_argument("--design", choices=[str(design) for design in Design], required=True)
        parser.add_argument("--k", type=_k, default=2, help="how many coders code a text, or a shared one; or “all”")
        parser.add_argument("--share", type=float, default=0.2, help="which part of the texts is shared (.2)")
        parser.add_argument("--blocks", type=int, help="how many blocks (as many as there are coders)")
        parser.add_argument("--calibration", type=int, default=0, help="how many texts, drawn at random, all code")
        parser.add_argument(
            "--coder", action="append", default=[], metavar="NAME", help="who takes part (all but adjudicators)"
        )
        parser.add_argument(
            "--weight", action="append", default=[], type=_by_coder(float), metavar="NAME=NUMBER", help="share of work"
        )
        parser.add_argument(
            "--maximum", action="append", default=[], type=_by_coder(int), metavar="NAME=NUMBER", help="texts at most"
        )
        parser.add_argument("--pool", action="store_true", help="coders take the next text themselves")
        parser.add_argument("--move", action="store_true", help="what nobody has begun may go to others")
        parser.add_argument("--allow-unconnected", action="store_true", help="groups of coders may share no texts")
        parser.add_argument("--due", type=parse_date, metavar="DATE", help="until when the texts are to be coded")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--apply", action="store_true", help="assign the texts")
        parser.add_argument("--format", choices=["json", "table"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        fields = {"weights": dict(options["weight"]), "maxima": dict(options["maximum"]), "due_on": options["due"]}
        names = {"round_name": options["round"], "coders": options["coder"]}
        request = PlanRequest.of(options | fields | names)
        with refusals():
            view = (apply_plan if options["apply"] else view_plan)(project, request)
        if options["format"] == "json":
            self.stdout.write(json.dumps(view.as_dict(), indent=2, ensure_ascii=False))
        else:
            self._write_table(view, applied=options["apply"])

    def _write_table(self, view: PlanView, *, applied: bool) -> None:
        proposal = view.proposal
        width = max([4, *map(len, proposal.assignments)])
        self.stdout.write(f"{'text':<{width}}  coders")
        for text, names in proposal.assignments.items():
            self.stdout.write(f"{text:<{width}}  {', '.join(names)}")
        width = max([5, *map(len, view.coders)])
        self.stdout.write(f"\n{'coder':<{width}}  texts  {view.unit}")
        for load in proposal.loads:
            self.stdout.write(f"{load.coder:<{width}}  {load.texts:>5}  {load.work:>{len(view.unit)}}")
        if proposal.pairs:
            numbers = [number for _, _, number in proposal.pairs]
            self.stdout.write(f"\nEach two coders share {min(numbers)} to {max(numbers)} texts.")
        if not proposal.connected:
            self.stdout.write(self.style.WARNING("Some coders share no text with the others."))
        verb = "has" if applied else "would have"
        self.stdout.write(
            f"The round {view.round_name} {verb} {len(proposal.new)} new assignments"
            f"{f' and {len(proposal.removed)} fewer' if proposal.removed else ''}."
        )
