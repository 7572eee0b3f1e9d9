"""Export the codings of a project in any format that suits it."""

from collections.abc import Mapping, Sequence
from typing import IO

from annotations.core.processes.progress import Progress
from annotations.formats import PYRAMID_FORMATS
from annotations.models import Coding, Project
from annotations.transfers.exporting.codings import ExportReport, Selection, export_codings, select_codings
from annotations.transfers.exporting.gold import check_gold
from annotations.transfers.exporting.pyramids import export_pyramids
from annotations.transfers.project_formats import check_format


def export_files(
    project: Project,
    format_key: str,
    out: IO[bytes] | None,
    *,
    options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    coders: Sequence[str] = (),
    texts: Sequence[str] = (),
    unfinished: bool = False,
    rounds: Sequence[str] = (),
    gold: str = "",
) -> ExportReport:
    """Export codings (see `export_codings` and `Selection`). Raise ValidationError for invalid options."""
    check_format(project, format_key)
    if gold:
        check_gold(project, gold, coders, unfinished=unfinished)
    selection = Selection(coders=coders, texts=texts, rounds=rounds, unfinished=unfinished, gold=gold)
    if format_key not in PYRAMID_FORMATS:
        return export_codings(project, format_key, out, selection, options or {}, progress)
    codings = Coding.objects.of_people().filter(text__project=project).exclude(kind=Coding.Kind.TEXT)
    if rounds:
        codings = codings.filter(round__name__in=rounds)
    return export_pyramids(select_codings(codings, selection), out, progress)
