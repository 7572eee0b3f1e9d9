"""Export the codings of a project in any format that suits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO

from annotations.core.processes.progress import Progress
from annotations.formats import PYRAMID_FORMATS
from annotations.models import Coding, Project
from annotations.transfers.exporting.codings import ExportReport, export_codings
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
    """Export codings in a format that suits the project; see `export_codings`. Raise ValidationError for another.

    gold: "gold" for what was decided, "silver" for drafts of it that are not decided yet; neither is of coders. Raise
    ValidationError where coders are named besides, or a member has the name of the folder.
    """
    check_format(project, format_key)
    if gold:
        check_gold(project, gold, coders, unfinished=unfinished)
    if format_key not in PYRAMID_FORMATS:
        selection = {"coders": coders, "texts": texts, "unfinished": unfinished, "rounds": rounds, "gold": gold}
        return export_codings(project, format_key, out, options=options, progress=progress, **selection)
    codings = Coding.objects.filter(text__project=project).exclude(kind=Coding.Kind.TEXT)
    if coders:
        codings = codings.filter(coder__username__in=coders)
    if texts:
        codings = codings.filter(text__slug__in=texts)
    if rounds:
        codings = codings.filter(round__name__in=rounds)
    if not unfinished:
        codings = codings.filter(status=Coding.Status.SUBMITTED)
    return export_pyramids(codings, out, progress)
