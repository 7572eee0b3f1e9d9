"""Which categories of version 0.1.0 referred to themselves alone."""

from typing import Any

from django.db.models import QuerySet


def mark_singletons(plain_categories: QuerySet[Any]) -> None:
    """Let those of the categories, which do not point, be singletons in projects that follow Passonneau 2004.

    Version 0.1.0 had no such option and took categories without index so in every project of indices; her NIL is one.
    Called once, by a migration and where an archive or backup of an earlier version comes in.
    """
    plain_categories.filter(
        takes_index=False,
        project__answers="indices",
        project__preset__startswith="passonneau-2004",
    ).update(singleton=True)
