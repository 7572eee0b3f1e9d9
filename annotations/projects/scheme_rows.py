"""The rows of a scheme: written for a new project, and changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

from django.db import models

from annotations.formats.model.scheme import SchemeSpec
from annotations.models import Attribute, AttributeValue, Category, Level, Project, Relation


def write_scheme(project: Project, spec: SchemeSpec) -> None:
    """Write levels and questions; those that are there by their keys are changed. Call it inside a transaction.

    What the scheme does not have stays until `delete_others`: answers may have to be moved away first.
    """
    levels = _upsert(
        Level,
        {"project": project},
        (
            {
                "key": level.key,
                "label": level.label,
                "coded": level.coded,
                "coders_mark": level.coders_mark,
                "position": position,
            }
            for position, level in enumerate(spec.levels)
        ),
    )
    _upsert(
        Category,
        {"project": project},
        (
            {
                "key": category.key,
                "label": category.label,
                "level_id": levels[category.level] if category.level else None,
                "help": category.help,
                "colour": category.colour,
                "takes_index": category.takes_index,
                "takes_optional": category.takes_optional,
                "singleton": category.singleton,
                "retired": category.retired,
                "position": position,
            }
            for position, category in enumerate(spec.categories)
        ),
    )
    relations = _write_relations(project, spec, levels)
    _write_attributes(project, spec, levels, relations)
    stamp_scheme(project)


def stamp_scheme(project: Project) -> None:
    """Let every process read the scheme again: it was changed in this transaction."""
    project.scheme_stamp = uuid4()
    project.save(update_fields=["scheme_stamp"])


def _write_relations(project: Project, spec: SchemeSpec, levels: Mapping[str, int]) -> dict[str, int]:
    keys = _upsert(
        Relation,
        {"project": project},
        (
            {
                "key": relation.key,
                "label": relation.label,
                "help": relation.help,
                "identity": relation.identity,
                "max_targets": relation.max_targets,
                "joint": relation.joint,
                "later": relation.later,
                "asked_if": relation.asked_if.state() if relation.asked_if else None,
                "retired": relation.retired,
                "position": position,
            }
            for position, relation in enumerate(spec.relations)
        ),
    )
    _link(
        Relation.from_levels.through,
        "relation_id",
        ((keys[one.key], levels[level]) for one in spec.relations for level in one.from_levels),
        keys.values(),
    )
    _link(
        Relation.to_levels.through,
        "relation_id",
        ((keys[one.key], levels[level]) for one in spec.relations for level in one.to_levels),
        keys.values(),
    )
    return keys


def _write_attributes(
    project: Project, spec: SchemeSpec, levels: Mapping[str, int], relations: Mapping[str, int]
) -> None:
    keys = _upsert(
        Attribute,
        {"project": project},
        (
            {
                "key": attribute.key,
                "label": attribute.label,
                "help": attribute.help,
                "of": attribute.of,
                "relation_id": relations[attribute.relation] if attribute.relation else None,
                "kind": attribute.kind,
                "required": attribute.required,
                "asked_if": attribute.asked_if.state() if attribute.asked_if else None,
                "primary_of_id": None,
                "retired": attribute.retired,
                "position": position,
            }
            for position, attribute in enumerate(spec.attributes)
        ),
    )
    for attribute in spec.attributes:
        if attribute.primary_of:
            Attribute.objects.filter(pk=keys[attribute.key]).update(primary_of=keys[attribute.primary_of])
    _link(
        Attribute.levels.through,
        "attribute_id",
        ((keys[one.key], levels[level]) for one in spec.attributes for level in one.levels),
        keys.values(),
    )
    _upsert(
        AttributeValue,
        {},
        (
            {
                "attribute_id": keys[attribute.key],
                "key": value.key,
                "label": value.label,
                "help": value.help,
                "colour": value.colour,
                "retired": value.retired,
                "position": position,
            }
            for attribute in spec.attributes
            for position, value in enumerate(attribute.values)
        ),
        within="attribute",
    )


def _upsert(
    model: type[models.Model], common: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], within: str = "project"
) -> dict[str, int]:
    """Write rows, which have the same fields; return their primary keys by their keys, which are unique `within`."""
    rows = list(rows)
    if not rows:
        return {}
    written = model._default_manager.bulk_create(
        (model(**common, **row) for row in rows),
        update_conflicts=True,
        unique_fields=[within, "key"],
        update_fields=[name for name in rows[0] if name not in ("key", f"{within}_id")],
    )
    return {row["key"]: one.pk for row, one in zip(rows, written, strict=True)}


def _link(model: Any, name: str, pairs: Iterable[tuple[int, int]], owners: Iterable[int]) -> None:
    """Let each of the owners have these levels and no others."""
    wanted = set(pairs)
    there = {(owner, level): pk for pk, owner, level in _links(model, name, owners)}
    model.objects.filter(pk__in=[pk for pair, pk in there.items() if pair not in wanted]).delete()
    model.objects.bulk_create(
        model(**{name: owner, "level_id": level}) for owner, level in sorted(wanted - there.keys())
    )


def _links(model: Any, name: str, owners: Iterable[int]) -> Iterable[tuple[int, int, int]]:
    rows: Iterable[tuple[int, int, int]] = model.objects.filter(**{f"{name}__in": list(owners)}).values_list(
        "pk", name, "level_id"
    )
    return rows


def delete_others(project: Project, spec: SchemeSpec) -> None:
    """Delete levels and questions that the scheme does not have: an attribute keeps its relation, a category its level.

    Raise RestrictedError or ProtectedError where answers have them.
    """
    values = {(attribute.key, value.key) for attribute in spec.attributes for value in attribute.values}
    rows = AttributeValue.objects.filter(attribute__project=project).values_list("pk", "attribute__key", "key")
    others = [pk for pk, *keys in rows if tuple(keys) not in values]
    if others:
        AttributeValue.objects.filter(pk__in=others).delete()
    project.attributes.exclude(key__in=[attribute.key for attribute in spec.attributes]).delete()
    project.relations.exclude(key__in=[relation.key for relation in spec.relations]).delete()
    project.categories.exclude(key__in=[category.key for category in spec.categories]).delete()
    project.levels.exclude(key__in=[level.key for level in spec.levels]).delete()
    stamp_scheme(project)
