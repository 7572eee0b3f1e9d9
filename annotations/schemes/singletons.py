"""Which categories of version 0.1.0 referred to themselves alone."""

from django.db.models import QuerySet

from annotations.models import Category


def mark_singletons(categories: QuerySet[Category]) -> None:
    """Let the categories without index be singletons in projects that follow Passonneau 2004.

    Version 0.1.0 had no such option and took them so in every project of indices; her NIL is one. Called once, by a
    migration and where an archive or backup of an earlier version comes in.
    """
    categories.filter(
        takes_index=False,
        points_to=None,
        project__answers="indices",
        project__preset__startswith="passonneau-2004",
    ).update(singleton=True)
