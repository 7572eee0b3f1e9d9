"""Delete a project with everything in it."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from itertools import batched

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.models import Coding, Project, Text, Transfer
from annotations.projects.locks import lock_project
from annotations.texts.changes import DeletionFigures, deletion_figures

logger = logging.getLogger(__name__)

# So many texts are deleted at a time with what hangs on them, all in one transaction.
TEXTS_AT_ONCE = 50


def project_deletion_figures(project: Project, *, gold: bool = False) -> DeletionFigures:
    """Return what is deleted with the project, as `deletion_figures` does; imports and exports of gold only with it."""
    figures = deletion_figures(Text.objects.filter(project=project), gold=gold)
    transfers = Transfer.objects.filter(project=project)
    if not gold:
        transfers = transfers.without_gold()
    counts = {
        "docset": project.docsets.count(),
        **figures.counts,
        "membership": project.memberships.count(),
        "invitation": project.invitations.count(),
        "import": transfers.filter(kind=Transfer.Kind.IMPORT).count(),
        "export": transfers.filter(kind=Transfer.Kind.EXPORT).count(),
    }
    return replace(figures, counts=counts)


@transaction.atomic
def delete_project(project: Project, tag: str, *, gold: bool = False) -> DeletionFigures:
    """Delete a project, archived or not, with all that is in it; accounts stay.

    `tag` is that of confirmed figures, with `gold` or not. Raise ValidationError if these have changed since.
    """
    lock_project(project.pk, archived=True)
    # What a coder sends meanwhile is written first, and then seen here; or it waits, and finds no coding.
    codings = Coding.with_gold.select_for_update(of=("self",)).filter(text__project=project)
    list(codings.order_by("pk").values_list("pk"))
    figures = project_deletion_figures(project, gold=gold)
    if figures.tag != tag:
        raise ValidationError("This has changed since you opened the page. Look at the figures again.")
    for transfer in Transfer.objects.filter(project=project).exclude(file=""):
        transaction.on_commit(partial(transfer.file.delete, save=False))
    texts = list(Text.objects.filter(project=project).order_by("pk").values_list("pk", flat=True))
    for batch in batched(texts, TEXTS_AT_ONCE):
        Text.objects.filter(pk__in=batch).delete()
    slug, _ = project.slug, project.delete()
    logger.info("The project %s is deleted: %s", slug, ", ".join(figures.lines))
    return figures
