"""The rows of a scheme: written for a new project, and deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from annotations.formats.model.scheme import AttributeSpec, RelationSpec, SchemeSpec
from annotations.models import Attribute, AttributeValue, Category, Level, Project, Relation


def write_scheme(project: Project, spec: SchemeSpec, *, coders_mark: bool = False) -> None:
    """Write levels and questions of a project that has none. With `coders_mark`, coders mark on all coded levels."""
    rows = Level.objects.bulk_create(
        Level(
            project=project,
            key=level.key,
            label=level.label,
            coded=level.coded,
            coders_mark=level.coders_mark or (coders_mark and level.coded),
            position=position,
        )
        for position, level in enumerate(spec.levels)
    )
    levels = {level.key: level for level in rows}
    Category.objects.bulk_create(
        Category(
            project=project,
            key=category.key,
            label=category.label,
            level=levels[category.level] if category.level else None,
            help=category.help,
            colour=category.colour,
            takes_index=category.takes_index,
            takes_optional=category.takes_optional,
            singleton=category.singleton,
            position=position,
        )
        for position, category in enumerate(spec.categories)
    )
    relations = _write_relations(project, spec.relations, levels)
    _write_attributes(project, spec.attributes, levels, relations)


def _write_relations(
    project: Project, specs: Iterable[RelationSpec], levels: Mapping[str, Level]
) -> dict[str, Relation]:
    specs = list(specs)
    rows = Relation.objects.bulk_create(
        Relation(
            project=project,
            key=spec.key,
            label=spec.label,
            help=spec.help,
            identity=spec.identity,
            max_targets=spec.max_targets,
            joint=spec.joint,
            later=spec.later,
            asked_if=spec.asked_if.state() if spec.asked_if else None,
            position=position,
        )
        for position, spec in enumerate(specs)
    )
    for row, spec in zip(rows, specs, strict=True):
        row.from_levels.set(levels[key] for key in spec.from_levels)
        row.to_levels.set(levels[key] for key in spec.to_levels)
    return {row.key: row for row in rows}


def _write_attributes(
    project: Project, specs: Iterable[AttributeSpec], levels: Mapping[str, Level], relations: Mapping[str, Relation]
) -> None:
    rows: dict[str, Attribute] = {}
    for position, spec in enumerate(specs):
        row = rows[spec.key] = Attribute.objects.create(
            project=project,
            key=spec.key,
            label=spec.label,
            help=spec.help,
            of=spec.of,
            relation=relations[spec.relation] if spec.relation else None,
            kind=spec.kind,
            required=spec.required,
            asked_if=spec.asked_if.state() if spec.asked_if else None,
            primary_of=rows[spec.primary_of] if spec.primary_of else None,
            position=position,
        )
        row.levels.set(levels[key] for key in spec.levels)
        AttributeValue.objects.bulk_create(
            AttributeValue(
                attribute=row, key=value.key, label=value.label, help=value.help, colour=value.colour, position=number
            )
            for number, value in enumerate(spec.values)
        )


def delete_scheme(project: Project) -> None:
    """Delete levels and questions of a project without texts."""
    project.attributes.all().delete()  # an attribute keeps its relation, a category its level
    project.relations.all().delete()
    project.categories.all().delete()
    project.levels.all().delete()
