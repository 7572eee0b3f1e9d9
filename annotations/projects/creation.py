"""Create a project from a ready-made scheme."""

from dataclasses import replace

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations.formats.model.scheme import ReadyMadeScheme, SchemeSpec
from annotations.models import Membership, Project, User
from annotations.projects.guidelines import record_guidelines
from annotations.projects.locks import lock_project
from annotations.projects.people.members import add_member
from annotations.projects.scheme_rows import delete_others, write_scheme


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
    project = Project(slug=slug, title=title, guidelines=guidelines)
    _set_conventions(project, scheme)
    project.full_clean()
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError:  # another project took the address after full_clean
        raise ValidationError({"slug": "Project with this Slug already exists."}) from None
    write_scheme(project, _marked(scheme.spec, coders_mark=coders_mark))
    record_guidelines(project, manager)
    if manager is not None:
        add_member(project, manager, Membership.Role.MANAGER)
    return project


@transaction.atomic
def exchange_scheme(project: Project, scheme: ReadyMadeScheme, *, coders_mark: bool = False) -> None:
    """Give a project without texts another ready-made scheme. Raise ValidationError if it has texts."""
    lock_project(project.pk)
    if project.texts.exists() or project.docsets.exists():
        raise ValidationError("The scheme can be exchanged in a project without texts only.")
    _set_conventions(project, scheme)
    project.save(update_fields=["answers", "unmarked", "preset"])
    spec = _marked(scheme.spec, coders_mark=coders_mark)
    write_scheme(project, spec)
    delete_others(project, spec)


def _set_conventions(project: Project, scheme: ReadyMadeScheme) -> None:
    project.answers, project.unmarked, project.preset = scheme.answers, scheme.unmarked, scheme.agreement


def _marked(spec: SchemeSpec, *, coders_mark: bool) -> SchemeSpec:
    """Return the scheme; with `coders_mark`, coders mark on all of its coded levels."""
    if not coders_mark:
        return spec
    return replace(spec, levels=tuple(replace(level, coders_mark=level.coded) for level in spec.levels))
