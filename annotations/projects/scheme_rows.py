"""The rows of a scheme: read from the database or an archive, written for a new project, and changed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.db import models

from annotations.formats.model.scheme import (
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
    ValueSpec,
)
from annotations.models import Attribute, AttributeValue, Category, Level, Project, Relation

# The fields that rows and specs share.
LEVEL = ("key", "label", "coded", "coders_mark")
CATEGORY = ("key", "label", "help", "colour", "takes_index", "takes_optional", "singleton", "retired")
RELATION = ("key", "label", "help", "identity", "max_targets", "joint", "later", "retired")
ATTRIBUTE = ("key", "label", "help", "of", "kind", "required", "retired")
VALUE = ("key", "label", "help", "colour", "retired")

type Row = Mapping[str, Any]
type Links = Iterable[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeRows:
    """The rows of a scheme in display order, each with its `id`; links are pairs of a question and a level."""

    levels: Sequence[Row]
    categories: Sequence[Row]
    relations: Sequence[Row]
    attributes: Sequence[Row]
    values: Sequence[Row]
    relation_sources: Links
    relation_targets: Links
    attribute_levels: Links

    def spec(self) -> SchemeSpec:
        """Return the scheme. Raise KeyError if a row refers to a missing one."""
        levels, relations, attributes = (
            {row["id"]: row["key"] for row in rows} for rows in (self.levels, self.relations, self.attributes)
        )
        sources, targets, on_levels = (
            _levels_by_question(links, levels)
            for links in (self.relation_sources, self.relation_targets, self.attribute_levels)
        )
        values: dict[int, list[ValueSpec]] = {}
        for row in self.values:
            values.setdefault(row["attribute"], []).append(ValueSpec(**_pick(row, VALUE)))
        return SchemeSpec(
            tuple(LevelSpec(**_pick(row, LEVEL)) for row in self.levels),
            tuple(CategorySpec(**_pick(row, CATEGORY), level=_named(levels, row["level"])) for row in self.categories),
            tuple(
                RelationSpec(
                    **_pick(row, RELATION),
                    from_levels=sources.get(row["id"], ()),
                    to_levels=targets.get(row["id"], ()),
                    asked_if=Condition.from_state(row["asked_if"]) if row["asked_if"] else None,
                )
                for row in self.relations
            ),
            tuple(
                AttributeSpec(
                    **_pick(row, ATTRIBUTE) | {"of": Subject(row["of"]), "kind": AnswerKind(row["kind"])},
                    relation=_named(relations, row["relation"]),
                    levels=on_levels.get(row["id"], ()),
                    asked_if=Condition.from_state(row["asked_if"]) if row["asked_if"] else None,
                    primary_of=_named(attributes, row["primary_of"]),
                    values=tuple(values.get(row["id"], ())),
                )
                for row in self.attributes
            ),
        )


def _pick(row: Row, names: Iterable[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _named(keys: Mapping[int, str], pk: int | None) -> str:
    return keys[pk] if pk else ""


def _levels_by_question(links: Links, levels: Mapping[int, str]) -> dict[int, tuple[str, ...]]:
    """Return the keys of the levels of each question, in the order of all levels."""
    order = {pk: n for n, pk in enumerate(levels)}
    linked: dict[int, list[int]] = {}
    for question, level in links:
        linked.setdefault(question, []).append(level)
    return {
        question: tuple(levels[pk] for pk in sorted(pks, key=order.__getitem__)) for question, pks in linked.items()
    }


def read_rows(project: int) -> SchemeRows:
    """Return the rows of the scheme of a project. Eight queries."""
    of_project = {"project": project}
    return SchemeRows(
        levels=Level.objects.filter(**of_project).values("id", "project_id", "position", *LEVEL),
        categories=Category.objects.filter(**of_project).values("id", "level", *CATEGORY),
        relations=Relation.objects.filter(**of_project).values("id", "asked_if", *RELATION),
        attributes=Attribute.objects.filter(**of_project).values(
            "id", "relation", "asked_if", "primary_of", *ATTRIBUTE
        ),
        values=AttributeValue.objects.filter(attribute__project=project).values("id", "attribute", *VALUE),
        relation_sources=_links_of(Relation.from_levels.through, "relation", project),
        relation_targets=_links_of(Relation.to_levels.through, "relation", project),
        attribute_levels=_links_of(Attribute.levels.through, "attribute", project),
    )


def _links_of(through: Any, name: str, project: int) -> Links:
    links: Links = through.objects.filter(**{f"{name}__project": project}).values_list(f"{name}_id", "level_id")
    return links


def write_scheme(project: Project, spec: SchemeSpec) -> None:
    """Write levels and questions; existing keys are updated. Call it inside a transaction.

    Other rows stay until `delete_others`, as answers may have to be moved first.
    """
    of_project = {"project": project}
    levels = _upsert(Level, of_project, _rows(spec.levels, LEVEL))
    categories = _rows(spec.categories, CATEGORY, lambda own: {"level_id": levels[own.level] if own.level else None})
    _upsert(Category, of_project, categories)
    relations = _upsert(Relation, of_project, _rows(spec.relations, RELATION, _condition))
    attributes = _upsert(
        Attribute,
        of_project,
        _rows(
            spec.attributes,
            ATTRIBUTE,
            lambda own: {
                **_condition(own),
                "relation_id": relations[own.relation] if own.relation else None,
                "primary_of_id": None,
            },
        ),
    )
    for attribute in spec.attributes:
        if attribute.primary_of:
            row = Attribute.objects.filter(pk=attributes[attribute.key])
            row.update(primary_of=attributes[attribute.primary_of])
    values = [
        row | {"attribute_id": attributes[attribute.key]}
        for attribute in spec.attributes
        for row in _rows(attribute.values, VALUE)
    ]
    _upsert(AttributeValue, {}, values, within="attribute")
    sources, targets = Relation.from_levels.through, Relation.to_levels.through
    _link(sources, "relation_id", levels, {relations[row.key]: row.from_levels for row in spec.relations})
    _link(targets, "relation_id", levels, {relations[row.key]: row.to_levels for row in spec.relations})
    of_attributes = {attributes[row.key]: row.levels for row in spec.attributes}
    _link(Attribute.levels.through, "attribute_id", levels, of_attributes)
    stamp_scheme(project)


def stamp_scheme(project: Project) -> None:
    """Change the stamp, so that every process reads the scheme again."""
    project.scheme_stamp = uuid4()
    project.save(update_fields=["scheme_stamp"])


def _rows[S](
    specs: Iterable[S], names: Iterable[str], others: Callable[[S], dict[str, Any]] = lambda _: {}
) -> list[dict[str, Any]]:
    return [
        {**{name: getattr(spec, name) for name in names}, "position": position, **others(spec)}
        for position, spec in enumerate(specs)
    ]


def _condition(spec: RelationSpec | AttributeSpec) -> dict[str, Any]:
    return {"asked_if": spec.asked_if.state() if spec.asked_if else None}


def _upsert(
    model: type[models.Model], common: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], within: str = "project"
) -> dict[str, int]:
    """Write rows with equal fields; return their primary keys by `key`, which is unique `within` that field."""
    if not rows:
        return {}
    written = model._default_manager.bulk_create(
        (model(**common, **row) for row in rows),
        update_conflicts=True,
        unique_fields=[within, "key"],
        update_fields=[name for name in rows[0] if name not in ("key", f"{within}_id")],
    )
    return {row["key"]: saved.pk for row, saved in zip(rows, written, strict=True)}


def _link(model: Any, name: str, levels: Mapping[str, int], linked: Mapping[int, Iterable[str]]) -> None:
    """Give each of the linked rows exactly these levels."""
    model.objects.filter(**{f"{name}__in": list(linked)}).delete()
    pairs = {(row, levels[key]) for row, keys in linked.items() for key in keys}
    model.objects.bulk_create(model(**{name: row, "level_id": level}) for row, level in sorted(pairs))


def delete_others(project: Project, spec: SchemeSpec) -> None:
    """Delete the rows that the scheme does not have. Raise RestrictedError or ProtectedError if answers use them."""
    values = {(attribute.key, value.key) for attribute in spec.attributes for value in attribute.values}
    rows = AttributeValue.objects.filter(attribute__project=project).values_list("pk", "attribute__key", "key")
    obsolete = [pk for pk, *keys in rows if tuple(keys) not in values]
    if obsolete:
        AttributeValue.objects.filter(pk__in=obsolete).delete()
    project.attributes.exclude(key__in=[attribute.key for attribute in spec.attributes]).delete()
    project.relations.exclude(key__in=[relation.key for relation in spec.relations]).delete()
    project.categories.exclude(key__in=[category.key for category in spec.categories]).delete()
    project.levels.exclude(key__in=[level.key for level in spec.levels]).delete()
    stamp_scheme(project)
