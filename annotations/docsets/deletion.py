"""Delete a model summary of a docset on which nobody has worked."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.docsets.creation import write_summaries
from annotations.formats.syntax.headers import join_summaries
from annotations.models import Coding, Docset, Segment, Text
from annotations.projects.locks import lock_project
from annotations.texts.changes import markables_changed

FEWEST_SUMMARIES = 2


@transaction.atomic
def delete_summary(docset: Docset, name: str) -> None:
    """Delete the model summary of this name; the others are joined anew, and assignments stay.

    Raise ValidationError if a coding of the docset has begun, if there is no such summary, and if one would be left.
    """
    lock_project(docset.project_id)
    codings = Coding.with_models.select_for_update(of=("self",)).filter(text__docset=docset).order_by("pk")
    if any(coding.is_begun for coding in codings):
        raise ValidationError(f"Somebody has begun to code {docset}; its summaries stay as they are.")
    text = docset.texts.get(role=Text.Role.MODELS)
    summaries = list(text.segments.filter(kind=Segment.Kind.SUMMARY))
    others = [(one.label, text.content[one.start : one.end]) for one in summaries if one.label != name]
    if len(others) == len(summaries):
        raise ValidationError(f"{docset} has no summary {name!r}.")
    if len(others) < FEWEST_SUMMARIES:
        raise ValidationError("A pyramid needs two or more model summaries; delete the docset instead.")
    joined = join_summaries(others)
    text.segments.all().delete()
    text.markables.all().delete()
    text.content = joined.text
    text.save(update_fields=["content"])
    docset.boundary = joined.boundary
    docset.save(update_fields=["boundary"])
    write_summaries(text, joined.summaries)
    markables_changed.send(Text, project=docset.project_id)
