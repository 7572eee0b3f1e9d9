"""The categories of a project and the answers that each requires."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef

from agreement.measures.values import Bools
from annotations.models import Attribute, Level, Project, Relation
from annotations.models.coding import pointing_categories


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories of a project and the answers that each requires; arrays follow the order of `keys`."""

    keys: tuple[str, ...]
    labels: Mapping[str, str]  # names as in `ProjectAnswers`
    singletons: tuple[str, ...]  # keys
    number: Mapping[int, int]  # the position of each category in `keys`, by primary key
    points: Bools
    indexes: Bools
    levels: tuple[Level, ...]  # in the order of their rows
    other_relations: tuple[int, ...]  # the primary keys of relations whose pointers make no chains
    asks_more: bool  # whether the scheme has questions other than categories and chains


def read_categories(project: Project) -> tuple[Categories, Hashable]:
    """Return the categories, and a key of the parts of the scheme on which answers depend."""
    others = Relation.objects.filter(project=project, identity=False).order_by("pk")
    attributes = Attribute.objects.filter(project=project).order_by()
    pointing = Exists(pointing_categories().filter(pk=OuterRef("pk")))
    columns = ("pk", "key", "singleton", pointing, "takes_index", "label", Exists(attributes), Exists(others))
    # sorted here: databases order names differently
    found = sorted(project.categories.order_by().values_list(*columns), key=lambda row: row[1])
    rows = tuple(row[:5] for row in found)  # no answer depends on a label
    # in a pyramid, a unit without an SCU is a singleton
    always = project.answers == Project.Answers.SCUS
    levels = tuple(Level.objects.filter(project=project).order_by("pk"))
    # Relations other than identity make no chains; a scheme without them costs no further query.
    other_relations = tuple(others.values_list("pk", flat=True)) if any(row[-1] for row in found) else ()
    categories = Categories(
        keys=tuple(key for _, key, *_ in rows),
        labels=name_categories({row[1]: row[5] for row in found}),
        singletons=tuple(key for _, key, singleton, *_ in rows if singleton or always),
        number={pk: number for number, (pk, *_) in enumerate(rows)},
        points=np.array([points for *_, points, _ in rows], dtype=np.bool_),
        indexes=np.array([index for *_, index in rows], dtype=np.bool_),
        levels=levels,
        other_relations=other_relations,
        asks_more=not found or found[0][-2] or bool(other_relations),  # without categories only other questions
    )
    return categories, (project.answers, rows, tuple((level.pk, level.coded) for level in levels), other_relations)


def name_categories(labels: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each category by key: its label, followed by the key if two categories share the label."""
    used = Counter(labels.values())
    return {key: label if used[label] == 1 else f"{label} ({key})" for key, label in labels.items()}
