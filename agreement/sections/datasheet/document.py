"""All sections of a datasheet, in their order."""

from __future__ import annotations

from agreement.reports.datasheet.report import Datasheet
from agreement.sections.datasheet.coders import describe_coders, describe_training
from agreement.sections.datasheet.corpus import describe_corpus, describe_publication, describe_texts
from agreement.sections.datasheet.gold import describe_adjudication
from agreement.sections.datasheet.markdown import write_markdown
from agreement.sections.datasheet.rounds import describe_agreement, describe_rounds
from agreement.sections.datasheet.section import Section


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
