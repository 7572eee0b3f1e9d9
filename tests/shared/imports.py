"""Imports of files that were read by a reader."""

from __future__ import annotations

from annotations.models import Project
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.files.sources import ReadResult
from annotations.transfers.importing.options import DEFAULTS, ImportOptions
from annotations.transfers.importing.report import Report


def import_result(project: Project, result: ReadResult[SourceDocument], options: ImportOptions = DEFAULTS) -> Report:
    """Import what was read; the report also names the files that could not be."""
    report = import_documents(project, result.documents, options)
    report.failures[:0] = result.failures
    report.left_out = result.left_out
    return report
