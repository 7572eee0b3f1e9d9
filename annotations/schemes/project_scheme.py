"""The scheme of a project as stored in the database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import IntegerField, QuerySet

from annotations.core.compiled_queries import compiled_query
from annotations.formats.model.scheme import CategorySpec, LevelSpec, SchemeSpec
from annotations.models import Category, Level, Project


@transaction.atomic
def set_coder_marked_levels(project: Project, levels: Iterable[Level]) -> None:
    """Let coders mark markables of these coded levels, and of no others. Existing markables stay."""
    project.levels.update(coders_mark=False)
    project.levels.filter(pk__in=[level.pk for level in levels], coded=True).update(coders_mark=True)


@compiled_query(IntegerField())
def levels_of(project: int) -> QuerySet[Level]:
    """Return the levels of a project in display order."""
    return Level.objects.filter(project=project)


@compiled_query(IntegerField())
def categories_of(project: int) -> QuerySet[Category]:
    """Return the categories of a project in display order, with the levels that they point to."""
    return Category.objects.filter(project=project).select_related("points_to")


def scheme_spec(levels: Iterable[Level], categories: Iterable[Category]) -> SchemeSpec:
    """Return the scheme as formats represent it."""
    return SchemeSpec(
        tuple(LevelSpec(level.key, level.label, level.coded) for level in levels),
        tuple(
            CategorySpec(
                category.key,
                category.label,
                category.points_to.key if category.points_to else "",
                category.max_pointers,
                category.allow_later,
                category.takes_index,
                category.takes_optional,
                category.singleton,
            )
            for category in categories
        ),
    )


def scheme_state(project: Project) -> dict[str, Any]:
    """Return answers, levels and categories, in display order, as a dictionary for JSON."""
    return {
        "answers": project.answers,
        "levels": [
            {"key": level.key, "label": level.label, "coded": level.coded, "coders_mark": level.coders_mark}
            for level in levels_of(project.pk)
        ],
        "categories": [
            {
                "key": category.key,
                "label": category.label,
                "points_to": category.points_to.key if category.points_to else None,
                "max_pointers": category.max_pointers,
                "allow_later": category.allow_later,
                "takes_index": category.takes_index,
                "takes_optional": category.takes_optional,
                "singleton": category.singleton,
            }
            for category in categories_of(project.pk)
        ],
    }
