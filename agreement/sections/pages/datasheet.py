"""The datasheet of a project."""

from __future__ import annotations

from agreement.reports.datasheet.report import Datasheet, describe_project
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.datasheet.document import build_sections
from annotations.models.people.rights import Right
from annotations.models.project import may


def build(request: AnalysisRequest) -> PageSections:
    """Return what is known of the project for those who use its corpus, section by section."""
    sections = build_sections(describe(request))
    tables = [table for section in sections for table in section.tables]
    return PageSections(tables, context={"sections": sections})


def describe(request: AnalysisRequest) -> Datasheet:
    """Return the datasheet that is asked for, with training and gold for those who decide what is gold."""
    sees_gold = may(request.project, Right.ADJUDICATE)
    return request.compute(
        lambda parameters, _: describe_project(
            request.project, request.project_answers, parameters, sees_gold=sees_gold
        )
    )
