"""Roles and rights. Every view first calls one of these functions, mostly through `project_page` or `endpoint`.

An outsider gets 404, so that the existence of a project is not disclosed; a member without the right gets 403.
"""

from collections import Counter
from dataclasses import dataclass
from operator import attrgetter

from django.core.exceptions import PermissionDenied
from django.db.models import CharField, IntegerField, QuerySet
from django.http import Http404
from django.utils.crypto import salted_hmac

from annotations.core.database.compiled_queries import compiled_query
from annotations.core.http.requests import is_writing
from annotations.models import Coding, Project, Text, Transfer, User
from annotations.models.coding import AGREED_KINDS
from annotations.models.people.rights import Person, Right
from annotations.models.project import is_blind_manager, may, may_see_models, sees_all_of
from annotations.models.transfers.transfer import ARCHIVE
from annotations.projects.locks import refuse_archived
from annotations.projects.people.peer_names import find_slug, hide_name, is_blind_to_peers


def project_for(
    user: Person, slug: str, right: Right = Right.VIEW_PROJECT, *, archived: bool = False, changes: bool = False
) -> Project:
    """Return the project. Raise Http404 for outsiders, and PermissionDenied for members without the right.

    Writing to an archived project raises ProjectArchived, unless `archived`: the request changes nothing in it, or
    opens or deletes it. With `changes` reading raises it, too: the page is only a form.
    """
    projects = Project.objects.visible_to(user).filter(slug=slug) if user.is_superuser else _projects(user.pk, slug)
    project = next(iter(projects), None)
    if project is None:
        raise Http404("Project not found.")
    if not may(project, right):
        if is_blind_manager(project):
            raise PermissionDenied(
                "You code in this project yourself: until the results are open to coders you see nothing of the "
                "others’ work. A manager who does not code can do this."
            )
        raise PermissionDenied(f"You need the right to {right} in this project. Ask a manager.")
    if changes or (is_writing() and not archived):
        refuse_archived(project)
    return project


@compiled_query(IntegerField(), CharField())
def _projects(user: int, slug: str) -> QuerySet[Project]:
    return Project.objects.of_member(user).filter(slug=slug)


def project_with_models(user: Person, slug: str) -> Project:
    """Return the project for a manager of models, who must not code there; raise as `project_for`."""
    project = project_for(user, slug, Right.MANAGE_WORK)
    if not may_see_models(project):
        raise PermissionDenied("Models are managed by managers who do not code. Ask one.")
    return project


@dataclass(frozen=True, slots=True)
class CodingChoice:
    """The choice among a coder's codings of a text: by round, or by a page's token; by default the latest."""

    round: str = ""
    token: str = ""  # keeps a page on its coding when another is assigned meanwhile

    def admits(self, coding: Coding) -> bool:
        """Return whether the coding matches the choice."""
        return self.round in ("", coding.round.name) and (not self.token or self.token == coding_token(coding))


LATEST = CodingChoice()


def own_coding(
    user: User,
    project: Project,
    text_slug: str,
    *,
    agreed: bool = False,
    content: bool = True,
    choice: CodingChoice = LATEST,
) -> Coding:
    """Return the user's own coding of a text of the project. Raise Http404 if the user has none.

    A peer summary has the names that the user may see, and is found by them, too.

    With `agreed`, return the coding of the agreed pyramid, or of a peer summary with it. Without `content`, the text's
    content is not loaded. `choice` selects one of several. `is_alone` is set if the user sees no other coding of the
    text.
    """
    find = _own_codings if content else _own_codings_without_content
    codings = find(user.pk, project.pk, find_slug(project, user.pk, text_slug))
    if not sees_all_of(project):
        # Only the last occasion of each round.
        last = {coding.round_id: coding.occasion for coding in sorted(codings, key=attrgetter("occasion"))}
        codings = [coding for coding in codings if coding.occasion == last[coding.round_id]]
    kinds = Counter(coding.kind for coding in codings)
    for coding in codings:
        coding.coder = user
        coding.is_alone = kinds[coding.kind] == 1  # type: ignore[attr-defined]
        if choice.admits(coding) and (coding.kind in AGREED_KINDS) == agreed:
            if coding.text.role == Text.Role.PEER and is_blind_to_peers(project):
                hide_name(coding.text, user.pk)
            return coding
    raise Http404("This text is not assigned to you." if choice == LATEST else "You have no such coding of this text.")


@compiled_query(IntegerField(), IntegerField(), CharField())
def _own_codings(user: int, project: int, slug: str) -> QuerySet[Coding]:
    own = Coding.objects.of_coders().filter(coder=user, text__project=project, text__slug=slug)
    return own.latest_first().select_related("text", "round")


@compiled_query(IntegerField(), IntegerField(), CharField())
def _own_codings_without_content(user: int, project: int, slug: str) -> QuerySet[Coding]:
    own = Coding.objects.of_coders().filter(coder=user, text__project=project, text__slug=slug)
    return own.latest_first().select_related("text", "round").defer("text__content")


def coding_token(coding: Coding) -> str:
    """Return a token of the coding for its coder's pages, which discloses neither round nor occasion."""
    return salted_hmac("annotations.projects.permissions.coding", str(coding.pk), algorithm="sha256").hexdigest()[:24]


def may_archive(project: Project) -> bool:
    """Return whether the reader may have archives, which contain gold; the existence of gold does not matter."""
    return may(project, Right.MANAGE_WORK) and may(project, Right.ADJUDICATE)


def transfer_for(user: Person, pk: int) -> Transfer:
    """Return the import or export if the user may see it, with its project from `project_for`.

    Archived projects are included: exports can be made and deleted, and imports check for themselves. Raise Http404 for
    a user who does not see its project's results, PermissionDenied if that right is not enough.
    """
    transfer = Transfer.objects.visible_to(user).select_related("project", "user").filter(pk=pk).first()
    if transfer is None:
        raise Http404("Import or export not found.")
    if transfer.project is not None:
        is_export = transfer.kind == Transfer.Kind.EXPORT
        is_archive = is_export and transfer.format == ARCHIVE
        right = Right.MANAGE_WORK if is_archive else Right.SEE_RESULTS if is_export else Right.MANAGE
        transfer.project = project_for(user, transfer.project.slug, right, archived=True)
        if transfer.choices.get("gold") and not may(transfer.project, Right.ADJUDICATE):
            raise Http404("Import or export not found.")
        # It contains remarks, members and every operation.
        if is_archive and not may_archive(transfer.project):
            raise PermissionDenied("An archive may contain gold, which nobody sees who codes: ask another manager.")
    return transfer
