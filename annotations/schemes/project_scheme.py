"""The scheme of a project as stored in the database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import IntegerField, QuerySet, Value

from annotations.core.database.compiled_queries import compiled_query
from annotations.formats.model.scheme import (
    CATEGORY,
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
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Attribute, AttributeValue, Category, Level, Project, Relation
from annotations.projects.scheme_rows import stamp_scheme
from annotations.schemes.constraints import Constraints, constraints_of


@transaction.atomic
def set_coder_marked_levels(project: Project, levels: Iterable[Level]) -> None:
    """Let coders mark markables of these coded levels, and of no others. Existing markables stay."""
    project.levels.update(coders_mark=False)
    project.levels.filter(pk__in=[level.pk for level in levels], coded=True).update(coders_mark=True)
    stamp_scheme(project)


@dataclass(frozen=True, slots=True)
class SchemeKeys:
    """The primary keys of what answers refer to, by keys, and the version of the scheme that has them.

    `identity` has the identity relation of each category.
    """

    categories: Mapping[str, int] = field(default_factory=dict)
    identity: Mapping[str, int] = field(default_factory=dict)
    relations: Mapping[str, int] = field(default_factory=dict)
    attributes: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[tuple[str, str], int] = field(default_factory=dict)
    version: int = 1


@dataclass(frozen=True)
class ProjectScheme:
    """The scheme of a project, read once: its levels as rows, all of it as formats represent it, and primary keys."""

    levels: tuple[Level, ...]
    spec: SchemeSpec
    keys: SchemeKeys

    @cached_property
    def constraints(self) -> Constraints:
        """What the scheme allows and asks."""
        return constraints_of(self.spec)

    @property
    def further(self) -> FurtherQuestions:
        """What it asks besides a category and identity."""
        return FurtherQuestions(
            attributes=bool(self.spec.attributes),
            relations=any(not relation.identity for relation in self.spec.relations),
            indices=any(category.takes_index for category in self.spec.categories),
        )

    def identity_pointers(self) -> dict[str, Any]:
        """Return the filter of those pointers that make chains. Where all do, nothing is filtered."""
        others = [relation.key for relation in self.spec.relations if not relation.identity]
        if not others:
            return {}
        identity = [pk for key, pk in self.keys.relations.items() if key not in others]
        return {"relation__in": identity}

    def state(self, answers: str) -> dict[str, Any]:
        """Return what coders are asked, in display order, and the constraints, as a dictionary for JSON."""
        derived = {"constraints": self.constraints, "scheme_version": self.keys.version}
        return scheme_to_json(self.spec, answers) | derived


class _SchemeMoved(Exception):
    """The scheme was changed while it was read."""


def read_scheme(project: int) -> ProjectScheme:
    """Return the scheme of a project, which a process remembers until it is changed. One query.

    A project that is deleted has an empty one.
    """
    while (stamp := _read_stamp(project)) is not None:
        with suppress(_SchemeMoved):
            return _scheme_of_stamp(project, *stamp)
    return _read_rows(project, 1)


def _read_stamp(project: int) -> tuple[UUID, int] | None:
    return next(iter(_stamps(project)), None)


@compiled_query(IntegerField())
def _stamps(project: int) -> QuerySet[Project, tuple[UUID, int]]:
    return Project.objects.order_by().filter(pk=project).values_list("scheme_stamp", "scheme_version")


@lru_cache(maxsize=200)
def _scheme_of_stamp(project: int, stamp: UUID, version: int) -> ProjectScheme:
    """Return the scheme as of this stamp. Three queries, and two more where there are attributes.

    Raise _SchemeMoved where it has another stamp by now.
    """
    try:
        scheme = _read_rows(project, version)
    except KeyError:  # one query names what another did not find
        if _read_stamp(project) == (stamp, version):
            raise
    else:
        if _read_stamp(project) == (stamp, version):
            return scheme
    raise _SchemeMoved


def _read_rows(project: int, version: int) -> ProjectScheme:
    levels = tuple(Level.objects.filter(project=project))
    level_keys = {level.pk: level.key for level in levels}
    relations, relation_keys = _relations(project, level_keys)
    attributes, attribute_keys, value_keys = _attributes(project, level_keys, relation_keys)
    categories, category_keys = [], {}
    for pk, level, takes_index, takes_optional, singleton, retired, *texts in _category_rows(project):
        key, label, help_text, colour = texts
        categories.append(
            CategorySpec(
                key,
                label,
                takes_index=takes_index,
                takes_optional=takes_optional,
                singleton=singleton,
                level=level_keys[level] if level else "",
                help=help_text,
                colour=colour,
                retired=retired,
            )
        )
        category_keys[key] = pk
    spec = SchemeSpec(
        tuple(LevelSpec(level.key, level.label, level.coded, level.coders_mark) for level in levels),
        tuple(categories),
        tuple(relations),
        tuple(attributes),
    )
    identity = spec.identity_by_category()
    spec = spec.with_pointing()
    by_key = {key: pk for pk, key in relation_keys.items()}
    keys = SchemeKeys(
        category_keys,
        {key: by_key[found[0].key] for key, found in identity.items()},
        by_key,
        attribute_keys,
        value_keys,
        version,
    )
    return ProjectScheme(levels, spec, keys)


def _relations(project: int, levels: Mapping[int, str]) -> tuple[list[RelationSpec], dict[int, str]]:
    """Return the relations in display order, and their keys by primary keys."""
    rows: dict[int, tuple[Any, ...]] = {}
    from_levels: dict[int, set[int | None]] = {}
    to_levels: dict[int, set[int | None]] = {}
    for pk, level, is_target, _, *row in _relation_rows(project):
        rows[pk] = tuple(row)
        for levels_of_end, is_end in ((to_levels, is_target), (from_levels, not is_target)):
            levels_of_end.setdefault(pk, set()).update({level} if is_end else ())
    relations = [
        RelationSpec(
            key,
            label,
            help=help_text,
            from_levels=_in_order(levels, from_levels[pk]),
            to_levels=_in_order(levels, to_levels[pk]),
            identity=identity,
            max_targets=max_targets,
            joint=joint,
            later=later,
            asked_if=Condition.from_state(asked_if) if asked_if else None,
            retired=retired,
        )
        for pk, (key, label, help_text, identity, max_targets, joint, later, asked_if, retired) in rows.items()
    ]
    return relations, {pk: row[0] for pk, row in rows.items()}


def _in_order(levels: Mapping[int, str], named: Collection[int | None]) -> tuple[str, ...]:
    """Return the keys of the levels that are named, in the order of all levels."""
    return tuple(key for pk, key in levels.items() if pk in named)


def _attributes(
    project: int, levels: Mapping[int, str], relations: Mapping[int, str]
) -> tuple[list[AttributeSpec], dict[str, int], dict[tuple[str, str], int]]:
    """Return the attributes in display order, and the primary keys of attributes and of values by their keys."""
    rows: dict[int, tuple[Any, ...]] = {}
    on_levels: dict[int, set[int | None]] = {}
    for pk, level, *row in _attribute_rows(project):
        rows[pk] = tuple(row)
        on_levels.setdefault(pk, set()).add(level)
    values: dict[int, list[ValueSpec]] = {}
    value_keys = {}
    for pk, attribute, *value in _value_rows(project):
        spec = ValueSpec(*value)
        values.setdefault(attribute, []).append(spec)
        value_keys[rows[attribute][0], spec.key] = pk
    attributes = [
        AttributeSpec(
            key,
            label,
            help=help_text,
            of=Subject(of),
            relation=relations[relation] if relation else "",
            levels=_in_order(levels, on_levels[pk]),
            kind=AnswerKind(kind),
            required=required,
            asked_if=Condition.from_state(asked_if) if asked_if else None,
            primary_of=rows[primary_of][0] if primary_of else "",
            values=tuple(values.get(pk, ())),
            retired=retired,
        )
        for pk, (key, label, help_text, of, relation, kind, required, asked_if, primary_of, retired) in rows.items()
    ]
    return attributes, {row[0]: pk for pk, row in rows.items()}, value_keys


def _category_rows(project: int) -> QuerySet[Category, tuple[Any, ...]]:
    return Category.objects.filter(project=project).values_list(
        "pk", "level_id", "takes_index", "takes_optional", "singleton", "retired", "key", "label", "help", "colour"
    )


# A row for each level at either end.
def _relation_rows(project: int) -> QuerySet[Relation, tuple[Any, ...]]:
    relations = Relation.objects.filter(project=project).order_by()
    targets, sources = (
        rows.values_list(
            *("pk", levels, Value(levels == "to_levels"), "position"),
            *("key", "label", "help", "identity", "max_targets", "joint", "later", "asked_if", "retired"),
        )
        for rows, levels in ((relations, "to_levels"), (relations.filter(from_levels__isnull=False), "from_levels"))
    )
    return targets.union(sources, all=True).order_by("position", "key")


def _attribute_rows(project: int) -> QuerySet[Attribute, tuple[Any, ...]]:
    return Attribute.objects.filter(project=project).values_list(
        *("pk", "levels", "key", "label", "help", "of", "relation_id", "kind", "required", "asked_if"),
        *("primary_of_id", "retired"),
    )


def _value_rows(project: int) -> QuerySet[AttributeValue, tuple[Any, ...]]:
    values = AttributeValue.objects.filter(attribute__project=project)
    return values.values_list("pk", "attribute_id", "key", "label", "help", "colour", "retired")


@dataclass(frozen=True, slots=True)
class FurtherQuestions:
    """Whether a project asks for attributes, for other relations than identity, and for indices."""

    attributes: bool
    relations: bool
    indices: bool


def further_questions(project: int) -> FurtherQuestions:
    """Return what a project asks besides a category and identity. One query."""
    return read_scheme(project).further


def scheme_state(project: Project) -> dict[str, Any]:
    """Return what coders of a project are asked, in display order, and the constraints, as a dictionary for JSON."""
    return read_scheme(project.pk).state(project.answers)


# What the question of the category decides, too.
CATEGORY_LABELS: Mapping[str, str] = {
    Project.Answers.CATEGORIES: "Category",
    Project.Answers.POINTERS: "Category and chain",
    Project.Answers.INDICES: "Category and chain",
    Project.Answers.SCUS: "SCU",
}


def question_labels(project: Project) -> Callable[[str], str]:
    """Return what the questions of the scheme are called, by their keys. Two queries."""
    labels = dict(project.attributes.values_list("key", "label")) | dict(project.relations.values_list("key", "label"))
    labels[CATEGORY] = CATEGORY_LABELS[project.answers]
    return lambda question: labels.get(question) or question
