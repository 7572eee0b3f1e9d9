"""The scheme of a project as stored in the database."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import IntegerField, QuerySet

from annotations.core.database.compiled_queries import compiled_query
from annotations.formats.model.scheme import CATEGORY, SchemeSpec
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Level, Project
from annotations.projects.scheme_rows import read_rows, stamp_scheme
from annotations.schemes.constraints import Constraints, constraints_of


@transaction.atomic
def set_coder_marked_levels(project: Project, levels: Iterable[Level]) -> None:
    """Let coders mark markables of exactly these coded levels. Existing markables stay."""
    project.levels.update(coders_mark=False)
    project.levels.filter(pk__in=[level.pk for level in levels], coded=True).update(coders_mark=True)
    stamp_scheme(project)


@dataclass(frozen=True, slots=True)
class SchemeKeys:
    """The primary keys of the parts of a scheme by key, and the scheme's version."""

    categories: Mapping[str, int] = field(default_factory=dict)
    identity: Mapping[str, int] = field(default_factory=dict)  # the identity relation of each category
    relations: Mapping[str, int] = field(default_factory=dict)
    attributes: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[tuple[str, str], int] = field(default_factory=dict)
    version: int = 1


@dataclass(frozen=True, slots=True)
class FurtherQuestions:
    """Whether a project asks for attributes, for other relations than identity, and for indices."""

    attributes: bool
    relations: bool
    indices: bool


@dataclass(frozen=True)
class ProjectScheme:
    """The scheme of a project, read once: levels as rows, the specification that formats use, and primary keys."""

    levels: tuple[Level, ...]
    spec: SchemeSpec
    keys: SchemeKeys

    @cached_property
    def constraints(self) -> Constraints:
        return constraints_of(self.spec)

    @property
    def further(self) -> FurtherQuestions:
        """The questions beyond category and identity."""
        return FurtherQuestions(
            attributes=bool(self.spec.attributes),
            relations=any(not relation.identity for relation in self.spec.relations),
            indices=any(category.takes_index for category in self.spec.categories),
        )

    def state(self, answers: str) -> dict[str, Any]:
        """Return the questions in display order, and the constraints, as a dictionary for JSON."""
        derived = {"constraints": self.constraints, "scheme_version": self.keys.version}
        return scheme_to_json(self.spec, answers) | derived


class _SchemeMoved(Exception):
    """The scheme was changed while it was read."""


def read_scheme(project: int) -> ProjectScheme:
    """Return the scheme of a project, empty if it was deleted; a process caches it until it changes. One query."""
    while (stamp := _read_stamp(project)) is not None:
        with suppress(_SchemeMoved):
            return _scheme_of_stamp(project, *stamp)
    return _read(project, 1)


def _read_stamp(project: int) -> tuple[UUID, int] | None:
    return next(iter(_stamps(project)), None)


@compiled_query(IntegerField())
def _stamps(project: int) -> QuerySet[Project, tuple[UUID, int]]:
    return Project.objects.order_by().filter(pk=project).values_list("scheme_stamp", "scheme_version")


@lru_cache(maxsize=200)
def _scheme_of_stamp(project: int, stamp: UUID, version: int) -> ProjectScheme:
    """Return the scheme with this stamp. Raise _SchemeMoved if the stamp has changed since. Nine queries."""
    try:
        scheme = _read(project, version)
    except KeyError:  # one query refers to a row that another did not find
        if _read_stamp(project) == (stamp, version):
            raise
    else:
        if _read_stamp(project) == (stamp, version):
            return scheme
    raise _SchemeMoved


def _read(project: int, version: int) -> ProjectScheme:
    rows = read_rows(project)
    spec = rows.spec()
    categories, relations, attributes = (
        {row["key"]: row["id"] for row in kind_rows} for kind_rows in (rows.categories, rows.relations, rows.attributes)
    )
    attribute_keys = {pk: key for key, pk in attributes.items()}
    keys = SchemeKeys(
        categories,
        {key: relations[relation[0].key] for key, relation in spec.identity_by_category().items()},
        relations,
        attributes,
        {(attribute_keys[row["attribute"]], row["key"]): row["id"] for row in rows.values},
        version,
    )
    return ProjectScheme(tuple(Level(**row) for row in rows.levels), spec.with_pointing(), keys)


def further_questions(project: int) -> FurtherQuestions:
    """Return which questions a project asks beyond category and identity. One query."""
    return read_scheme(project).further


def scheme_state(project: Project) -> dict[str, Any]:
    """Return the questions of a project in display order, and the constraints, as a dictionary for JSON."""
    return read_scheme(project.pk).state(project.answers)


# The labels of the category's question, which includes chains.
CATEGORY_LABELS: Mapping[str, str] = {
    Project.Answers.CATEGORIES: "Category",
    Project.Answers.POINTERS: "Category and chain",
    Project.Answers.INDICES: "Category and chain",
    Project.Answers.SCUS: "SCU",
}


def question_labels(project: Project) -> Callable[[str], str]:
    """Return the function from keys of questions to their labels. Two queries."""
    labels = dict(project.attributes.values_list("key", "label")) | dict(project.relations.values_list("key", "label"))
    labels[CATEGORY] = CATEGORY_LABELS[project.answers]
    return lambda question: labels.get(question) or question
