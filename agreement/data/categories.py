"""The categories of a project, and what each asks for."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Exists, IntegerField, OuterRef, QuerySet

from agreement.measures.values import Bools
from annotations.core.database.compiled_queries import compiled_query
from annotations.models import Attribute, Category, Level, Project, Relation
from annotations.models.coding import pointing_categories


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories by key, and what each asks for; `singletons` are keys and `labels` names as in `ProjectAnswers`.

    `levels` are in the order of their rows. `other_relations` are the primary keys of those relations of the scheme
    whose pointers make no chains. `asks_more` says whether the scheme asks anything besides categories and chains.
    """

    keys: tuple[str, ...]
    labels: Mapping[str, str]
    singletons: tuple[str, ...]
    number: Mapping[int, int]
    points: Bools
    indexes: Bools
    levels: tuple[Level, ...]
    other_relations: tuple[int, ...]
    asks_more: bool


def read_categories(project: Project) -> tuple[Categories, Hashable]:
    """Return the categories, and what in the scheme the reading of answers depends on."""
    # ordered here: databases differ in how they order names
    found = sorted(_category_rows(project.pk), key=lambda row: row[1])
    rows = tuple(row[:-3] for row in found)  # no answer depends on a label
    # in a pyramid, what is in no SCU is alone
    always = project.answers == Project.Answers.SCUS
    levels = tuple(Level.objects.filter(project=project).order_by("pk"))
    # A relation that is not one of identity makes no chain. Few schemes have one, and they are asked for nothing more.
    others: tuple[int, ...] = ()
    if any(row[-1] for row in found):
        others = tuple(project.relations.filter(identity=False).order_by("pk").values_list("pk", flat=True))
    categories = Categories(
        keys=tuple(key for _, key, *_ in rows),
        labels=name_categories({key: label for _, key, *_, label, _, _ in found}),
        singletons=tuple(key for _, key, singleton, *_ in rows if singleton or always),
        number={pk: number for number, (pk, *_) in enumerate(rows)},
        points=np.array([points for *_, points, _ in rows], dtype=np.bool_),
        indexes=np.array([index for *_, index in rows], dtype=np.bool_),
        levels=levels,
        other_relations=others,
        # without categories it can only ask more
        asks_more=not found or any(row[-2] for row in found) or bool(others),
    )
    return categories, (project.answers, rows, tuple((level.pk, level.coded) for level in levels), others)


@compiled_query(IntegerField())
def _category_rows(project: int) -> QuerySet[Category, tuple[Any, ...]]:
    pointing = Exists(pointing_categories().filter(pk=OuterRef("pk")))
    columns = ("pk", "key", "singleton", pointing, "takes_index")
    other = Exists(Relation.objects.filter(project=OuterRef("project"), identity=False).order_by())
    attributes = Exists(Attribute.objects.filter(project=OuterRef("project")).order_by())
    return Category.objects.filter(project=project).order_by().values_list(*columns, "label", attributes, other)


def name_categories(labels: Mapping[str, str]) -> dict[str, str]:
    """Return what each category is called, by key: its label, with the key behind it where two have the same label."""
    used = Counter(labels.values())
    return {key: label if used[label] == 1 else f"{label} ({key})" for key, label in labels.items()}
