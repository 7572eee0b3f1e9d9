"""Roles and what they may do. Every view and API view asks here on its first line.

An outsider gets 404, so that a project's existence is not told; a member without the right gets 403.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.db.models import CharField, IntegerField, Q, QuerySet
from django.http import Http404

from annotations.prepared import prepared

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from annotations.models import Coding, Project, Transfer, User

    type Person = User | AnonymousUser | Member


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who is no superuser, by their key alone: whom prepared queries are made for."""

    pk: int
    is_superuser: bool = False


class Right(StrEnum):
    BE_HERE = "be here"
    SEE_RESULTS = "see results"
    DISCUSS = "discuss items"
    MANAGE = "manage"


ROLES_THAT_SEE_ALL_WORK = ("manager", "adjudicator", "viewer")

RIGHTS: dict[str, frozenset[Right]] = {
    "manager": frozenset({Right.BE_HERE, Right.SEE_RESULTS, Right.DISCUSS, Right.MANAGE}),
    "adjudicator": frozenset({Right.BE_HERE, Right.SEE_RESULTS, Right.DISCUSS}),
    "viewer": frozenset({Right.BE_HERE, Right.SEE_RESULTS}),
    "coder": frozenset({Right.BE_HERE}),
}


def may(project: Project, right: Right) -> bool:
    """Whether the person for whom `project` was read (`visible_to` sets its `role`) has the right."""
    opened = project.results_open and right is Right.SEE_RESULTS
    return opened or right in RIGHTS[project.role]  # type: ignore[attr-defined]


def project_for(user: Person, slug: str, right: Right = Right.BE_HERE) -> Project:
    """The project, if the user may do that in it.

    Raises Http404 for somebody who is not a member, PermissionDenied for a member without the right.
    """
    found = _projects(user, slug) if user.is_superuser else _projects_of_member(user.pk, slug)
    project = next(iter(found), None)
    if project is None:
        raise Http404("There is no such project.")
    if not may(project, right):
        raise PermissionDenied(f"This needs the right to {right} in the project; ask its manager.")
    return project


def _projects(user: Person, slug: str) -> QuerySet[Project]:
    from annotations.models import Project

    return Project.objects.visible_to(user).filter(slug=slug)


@prepared(IntegerField(), CharField())
def _projects_of_member(user: int, slug: str) -> QuerySet[Project]:
    return _projects(Member(user), slug)


def own_coding(user: User, project: Project, text_slug: str, *, agreed: bool = False, content: bool = True) -> Coding:
    """The user's own coding of a text of the project. Raises Http404 where none is assigned.

    agreed: that of the agreed pyramid, or of a peer summary against it. content: off where nobody reads the text.
    """
    from annotations.models.coding import KINDS_OF_AGREED

    of_member = _own_codings_of_member if content else _own_codings_without_content
    place = (project.pk, text_slug)
    for coding in _own_codings(user, *place) if user.is_superuser else of_member(user.pk, *place):
        if (coding.kind in KINDS_OF_AGREED) == agreed:
            return coding
    raise Http404("This text is not yours to code.")


def _own_codings(user: User | Member, project: int, text_slug: str) -> QuerySet[Coding]:
    from annotations.models import Coding

    own = Coding.objects.visible_to(user).filter(coder=user.pk, text__project=project, text__slug=text_slug)
    return own.select_related("text__docset", "coder")


@prepared(IntegerField(), IntegerField(), CharField())
def _own_codings_of_member(user: int, project: int, text_slug: str) -> QuerySet[Coding]:
    return _own_codings(Member(user), project, text_slug)


@prepared(IntegerField(), IntegerField(), CharField())
def _own_codings_without_content(user: int, project: int, text_slug: str) -> QuerySet[Coding]:
    return _own_codings(Member(user), project, text_slug).defer("text__content")


def right_to_transfer(kind: str, format_key: str) -> Right:
    """What it takes to order or see an import or export. An archive holds remarks, members and every operation."""
    from annotations.models.transfer import ARCHIVE, Transfer

    return Right.SEE_RESULTS if kind == Transfer.Kind.EXPORT and format_key != ARCHIVE else Right.MANAGE


def transfer_for(user: Person, pk: int) -> Transfer:
    """The import or export, if the user may see it, with its project as `project_for` reads it.

    Raises Http404 for somebody who does not see its project's results, PermissionDenied where that is not enough.
    """
    from annotations.models import Transfer

    transfer = Transfer.objects.visible_to(user).select_related("project", "user").filter(pk=pk).first()
    if transfer is None:
        raise Http404("There is no such import or export.")
    if transfer.project is not None:
        right = right_to_transfer(transfer.kind, transfer.format)
        transfer.project = project_for(user, transfer.project.slug, right)
    return transfer


def is_member(user: Person, path_to_project: str) -> Q:
    """The condition that the user is a member of the project at that path."""
    from annotations.models import Membership

    return Q(**{f"{path_to_project}__in": Membership.objects.filter(user=user.pk).values("project")})


def sees_all_work(user: Person, path_to_project: str) -> Q:
    """The condition that the user's role in the project at that path lets them see every coder's work."""
    from annotations.models import Membership

    projects = Membership.objects.filter(user=user.pk).filter(
        Q(role__in=ROLES_THAT_SEE_ALL_WORK) | Q(project__results_open=True)
    )
    return Q(**{f"{path_to_project}__in": projects.values("project")})
