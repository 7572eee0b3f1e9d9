"""The agreement of a project, with the digits of the page and the API."""

import csv
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agreement.extract import extract
from agreement.parameters import CHOICES, HELP, NAMES, PRESETS, SELECTIONS, WrongParameter, asked_for
from agreement.parts import pyramids as of_pyramids
from agreement.parts import scus as of_scus
from agreement.pyramids import read
from agreement.reports import overall, peers, pyramids, scores, scus, study
from agreement.tables import Table, as_csv, as_markdown
from annotations.models import Project

# The address of a pair is for pages alone.
NOWHERE = ""
COLUMNS = ("value", "observed", "expected", "n_units", "n_coders", "n_values", "n_judgements", "note")


class Command(BaseCommand):
    help = "Print the agreement of a project, over all texts and in each; or what its pyramids give."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("--preset", choices=list(PRESETS), help="a paper's convention; options come on top of it")
        for name, choices in CHOICES.items():
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, choices=choices, help=HELP[name])
        for name in SELECTIONS:
            parser.add_argument(f"--{name}", metavar="NAMES", help=HELP[name])
        parser.add_argument("--report", choices=list(pyramids.REPORTS), help="of pyramids: this instead of agreement")
        parser.add_argument("--docset", metavar="SLUG", help="with --report: only this docset")
        parser.add_argument("--mean", help="with --report: a mean number of SCUs is rounded (round) or interpolate")
        for name in ("first", "second"):
            parser.add_argument(f"--{name}", metavar="NAME", help="with --report: one of the two coders")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.")
        if options["report"]:
            self._pyramids(project, options)
            return
        asked = {name: options[name] for name in ("preset", *NAMES) if options[name] is not None}
        try:
            parameters = asked_for(asked, project.preset, project.answers)
            report = overall.report(extract(project, parameters.units), parameters)
        except WrongParameter as wrong:
            raise CommandError(f"--{str(wrong).replace('_', '-', 1)}") from wrong
        {"json": self._json, "csv": self._csv, "table": self._table}[options["format"]](report)

    def _pyramids(self, project: Project, options: dict[str, Any]) -> None:
        """One of the reports on pyramids: its data as JSON, or the tables of its page."""
        if project.answers != Project.Answers.SCUS:
            raise CommandError(f"There are no pyramids in {project.slug}.")
        asked = {name: options[name] for name in ("docset", "mean", "first", "second") if options[name]}
        try:
            if options["format"] == "json":
                found = pyramids.as_dict(options["report"], project, asked)
                if found is None:
                    raise CommandError(f"No docset of {project.slug} has two pyramids.")
                self.stdout.write(json.dumps(found, indent=1, ensure_ascii=False))
                return
            pyramids.check(options["report"], asked)
            tables = _tables(options["report"], project, asked)
        except WrongParameter as wrong:
            raise CommandError(f"--{wrong}") from wrong
        for table in tables:
            self.stdout.write(f"{table.caption}\n")
            self.stdout.write(as_csv(table) if options["format"] == "csv" else as_markdown(table))

    def _json(self, report: overall.Report) -> None:
        self.stdout.write(json.dumps(report.as_dict(), indent=1, ensure_ascii=False))

    def _csv(self, report: overall.Report) -> None:
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(["text", *COLUMNS])
        for slug, row in _rows(report):
            writer.writerow([slug, *row])

    def _table(self, report: overall.Report) -> None:
        asked = ", ".join(f"{name}={value}" for name, value in report.parameters.query().items())
        self.stdout.write(f"{asked}\ncoders: {', '.join(report.coders)}; input {report.fingerprint}\n")
        interval = report.interval
        if interval.low is not None and interval.high is not None:
            of = f"{interval.n} samples of {interval.n_groups} {interval.by}s"
            self.stdout.write(f"95% interval {interval.low:.4f} to {interval.high:.4f} ({of})")
        wide = max([len("all texts"), *(len(text.slug) for text in report.texts)])
        self.stdout.write(f"{'':{wide}}  {'value':>9}  {'observed':>9}  {'expected':>9}  {'units':>6}  left out")
        for name, result in [
            ("all texts", report.result),
            *((text.slug, text.result) for text in report.texts),
        ]:
            figures = (result.value, result.observed, result.expected)
            cells = "  ".join(f"{figure:9.4f}" if figure is not None else f"{'-':>9}" for figure in figures)
            out = "; ".join(f"{count} {reason}" for reason, count in result.left_out.items())
            line = f"{name:{wide}}  {cells}  {result.n_units:6}  {'; '.join(filter(None, [out, result.note]))}"
            self.stdout.write(line.rstrip())


def _tables(name: str, project: Project, asked: dict[str, str]) -> list[Table]:
    """The tables of a page on pyramids."""
    found = read(project, asked.get("docset", ""))
    if name == "scores":
        return list(of_pyramids.scores(scores.report(found, **asked), "modified").tables)
    if name == "study":
        studied = study.report(found, **asked)
        pair = studied.pair(asked.get("first", ""), asked.get("second", ""))
        return list(of_pyramids.study(studied, pair, "modified", lambda *_: NOWHERE).tables)
    if name == "peers":
        reliable = peers.report(found, **asked)
        return list(of_pyramids.peers(reliable, reliable.items).tables)
    report = scus.report(found, **asked)
    if report is None:
        raise CommandError(f"No docset of {project.slug} has two pyramids.")
    pairs = of_scus.pairs(report, report.chosen(), lambda _: NOWHERE, "").tables
    return [*pairs, *of_scus.subsumption(report, report.subsumed).tables]


def _rows(report: overall.Report) -> list[tuple[str, list[Any]]]:
    """The name of the text (empty for all of them) with its figures, in full."""
    results = [("", report.result), *((text.slug, text.result) for text in report.texts)]
    return [(slug, [getattr(result, column) for column in COLUMNS]) for slug, result in results]
