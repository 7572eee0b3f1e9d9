"""Change the texts of a project: their order and deletion."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.dispatch import Signal

from annotations.core.http.etags import etag_of
from annotations.core.text import natural_key, pluralize
from annotations.models import AttributeAnswer, Coding, Docset, Judgement, Markable, Operation, Project, Question, Text
from annotations.projects.locks import lock_project

logger = logging.getLogger(__name__)

BATCH = 500

# Sent with `project`, a primary key, when a text that may be coded gets or loses markables and no coding has a new
# version.
markables_changed = Signal()


@dataclass(frozen=True, slots=True)
class Dependent:
    """Rows that are deleted with a text, called by a noun, with the path from a row to its text."""

    noun: str
    model: type[models.Model]
    path: str


# What other applications keep of texts; they add it when they are ready.
_dependents: list[Dependent] = []


def register_dependent(dependent: Dependent) -> None:
    """Count these rows where it is said what goes with a text."""
    if dependent not in _dependents:
        _dependents.append(dependent)


@dataclass(frozen=True, slots=True)
class DeletionFigures:
    """What is deleted with some texts: numbers with their nouns, and of these the codings that have begun."""

    counts: dict[str, int]
    begun: int
    submitted: int

    @property
    def lines(self) -> list[str]:
        """The numbers with their nouns, those that are not zero."""
        return [pluralize(count, noun) for noun, count in self.counts.items() if count]

    @property
    def tag(self) -> str:
        """A tag by which it is noticed that there is more or less to delete than somebody saw."""
        return etag_of({"counts": self.counts, "begun": self.begun, "submitted": self.submitted})


def deletion_figures(texts: QuerySet[Text], *, gold: bool = False) -> DeletionFigures:
    """Return what is deleted with the texts, as it is told to somebody who sees the gold, or not: that goes, too."""
    keys = list(texts.values_list("pk", flat=True))
    counted = Coding.with_gold.filter(text__in=keys) if gold else Coding.objects.filter(text__in=keys)
    codings = list(counted.order_by().values_list("status", "version", "corrections"))
    of_codings = {"coding__in": counted.order_by()}
    submitted = sum(status == Coding.Status.SUBMITTED for status, *_ in codings)
    begun = sum(version > corrections for _, version, corrections in codings)
    counts = {
        "text": len(keys),
        "markable": Markable.objects.in_use().filter(text__in=keys).count(),
        "empty assignment": len(codings) - begun,
        "submitted coding": submitted,
        "open coding": begun - submitted,
        "judgement": Judgement.objects.filter(_has_answer(), **of_codings).count(),
        "question": Question.objects.filter(text__in=keys).count(),
        "logged operation": Operation.objects.filter(**of_codings).count(),
    }
    for dependent in _dependents:
        rows = dependent.model._default_manager.filter(**{f"{dependent.path}__in": keys})
        counts[dependent.noun] = rows.count()
    return DeletionFigures(counts, begun, submitted)


def _has_answer() -> Q:
    """Return the condition of judgements with an answer: where a level has no categories, attributes alone are one."""
    return Q(category__isnull=False) | Q(Exists(AttributeAnswer.objects.filter(judgement=OuterRef("pk"))))


@transaction.atomic
def delete_text(text: Text, tag: str, *, gold: bool = False) -> DeletionFigures:
    """Delete a text with all that hangs on it. `tag` is that of the figures that somebody confirmed,
    with `gold` or not.

    Raise ValidationError if these have changed since, and for the model summaries of a docset, which go with that.
    """
    if text.role == Text.Role.MODELS:
        raise ValidationError("The model summaries are deleted with their docset.")
    figures = _delete(text.project, Text.objects.filter(pk=text.pk), tag, text.delete, gold=gold)
    logger.info("The text %s of %s is deleted: %s", text.slug, text.project.slug, ", ".join(figures.lines))
    return figures


@transaction.atomic
def delete_docset(docset: Docset, tag: str) -> DeletionFigures:
    """Delete a docset with its summaries, peers and all that hangs on them. Raise ValidationError as `delete_text`."""
    figures = _delete(docset.project, docset.texts.all(), tag, docset.delete)
    logger.info("The docset %s of %s is deleted: %s", docset.slug, docset.project.slug, ", ".join(figures.lines))
    return figures


def _delete(
    project: Project, texts: QuerySet[Text], tag: str, delete: Callable[[], Any], *, gold: bool = False
) -> DeletionFigures:
    lock_project(project.pk)
    # What a coder sends meanwhile is written first, and then seen here; or it waits, and finds no coding.
    list(Coding.with_gold.select_for_update(of=("self",)).filter(text__in=texts).order_by("pk").values_list("pk"))
    figures = deletion_figures(texts, gold=gold)
    if figures.tag != tag:
        raise ValidationError("This has changed since you opened the page. Look at the figures again.")
    delete()
    return figures


@transaction.atomic
def move_text(text: Text, step: int) -> None:
    """Move the text so many places towards the end, or if negative towards the beginning."""
    lock_project(text.project_id)
    order = list(_texts(text.project))
    place = next(number for number, other in enumerate(order) if other.pk == text.pk)
    moved = order.pop(place)
    order.insert(min(max(place + step, 0), len(order)), moved)
    _write_order(order)


@transaction.atomic
def place_text(text: Text, place: int) -> None:
    """Make the text the one of this place, from 1, in the order of the texts; beyond the last, the last."""
    lock_project(text.project_id)
    order = [other.pk for other in _texts(text.project)]
    move_text(text, place - 1 - order.index(text.pk))


@transaction.atomic
def sort_by_title(project: Project) -> None:
    """Put the texts into the order of their titles: "Part 2" before "Part 10"."""
    lock_project(project.pk)
    _write_order(sorted(_texts(project), key=lambda text: (natural_key(text.title.casefold()), text.slug)))


def _texts(project: Project) -> QuerySet[Text]:
    return Text.objects.filter(project=project).only("pk", "slug", "title", "position")


def _write_order(texts: list[Text]) -> None:
    changed = []
    for position, text in enumerate(texts, start=1):
        if text.position != position:
            text.position = position
            changed.append(text)
    Text.objects.bulk_update(changed, ["position"], batch_size=BATCH)
