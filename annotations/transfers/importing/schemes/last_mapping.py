"""The mapping of names that the last import of a format had, with which the next one of the project begins."""

from __future__ import annotations

from collections.abc import Mapping

from annotations.formats.model.format import CATEGORY, LEVEL, QUESTION
from annotations.models import ImportNames, Project
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.importing.schemes.naming import format_names

# The names of files and those of the scheme, by the option of an import that says them.
NAME_OPTIONS = (LEVEL.key, CATEGORY.key, QUESTION.key)
type NamesByOption = Mapping[str, Mapping[str, str]]


def remember_names(project: Project, format_key: str, names: NamesByOption) -> None:
    """Keep the mapping of an import that was carried out; without one, the last stays."""
    if any(names.values()):
        kept = {option: dict(mapping) for option, mapping in names.items()}
        ImportNames.objects.update_or_create(project=project, format=format_key, defaults={"names": kept})


def recall_names(project: Project, format_key: str) -> dict[str, str]:
    """Return the last mapping as options of an import, without names that the scheme no longer has."""
    row = ImportNames.objects.filter(project=project, format=format_key).first()
    if row is None:
        return {}
    spec = read_scheme(project.pk).spec
    known = {
        LEVEL.key: {level.key for level in spec.levels},
        CATEGORY.key: {one.key for one in spec.categories},
        QUESTION.key: {one.key for one in spec.relations} | {one.key for one in spec.attributes},
    }
    options = {}
    for option, keys in known.items():
        names = row.names.get(option, {})
        options[option] = format_names({theirs: ours for theirs, ours in names.items() if not ours or ours in keys})
    return {option: value for option, value in options.items() if value}
