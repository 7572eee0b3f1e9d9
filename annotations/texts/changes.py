"""Change the order of the texts of a project, and delete a text, a docset or a whole project."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import batched

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.dispatch import Signal

from annotations.core.http.etags import etag_of
from annotations.core.text import natural_key, pluralize
from annotations.models import (
    AttributeAnswer,
    Coding,
    Docset,
    Judgement,
    Markable,
    Operation,
    Project,
    Question,
    Text,
    Transfer,
)
from annotations.projects.locks import lock_project

logger = logging.getLogger(__name__)

BATCH = 500
TEXTS_AT_ONCE = 50  # texts deleted at a time with their dependents, all in one transaction

# Sent with the primary key `project` when a text to be coded gains or loses markables without a new version of a
# coding.
markables_changed = Signal()


# Rows of other applications that depend on texts: noun, model, and path from a row to its text. Applications register
# them when they are ready.
_dependents: list[tuple[str, type[models.Model], str]] = []


def register_dependent(noun: str, model: type[models.Model], path: str) -> None:
    """Register rows that are deleted with a text, to count them before a deletion."""
    if (noun, model, path) not in _dependents:
        _dependents.append((noun, model, path))


@dataclass(frozen=True, slots=True)
class DeletionFigures:
    """The rows that are deleted with some texts: numbers by noun, and the codings that have begun or are submitted."""

    counts: dict[str, int]
    begun: int
    submitted: int

    @property
    def lines(self) -> list[str]:
        """The numbers with their nouns, without zeros."""
        return [pluralize(count, noun) for noun, count in self.counts.items() if count]

    @property
    def tag(self) -> str:
        """A tag that changes with the figures, to detect changes since a user saw them."""
        return etag_of({"counts": self.counts, "begun": self.begun, "submitted": self.submitted})


def deletion_figures(texts: QuerySet[Text], *, gold: bool = False) -> DeletionFigures:
    """Return the rows that are deleted with the texts. Gold is deleted, too, but counted only with `gold`."""
    keys = list(texts.values_list("pk", flat=True))
    counted = Coding.objects.filter(text__in=keys) if gold else Coding.objects.of_people().filter(text__in=keys)
    codings = list(counted.order_by().values_list("status", "version", "corrections"))
    answers = AttributeAnswer.objects.filter(judgement=OuterRef("pk"))
    in_codings = {"coding__in": counted.order_by()}
    submitted = sum(status == Coding.Status.SUBMITTED for status, *_ in codings)
    begun = sum(version > corrections for _, version, corrections in codings)
    counts = {
        "text": len(keys),
        "markable": Markable.objects.in_use().filter(text__in=keys).count(),
        "empty assignment": len(codings) - begun,
        "submitted coding": submitted,
        "open coding": begun - submitted,
        # On a level without categories, attributes alone are an answer.
        "judgement": Judgement.objects.filter(Q(category__isnull=False) | Q(Exists(answers)), **in_codings).count(),
        "question": Question.objects.filter(text__in=keys).count(),
        "logged operation": Operation.objects.filter(**in_codings).count(),
    }
    for noun, model, path in _dependents:
        counts[noun] = model._default_manager.filter(**{f"{path}__in": keys}).count()
    return DeletionFigures(counts, begun, submitted)


def project_deletion_figures(project: Project, *, gold: bool = False) -> DeletionFigures:
    """Return the rows that are deleted with the project, as in `deletion_figures`; `gold` includes its transfers."""
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
def delete_text(text: Text, tag: str, *, gold: bool = False) -> DeletionFigures:
    """Delete a text with all dependents. `tag` is the tag of the confirmed figures, with or without gold."""
    # Raise ValidationError if the figures have changed, or for model summaries, which are deleted with their docset.
    if text.role == Text.Role.MODELS:
        raise ValidationError("The model summaries are deleted with their docset.")
    return _delete(text, Text.objects.filter(pk=text.pk), tag, gold=gold)


@transaction.atomic
def delete_docset(docset: Docset, tag: str) -> DeletionFigures:
    """Delete a docset with its summaries, peers and all dependents. Raise ValidationError as in `delete_text`."""
    return _delete(docset, docset.texts.all(), tag)


def _delete(whole: Text | Docset, texts: QuerySet[Text], tag: str, *, gold: bool = False) -> DeletionFigures:
    lock_project(whole.project_id)
    figures = _lock_confirmed(texts, tag, lambda: deletion_figures(texts, gold=gold))
    whole.delete()
    noun = whole._meta.verbose_name
    logger.info("The %s %s of %s is deleted: %s", noun, whole.slug, whole.project.slug, ", ".join(figures.lines))
    return figures


@transaction.atomic
def delete_project(project: Project, tag: str, *, gold: bool = False) -> DeletionFigures:
    """Delete a project, archived or not, with all in it; accounts stay. Raise as in `delete_text`."""
    lock_project(project.pk, archived=True)
    texts = Text.objects.filter(project=project)
    figures = _lock_confirmed(texts, tag, lambda: project_deletion_figures(project, gold=gold))
    for transfer in Transfer.objects.filter(project=project).exclude(file=""):
        transaction.on_commit(partial(transfer.file.delete, save=False))
    for batch in batched(list(texts.order_by("pk").values_list("pk", flat=True)), TEXTS_AT_ONCE):
        Text.objects.filter(pk__in=batch).delete()
    slug, _ = project.slug, project.delete()
    logger.info("The project %s is deleted: %s", slug, ", ".join(figures.lines))
    return figures


def _lock_confirmed(texts: QuerySet[Text], tag: str, read_figures: Callable[[], DeletionFigures]) -> DeletionFigures:
    """Lock the codings of the texts, and return the figures. Raise ValidationError if their tag has changed."""
    # A coder's concurrent request is either written before and counted here, or waits and then finds no coding.
    list(Coding.objects.select_for_update(of=("self",)).filter(text__in=texts).order_by("pk").values_list("pk"))
    figures = read_figures()
    if figures.tag != tag:
        raise ValidationError("This has changed since you opened the page. Look at the figures again.")
    return figures


@transaction.atomic
def move_text(text: Text, step: int) -> None:
    """Move the text by `step` places towards the end, or if negative towards the beginning."""
    lock_project(text.project_id)
    order = list(_texts(text.project))
    index = next(number for number, candidate in enumerate(order) if candidate.pk == text.pk)
    moved = order.pop(index)
    order.insert(min(max(index + step, 0), len(order)), moved)
    _write_order(order)


@transaction.atomic
def place_text(text: Text, place: int) -> None:
    """Move the text to a place from 1 in the order of the texts; a place beyond the end is the last."""
    lock_project(text.project_id)
    order = [sibling.pk for sibling in _texts(text.project)]
    move_text(text, place - 1 - order.index(text.pk))


@transaction.atomic
def sort_by_title(project: Project) -> None:
    """Sort the texts by title: "Part 2" before "Part 10"."""
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
