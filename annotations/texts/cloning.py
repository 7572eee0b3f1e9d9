"""Copy a project: its scheme, guidelines and settings, and optionally its texts."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import batched
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction

from annotations.models import (
    Attribute,
    AttributeValue,
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

TEXTS_AT_ONCE = 100  # texts copied at a time, with their dependents
ROWS_AT_ONCE = 1000


@transaction.atomic
def clone_project(project: Project, slug: str, title: str, manager: User, *, texts: bool = False) -> Project:
    """Create a copy of the project, managed by the user, with results closed. Raise ValidationError by field.

    Its rounds are copied as open and not begun, with the designs of their plans. With `texts`, texts and docsets are
    copied with predefined markables, rounds and calibration sets. People, assignments, due dates, invitations, repeats
    and coders' work are not copied.
    """
    lock_project(project.pk, archived=True)  # a level added meanwhile is copied completely or not at all
    own = {"slug": slug, "title": title, "scheme_version": 1, "scheme_stamp": uuid4()}
    clone = _copy_of(project, **own, results_open=False, archived_at=None)
    clone.full_clean()
    try:
        with transaction.atomic():
            clone.save()
    except IntegrityError:  # another project took the address after full_clean
        raise ValidationError({"slug": "Project with this Slug already exists."}) from None
    levels = _copy_scheme(project, clone)
    begins = {"closed_at": None, "guidelines_version": None, "scheme_version": None, "required_round_id": None}
    rounds = _copy(project.rounds.all(), project_id=clone.pk, **begins)
    for row in project.rounds.exclude(required_round=None):
        Round.objects.filter(pk=rounds[row.pk]).update(required_round=rounds[row.required_round_id or 0])
    plans = _copy(Plan.objects.filter(round__project=project), {"round_id": rounds}, due_on=None)
    if texts:
        docsets = _copy(project.docsets.all(), project_id=clone.pk)
        all_texts = Text.objects.filter(project=project).order_by("pk").iterator(chunk_size=TEXTS_AT_ONCE)
        for batch in batched(all_texts, TEXTS_AT_ONCE):
            copies = {"text_id": _copy(batch, {"docset_id": docsets}, project_id=clone.pk)}
            _copy(_rows_of(RoundText, batch), {**copies, "round_id": rounds})
            _copy(_rows_of(PlanText, batch), {**copies, "plan_id": plans})
            _copy(_rows_of(Segment, batch), copies)
            _copy(_rows_of(Markable, batch, predefined=True), {**copies, "level_id": levels})
    add_member(clone, manager, Membership.Role.MANAGER)
    record_guidelines(clone, manager)
    return clone


def _copy_scheme(project: Project, clone: Project) -> dict[int, int]:
    """Copy levels and questions; return the primary keys of copied levels by those of the originals."""
    levels = _copy(project.levels.all(), project_id=clone.pk)
    _copy(project.categories.all(), {"level_id": levels}, project_id=clone.pk)
    relations = _copy(project.relations.all(), project_id=clone.pk)
    for through in (Relation.from_levels.through, Relation.to_levels.through):
        _copy(through.objects.filter(relation__project=project), {"relation_id": relations, "level_id": levels})
    attributes: dict[int, int] = {}
    for attribute in project.attributes.order_by("position", "key"):  # a second choice comes after the first
        attributes |= _copy([attribute], {"relation_id": relations, "primary_of_id": attributes}, project_id=clone.pk)
    levels_of = Attribute.levels.through.objects.filter(attribute__project=project)
    _copy(levels_of, {"attribute_id": attributes, "level_id": levels})
    _copy(AttributeValue.objects.filter(attribute__project=project), {"attribute_id": attributes})
    return levels


def _rows_of[Row: models.Model](model: type[Row], texts: Iterable[Text], **conditions: Any) -> Iterator[Row]:
    rows = model._default_manager.filter(text__in=[text.pk for text in texts], **conditions)
    return rows.order_by("pk").iterator(chunk_size=ROWS_AT_ONCE)


def _copy[Row: models.Model](
    rows: Iterable[Row], references: Mapping[str, Mapping[int, int]] | None = None, **changes: Any
) -> dict[int, int]:
    """Copy the rows with references to copies; return the primary keys of copies by those of the originals."""
    keys: dict[int, int] = {}
    for batch in batched(rows, ROWS_AT_ONCE):
        copies = []
        for row in batch:
            referred = {name: copied.get(getattr(row, name)) for name, copied in (references or {}).items()}
            copies.append(_copy_of(row, **referred, **changes))
        type(batch[0])._default_manager.bulk_create(copies)
        keys |= {row.pk: copied.pk for row, copied in zip(batch, copies, strict=True)}
    return keys


def _copy_of[Row: models.Model](row: Row, **changes: Any) -> Row:
    """Return an unsaved copy of the row with these changes."""
    fields = {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key
    }
    return type(row)(**fields | changes)
