"""The datasheet of a project: all its sections, in their order, as page and file."""

from __future__ import annotations

from rest_framework.serializers import ChoiceField

from agreement.reports.datasheet.report import Datasheet, describe_project
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections
from agreement.results.datasheet.corpus import describe_corpus, describe_publication, describe_texts
from agreement.results.datasheet.rounds import (
    describe_adjudication,
    describe_agreement,
    describe_coders,
    describe_rounds,
    describe_training,
)
from agreement.results.datasheet.section import Section, write_markdown
from agreement.results.page import FileForm, ResultPage
from agreement.results.tables import Table
from annotations.models.people.rights import Right
from annotations.models.project import may


def build_sections(sheet: Datasheet) -> list[Section]:
    """Return the sections of a datasheet."""
    return [
        describe_corpus(sheet),
        describe_texts(sheet),
        describe_coders(sheet),
        describe_rounds(sheet),
        describe_agreement(sheet),
        describe_training(sheet),
        describe_adjudication(sheet),
        describe_publication(sheet),
    ]


def as_file(sheet: Datasheet) -> str:
    """Return the datasheet as a file of Markdown."""
    return write_markdown(sheet.project.title, build_sections(sheet))


def _write_file(request: AnalysisRequest) -> bytes:
    return as_file(_describe(request)).encode()


def _describe(request: AnalysisRequest) -> Datasheet:
    """Return the datasheet that is asked for, with training and gold for those who decide what is gold."""
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
    forms = {"markdown": FileForm(_write_file, "text/markdown; charset=utf-8", "md")}

    def compute(self, request: AnalysisRequest) -> Datasheet:
        return _describe(request)

    def tables(self, request: AnalysisRequest, report: Datasheet) -> list[Table]:
        return [table for one in build_sections(report) for table in one.tables]

    def show(self, request: AnalysisRequest) -> PageSections:
        report = self.compute(request)
        return PageSections(self.tables(request, report), context={"sections": build_sections(report)})
