"""Print the agreement of a project or any other result, with the digits of the page and the API."""

import csv
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404

from agreement.measures import Result
from agreement.reports import overall, parameters
from agreement.results.computations import PageSections
from agreement.results.registry import REPORTS
from agreement.results.tables import as_csv, as_json, as_markdown
from annotations.management.base import ProgramCommand
from annotations.models import Coding, Membership, Project
from annotations.projects.viewing import record_view

# The reports that take each option.
REPORTS_OF = {
    option: [name for name, page in REPORTS.items() if option in (*page.api_names, *page.address)]
    for option in sorted({option for page in REPORTS.values() for option in (*page.api_names, *page.address)})
}
COLUMNS = ("value", "observed", "expected", "n_units", "n_coders", "n_values", "n_judgements", "note")


class Command(ProgramCommand):
    help = "Print the agreement of a project, over all texts and in each; or what another page of results says."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        convention = "a paper's convention; options come on top of it"
        parser.add_argument("--preset", choices=list(parameters.PRESETS), help=convention)
        for name, choices in parameters.CHOICES.items():
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, choices=choices, help=parameters.HELP[name])
        parser.add_argument(f"--{parameters.QUESTION}", metavar="KEY", help=parameters.HELP[parameters.QUESTION])
        for name in (*parameters.SELECTIONS, parameters.GROUPS):
            parser.add_argument(f"--{name}", metavar="NAMES", help=parameters.HELP[name])
        parser.add_argument("--report", choices=list(REPORTS), default="agreement", help="this instead")
        for name, reports in REPORTS_OF.items():
            field = next((page.takes[name] for page in REPORTS.values() if name in page.takes), None)
            said = f": {field.help_text}" if field and field.help_text else ""
            parser.add_argument(f"--{name}", help=f"with --report {' or '.join(reports)}{said}".replace("%", "%%"))
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.find_project(options["project"])
        # a command sees all that a manager sees
        project.role = Membership.Role.MANAGER  # type: ignore[attr-defined]
        result = REPORTS[options["report"] or "agreement"]
        if not result.uses_answers and project.answers != Project.Answers.SCUS:
            raise CommandError(f"There are no pyramids in {project.slug}.")
        own = {name: value for name in REPORTS_OF if (value := options[name]) is not None}
        for name in own.keys() - {*result.api_names, *result.address} if result.uses_answers else ():
            raise CommandError(f"--{name} belongs to --report {' or '.join(REPORTS_OF[name])}.")
        record_view(Coding.objects.of_coders().filter(text__project=project))
        address = {name: own.pop(name, "") for name in result.address}
        names = ("preset", parameters.GROUPS, *parameters.NAMES) if result.uses_answers else ()
        query = own | {name: options[name] for name in names if options[name] is not None}
        try:
            request = result.asked(project, query, address=address)
            request.waits = True
            report = result.compute(request)
            if options["format"] == "json" and not isinstance(report, PageSections):
                self._print_json(result.whole_fields(request, report))
                return
            tables = report.tables if isinstance(report, PageSections) else result.printed(request)
        except parameters.InvalidParameter as error:
            raise CommandError(f"--{str(error).replace('_', '-', 1)}") from error
        except Http404 as error:
            raise CommandError(str(error)) from error
        if options["format"] == "json":
            self._print_json({table.key: json.loads(as_json(table)) for table in tables})
            return
        if isinstance(report, overall.AgreementReport):
            (self._print_csv if options["format"] == "csv" else self._print_table)(report)
        elif options["format"] == "table" and (preface := result.preface(report)):
            self.stdout.write(preface)
        for table in tables:
            self.stdout.write(f"{table.caption}\n")
            self.stdout.write(as_csv(table) if options["format"] == "csv" else as_markdown(table))
            if table.note and options["format"] == "table":
                self.stdout.write(f"{table.note.strip()}\n")

    def _print_json(self, fields: Any) -> None:
        self.stdout.write(json.dumps(fields, indent=1, ensure_ascii=False, cls=DjangoJSONEncoder))

    def _print_csv(self, report: overall.AgreementReport) -> None:
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(["text", *COLUMNS])
        for name, result in _results(report, ""):
            writer.writerow([name, *(getattr(result, column) for column in COLUMNS)])

    def _print_table(self, report: overall.AgreementReport) -> None:
        choices = ", ".join(f"{name}={value}" for name, value in report.parameters.query().items())
        self.stdout.write(f"{choices}\ncoders: {', '.join(report.coders)}; input {report.fingerprint}\n")
        if report.not_counted:
            self.stdout.write(f"not counted: {report.not_counted}\n")
        if report.versions:
            self.stdout.write(f"{report.versions}\n")
        interval = report.interval
        if interval.low is not None and interval.high is not None:
            reach = f"{interval.low:z.4f} to {interval.high:z.4f}"
            self.stdout.write(f"95% interval {reach} ({interval.describe_method().replace('document', 'text')})")
        elif interval.note and interval.value is not None:
            self.stdout.write(interval.note)
        results = _results(report, "all texts")
        wide = max(len(name) for name, _ in results)
        self.stdout.write(f"{'':{wide}}  {'value':>9}  {'observed':>9}  {'expected':>9}  {'units':>6}  left out")
        for name, result in results:
            figures = (result.value, result.observed, result.expected)
            cells = "  ".join(f"{figure:z9.4f}" if figure is not None else f"{'-':>9}" for figure in figures)
            out = "; ".join(f"{count} {reason}" for reason, count in result.left_out.items())
            notes = "; ".join(filter(None, [out, result.note, getattr(result, "z_note", "")]))
            self.stdout.write(f"{name:{wide}}  {cells}  {result.n_units:6}  {notes}".rstrip())


def _results(report: overall.AgreementReport, whole: str) -> list[tuple[str, Result]]:
    return [(whole, report.result), *((row.text.name, row.result) for row in report.texts)]
