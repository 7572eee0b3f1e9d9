"""The projects of a user: found by words, each with its managers and how far its codings are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from annotations.models import Coding, Membership, Project, Question, Text, User
from annotations.models.people.rights import MANAGING_ROLES, Right
from annotations.models.project import ProjectQuerySet, may

PAGE_SIZE = 24


@dataclass(frozen=True, slots=True)
class ProjectEntry:
    """A project in the list. Texts and codings are those that the user may see; None: no list of texts.

    `n_news` counts the user's questions with a new answer, `n_unanswered` those of coders that the user may answer.
    """

    project: Project
    role: str
    managers: Sequence[str]
    texts: int | None
    assigned: int
    submitted: int
    n_news: int = 0
    n_unanswered: int = 0


def find_projects(user: User, search: str = "", *, archived: bool = False) -> ProjectQuerySet:
    """Return the user's projects in use, or the archived ones, whose title or address has all of the words."""
    projects = Project.objects.visible_to(user).filter(archived_at__isnull=not archived)
    for word in search.split():
        projects = projects.filter(Q(title__icontains=word) | Q(slug__icontains=word))
    return projects.order_by("title", "slug")


def describe_projects(user: User, projects: Sequence[Project]) -> list[ProjectEntry]:
    """Return the entries of some of these projects, by four queries."""
    codings = Coding.with_models.visible_to(user).once_for(user).filter(text__project__in=projects).order_by()
    counts = {"assigned": Count("pk"), "submitted": Count("pk", filter=Q(status=Coding.Status.SUBMITTED))}
    progress = {pk: found for pk, *found in codings.values_list("text__project").annotate(**counts)}
    texts = dict(
        Text.objects.filter(project__in=projects).order_by().values_list("project").annotate(Count("pk")),
    )
    managers: dict[int, list[str]] = {}
    managing = Membership.objects.filter(project__in=projects, role__in=MANAGING_ROLES)
    for pk, name in managing.order_by("user__username").values_list("project", "user__username"):
        managers.setdefault(pk, []).append(name)
    news = Count("pk", filter=Q(coder=user.pk, has_news=True))
    waiting = Count("pk", filter=Q(needs_answer=True))
    asked = Question.objects.filter(text__project__in=projects).order_by().values_list("text__project")
    questions = {pk: found for pk, *found in asked.annotate(news=news, waiting=waiting)}
    return [
        ProjectEntry(
            project,
            Membership.Role(project.role).label,  # type: ignore[attr-defined]
            managers.get(project.pk, []),
            texts.get(project.pk, 0) if may(project, Right.READ_TEXTS) else None,
            assigned=progress.get(project.pk, (0, 0))[0],
            submitted=progress.get(project.pk, (0, 0))[1],
            n_news=questions.get(project.pk, (0, 0))[0],
            n_unanswered=questions.get(project.pk, (0, 0))[1] if may(project, Right.DISCUSS) else 0,
        )
        for project in projects
    ]
