"""Create a project from a ready-made scheme."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations.formats.model.scheme import ReadyMadeScheme
from annotations.models import Category, Level, Membership, Project, User
from annotations.projects.members import add_member


@transaction.atomic
def create_project(
    slug: str,
    title: str,
    scheme: ReadyMadeScheme,
    *,
    guidelines: str = "",
    manager: User | None = None,
    coders_mark: bool = False,
) -> Project:
    """Create a project with the levels and categories of a ready-made scheme. Raise ValidationError by field.

    With `coders_mark`, coders mark the markables of coded levels themselves, in addition to predefined ones.
    Contributors of pyramids are always marked by coders.
    """
    coders_mark = coders_mark or scheme.answers == Project.Answers.SCUS
    project = Project(
        slug=slug,
        title=title,
        guidelines=guidelines,
        answers=scheme.answers,
        unmarked=scheme.unmarked,
        preset=scheme.agreement,
    )
    project.full_clean()
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError:  # another project got the address since full_clean
        raise ValidationError({"slug": "Project with this Slug already exists."}) from None
    levels = {
        level.key: Level.objects.create(
            project=project,
            key=level.key,
            label=level.label,
            coded=level.coded,
            coders_mark=coders_mark and level.coded,
            position=position,
        )
        for position, level in enumerate(scheme.levels)
    }
    Category.objects.bulk_create(
        Category(
            project=project,
            key=category.key,
            label=category.label,
            points_to=levels[category.points_to] if category.points_to else None,
            max_pointers=category.max_pointers,
            allow_later=category.allow_later,
            takes_index=category.takes_index,
            takes_optional=category.takes_optional,
            singleton=category.singleton,
            position=position,
        )
        for position, category in enumerate(scheme.categories)
    )
    if manager is not None:
        add_member(project, manager, Membership.Role.MANAGER)
    return project
