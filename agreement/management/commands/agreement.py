"""The agreement of a project, with the digits of the page and the API."""

import csv
import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from agreement.data.codings.groups import read_groups
from agreement.data.extract.extract import Extract
from agreement.data.pyramids.pyramids import read_pyramids
from agreement.data.texts.muc import marked_texts_reader
from agreement.measures.uncertainty.forecasts import SAMPLES
from agreement.reports import planning
from agreement.reports.coders.alt_test import AltTestReport, compute_alt_test
from agreement.reports.coders.differences import KINDS, DifferenceReport, compare_parts
from agreement.reports.coders.groups import GroupsReport, compare_groups
from agreement.reports.coders.repeats import compare_occasions
from agreement.reports.gold.report import compare_with_gold, read_gold_source
from agreement.reports.items.categories import compare_merged, compute_by_category, parse_mapping
from agreement.reports.links.coreference import CoreferenceReport, compare_chains
from agreement.reports.overall import overall
from agreement.reports.pyramids import dispatch, peers, scores, scus, study
from agreement.reports.pyramids.agreed import compare_with_agreed, read_agreed_source
from agreement.reports.request.parameters import (
    CHOICES,
    GROUPS,
    HELP,
    NAMES,
    PRESETS,
    QUESTION,
    SELECTIONS,
    InvalidParameter,
    Parameters,
)
from agreement.reports.request.request import parse_asked, read_asked
from agreement.reports.wording import describe_versions
from agreement.sections.deferred import agreed as agreed_tables
from agreement.sections.deferred import alt_test as alt_test_tables
from agreement.sections.deferred import coreference as coreference_tables
from agreement.sections.deferred import difference as difference_tables
from agreement.sections.deferred import gold as gold_tables
from agreement.sections.deferred import groups as groups_tables
from agreement.sections.deferred import planning as planning_tables
from agreement.sections.pages import categories as categories_page
from agreement.sections.pages.coders.coders import build_repeats_table
from agreement.sections.pages.pyramids import peers as peers_page
from agreement.sections.pages.pyramids import scores as scores_page
from agreement.sections.pages.pyramids import scus as scus_page
from agreement.sections.pages.pyramids import study as study_page
from agreement.sections.tables import Table, as_csv, as_markdown
from annotations.management.base import ProgramCommand
from annotations.models import Coding, Project
from annotations.projects.viewing import record_view

# Tables link to pages; those that are printed lead nowhere.
NO_ADDRESS = ""
PLANNING = {
    "margin": "half the width of the 95%% interval that is to be reached",
    "bound": "what the interval is to be above",
    "difference": "how far two rounds are to differ",
    "power": "in which share of cases both are to be seen",
}
ALT_TEST = {
    "candidate": "the coder who may code in the place of the others, such as a language model",
    "epsilon": "how much worse the candidate may be, because it costs less: .1",
    "q": "the level: .05",
}
# The report that alone takes an option.
REPORT_OF = {
    **dict.fromkeys(ALT_TEST, "alt-test"),
    **dict.fromkeys((*PLANNING, "sample"), "planning"),
    "by": "compare",
    "merge": "categories",
}
COLUMNS = ("value", "observed", "expected", "n_units", "n_coders", "n_values", "n_judgements", "note")


