"""Say what is wrong with this installation."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from annotations.core.text import pluralize
from annotations.management.doctor import CHECKS, Finding, examine


class Command(BaseCommand):
    help = (
        "Say what is wrong with libraries, settings, disk, files, mail, database, worker and logs, and how to mend it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--only", metavar="NAME", nargs="+", choices=list(CHECKS), help=f"of {', '.join(CHECKS)}")
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = list(examine(set(options["only"] or CHECKS)))
        n_wrong = sum(bool(finding.problems) for finding in findings)
        if options["json"]:
            self.stdout.write(json.dumps({"well": not n_wrong, "checks": [asdict(one) for one in findings]}, indent=2))
        else:
            self.tell(findings)
            self.stdout.write(f"{pluralize(n_wrong, 'thing')} to mend." if n_wrong else "No problems found.")
        if n_wrong:
            raise SystemExit(1)

    def tell(self, findings: list[Finding]) -> None:
        """Write a line for each check, and what is wrong with the remedy below it."""
        for finding in findings:
            state = "wrong" if finding.problems else f"not checked: {finding.skipped}" if finding.skipped else "well"
            facts = f" ({'; '.join(finding.facts)})" if finding.facts else ""
            self.stdout.write(f"{finding.name}: {state}{facts}")
            for problem in finding.problems:
                self.stdout.write(f"  {problem.what}\n    {problem.remedy}")
