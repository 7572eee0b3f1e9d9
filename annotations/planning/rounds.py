"""Rounds of annotation."""

from __future__ import annotations

from collections.abc import Iterable

from annotations.models import Project, Text


def move_to_round(project: Project, texts: Iterable[Text], name: str) -> int:
    """Move texts of the project to a round, or to none if the name is empty; return the number of texts."""
    return project.texts.filter(pk__in=[text.pk for text in texts]).update(round=name)