class Command(ProgramCommand):
    help = "Print the agreement of a project, over all texts and in each; or what its pyramids give."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("--preset", choices=list(PRESETS), help="a paper's convention; options come on top of it")
        for name, choices in CHOICES.items():
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, choices=choices, help=HELP[name])
        parser.add_argument(f"--{QUESTION}", metavar="KEY", help=HELP[QUESTION])
        for name in SELECTIONS:
            parser.add_argument(f"--{name}", metavar="NAMES", help=HELP[name])
        parser.add_argument(f"--{GROUPS}", metavar="NAMES", help=HELP[GROUPS])
        names = [
            "alt-test",
            "categories",
            "coreference",
            "compare",
            "gold",
            "groups",
            "planning",
            "repeats",
            *dispatch.REPORTS,
        ]
        parser.add_argument(
            "--report",
            choices=names,
            help=f"this instead; {', '.join(dispatch.REPORTS)}: of pyramids",
        )
        parser.add_argument("--docset", metavar="SLUG", help="with --report: only this docset")
        parser.add_argument("--mean", help="with --report: a mean number of SCUs is rounded (round) or interpolate")
        parser.add_argument("--by", choices=KINDS, help="with --report compare: what is compared")
        for name in ("first", "second"):
            parser.add_argument(
                f"--{name}", metavar="NAME", help="with --report: one of the two coders, or what is compared"
            )
        for name, help_ in PLANNING.items():
            parser.add_argument(f"--{name}", metavar="NUMBER", help=f"with --report planning: {help_}")
        for name, help_ in ALT_TEST.items():
            parser.add_argument(f"--{name}", help=f"with --report alt-test: {help_}")
        parser.add_argument("--merge", metavar="OLD:NEW,…", help="with --report categories: new names of categories")
        parser.add_argument("--sample", choices=SAMPLES, help="with --report planning: coders are meant, or a sample")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.")
        for name, needed in REPORT_OF.items():
            if options[name] is not None and options["report"] != needed:
                raise CommandError(f"--{name} belongs to --report {needed}.")
        record_view(Coding.with_models.filter(text__project=project))
        if options["report"] in dispatch.REPORTS:
            self._print_pyramids(project, options)
            return
        query = {name: options[name] for name in ("preset", GROUPS, *NAMES) if options[name] is not None}
        try:
            answers, parameters = parse_asked(project, query)
            prints = {
                "alt-test": self._print_alt_test,
                "categories": self._print_categories,
                "coreference": self._print_coreference,
                "compare": self._print_difference,
                "gold": self._print_gold,
                "groups": self._print_groups,
                "planning": self._print_planning,
                "repeats": self._print_repeats,
            }
            if options["report"] in prints:
                prints[options["report"]](project, answers, parameters, options)
                return
            report = overall.compute_report(answers, parameters)
        except InvalidParameter as error:
            raise CommandError(f"--{str(error).replace('_', '-', 1)}") from error
        {"json": self._print_json, "csv": self._print_csv, "table": self._print_table}[options["format"]](report)

    def _print_coreference(
        self, project: Project, answers: Extract, parameters: Parameters, options: dict[str, Any]
    ) -> None:
        """Print the coreference scores of two coders: their data as JSON, or the tables of their page."""
        pair = {name: options[name] or "" for name in ("first", "second")}
        report = compare_chains(answers, parameters, **pair, read_marked=marked_texts_reader(project))
        self._print_report(report, coreference_tables.build_tables(report), options["format"])

    def _print_difference(
        self, project: Project, answers: Extract, parameters: Parameters, options: dict[str, Any]
    ) -> None:
        """Print how two parts of the data differ: as JSON, or the table of the page."""

        def answers_of(slug: str) -> Extract:
            other = Project.objects.filter(slug=slug).first()
            if other is None:
                raise CommandError(f"There is no project {slug!r}.")
            return read_asked(other, parameters)

        by, first, second = (options[name] or "" for name in ("by", "first", "second"))
        report = compare_parts(answers, parameters, by, first, second, answers_of, read_groups(project))
        self._print_report(report, [difference_tables.build_table(report)], options["format"])

    def _print_groups(
        self,
        project: Project,
        answers: Extract,
        parameters: Parameters,
        options: dict[str, Any],
    ) -> None:
        """Print agreement within and between groups of coders: as JSON, or the tables of the page."""
        report = compare_groups(answers, parameters, read_groups(project))
        self._print_report(report, groups_tables.build_tables(report), options["format"])

    def _print_alt_test(
        self,
        _: Project,
        answers: Extract,
        parameters: Parameters,
        options: dict[str, Any],
    ) -> None:
        """Print whether a candidate may code in the place of the others: as JSON, or the table."""
        report = compute_alt_test(answers, parameters, *(options[name] or "" for name in ALT_TEST))
        if options["format"] == "table":
            self.stdout.write(report.describe())
        self._print_report(report, alt_test_tables.build_tables(report), options["format"])

    def _print_categories(self, _: Project, answers: Extract, parameters: Parameters, options: dict[str, Any]) -> None:
        """Print each category against all others, and K with categories merged: as JSON, or the tables of the page."""
        each = compute_by_category(answers, parameters)
        merged = compare_merged(answers, parameters, parse_mapping(options["merge"] or "", answers.countable))
        if options["format"] == "json":
            fields = {"categories": [asdict(one) for one in each], **merged.as_dict()}
            self.stdout.write(json.dumps(fields, indent=1, ensure_ascii=False))
        else:
            tables = [categories_page.categories_table(each, answers), categories_page.merge_table(merged)]
            self._print_tables(tables, options["format"])

    def _print_gold(
        self,
        project: Project,
        answers: Extract,
        parameters: Parameters,
        options: dict[str, Any],
    ) -> None:
        """Print each coder against gold, or of pyramids against the agreed ones: as JSON, or the tables of the page."""
        called = {name: name for name in answers.known_coders}
        data: dict[str, Any]
        if project.answers == Project.Answers.SCUS:
            if options["docset"]:
                raise CommandError("--docset: with --report gold choose docsets by --texts.")
            agreed = compare_with_agreed(read_agreed_source(project, answers), parameters)
            data, tables = agreed.as_dict(called), agreed_tables.build_tables(agreed, called)
        else:
            report = compare_with_gold(read_gold_source(project, answers, parameters), parameters)
            data, tables = report.as_dict(called), gold_tables.build_tables(report, called)
        if options["format"] == "json":
            self.stdout.write(json.dumps(data, indent=1, ensure_ascii=False))
        else:
            self._print_tables(tables, options["format"])

    def _print_planning(
        self, project: Project, answers: Extract, parameters: Parameters, options: dict[str, Any]
    ) -> None:
        """Print how many texts are enough: as JSON, or the tables of the page."""
        targets = planning.Targets.from_options({name: options[name] or "" for name in planning.OPTIONS})
        report = planning.plan_size(answers, parameters, targets)
        if options["format"] == "table":
            self.stdout.write(report.describe())
        self._print_report(report, planning_tables.build_tables(report), options["format"])

    def _print_repeats(
        self,
        _: Project,
        answers: Extract,
        parameters: Parameters,
        options: dict[str, Any],
    ) -> None:
        """Print how far each coder agrees with themself: as JSON, or the table of the page."""
        report = compare_occasions(answers, parameters)
        if options["format"] == "json":
            self.stdout.write(json.dumps(report.as_dict(), indent=1, ensure_ascii=False))
        else:
            self._print_tables([build_repeats_table(report)], options["format"])

    def _print_report(
        self,
        report: AltTestReport | CoreferenceReport | DifferenceReport | GroupsReport | planning.PlanningReport,
        tables: Sequence[Table],
        format_: str,
    ) -> None:
        """Print a report as JSON, or its tables, with what the versions of the scheme leave out."""
        if format_ == "json":
            self.stdout.write(json.dumps(report.as_dict(), indent=1, ensure_ascii=False))
            return
        versions = describe_versions(report.parameters.scheme_versions, report.other_versions)
        if versions and format_ == "table":
            self.stdout.write(f"{versions}\n")
        self._print_tables(tables, format_)

    def _print_tables(self, tables: Sequence[Table], format_: str) -> None:
        for table in tables:
            self.stdout.write(f"{table.caption}\n")
            self.stdout.write(as_csv(table) if format_ == "csv" else as_markdown(table))
            if table.note and format_ == "table":
                self.stdout.write(f"{table.note.strip()}\n")

    def _print_pyramids(self, project: Project, options: dict[str, Any]) -> None:
        """Print one of the reports on pyramids: its data as JSON, or the tables of its page."""
        if project.answers != Project.Answers.SCUS:
            raise CommandError(f"There are no pyramids in {project.slug}.")
        query = {name: options[name] for name in ("docset", "mean", "first", "second") if options[name]}
        try:
            if options["format"] == "json":
                data = dispatch.report_as_dict(options["report"], project, query)
                if data is None:
                    raise CommandError(f"No docset of {project.slug} has two pyramids.")
                self.stdout.write(json.dumps(data, indent=1, ensure_ascii=False))
                return
            dispatch.check_parameters(options["report"], query)
            tables = _tables(options["report"], project, query)
        except InvalidParameter as error:
            raise CommandError(f"--{error}") from error
        self._print_tables(tables, options["format"])

    def _print_json(self, report: overall.AgreementReport) -> None:
        self.stdout.write(json.dumps(report.as_dict(), indent=1, ensure_ascii=False))

    def _print_csv(self, report: overall.AgreementReport) -> None:
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(["text", *COLUMNS])
        for slug, row in _rows(report):
            writer.writerow([slug, *row])

    def _print_table(self, report: overall.AgreementReport) -> None:
        parameters = ", ".join(f"{name}={value}" for name, value in report.parameters.query().items())
        self.stdout.write(f"{parameters}\ncoders: {', '.join(report.coders)}; input {report.fingerprint}\n")
        if report.not_counted:
            self.stdout.write(f"not counted: {report.not_counted}\n")
        if report.versions:
            self.stdout.write(f"{report.versions}\n")
        interval = report.interval
        if interval.low is not None and interval.high is not None:
            reach = f"{interval.low:.4f} to {interval.high:.4f}"
            self.stdout.write(f"95% interval {reach} ({interval.describe_method().replace('document', 'text')})")
        elif interval.note and interval.value is not None:
            self.stdout.write(interval.note)
        wide = max([len("all texts"), *(len(one.text.name) for one in report.texts)])
        self.stdout.write(f"{'':{wide}}  {'value':>9}  {'observed':>9}  {'expected':>9}  {'units':>6}  left out")
        for name, result in [
            ("all texts", report.result),
            *((one.text.name, one.result) for one in report.texts),
        ]:
            figures = (result.value, result.observed, result.expected)
            z_note = getattr(result, "z_note", "")
            cells = "  ".join(f"{figure:9.4f}" if figure is not None else f"{'-':>9}" for figure in figures)
            out = "; ".join(f"{count} {reason}" for reason, count in result.left_out.items())
            line = f"{name:{wide}}  {cells}  {result.n_units:6}  {'; '.join(filter(None, [out, result.note, z_note]))}"
            self.stdout.write(line.rstrip())


