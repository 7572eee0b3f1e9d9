"""The formats that can represent the codings of a project."""

from collections.abc import Mapping

from django.core.exceptions import ValidationError

from annotations.formats import FORMATS, PYRAMID_FORMATS, Format, Option, PyramidFormat
from annotations.models import Docset, Project
from annotations.models.people.rights import Right
from annotations.models.project import may_change


def formats_of(project: Project) -> Mapping[str, Format] | Mapping[str, PyramidFormat]:
    """Return the formats in which codings of the project can be imported and exported."""
    return PYRAMID_FORMATS if project.answers == Project.Answers.SCUS else FORMATS


def check_format(project: Project, format_key: str) -> None:
    """Raise ValidationError, naming suitable formats, if codings of the project cannot be in this format."""
    if format_key in formats_of(project):
        return
    if project.answers == Project.Answers.SCUS:
        labels = ", ".join(f"{format_.label} ({key})" for key, format_ in PYRAMID_FORMATS.items())
        message = f"{project.slug} is a pyramid project, which this format cannot hold; use {labels}."
    else:
        label = PYRAMID_FORMATS[format_key].label
        message = (
            f"{label} belong to projects with the scheme “pyramid”, which {project.slug} is not. Create one for them."
        )
    raise ValidationError(message)


def may_create_scheme(project: Project) -> bool:
    """Return whether an import may bring the scheme, by the rights with which the project was read."""
    return (
        may_change(project, Right.MANAGE)
        and project.answers != Project.Answers.SCUS
        and not (project.texts.exists() or project.docsets.exists())
    )


def docset_option(project: Project) -> Option:
    """Return the option for the docset of pyramid files."""
    docsets = Docset.objects.filter(project=project).values_list("slug", "title")
    return Option("docset", "Docset", (("", "the docset with the name of the file, or with the same text"), *docsets))
