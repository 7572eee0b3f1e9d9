"""Import files in any format that suits the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.core.exceptions import ValidationError

from annotations.core.processes.progress import Progress
from annotations.formats import FORMATS, PYRAMID_FORMATS
from annotations.models import Project
from annotations.projects.locks import ProjectArchived, refuse_archived
from annotations.transfers.importing.documents import Written, import_documents
from annotations.transfers.importing.files.sources import Source, read_sources
from annotations.transfers.importing.options import DEFAULTS, ImportOptions
from annotations.transfers.importing.pyramids.pyramids import import_pyramids, read_pyramids
from annotations.transfers.importing.report import ImportFailed, Report
from annotations.transfers.importing.schemes.inventory import find_names
from annotations.transfers.importing.schemes.naming import remember_names
from annotations.transfers.project_formats import check_format


def import_sources(
    project: Project,
    format_key: str,
    sources: Sequence[Source],
    coder_from: str,
    options: ImportOptions = DEFAULTS,
    *,
    progress: Progress | None = None,
    written: Written | None = None,
) -> Report:
    """Read files and import them, and remember how their names were mapped; see `import_documents` and `read_sources`.

    Files of pyramids have the option `docset`, the slug of the docset that they belong to; if it is empty, the docset
    named as the file, or the one with the same text. Raise ImportFailed if the project is archived, or the format does
    not suit it.
    """
    try:
        refuse_archived(project)
        check_format(project, format_key)
    except ProjectArchived as error:
        raise ImportFailed(str(error)) from None
    except ValidationError as error:
        raise ImportFailed(" ".join(error.messages)) from None
    if format_key not in PYRAMID_FORMATS:
        result = read_sources(format_key, sources, coder_from, options.of_format, project, progress)
        options = replace(
            options, ways=FORMATS[format_key].ways, new_scheme=options.new_scheme and bool(result.documents)
        )
        report = import_documents(project, result.documents, options, progress=progress, written=written)
        report.failures[:0] = result.failures
        report.left_out, report.reason = result.left_out, result.reason
        if options.trial:
            report.found = find_names(source.document for source in result.documents)
        elif not report.empty:
            remember_names(project, format_key, report.names)
        return report
    if options.new_scheme:
        raise ImportFailed("Files of pyramids bring no scheme.")
    if options.gold:
        raise ImportFailed("Files of pyramids bring no gold: what is decided about a docset is its agreed pyramid.")
    if options.model is not None:
        raise ImportFailed("Files of pyramids bring no codings of models: pages of pyramids show people alone.")
    return import_pyramids(project, read_pyramids(sources, coder_from, progress), options, progress)