def _tables(name: str, project: Project, query: dict[str, str]) -> list[Table]:
    """Return the tables of a page on pyramids."""
    pyramids = read_pyramids(project, query.get("docset", ""))
    if name == "scores":
        return list(scores_page.build_content(scores.report_scores(pyramids, **query), "modified").tables)
    if name == "study":
        studied = study.report_study(pyramids, **query)
        pair = studied.pair(query.get("first", ""), query.get("second", ""))
        return list(study_page.build_content(studied, pair, "modified", lambda *_: NO_ADDRESS).tables)
    if name == "peers":
        reliability = peers.report_peers(pyramids, **query)
        return list(peers_page.build_content(reliability, reliability.items).tables)
    report = scus.report_scus(pyramids, **query)
    if report is None:
        raise CommandError(f"No docset of {project.slug} has two pyramids.")
    pairs = scus_page.build_pairs(report, report.select(), lambda _: NO_ADDRESS, "").tables
    return [*pairs, *scus_page.build_subsumption(report, report.subsumed).tables]


def _rows(report: overall.AgreementReport) -> list[tuple[str, list[Any]]]:
    """Return the name of each text (empty for all of them) with its figures, in full."""
    results = [("", report.result), *((one.text.name, one.result) for one in report.texts)]
    return [(name, [getattr(result, column) for column in COLUMNS]) for name, result in results]
