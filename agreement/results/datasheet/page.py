"""The datasheet of a project as page and file of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from rest_framework.serializers import ChoiceField

from agreement.reports.datasheet.report import Datasheet, describe_project
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import PageSections, ResultPage, register
from agreement.results.datasheet.sections import Section, build_sections
from agreement.results.tables import MARKDOWN, FileForm, Table, as_markdown
from annotations.models.people.rights import Right
from annotations.models.project import may

# What begins a heading, a list, a quotation, a rule or a line below a heading.
BLOCK_START = re.compile(r"^(?P<number>\d{1,9})(?=[.)](\s|$))|^(?=[#>+=-])")


def as_file(sheet: Datasheet) -> str:
    """Return the datasheet as a file of Markdown."""
    return write_markdown(sheet.project.title, build_sections(sheet))


def _describe(request: AnalysisRequest) -> Datasheet:
    sees_gold = may(request.project, Right.ADJUDICATE)
    return describe_project(request.project, request.project_answers, request.parameters, sees_gold=sees_gold)


@register
class DatasheetPage(ResultPage[Datasheet]):
    """What a paper says of the corpus: texts, coders, rounds, agreement, adjudication, licence. Nobody is named."""

    name, title = "datasheet", "Datasheet"
    template = "agreement/datasheet.html"
    path = "datasheet/"
    position, tab, group = 180, 305, "data"
    draws_charts = False
    gives = Datasheet
    takes = {"form": ChoiceField(["json", "markdown"], required=False, help_text="How the datasheet is written.")}
    api = """\
What a paper says of the corpus: texts, coders, rounds, agreement, adjudication, licence. Nobody is named.

Training and adjudication are null for those who do not decide what is gold. Parameters are those of the
coefficient; coders cannot be chosen."""
    chooses_coders = True
    forms = {
        "markdown": FileForm(lambda asked: as_file(_describe(asked)).encode(), "text/markdown; charset=utf-8", "md")
    }

    def compute(self, request: AnalysisRequest) -> Datasheet:
        return _describe(request)

    def tables(self, request: AnalysisRequest, report: Datasheet) -> list[Table]:
        return [table for section in build_sections(report) for table in section.tables]

    def show(self, request: AnalysisRequest) -> PageSections:
        sections = build_sections(self.compute(request))
        return PageSections([table for one in sections for table in one.tables], context={"sections": sections})


def write_markdown(title: str, sections: Sequence[Section]) -> str:
    """Return the datasheet; `title` is that of the project."""
    return "\n\n".join([f"# Datasheet: {escape_line(title)}", *chain(*map(_write_section, sections))]) + "\n"


def _write_section(section: Section) -> Iterator[str]:
    yield f"## {escape_line(section.title)}"
    yield from escape_paragraphs(section.text)
    if section.facts:
        yield "\n".join(f"- **{escape_line(name)}:** {_write_value(value)}" for name, value in section.facts)
    yield from map(escape_line, section.notes)
    for table in section.tables:
        yield f"**{escape_line(table.caption)}**"
        yield as_markdown(table).rstrip("\n")
        if table.note:
            yield escape_line(table.note)
    for text in section.to_write:
        yield f"*To be written: {escape_line(text)}*"


def _write_value(value: str) -> str:
    return "\n\n  ".join(paragraph.replace("\n", "\n  ") for paragraph in escape_paragraphs(value))


def escape_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, between which lines are empty; other lines stay lines."""
    groups = groupby(map(escape_line, text.splitlines()), bool)
    return ["\\\n".join(lines) for has_words, lines in groups if has_words]


def escape_line(line: str) -> str:
    """Return a line of which nothing is markup."""
    escaped = " ".join(line.split()).translate(MARKDOWN)
    return BLOCK_START.sub(lambda found: f"{found['number'] or ''}\\", escaped, count=1)
