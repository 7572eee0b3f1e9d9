"""Copy a project: its scheme, guidelines and settings, and its texts if they are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import batched
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction

from annotations.models import (
    Attribute,
    AttributeValue,
    Docset,
    Markable,
    Membership,
    Plan,
    PlanText,
    Project,
    Relation,
    Round,
    RoundText,
    Segment,
    Text,
    User,
)
from annotations.projects.guidelines import record_guidelines
from annotations.projects.locks import lock_project
from annotations.projects.people.members import add_member

# So many texts are copied at a time, with what belongs to them.
TEXTS_AT_ONCE = 100
ROWS_AT_ONCE = 1000


@transaction.atomic
def clone_project(project: Project, slug: str, title: str, manager: User, *, texts: bool = False) -> Project:
    """Create a project like this one, which the user manages; its results are closed. Raise ValidationError by field.

    Its rounds are there, open and not begun, with the designs of their plans. With `texts`, its texts and docsets are
    copied with what is predefined in them, into their rounds, and of plans the calibration sets, too. People, with who
    is assigned what until when, invitations, repeats and whatever coders did are not.
    """
    lock_project(project.pk, archived=True)  # a level that is added meanwhile is in all of the copy or in nothing of it
    own = {"slug": slug, "title": title, "scheme_version": 1, "scheme_stamp": uuid4()}
    clone = _copy(project, **own, results_open=False, archived_at=None)
    clone.full_clean()
    try:
        with transaction.atomic():
            clone.save()
    except IntegrityError:  # another project got the address since full_clean
        raise ValidationError({"slug": "Project with this Slug already exists."}) from None
    levels = _copy_scheme(project, clone)
    rounds = _copy_rounds(project, clone)
    plans = _copy_each(Plan.objects.filter(round__project=project), {"round_id": rounds}, due_on=None)
    if texts:
        _copy_texts(project, clone, levels, rounds, plans)
    add_member(clone, manager, Membership.Role.MANAGER)
    record_guidelines(clone, manager)
    return clone


def _copy[Row: models.Model](row: Row, **changes: Any) -> Row:
    """Return an unsaved copy of the row with these changes."""
    fields = {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key
    }
    return type(row)(**fields | changes)


def _copy_scheme(project: Project, clone: Project) -> dict[int, int]:
    """Copy levels and questions; return the key of each copied level by that of its model."""
    levels = _copy_each(project.levels.all(), project_id=clone.pk)
    _copy_each(project.categories.all(), {"level_id": levels}, project_id=clone.pk)
    relations = _copy_each(project.relations.all(), project_id=clone.pk)
    _copy_each(
        Relation.from_levels.through.objects.filter(relation__project=project),
        {"relation_id": relations, "level_id": levels},
    )
    _copy_each(
        Relation.to_levels.through.objects.filter(relation__project=project),
        {"relation_id": relations, "level_id": levels},
    )
    attributes: dict[int, int] = {}
    for attribute in project.attributes.order_by("position", "key"):  # a second choice comes after the first
        attributes |= _copy_each(
            [attribute], {"relation_id": relations, "primary_of_id": attributes}, project_id=clone.pk
        )
    _copy_each(
        Attribute.levels.through.objects.filter(attribute__project=project),
        {"attribute_id": attributes, "level_id": levels},
    )
    _copy_each(AttributeValue.objects.filter(attribute__project=project), {"attribute_id": attributes})
    return levels


def _copy_rounds(project: Project, clone: Project) -> dict[int, int]:
    begins = {"closed_at": None, "guidelines_version": None, "scheme_version": None, "required_round_id": None}
    rounds = _copy_each(project.rounds.all(), project_id=clone.pk, **begins)
    for row in project.rounds.exclude(required_round=None):
        Round.objects.filter(pk=rounds[row.pk]).update(required_round=rounds[row.required_round_id or 0])
    return rounds


def _copy_each[Row: models.Model](
    rows: Iterable[Row], references: Mapping[str, Mapping[int, int]] | None = None, **changes: Any
) -> dict[int, int]:
    """Copy the rows, with the copies of what they refer to; return the key of each copy by that of its model."""
    keys = {}
    for row in rows:
        changed = {name: copies.get(getattr(row, name)) for name, copies in (references or {}).items()}
        copied = _copy(row, **changed, **changes)
        copied.save()
        keys[row.pk] = copied.pk
    return keys


def _copy_texts(
    project: Project, clone: Project, levels: dict[int, int], rounds: dict[int, int], plans: dict[int, int]
) -> None:
    docsets = list(project.docsets.all())
    copied_docsets = Docset.objects.bulk_create(_copy(docset, project_id=clone.pk) for docset in docsets)
    keys = {docset.pk: copied.pk for docset, copied in zip(docsets, copied_docsets, strict=True)}
    texts = Text.objects.filter(project=project).order_by("pk").iterator(chunk_size=TEXTS_AT_ONCE)
    for batch in batched(texts, TEXTS_AT_ONCE):
        copies = Text.objects.bulk_create(
            _copy(text, project_id=clone.pk, docset_id=keys.get(text.docset_id or 0)) for text in batch
        )
        of_text = {text.pk: copied.pk for text, copied in zip(batch, copies, strict=True)}
        members = RoundText.objects.filter(text__in=list(of_text)).order_by("pk")
        _write(
            RoundText,
            (_copy(row, text_id=of_text[row.text_id], round_id=rounds[row.round_id]) for row in members.iterator()),
        )
        _write(
            PlanText,
            (
                _copy(row, text_id=of_text[row.text_id], plan_id=plans[row.plan_id])
                for row in PlanText.objects.filter(text__in=list(of_text)).order_by("pk").iterator()
            ),
        )
        _write(Segment, (_copy(row, text_id=of_text[row.text_id]) for row in _rows(Segment, of_text)))
        _write(
            Markable,
            (
                _copy(row, text_id=of_text[row.text_id], level_id=levels[row.level_id])
                for row in _rows(Markable, of_text, predefined=True)
            ),
        )


def _rows[Row: models.Model](model: type[Row], texts: Iterable[int], **conditions: Any) -> Iterator[Row]:
    rows = model._default_manager.filter(text__in=list(texts), **conditions)
    return rows.order_by("pk").iterator(chunk_size=ROWS_AT_ONCE)


def _write[Row: models.Model](model: type[Row], rows: Iterator[Row]) -> None:
    for batch in batched(rows, ROWS_AT_ONCE):
        model._default_manager.bulk_create(batch)
